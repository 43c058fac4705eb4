"""How many judged pairs fix a ruler that holds for other words: an inner product learned, judged on pairs left out.

judged.csv has a row for each k, judge, list, split and number n of judged pairs of that list, for the balanced split of
Eq. 1 on WordNet's glosses: Spearman's correlation on pairs of which no word was judged, of this list (out of
a third of it, the same for each n) and of the other, by the balanced cosines, by the exponent of σ that agrees best
with the n pairs, by a learned diagonal D and by a learned M. How far D and M leave the balanced split is chosen by
cross-validation within the n pairs. n = 0 is all pairs of the list, judged on the other list alone: there the last
columns are a 95 % interval of the difference to balanced, over pairs and over words, as in people_gaps.csv. The judges
are people and, to see whether a ruler that exists is found, the cosines of another split of the same model, projected
back: as they are, with noise in both lists ("noisy"), or in the learned list alone ("noisy, scored without").
Folds of the cross-validation are of pairs, which share words. Ten minutes.
"""

import numpy as np
from scipy.stats import norm, rankdata

from experiments.common import cosines_of_pairs, unit
from experiments.forged import LAM1, balanced, spectrum_of_glosses
from experiments.people import ALPHAS, LISTS, judgments, spearman
from experiments.people_gaps import TAIL, TIMES, correlation_draws, correlations, wider
from helpers import shrinkage

FOLDS, WIDEST = 5, 3
JUDGES = "people", "projected back", "noisy"
NOISE = 1.6  # sd, in units of the normal scores': the balanced split then agrees with him about as with people
NUMBERS = {"wordsim": (10, 20, 40, 80, 160), "simlex": (20, 80, 320)}
ENDS = "exponent low", "exponent high", "D low", "D high", "M low", "M high"
RIDGES = np.r_[10.0 ** np.arange(-5, 2.5, 0.5), np.inf]
TOLERANCE = 0.01  # closed forms; a ridge may be the next one of its grid


def slopes(U, first, second):
    """By how much an inner product x(I + Δ)y moves each cosine, for a small diagonal Δ: (pairs, k)."""
    cosine = np.sum(U[first] * U[second], axis=1, keepdims=True)
    return U[first] * U[second] - cosine * (U[first] ** 2 + U[second] ** 2) / 2


def kernel(U, one, other):
    """Inner products of the slopes for a full, symmetric Δ, between two sets of pairs."""
    (i, j), (g, h) = one, other
    G = U @ U.T
    c, d = G[i, j][:, None], G[g, h]
    mixed = (G[np.ix_(i, g)] * G[np.ix_(j, h)] + G[np.ix_(i, h)] * G[np.ix_(j, g)]) / 2
    ends = (G[np.ix_(i, g)] * G[np.ix_(j, g)] + G[np.ix_(i, h)] * G[np.ix_(j, h)]) * d / 2
    starts = (G[np.ix_(i, g)] * G[np.ix_(i, h)] + G[np.ix_(j, g)] * G[np.ix_(j, h)]) * c / 2
    squares = sum(G[np.ix_(a, b)] ** 2 for a in (i, j) for b in (g, h)) * c * d / 4
    return mixed - ends - starts + squares


def regression(inner, cosine, y, ridge):
    """Of y on 1, the cosine and, with that ridge, on the slopes: intercept and factor, and a weight for each pair."""
    Z = np.column_stack([np.ones(len(y)), cosine])
    if np.isinf(ridge):
        return np.linalg.lstsq(Z, y, rcond=None)[0], np.zeros(len(y))
    solved = np.linalg.solve(inner + ridge * np.eye(len(y)), np.column_stack([Z, y]))
    theta = np.linalg.lstsq(Z.T @ solved[:, :2], Z.T @ solved[:, 2], rcond=None)[0]
    return theta, solved[:, 2] - solved[:, :2] @ theta


def learned(inner, cosine, said, rng):
    """Factor of the cosine, and weights of the pairs' slopes, at the ridge of least cross-validated squared error."""
    y, fold = rankdata(said) / len(said), rng.permutation(len(said)) % FOLDS
    errors = np.zeros(len(RIDGES))
    for out in (fold == f for f in range(FOLDS)):
        for r, ridge in enumerate(RIDGES):
            theta, weights = regression(inner[np.ix_(~out, ~out)], cosine[~out], y[~out], ridge)
            guess = theta[0] + theta[1] * cosine[out] + inner[np.ix_(out, ~out)] @ weights
            errors[r] += np.sum((y[out] - guess) ** 2)
    ridge = RIDGES[np.argmin(errors)]
    theta, weights = regression(inner, cosine, y, ridge)
    return theta[1], weights, ridge


