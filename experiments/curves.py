"""Every weighting of V_k at k = 50, at every λ or α, in all nine readings: 180 data sets, about 40 minutes.

curves.csv has a row for each reading, seed, method and setting (τ with λ₁ = τ² or λ₂ = τ; the exponent of a power),
with the recovery of the clusters (AUC, average precision, purity) and recall@20 of the item–item recommender.
"""

import numpy as np

from experiments.common import ALPHAS, N_ITEMS, TAUS, draw, from_dots, jobs, scores, weightings
from helpers import cosine_similarity, readings, truncated_svd

BY_WEIGHT = {"D = √g": "f = 1", "D = 1/√g": "f = g", "D = 1/√σ": "f = √(σg)"}  # as the table calls them


def curves(s, alphas=ALPHAS, taus=TAUS):
    """(method, setting, item weights f) of all weightings; Eq. 2 and weight decay keep nothing at τ ≥ σ₁."""
    yield "f = 1", 0, np.ones_like(s)
    yield from (("power", alpha, (s / s[0]) ** alpha) for alpha in alphas)
    for tau in [*taus, np.inf]:
        for method in ("D = I", "D = 1/√g", "D = 1/√σ", "projected back"):
            yield BY_WEIGHT.get(method, method), tau, weightings(s, tau)[method]
    for tau in taus[taus < s[0]]:
        for method in ("Eq. 2", "weight decay"):
            yield method, tau, weightings(s, tau)[method]


def measure(reading, seed):
    """All rows of one data set."""
    data = draw(reading, seed)
    s, V = truncated_svd(data.X, 50)
    G = (data.X.T @ data.X).toarray()
    S = {("columns of X", 0): from_dots(G)}
    S |= {(method, setting): cosine_similarity(V * f) for method, setting, f in curves(s)}
    return [{"method": method, "setting": setting} | scores(each, data) for (method, setting), each in S.items()]


JOBS = jobs(readings(N_ITEMS))
