"""Eq. 1 and Eq. 2 with λ and k tuned for the score they are judged by: 80 data sets, about 8 minutes.

ndcg.csv has a row for each reading, seed, objective and choice of k (50, or the best of five): the k and τ whose
nDCG@100 is best for the validation users (λ₁ = τ², λ₂ = τ; λ₁ to ∞, and to σ₁² at most, as λ₂ stops at σ₁), and
recall@20 and nDCG@100 of the test users there. held_out.csv has the same tuned by recall.
"""

import numpy as np

from experiments import run
from experiments.common import FEW, TAUS, draw, jobs
from experiments.held_out import KEPT, RANKS
from helpers import ndcg_at, recall_at, truncated_svd

TOLERANCE = 1e-3  # exact algebra; where two λ serve validation users alike, another processor may take the other
LIMITED = "Eq. 1, λ₁ < σ₁²"


def ndcg_of(users, V, weights, n=100):
    """nDCG@n of the model V diag(w) Vᵀ for each w of weights: helpers.ndcg_at for scores without ties, faster."""
    asked = users.hidden.any(axis=1)
    seen, hidden = users.seen[asked], users.hidden[asked] > 0
    discount = 1 / np.log2(np.arange(2, n + 2))
    ideal = np.cumsum(discount)[np.minimum(hidden.sum(axis=1), n) - 1]
    embedded, V = (seen @ V).astype(np.float32), V.astype(np.float32)
    for w in weights:
        scores = (embedded * w.astype(np.float32)) @ V.T
        scores[seen > 0] = -np.inf
        best = np.argpartition(scores, -n, axis=1)[:, -n:]
        order = np.argsort(-np.take_along_axis(scores, best, axis=1), axis=1)
        hits = np.take_along_axis(hidden, np.take_along_axis(best, order, axis=1), axis=1)
        yield np.mean(hits @ discount / ideal)


def tune_by_ndcg(reading, seed):
    """All rows of one data set."""
    data = draw(reading, seed)
    s, V = truncated_svd(data.X, max(RANKS))
    taus = TAUS[TAUS >= 16]
    found = []  # (nDCG of the validation users, objective, k, τ)
    for k in RANKS:
        settings = [("Eq. 1", tau) for tau in (*taus, np.inf)] + [("Eq. 2", tau) for tau in taus[taus < s[0]]]
        weights = [KEPT[objective](s[:k], tau) for objective, tau in settings]
        scores = ndcg_of(data.validation, V[:, :k], weights)
        found += [(score, objective, k, tau) for score, (objective, tau) in zip(scores, settings, strict=True)]
    rows = []
    for choice, ranks in (("50", (50,)), ("tuned", RANKS)):
        for name, limit in (("Eq. 1", np.inf), (LIMITED, s[0]), ("Eq. 2", np.inf)):
            allowed = [one for one in found if one[1] == name[:5] and one[2] in ranks and one[3] <= limit]
            best, objective, k, tau = max(allowed, key=lambda one: one[0])
            scores = data.test.seen @ V[:, :k] * KEPT[objective](s[:k], tau) @ V[:, :k].T
            row = {"objective": name, "choice": choice, "k": k, "tau": tau, "validation": best}
            row |= {"ndcg": ndcg_at(scores, *data.test), "recall": recall_at(scores, *data.test)}
            rows.append(row | {"beyond": tau > s[0]})
    return rows


JOBS = jobs(FEW)

if __name__ == "__main__":
    run("ndcg", JOBS, tune_by_ndcg, processes=1, tolerance=TOLERANCE)
