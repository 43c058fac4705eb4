"""What trained cosines depend on: start, draws, regularizer; ReLU and linear networks, 20 data sets; about 7 minutes.

Each network is trained by dropout and by weight decay, both at the strength of dropout.csv that has the least
cross-entropy on validation users, from two starts with two streams of draws (batches, and what is dropped) each.
networks.csv has a row for each reading, seed, number of steps, activation, regularizer, and what is changed from one
network to the other: how far the cosines of two items differ (mean over pairs), which share of the five nearest items
both have; the same with D and the translation fixed (gauge), and for cosines read off the scores. In the rows "chance"
the second network's items are exchanged at random. Rows "nothing" tell how well the best of the four networks predicts.
"""

import numpy as np

from experiments import read, run
from experiments.autoencoder import ACTIVATIONS, READINGS, SEEDS, draw, network, pick, train_all
from experiments.common import jobs
from experiments.dropout import DECAY, DROPOUT, score
from helpers import cosine_similarity, nearest, overlap

REGULARIZERS = "dropout", "decay"
STEPS = 1_000, 4_000  # a fourth, to see how far the end is
CHANGED = {"start": [0, 1], "draws": [1, 0], "both": [1, 1]}


def tuned(reading, activation, grid):
    """The (rate, decay) of a grid with the least cross-entropy of validation users, averaged over data sets."""
    table = read("dropout").query("reading == @reading and activation == @activation and steps == 1_000")
    loss = table.groupby(["rate", "decay"])["loss"].mean()
    return min(grid, key=loss.__getitem__)


def compare(S, T):
    """Mean difference of two tables of cosines, and the share of five nearest neighbors in common."""
    pairs = np.triu_indices(len(S), 1)
    return np.abs(S - T)[pairs].mean(), overlap(nearest(S, 5), nearest(T, 5))


def fixed(net, activation):
    """Item embeddings of mean 0, each neuron (in a linear network: singular direction) as long on either side."""
    B = net["B"] - net["B"].mean(axis=0)
    if activation == "ReLU":
        return B * np.sqrt(np.hypot(np.linalg.norm(net["A"], axis=0), net["a"]) / np.linalg.norm(B, axis=0))
    _, s, Vt = np.linalg.svd(net["A"] @ B.T, full_matrices=False)
    return Vt.T[:, : B.shape[1]] * np.sqrt(s[: B.shape[1]])


def similarities(net, X, activation):
    """Cosines of item embeddings as trained and as fixed, and of items' scores for users X less the users' means."""
    scores = np.asarray(network(net, X, activation))
    items = net["B"], fixed(net, activation), (scores - scores.mean(axis=1, keepdims=True)).T
    return [cosine_similarity(E) for E in items]


def differences(one, other):
    """A row: the two differences for the embeddings as trained, as fixed, and for the scores."""
    row = {}
    for kind, S, T in zip(("", "gauge_", "score_"), one, other, strict=True):
        row[kind + "cosines"], row[kind + "neighbors"] = compare(S, T)
    return row


def mean(rows):
    """The average of rows."""
    return {name: np.mean([row[name] for row in rows]) for name in rows[0]}


def exchanged(tables, order):
    """The tables of the same items in another order."""
    return [S[np.ix_(order, order)] for S in tables]


def crossed(tables, order):
    """Differences by what is changed, from tables[regularizer][draws][start]; order exchanges items, for chance."""
    for r, regularizer in enumerate(REGULARIZERS):
        cells = tables[r]
        for changed, (i, j) in CHANGED.items():
            firsts = [(0, 0), (0, 1)] if i else [(0, 0), (1, 0)]
            rows = [differences(cells[a][b], cells[(a + i) % 2][(b + j) % 2]) for a, b in firsts]
            yield {"regularizer": regularizer, "changed": changed} | mean(rows)
        chance = differences(cells[0][0], exchanged(cells[1][1], order))
        yield {"regularizer": regularizer, "changed": "chance"} | chance
    rows = [differences(tables[0][a][b], tables[1][a][b]) for a in (0, 1) for b in (0, 1)]
    yield {"regularizer": "either", "changed": "regularizer"} | mean(rows)


def best(nets, r, activation, data):
    """Test scores of the one of four networks with setting r that has the least loss on validation users."""
    four = [pick(nets, a, b, r) for a in (0, 1) for b in (0, 1)]
    return min((score(net, activation, data) for net in four), key=lambda row: row["loss"])


def depend(reading, seed, steps=STEPS, activations=ACTIVATIONS):
    """All rows of one data set."""
    data, rows = draw(reading, seed), []
    X, order = data.X.toarray(), np.random.default_rng([seed, 28]).permutation(data.X.shape[1])
    for n_steps in steps:
        for activation in activations:
            settings = [tuned(reading, activation, grid) for grid in (DROPOUT, DECAY)]
            seeds = [2 * seed, 2 * seed + 1]
            nets = train_all(seeds, seeds, settings, X, activation, n_steps)
            tables = [
                [[similarities(pick(nets, a, b, r), X, activation) for b in (0, 1)] for a in (0, 1)] for r in (0, 1)
            ]
            label = {"steps": n_steps, "activation": activation}
            rows += [label | row for row in crossed(tables, order)]
            rows += [
                label | {"regularizer": name, "changed": "nothing"} | best(nets, r, activation, data)
                for r, name in enumerate(REGULARIZERS)
            ]
    return rows


JOBS = jobs(READINGS[:1], SEEDS)

if __name__ == "__main__":
    run("networks", JOBS, depend, processes=1)