def root(Delta):
    """A square root of I + Δ, its eigenvalues kept from 1/3 to 3, so that its condition number is at most 3."""
    values, Q = np.linalg.eigh(np.eye(len(Delta)) + Delta)
    return Q * np.sqrt(np.clip(values, 1 / WIDEST, WIDEST))


def rulers(E, first, second, said, rng):
    """{name: all words' vectors}: balanced, the best exponent, a learned D and a learned M; and the ridges."""
    U, cosine = unit(E), cosines_of_pairs(E, first, second)
    s, V = spectrum_of_glosses(E.shape[1])
    agree = [spearman(cosines_of_pairs(V * s**alpha, first, second), said) for alpha in ALPHAS]
    found = {"balanced": E, "exponent": V * s ** ALPHAS[np.argmax(agree)]}
    moved, ridges = slopes(U, first, second), {}
    for name, inner in (("D", moved @ moved.T), ("M", kernel(U, (first, second), (first, second)))):
        factor, weights, ridges[f"{name}, ridge"] = learned(inner, cosine, said, rng)
        if name == "D":
            Delta = np.diag(moved.T @ weights)
        else:
            half = (U[first] * weights[:, None]).T @ U[second]
            sides = sum((U[e] * (weights * cosine)[:, None]).T @ U[e] for e in (first, second))
            Delta = (half + half.T - sides) / 2
        found[name] = E @ root(Delta / factor if factor > 0 else 0 * Delta)
    return found, ridges


def apart(pairs, words):
    """Which pairs have none of these words."""
    return ~np.isin(pairs[0], words) & ~np.isin(pairs[1], words)


def intervals(columns, first, second, said):
    """Interval of each column's correlation minus the first's, over pairs and over words: the wider."""
    by_way = correlation_draws(columns, first, second, said, TIMES).values()
    ends = wider([found - found[:, :1] for found in by_way], TAIL)[:, 1:]
    return dict(zip(ENDS, ends.T.ravel(), strict=True))


def opinions(k, judge, scored, split):
    """What a judge says of both lists: {name: (first, second, judgments)}."""
    if judge == "people":
        return judgments()[1]
    s, V = spectrum_of_glosses(k)
    hidden, rng, said = V * s * shrinkage(s, LAM1), np.random.default_rng([split, 1]), {}
    for name, (i, j, _) in judgments()[1].items():
        said[name] = i, j, cosines_of_pairs(hidden, i, j)
        if judge == "noisy" or (judge == "noisy, scored without" and name == scored):
            heights = norm.ppf((rankdata(said[name][2]) - 0.5) / len(i))
            said[name] = i, j, heights + rng.normal(0, NOISE, len(i))
    return said


def measure(k, judge, scored, split, n):
    """One row."""
    E, judged = balanced(k), opinions(k, judge, scored, split)
    first, second, said = (np.asarray(side) for side in judged[scored])
    other = judged[LISTS[1 - LISTS.index(scored)]]
    rng = np.random.default_rng(split)
    order = rng.permutation(len(said))
    pool, rest = (order, order[:0]) if n == 0 else (order[len(said) // 3 :], order[: len(said) // 3])
    words, use = np.unique([first[pool], second[pool]]), pool[: n or len(pool)]
    found, row = rulers(E, first[use], second[use], said[use], rng)
    tests = {"same": tuple(x[rest] for x in (first, second, said)), "other": other}
    for place, (i, j, y) in tests.items():
        new = apart((i, j), words)
        row[f"{place}, pairs"] = new.sum()
        columns = np.column_stack([cosines_of_pairs(e, i[new], j[new]) for e in found.values()]).round(10)
        values = correlations(columns, y[new]) if new.any() else np.full(len(found), np.nan)
        row |= {f"{place}, {name}": value for name, value in zip(found, values, strict=True)}
    return [row | (intervals(columns, i[new], j[new], y[new]) if n == 0 else dict.fromkeys(ENDS, np.nan))]


PROCESSES = 1
JOBS = [{"k": 400, "judge": judge, "scored": name, "split": 0, "n": 0} for judge in JUDGES for name in LISTS]
JOBS += [
    {"k": k, "judge": judge, "scored": name, "split": i, "n": n}
    for k, judge, splits in ((400, "people", 20), (400, "projected back", 10), (50, "people", 2))
    for i in range(splits)
    for name, numbers in NUMBERS.items()
    for n in numbers
]
JOBS += [
    {"k": 400, "judge": judge, "scored": "wordsim", "split": i, "n": n}
    for judge in ("noisy", "noisy, scored without")
    for i in range(20)
    for n in NUMBERS["wordsim"]
]
