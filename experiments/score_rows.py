"""The row of ABᵀ as a similarity of items: does it find what is taken with an item, and what is like it?

score_rows.csv has, for each data set, model and similarity, a row for each way to choose k and τ (λ₁ = τ², λ₂ = τ): by
the recall@20 of the model's scores, or by each of the three scores themselves, on other users and other clusters. found
is recall@20 of a user's other items among the 20 nearest to one of them, a mean over a user's items, then over users.
ap is average precision of the ranking of all others by cluster (documentation: by module), near the share of the ten
nearest that are of the cluster (MovieLens: the share of genres, Jaccard); both are means over items. The oracle knows
the probabilities by which the user took items. The data are four versions of the simulation, 4 000 users and 300 items,
twenty data sets each; and ten splits of the documentation and of MovieLens' small data set. About 12 minutes.
"""

from functools import partial

import numpy as np

from experiments.common import FEW, KEPT, DataSet, draw_smaller, from_dots, likes
from experiments.documentation_held_out import divide, full_spectrum
from experiments.documentation_lengths import halves
from helpers import hide, read_documentation, recall_at
from helpers.spectrum import gram

RANKS = {"documentation": (1, 20, 100, 400, 1_197), "MovieLens": (1, 20, 100, 1_437)}  # the last: all there are
TAUS = {
    "documentation": {"Eq. 1": (0, 7, 20, 60, np.inf), "Eq. 2": (0, 4, 8, 16)},
    "MovieLens": {"Eq. 1": (0, 6, 13, 30, np.inf), "Eq. 2": (0, 3, 6, 12)},
}
SIMULATED = 1, 5, 10, 20, 300
SIMULATED_TAUS = {"Eq. 1": (0, 4, 16, 64, 256, np.inf), "Eq. 2": (0, 4, 16, 64, 256)}
TOLERANCE = 3e-3  # closed forms; a tie may fall either way, and one user of MovieLens is one of 61


def words(split):
    """A split of the words of the documentation; modules are the clusters of its functions."""
    train, *users = divide(read_documentation().X, split)
    return DataSet(train, read_documentation().modules, *users, None)


def films(split):
    """A split of MovieLens' users, as in the chapter on it; of films, the share of genres in common is the truth."""
    X, genres = likes()
    train, *users = divide(X, split, seed=2)
    common, count = genres @ genres.T, genres.sum(axis=1)
    return DataSet(train, common / (count[:, None] + count - common), *users, None)


SOURCES = {name: partial(draw_smaller, name) for name in FEW} | {"documentation": words, "MovieLens": films}


def ranking(S):
    """The other items of each, by falling similarity: (p, p − 1). Ties come in one fixed random order."""
    tie = np.random.default_rng(0).permutation(len(S)) / len(S)
    keys = np.round(S / np.abs(S).max(), 10) - 1e-11 * tie
    np.fill_diagonal(keys, -np.inf)
    return np.argsort(-keys, axis=1)[:, :-1]


def found(order, users):
    """recall@20 of a user's other items in the list of one of them; users (m, p) of 0 and 1, with two items or more."""
    users = users[users.sum(axis=1) > 1]
    lists = np.zeros((len(order), len(order)))
    np.put_along_axis(lists, order[:, :20], 1, axis=1)
    taken = users.sum(axis=1)
    return float(np.mean(((users @ lists) * users).sum(axis=1) / taken / np.minimum(20, taken - 1)))


def quality(S, data, truth, chosen_by):
    """All three scores of one similarity matrix: to choose by, and to report; truth (p, p), chosen_by (p,) bool."""
    order = ranking(S)
    same = np.take_along_axis(truth, order, axis=1)
    near, ap = same[:, :10].mean(axis=1), np.full(len(S), np.nan)
    if truth.dtype == bool:
        ap = (same * np.cumsum(same, axis=1) / np.arange(1, len(S))).sum(axis=1) / same.sum(axis=1)
    for name, users, items in (("choose", data.validation, chosen_by), ("test", data.test, ~chosen_by)):
        yield f"found {name}", found(order, users.seen + users.hidden)
        yield f"ap {name}", ap[items].mean()
        yield f"near {name}", near[items].mean()


