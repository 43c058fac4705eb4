"""What subtracting biases does to item cosines, by readout and λ: 40 smaller data sets, about two minutes.

4 000 users, 300 items, k = 20. centering.csv has a row for each reading, seed, readout and τ, compared at the same τ
(λ₁ = τ², λ₂ = τ): AP and recall as in curves.csv of the data as given; popular, the mean over items of their ten
nearest neighbors' popularity, as a rank from 0 (rarest) to 1. Then of X less its column means ("items_") and less its
row means too ("both_"): moved, the mean over pairs of items of the absolute change of their cosine; kept, the share of
the ten nearest neighbors that stay; popular, as before.
"""

import numpy as np
from scipy.stats import rankdata

from experiments.common import DENSE_AND_SPARSE, TAUS, cosines, draw_smaller, jobs, leading, recall_of_items
from experiments.curves import curves
from helpers import average_precision, centered_gram
from helpers.spectrum import gram

TOLERANCE = 2e-3  # exact algebra; a neighbor may change places with one as near
READOUTS = "f = 1", "D = I", "f = g", "f = √(σg)", "projected back", "Eq. 2", "weight decay"


def without_biases(X, G):
    """Gram matrices of X less its column means, and less its row means too."""
    n, p = X.shape
    items = centered_gram(G, G.diagonal() / n, n)
    users = X.sum(axis=1) / p
    users = users - users.mean()  # the row means of X less its column means
    cross = X.T @ users - G.diagonal() * users.mean()
    return items, items - np.add.outer(cross, cross) + users @ users


def neighbors(S, popularity, n=10):
    """Which items are the n nearest of each, (p, p) of 0 and 1; the mean popularity of these, as a rank from 0 to 1."""
    near = np.zeros(S.shape)
    nearest = np.argpartition(2 * np.eye(len(S)) - S, n - 1, axis=1)[:, :n]
    np.put_along_axis(near, nearest, 1, axis=1)
    ranks = (rankdata(popularity) - 1) / (len(S) - 1)
    return near, ranks[nearest].mean()


def measure(reading, seed, taus=TAUS[3:-4:2] / 4):  # 2.8, 5.7 … 181
    """All rows of one data set."""
    data = draw_smaller(reading, seed)
    G = gram(data.X)
    pairs, spectra = np.triu_indices(len(G), 1), [leading(H) for H in (G, *without_biases(data.X, G))]
    found = [
        {(name, tau): cosines(V * f) for name, tau, f in curves(s, [], taus) if np.count_nonzero(f) > 1}
        for s, V in spectra
    ]
    rows = []
    for (name, tau), S in found[0].items():
        if name not in READOUTS or not all((name, tau) in each for each in found):
            continue  # Eq. 2 and weight decay keep one direction at τ ≥ σ₂, and each item is as near as the others
        near, popular = neighbors(S, G.diagonal())
        row = {"readout": name, "setting": tau, "ap": average_precision(S, data.clusters)}
        row |= {"recall": recall_of_items(S, data.validation), "popular": popular}
        for biases, cosines_without in zip(("items", "both"), found[1:], strict=True):
            T = cosines_without[name, tau]
            near_without, popular = neighbors(T, G.diagonal())
            row[f"{biases}_moved"] = np.abs(T - S)[pairs].mean()
            row[f"{biases}_kept"] = (near * near_without).sum() / near.sum()
            row[f"{biases}_popular"] = popular
        rows.append(row)
    return rows


JOBS = jobs(DENSE_AND_SPARSE)
