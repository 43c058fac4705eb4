"""Cosine or dot product for what MovieLens' users take: 609 users, 1 437 films, six divisions of the users; 5 minutes.

cosine_or_dot_films.csv has a row for each division, k, use and gauge. A division puts the users into ten groups; of
each group a fifth of the films is hidden, and found by a model of the nine others. "sums" ranks films by the sum of
their similarities to those a user took, "scores" by the similarity of user and film. λ is chosen for cosine and dot
product each, by the recall@20 of every second user for the users between them: cosine and dot product are means over
users, lead their difference with its 95 % interval from 10 000 draws of users, and popularity the recall of
recommending what most users took.
"""

import numpy as np

from experiments.common import leading, likes, unit, users_from
from experiments.cosine_or_dot import weights
from helpers.evaluation import recalls
from helpers.spectrum import gram

RANKS, TAUS, DRAWS = (20, 100, 400), (0, 3, 6, 12, 25, 50, 100), 10_000
USES, KINDS = ("sums", "scores"), ("cosine", "dot product")
TOLERANCE = 3e-3  # closed forms; a tie may fall either way, and one user is one of 609


def groups(X, division):
    """What each of the ten models learns from, and what is seen and hidden of the users that it is tested on."""
    group = np.random.default_rng(division).permutation(X.shape[0]) % 10
    for i in range(10):
        held = X[group == i]
        yield X[group != i], *users_from(np.random.default_rng([division, i]), held[held.sum(axis=1) >= 2])


def found_at_all(X, division, k):
    """recall@20 of every user at each τ: {(use, gauge, kind): {τ: (users,)}}, and that of popularity."""
    found, popularity = {}, []
    for train, seen, hidden in groups(X, division):
        s, V = leading(gram(train), k)
        popularity.append(recalls(np.broadcast_to(train.sum(axis=0), seen.shape), seen, hidden))
        for gauge, tau, f, h in weights(s, TAUS):
            B = V * f
            for kind, F in zip(KINDS, (unit(B), B), strict=True):
                E = V if gauge == "projected back" else F  # whose scores of a user are XABᵀ itself
                for use, scores in zip(USES, (seen @ F @ F.T, seen @ V * h @ E.T), strict=True):
                    found.setdefault((use, gauge, kind), {}).setdefault(tau, []).append(recalls(scores, seen, hidden))
    joined = {}
    for case, by_tau in found.items():
        joined[case] = {tau: np.concatenate(of_groups) for tau, of_groups in by_tau.items()}
    return joined, np.concatenate(popularity)


def chosen(found, users):
    """The τ that is best on average for these users, of {τ: (users,)}."""
    return max(found, key=lambda tau: found[tau][users].mean())


def measure(division, k):
    """All rows of one division and k."""
    X, _ = likes()
    found, popularity = found_at_all(X, division, k)
    even, rows = np.arange(len(popularity)) % 2 == 0, []
    drawn = np.random.default_rng(0).integers(len(popularity), size=(DRAWS, len(popularity)))
    for use, gauge in dict.fromkeys((use, gauge) for use, gauge, _ in found):
        best = {}
        for kind in KINDS:
            by_tau = found[use, gauge, kind]
            for_even, for_odd = chosen(by_tau, ~even), chosen(by_tau, even)  # each by the other users
            best[kind] = np.where(even, by_tau[for_even], by_tau[for_odd])
        lead = best["cosine"] - best["dot product"]
        low, high = np.quantile(lead[drawn].mean(axis=1), [0.025, 0.975])
        row = {"use": use, "gauge": gauge} | {kind: each.mean() for kind, each in best.items()}
        row |= {"lead": lead.mean(), "low": low, "high": high}
        rows.append(row | {"popularity": popularity.mean()})
    return rows


JOBS = [{"division": division, "k": k} for division in range(6) for k in RANKS]
