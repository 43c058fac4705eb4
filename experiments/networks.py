"""Weight decay swept over three decades, dropout, and both, in ReLU and linear networks: 50 data sets; 40 minutes.

networks.csv has a row for each reading, users, steps, seed, activation, rate of dropout and strength of decay,
for two networks from two starts (same batches, same inputs dropped).

How far the cosines of two items differ, mean over pairs: between the two starts with D and the translation fixed
(start_fixed) and read off the scores (start_scores); to_fixed: as start_fixed, to the network of the same start with
setting REFERENCE; chance: start_fixed if the second network's items are exchanged at random.

How well they predict: validation and recall, recall@20 on validation and on test users, means of the two starts; best:
recall of the start with the lesser cross-entropy on validation users.
"""

import numpy as np

from experiments.autoencoder import ACTIVATIONS, READINGS, draw, network, pick, train_all
from experiments.dropout import score
from helpers import cosine_similarity

TOLERANCE = 0.02  # of single trainings of 2 000 steps: rounding grows along them; means over data sets differ far less
# On another processor decay 0.002 differs after 8 000 steps by 0.04 in cosines
REFERENCE = 0.0, 0.002
DECAY = [(0.0, decay) for decay in (0.0, 0.00002, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.004, 0.02)]
DROPOUT = [(rate, 0.0) for rate in (0.05, 0.1, 0.2, 0.4, 0.6, 0.8)]
BOTH = [(rate, decay) for rate in (0.1, 0.2, 0.4, 0.6) for decay in (0.0002, 0.0005, 0.001, 0.002)]
LONGER = [DECAY[0], DECAY[4], REFERENCE, *DROPOUT[3:5]]
GRIDS = {2_000: DECAY + DROPOUT + BOTH, 8_000: LONGER}  # 8 000, to see how far the end is
TRAINED = {2_000: ACTIVATIONS, 8_000: ACTIVATIONS[:1]}


def difference(S, T):
    """Mean difference of two tables of cosines over the pairs of items."""
    return np.abs(S - T)[np.triu_indices(len(S), 1)].mean()


def fixed(net, activation):
    """Item embeddings of mean 0, each neuron (in a linear network: singular direction) as long on either side."""
    B = net["B"] - net["B"].mean(axis=0)
    if activation == "ReLU":
        lengths = np.maximum(np.linalg.norm(B, axis=0), 1e-100)  # of a neuron that decay has removed
        return B * np.sqrt(np.hypot(np.linalg.norm(net["A"], axis=0), net["a"]) / lengths)
    _, s, Vt = np.linalg.svd(net["A"] @ B.T, full_matrices=False)
    return Vt.T[:, : B.shape[1]] * np.sqrt(s[: B.shape[1]])


def similarities(net, X, activation):
    """Cosines of items with the symmetry fixed, and of their scores for users X less the users' means."""
    scores = np.asarray(network(net, X, activation))
    items = {"fixed": fixed(net, activation), "scores": (scores - scores.mean(axis=1, keepdims=True)).T}
    return {name: cosine_similarity(E) for name, E in items.items()}


def agreement(one, other, reference, order):
    """A row's differences between similarities; order exchanges items, for chance."""
    row = {f"start_{kind}": difference(one[kind], other[kind]) for kind in one}
    row["to_fixed"] = difference(one["fixed"], reference["fixed"])
    return row | {"chance": difference(one["fixed"], other["fixed"][np.ix_(order, order)])}


def predicted(nets, activation, data):
    """A row's predictions."""
    rows = [score(net, activation, data) for net in nets]
    best = min(rows, key=lambda row: row["loss"])["recall"]
    return {name: np.mean([row[name] for row in rows]) for name in ("validation", "recall")} | {"best": best}


def measure(steps, seed, reading=READINGS[0], users=500, grid=None):
    """All rows of one data set and number of steps."""
    data, grid = draw(reading, seed, n_users=users), grid or GRIDS[steps]
    X, order = data.X.toarray(), np.random.default_rng([seed, 28]).permutation(data.X.shape[1])
    rows = []
    for activation in TRAINED[steps]:
        nets = train_all([2 * seed, 2 * seed + 1], [2 * seed], grid, X, activation, steps)
        pairs = [[pick(nets, 0, start, i) for start in (0, 1)] for i in range(len(grid))]
        tables = [[similarities(net, X, activation) for net in pair] for pair in pairs]
        reference = tables[grid.index(REFERENCE)][0]
        for (rate, decay), pair, two in zip(grid, pairs, tables, strict=True):
            row = {"activation": activation, "rate": rate, "decay": decay}
            rows.append(row | agreement(*two, reference, order) | predicted(pair, activation, data))
    return rows


def jobs(reading, users, steps, n_seeds):
    """A job for each data set."""
    return [{"reading": reading, "users": users, "steps": steps, "seed": seed} for seed in range(n_seeds)]


JOBS = jobs(READINGS[0], 500, 2_000, 20) + jobs(READINGS[0], 500, 8_000, 10)
JOBS += jobs(READINGS[0], 5_000, 2_000, 10) + jobs(READINGS[1], 500, 2_000, 20)
