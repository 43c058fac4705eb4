"""Every preparation with every readout, at every λ, in two readings: 80 smaller data sets, about 30 minutes.

4 000 users, 300 items in 5 or 20 clusters, k = 20. remedies.csv has a row for each number of clusters, reading, seed,
preparation, readout and setting: τ in the units of X, matched to the size of the prepared data; for PMI the exponent α
of its singular values. With 20 clusters propensities are left out. The scores are those of curves.csv. An item whose
row of PMI is cut to zero has cosine 0 to all others.
"""

from itertools import chain

import numpy as np

from experiments.common import DENSE_AND_SPARSE, TAUS, cosines, draw_smaller, from_dots, jobs, leading, scores
from experiments.curves import curves
from helpers import centered_gram, propensity_scaled, shifted_ppmi, standardized_gram
from helpers.spectrum import gram

POWERS = [(a, b) for b in (0, 0.5, 1) for a in (0, 0.5, 1, 1.5) if a or b] + [(2, 0)]
GRID = np.r_[0, TAUS[2:-3] / 4]  # 0, the limit, and 2, 2.8 … 256


def preparations(X, G, powers=POWERS):
    """(name, Gram matrix of the prepared data, origin and unit of each column)."""
    means, n = G.diagonal() / X.shape[0], X.shape[0]
    spread = np.sqrt(means * (1 - means))  # of 0/1 data
    yield "as given", G, (0.0, 1.0)
    yield "centered", centered_gram(G, means, n), (means, 1.0)
    yield "standardized", standardized_gram(G, means, n), (means, spread)
    for a, b in powers:
        yield f"propensity {a:g}, users {b:g}", gram(propensity_scaled(X, a, b)), (0.0, G.diagonal() ** float(a))


def factorized(X, G, taus, powers=POWERS):
    """(preparation, readout, τ, cosines)."""
    for preparation, H, _ in preparations(X, G, powers):
        s, V = leading(H)
        unit = np.sqrt(np.trace(H) / np.trace(G))
        yield preparation, "columns", 0, from_dots(H)
        for readout, tau, f in curves(s / unit, [], taus):
            yield preparation, readout, tau, cosines(V * f)


def negative_sampling(G):
    """(β and κ, "power", α, cosines)."""
    counts = G - np.diag(G.diagonal())
    for beta in (0.75, 1):
        for kappa in (0.35, 0.5, 0.7, 1, 1.4, 2):
            M = shifted_ppmi(counts, beta, kappa)
            s, V = leading(M @ M.T)
            V[np.linalg.norm(V, axis=1) < 1e-9] = 0  # an item that has no part in them, but for rounding
            found = s > 1e-6 * s[0]
            for alpha in (-1, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4):
                yield f"PMI, β = {beta:g}, κ = {kappa:g}", "power", alpha, cosines(V[:, found] * s[found] ** alpha)


def measure(clusters, reading, seed, taus=GRID):
    """All rows of one data set."""
    data = draw_smaller(reading, seed, n_clusters=clusters)
    G = gram(data.X)
    columns = "preparation", "readout", "setting"
    tables = chain(factorized(data.X, G, taus, POWERS if clusters == 5 else []), negative_sampling(G))
    return [dict(zip(columns, row, strict=True)) | scores(S, data) for *row, S in tables]


JOBS = [{"clusters": clusters} | job for clusters in (5, 20) for job in jobs(DENSE_AND_SPARSE)]
