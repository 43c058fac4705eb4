"""AUC of f = σ^α by α, at six k and two numbers of clusters, in all nine readings: 300 items, 4 000 users, 6 minutes.

exponents.csv has a row for each number of clusters, reading, k and data set: the AUC at α = −1, −½, 0 and ½, and the
best α from −2 to 8 for AUC, by the labels of the data set itself.
"""

import numpy as np

from experiments.common import SEEDS
from experiments.ranks import CLUSTERS, RANKS, drawn
from helpers import cluster_auc, cosine_similarity, readings

TOLERANCE = 1e-3  # exact algebra; a best α may move by one step where two tie
POWERS = np.r_[-2:2.5:0.5, 3, 4, 5, 6, 8]
SHOWN = -1, -0.5, 0, 0.5


def measure(clusters, reading, k):
    """All rows of one k."""
    rows = []
    for seed in SEEDS:
        data, s, V = drawn(reading, clusters, seed)
        S = (cosine_similarity(V[:, :k] * (s[:k] / s[0]) ** alpha) for alpha in POWERS)
        auc = [cluster_auc(each, data.clusters) for each in S]
        row = {"seed": seed} | {f"{alpha:g}": auc[list(POWERS).index(alpha)] for alpha in SHOWN}
        rows.append(row | {"best auc": POWERS[np.argmax(auc)]})
    return rows


JOBS = [{"clusters": c, "reading": reading, "k": k} for c in CLUSTERS for reading in readings(300) for k in RANKS]
