"""Every weighting of V_k at k = 50, at every λ or α, in all nine readings: 180 data sets, about 40 minutes.

curves.csv has a row for each reading, seed, method and setting (τ with λ₁ = τ² or λ₂ = τ; the exponent of a power),
with the recovery of the clusters (AUC, average precision, purity) and recall@20 of the item–item recommender.
"""

import numpy as np

from experiments import run
from experiments.common import ALPHAS, N_ITEMS, TAUS, draw, jobs, scores
from helpers import cosine_similarity, readings, truncated_svd


def curves(s, alphas=ALPHAS, taus=TAUS):
    """(method, setting, item weights f) of all weightings; where λ is infinite, the limit up to a factor."""
    yield "f = 1", 0, np.ones_like(s)
    yield from (("power", alpha, (s / s[0]) ** alpha) for alpha in alphas)
    for tau in [*taus, np.inf]:
        g = s**2 / (s**2 + tau**2) if tau < np.inf else (s / s[0]) ** 2
        yield "D = I", tau, np.sqrt(g)
        yield "f = g", tau, g
        yield "f = √(σg)", tau, np.sqrt(s * g)
        yield "projected back", tau, s * g
    for tau in taus[taus < s[0]]:
        yield "Eq. 2", tau, np.sqrt(np.maximum(s - tau, 0))
        yield "weight decay", tau, np.sqrt(np.maximum(1 - tau**2 / s**2, 0))


def score_curves(reading, seed):
    """All rows of one data set."""
    data = draw(reading, seed)
    s, V = truncated_svd(data.X, 50)
    G = (data.X.T @ data.X).toarray()
    S = {("columns of X", 0): G / np.sqrt(np.outer(G.diagonal(), G.diagonal()))}
    S |= {(method, setting): cosine_similarity(V * f) for method, setting, f in curves(s)}
    return [{"method": method, "setting": setting} | scores(each, data) for (method, setting), each in S.items()]


JOBS = jobs(readings(N_ITEMS))

if __name__ == "__main__":
    run("curves", JOBS, score_curves)
