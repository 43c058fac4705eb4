"""How far three rescalings of one model, and Eq. 2, differ as users take fewer items: 280 data sets, about 20 minutes.

density.csv has two rows for each reading and seed: at the paper's λ₁ = 10 000 and λ₂ = 100, which switch at τ = 100,
and at τ = 2σ₅₀, twice the floor of the spectrum (λ₁ = τ², λ₂ = τ). A row holds the density of X; how many directions
Eq. 2 keeps; the range of a pair's cosine over f = 1, √g and g (mean, median and maximum over all pairs, and the mean
over those within a cluster); and the AUC of the four panels, empty where Eq. 2 keeps nothing. Items that nobody took
are left out.
"""

import numpy as np

from experiments.common import N_ITEMS, N_USERS, jobs, weightings
from helpers import cluster_auc, cosine_similarity, readings, simulate_interactions, truncated_svd

READINGS = readings(N_ITEMS) | {
    "activity to p/5": {"max_activity": 200},
    "activity to p/20": {"max_activity": 50},
    "activity to p/50": {"max_activity": 20},
    "activity exponent 0": {"user_exponent": 0},
    "activity exponent 1": {"user_exponent": 1},
}
BY_LARGEST = {"activity to p/50": 20, "activity to p/20": 50, "activity to p/10": 100, "activity to p/5": 200}
BY_LARGEST |= {"activity to p/2": 500, "default": 1_000}  # reading: the largest number of items a user takes
BY_EXPONENT = {"activity exponent 1.5": 1.5, "activity exponent 1": 1}
BY_EXPONENT |= {"default": 0.5, "activity exponent 0": 0}  # reading: the exponent of k_u
PANELS = {"f = 1": "D = √g", "D = I": "D = I", "f = g": "D = 1/√g", "Eq. 2": "Eq. 2"}  # a column, and whose cosines


def seen_items(sim):
    """σ (50,), V (p, 50) and clusters (p,) of a simulation, without the items that nobody took."""
    s, V = truncated_svd(sim.X, 50)
    seen = V.any(axis=1)
    return s, V[seen], sim.clusters[seen]


def cosines_of(panels, s, V, tau):
    """{panel: cosines}, without those of which nothing is kept."""
    f = weightings(s, tau)
    return {name: cosine_similarity(V * f[method]) for name, method in panels.items() if f[method].any()}


def measure(reading, seed):
    """The two rows of one data set."""
    sim = simulate_interactions(np.random.default_rng(seed), N_USERS, N_ITEMS, **READINGS[reading])
    s, V, clusters = seen_items(sim)
    pairs = np.triu_indices(len(V), 1)
    within = clusters[pairs[0]] == clusters[pairs[1]]
    rows = []
    for rule, tau in (("the paper's", 100.0), ("twice the floor", 2 * s[-1])):
        row = {"rule": rule, "tau": tau, "density": sim.X.nnz / (N_USERS * N_ITEMS), "kept": np.sum(s > tau)}
        cosines = cosines_of(PANELS, s, V, tau)
        ranges = np.ptp([cosines[name][pairs] for name in ("f = 1", "D = I", "f = g")], axis=0)
        row |= {"mean": ranges.mean(), "median": np.median(ranges)}
        row |= {"largest": ranges.max(), "within": ranges[within].mean()}
        auc = {name: cluster_auc(S, clusters) for name, S in cosines.items()}
        rows.append(row | {name: auc.get(name, np.nan) for name in PANELS})
    return rows


JOBS = jobs(READINGS)
