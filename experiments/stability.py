"""How far unique cosines move when half of the users are exchanged, 20 data sets in two settings; 20 minutes.

The 20 000 users are split into two halves of 10 000 and every weighting of V_k, k = 50, is computed from each.
stability.csv has a row for each setting (reading), seed, method and τ (on the scale of all users: a half has σ smaller
by √2, so it gets τ/√2), with the relative movement of the table of dot products BBᵀ and its bound, the movement of
cosines (root mean square and worst), the share of the ten nearest items that survive, and what choosing τ needs:
average precision and the recall of validation users. τ = 0 and τ = ∞ are the ends of its range: no shrinkage, and the
limit of the cosines. Other sizes of samples, another k and other splits of the same users are not measured.
"""

import numpy as np

from experiments.common import DENSE_AND_SPARSE, KEPT, draw, jobs, leading, recall_of_items, weightings
from experiments.curves import BY_WEIGHT
from helpers import average_precision, cosine_similarity, nearest, overlap
from helpers.spectrum import gram

K, READINGS = 50, DENSE_AND_SPARSE
GRID = np.r_[0, np.round(4 * 2 ** (np.arange(-1, 18, 2) / 2), 1), np.inf]  # 0, 2.8 … 1 448.2, ∞
TOLERANCE = 5e-3  # exact algebra, but tied neighbors, and directions in the bulk of the spectrum, hang on rounding


def halves(X, rng):
    """σ (p,) and V (p, p) of each half of the users, split at random."""
    order, n = rng.permutation(X.shape[0]), X.shape[0]
    return [leading(gram(X[part]), X.shape[1]) for part in (order[: n // 2], order[n // 2 :])]


def functions_of_sigma(taus):
    """(method, τ, item weights as a function of σ, up to a factor)."""
    yield "f = 1", 0, np.ones_like
    for tau in taus:
        at = min(tau, 1e9)  # as good as ∞, where both halves need one factor
        for method in ("D = I", "D = 1/√g", "projected back", "Eq. 2", "weight decay"):
            if tau < np.inf or method not in KEPT:
                name = BY_WEIGHT.get(method, method)
                yield name, tau, lambda s, at=at, method=method: weightings(s, at)[method]


def squared_weights(weight, s, k=K):
    """f² of all p directions: 0 beyond the k-th."""
    return np.append(weight(s[:k]) ** 2, np.zeros(len(s) - k))


def steepest(s, s_other, f2, f2_other):
    """The largest |f²(σ_i) − f²(σ'_j)| / |σ_i² − σ'_j²| over all pairs of directions, one of each half."""
    rise = np.abs(np.subtract.outer(f2, f2_other))
    run_ = np.abs(np.subtract.outer(s**2, s_other**2))
    return np.max(rise / np.maximum(run_, 1e-300), where=rise > 0, initial=0)


def distance(spectra):
    """‖G₁ − G₂‖ of the two halves, Frobenius."""
    (s, V), (s_other, V_other) = spectra
    return np.sqrt(np.sum((V.T @ V_other) ** 2 * np.subtract.outer(s**2, s_other**2) ** 2))


def movement(spectra, weight, apart, k=K):
    """Of the dot products BBᵀ: the relative movement from half to half, its bound; and the cosines of each half.

    apart is the distance of the two Gram matrices.
    """
    (s, V), (s_other, V_other) = spectra
    f2, f2_other = squared_weights(weight, s, k), squared_weights(weight, s_other, k)
    tables = [(U[:, :k] * w[:k]) @ U[:, :k].T for U, w in ((V, f2), (V_other, f2_other))]
    moved = np.linalg.norm(tables[0] - tables[1]) / np.linalg.norm(tables[1])
    bound = steepest(s, s_other, f2, f2_other) * apart / np.linalg.norm(tables[1])
    cosines = [cosine_similarity(U[:, :k] * np.sqrt(w[:k])) for U, w in ((V, f2), (V_other, f2_other))]
    return {"moved": moved, "bound": bound}, cosines


def compare(spectra, weight, apart):
    """All that is measured of one weighting, but for the scores that choose τ; and the cosines of the first half."""
    row, (S, S_other) = movement(spectra, weight, apart)
    error = np.abs(S - S_other)[np.triu_indices(len(S), 1)]
    row |= {"rms": np.sqrt(np.mean(error**2)), "worst": error.max()}
    return row | {"survive": overlap(nearest(S), nearest(S_other))}, S


def measure(reading, seed, taus=GRID):
    """All rows of one data set."""
    data = draw(reading, seed)
    spectra = halves(data.X, np.random.default_rng([seed, 7]))
    apart, rows = distance(spectra), []
    for method, tau, weight in functions_of_sigma(taus / np.sqrt(2)):
        if min(weight(s[:1])[0] for s, _ in spectra) > 0:
            row, S = compare(spectra, weight, apart)
            row |= {"ap": average_precision(S, data.clusters), "recall": recall_of_items(S, data.validation)}
            rows.append({"method": method, "tau": np.round(tau * np.sqrt(2), 1)} | row)
    return rows


JOBS = jobs(READINGS)
