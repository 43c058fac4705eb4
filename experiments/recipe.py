"""What popularity's normalization and exponents change in Figure 1, at the paper's size and λ: about 20 minutes.

recipe.csv has a row for each reading, range of item exponents, normalization of popularity and seed: the largest mass
of a cluster over the smallest, the range of a pair's cosine (mean within clusters) over f = 1, √g and g, over these and
√(σg), and over √g, g and √(σg); the AUC of five panels; and, for plain popularity with exponents from 0.25 to 1.5, the
AUC of f = σ^α at two small k. Twenty data sets of each case: nine readings with popularity as it is, four with it
normalized, two with each other range.
"""

import numpy as np

from experiments.common import DENSE_AND_SPARSE, FEW, N_ITEMS, N_USERS, SEEDS
from experiments.density import PANELS, cosines_of, seen_items
from helpers import cluster_auc, cosine_similarity, readings, simulate_interactions

TOLERANCE = 1e-3  # exact algebra
PLAIN = "0.25 to 1.5"
EXPONENTS = {PLAIN: (0.25, 1.5), "0.25 to 0.75": (0.25, 0.75), "1 to 1.5": (1, 1.5)}
POWERS = {f"k = {k}, α = {a}": (k, a) for k in (5, 10) for a in (-1, -0.5, 0, 0.5)}
NAMED = "f = 1", "D = I", "f = g"
CHOICES = {"three": NAMED, "four": (*NAMED, "D = 1/√σ"), "other three": ("D = I", "f = g", "D = 1/√σ")}


def measure(reading, exponents, normalized, seed):
    """The row of one data set."""
    laws = readings(N_ITEMS)[reading] | {"item_exponents": EXPONENTS[exponents], "normalize_popularity": normalized}
    sim = simulate_interactions(np.random.default_rng(seed), N_USERS, N_ITEMS, **laws)
    s, V, clusters = seen_items(sim)
    within = np.triu(clusters[:, None] == clusters, 1)
    mass = np.bincount(sim.clusters, sim.popularity)
    panels = PANELS | {"D = 1/√σ": "D = 1/√σ"}
    cosines = cosines_of(panels, s, V, 100.0)
    row = {"masses": mass.max() / mass.min()}
    for name, choice in CHOICES.items():
        row[f"within, {name}"] = np.ptp([cosines[one][within] for one in choice], axis=0).mean()
    row |= {name: cluster_auc(cosines[name], clusters) if name in cosines else np.nan for name in panels}
    plain = exponents == PLAIN and not normalized
    for name, (k, a) in POWERS.items():
        row[name] = cluster_auc(cosine_similarity(V[:, :k] * (s[:k] / s[0]) ** a), clusters) if plain else np.nan
    return [row]


MAIN = [(reading, PLAIN, normalized) for normalized in (False, True) for reading in FEW]
OTHERS = [(reading, PLAIN, False) for reading in readings(N_ITEMS) if reading not in FEW]
OTHERS += [(reading, exponents, False) for exponents in list(EXPONENTS)[1:] for reading in DENSE_AND_SPARSE]
JOBS = [
    {"reading": reading, "exponents": exponents, "normalized": normalized, "seed": seed}
    for seed in SEEDS
    for reading, exponents, normalized in MAIN + OTHERS
]