def similarities(s, V, kept, mean):
    """Of items, (p, p) each; s (k,), V (p, k), kept (k,): ABᵀ = V diag(kept) Vᵀ; mean (p,) of a column of XABᵀ."""
    E = V * (s * kept)
    dot = E @ E.T
    yield "row of ABᵀ", (V * kept) @ V.T
    yield "safe dot product", dot
    yield "safe cosine", from_dots(dot)
    yield "safe cosine, centered", from_dots(dot - mean)


def models(name, data):
    """(model, k, τ, similarities, recall@20 of its scores for the users to choose by)."""
    s, V = full_spectrum(data.X)
    means = data.X.mean(axis=0)
    for model, taus in TAUS.get(name, SIMULATED_TAUS).items():
        for tau in (tau for tau in taus if model == "Eq. 1" or tau < s[0]):
            kept = KEPT[model](s, tau)
            for k in RANKS.get(name, SIMULATED)[tau > 0 :]:  # of one direction all lists are the same
                part = s[:k], V[:, :k], kept[:k]
                column = (means @ V[:, :k] * kept[:k]) @ V[:, :k].T
                predicted = (data.validation.seen @ V[:, :k] * kept[:k]) @ V[:, :k].T
                outer = data.X.shape[0] * np.outer(column, column)
                yield model, k, tau, similarities(*part, outer), recall_at(predicted, *data.validation)


def baselines(X):
    """Similarities without a model: counts of common users, cosines of columns, popularity, and chance."""
    G = gram(X)
    yield "counts XᵀX", G
    yield "cosines of X's columns", from_dots(G)
    yield "popularity", np.tile(G.diagonal(), (len(G), 1))
    yield "chance", np.random.default_rng(0).random(G.shape)


def measure(data, seed):
    """All rows of one data set."""
    name, data = data, SOURCES[data](seed)
    graded = data.clusters.ndim == 2
    truth = data.clusters if graded else data.clusters[:, None] == data.clusters
    names = np.arange(len(truth)) if graded else data.clusters
    judge = partial(quality, data=data, truth=truth, chosen_by=halves(names, np.random.default_rng(seed)))
    rows, tried = [], {}
    for model, k, tau, given, recall in models(name, data):
        for similarity, S in given:
            row = {"k": k, "tau": tau, "scores choose": recall} | dict(judge(S))
            tried.setdefault((model, similarity), []).append(row)
    for (model, similarity), settings in tried.items():
        for way in ("scores", "found", "near") if graded else ("scores", "found", "ap", "near"):
            best = max(settings, key=lambda row: row[f"{way} choose"])
            rows.append({"model": model, "similarity": similarity, "chosen by": way} | reported(best))
    for similarity, S in baselines(data.X):
        row = {"k": 0, "tau": 0} | dict(judge(S))
        rows.append({"model": "none", "similarity": similarity, "chosen by": "nothing"} | reported(row))
    if data.weights is not None:
        given_one = hide(np.random.default_rng(seed), data.test.seen + data.test.hidden, 1)  # all but one item
        row = {"k": 0, "tau": 0, "found": recall_at(data.weights, *given_one), "ap": np.nan, "near": np.nan}
        rows.append({"model": "none", "similarity": "oracle", "chosen by": "nothing"} | row)
    return rows


def reported(row):
    """k and τ, and the scores on test users and the other clusters."""
    return {"k": row["k"], "tau": row["tau"]} | {name: row[f"{name} test"] for name in ("found", "ap", "near")}


JOBS = [{"data": name, "seed": seed} for name in SOURCES for seed in range(20 if name in FEW else 10)]
