"""What the experiments share: the data sets, the grids, and the scores of one similarity matrix."""

from functools import partial
from typing import NamedTuple

import numpy as np

from helpers import hide, readings, recall_at, recovery_scores, simulate_interactions

N_ITEMS, N_USERS, N_HELD_OUT = 1_000, 20_000, 1_000  # the paper's size, and users of whom nothing is learned
SEEDS = range(20)
TAUS = np.round(4 * 2 ** (np.arange(20) / 2), 1)  # 4 … 2 896.3: λ₁ = τ², λ₂ = τ, λ_w = τ²
ALPHAS = np.r_[-1:4:0.25, 4:8.5:0.5]
# 34, 3.6, 2.4 and 1.4 % of cells; of draw_smaller 35, 3.9, 4.4 and 3.0 %
FEW = ["default", "activity to p/10", "activity exponent 1.5", "activity by rank"]


class Users(NamedTuple):
    """Held-out users: what a recommender sees of them and what it has to find, (users, p) dense 0/1 each."""

    seen: np.ndarray
    hidden: np.ndarray


class DataSet(NamedTuple):
    """X (n, p) CSR to learn from, clusters (p,), and users to choose parameters by and to test on."""

    X: object
    clusters: np.ndarray
    validation: Users
    test: Users
    weights: np.ndarray  # of the test users, (users, p): the probabilities by which they took items, up to a factor


def draw(reading, seed, n_items=N_ITEMS, n_users=N_USERS, n_held_out=N_HELD_OUT, n_clusters=5):
    """One data set of a reading; its held-out users are drawn like all others."""
    rng = np.random.default_rng(seed)
    sim = simulate_interactions(rng, n_users + 2 * n_held_out, n_items, n_clusters, **readings(n_items)[reading])
    blocks = sim.X[:n_users], sim.X[n_users:-n_held_out], sim.X[-n_held_out:]
    validation, test = (Users(*(part.toarray() for part in hide(rng, block))) for block in blocks[1:])
    weights = sim.preferences[-n_held_out:][:, sim.clusters] * sim.popularity
    return DataSet(blocks[0], sim.clusters, validation, test, weights)


draw_smaller = partial(draw, n_items=300, n_users=4_000, n_held_out=500)  # where a method has to be trained many times


def scores(S, data):
    """Recovery of the clusters by S, and recall@20 of the recommender x_u(S − I) on the validation users."""
    auc, average_precision, purity = recovery_scores(S, data.clusters)
    found = recall_at(data.validation.seen @ (S - np.eye(len(S))), *data.validation)
    return {"auc": auc, "ap": average_precision, "purity": purity, "recall": found}


def recall(scores, seen, hidden, n=20):
    """recall@n of dense scores of which no two tie: helpers.recall_at in half the time."""
    asked = hidden.any(axis=1)
    found = np.where(seen[asked] > 0, -np.inf, scores[asked])
    best = np.argpartition(found, -n, axis=1)[:, -n:]
    hits = np.take_along_axis(hidden[asked], best, axis=1).sum(axis=1)
    return float(np.mean(hits / np.minimum(n, hidden[asked].sum(axis=1))))


def jobs(names, seeds=SEEDS):
    """A job for each seed and reading, so that a table half done has all readings."""
    return [{"reading": reading, "seed": seed} for seed in seeds for reading in names]
