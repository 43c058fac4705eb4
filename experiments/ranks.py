"""Every weighting of V_k at six k, with 5 or 20 clusters, in two readings of 300 items and 4 000 users: 8 minutes.

ranks.csv has a row for each k, number of clusters, reading, method and data set: the setting (τ with λ₁ = λ_w = τ² or
λ₂ = τ, where 0 and ∞ are the limits; the exponent of a power) by labels, that of the best AUC in the other nineteen
data sets, and by scores, at which the model's own scores have the best recall@20 on the validation users (a power
changes no score: there x_u(S − I), with its cosines S); the AUC at both; and the average precision at its own best
setting elsewhere and at that by scores.
"""

from functools import lru_cache

import numpy as np

from experiments.common import DENSE_AND_SPARSE, KEPT, SEEDS, Users, draw_smaller, recall_of_items, weightings
from helpers import chosen_elsewhere, cosine_similarity, recall_at, recovery_scores
from helpers.spectrum import gram, spectrum_of_gram

TOLERANCE = 1e-3  # exact algebra; a pair that ties on one processor may not on another
RANKS = 5, 10, 20, 50, 100, 200
CLUSTERS = 5, 20
POWERS = np.r_[-3:4.5:0.5, 5, 6, 8]
DIMMERS = 4.0 * 2 ** np.arange(8)
SWITCHES = np.round(4 * 2 ** (np.arange(16) / 2), 1)
METHODS = "D = I", "D = 1/√g", "D = 1/√σ", "projected back", "Eq. 2", "weight decay", "power"


def settings(s, largest):
    """{(method, setting): item weights f}; switches only below the largest τ that leaves something in all data."""
    weights = {("power", alpha): (s / s[0]) ** alpha for alpha in POWERS}
    of_eq_1, switches = ("D = I", "D = 1/√g", "D = 1/√σ", "projected back"), ("Eq. 2", "weight decay")
    for methods, taus in ((of_eq_1, (*DIMMERS, np.inf)), (switches, SWITCHES[largest > SWITCHES])):
        for tau in (0, *taus):
            weights |= {(method, tau): weightings(s, tau)[method] for method in methods}
    return weights


def scores(method, setting, f, s, V, data):
    """AUC and average precision of a method's cosines, and the recall@20 that chooses its setting without labels."""
    S = cosine_similarity(V * f)
    auc, precision, _ = recovery_scores(S, data.clusters)
    if method == "power":
        recall = recall_of_items(S, data.validation)
    else:
        kept = KEPT.get(method, KEPT["Eq. 1"])(s, setting)
        recall = recall_at(data.validation.seen @ V * kept @ V.T, *data.validation)
    return auc, precision, recall


@lru_cache(maxsize=len(SEEDS))
def drawn(reading, clusters, seed):
    """One data set and its spectrum, without the items that nobody took."""
    data = draw_smaller(reading, seed, n_clusters=clusters)
    taken = data.X.sum(axis=0) > 0
    validation = Users(*(part[:, taken] for part in data.validation))
    data = data._replace(X=data.X[:, taken], clusters=data.clusters[taken], validation=validation)
    return data, *spectrum_of_gram(gram(data.X), max(RANKS))  # faster than Lanczos where k is two thirds of p


def measure(clusters, reading, k):
    """All rows of one k."""
    sets = [drawn(reading, clusters, seed) for seed in SEEDS]
    largest = min(s[0] for _, s, _ in sets)
    found = [
        {of: scores(*of, f, s[:k], V[:, :k], data) for of, f in settings(s[:k], largest).items()} for data, s, V in sets
    ]
    rows = []
    for method in METHODS:
        tried = [setting for name, setting in found[0] if name == method]
        auc, ap, recalls = np.moveaxis([[one[method, setting] for setting in tried] for one in found], 2, 0)
        chosen = zip(SEEDS, *map(chosen_elsewhere, (auc, ap)), recalls.argmax(axis=1), strict=True)
        for seed, by_auc, by_ap, best in chosen:
            row = {"method": method, "seed": seed, "labels": tried[by_auc], "scores": tried[best]}
            row |= {"auc_labels": auc[seed, by_auc], "auc_scores": auc[seed, best]}
            rows.append(row | {"ap_labels": ap[seed, by_ap], "ap_scores": ap[seed, best]})
    return rows


JOBS = [{"clusters": c, "reading": reading, "k": k} for c in CLUSTERS for reading in DENSE_AND_SPARSE for k in RANKS]
