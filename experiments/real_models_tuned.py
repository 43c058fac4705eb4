"""Libraries' own models of three real data sets: the settings whose scores find most of what was hidden.

real_models_tuned.csv has a row for each data set, model and setting: recall@20, by the model's own scores, of a fifth
of the items of up to 1 000 users, hidden from training (one split, one training; what is not in the grid is the
library's default). All models have 64 dimensions. real_models.csv has the best setting of each. It needs MovieLens,
implicit 0.7 and gensim 4.4 (tests/requirements.txt). About 40 minutes on one thread.
"""

import functools
from itertools import product
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from experiments import libraries
from experiments.common import likes, unit
from helpers import hide, read_debian, read_glosses, recall_at

K, LEAST, ASKED = 64, 5, 1_000  # dimensions; users who took an item; users of a judge, at most
BATCH = 256  # users of a step of two towers
TOLERANCE = 0.05  # float32 sums in another order, followed by a million steps


class Data(NamedTuple):
    """Training users X (n, p) CSR, and others of whom nothing is learned, to choose by and to judge by; and items."""

    X: sp.csr_array
    choose: sp.csr_array
    test: sp.csr_array
    items: np.ndarray  # (p,), columns of the whole data set


class Model(NamedTuple):
    """Users (n, k), or contexts (p, k), and items (p, k), as the library gives them, and what belongs to them."""

    users: np.ndarray
    items: np.ndarray
    ranking: bool = False  # whether a constant for each user is free
    biases: int = 0  # how many of the last columns are biases
    asked: tuple | None = None  # left, right: a user of item i alone has the scores left[i] @ right.T, up to a factor


@functools.cache
def whole(name):
    """Users × items, 0 and 1."""
    if name == "MovieLens":
        return likes()[0]
    return {"Debian": read_debian, "glosses": read_glosses}[name]().X


@functools.cache
def divided(name):
    """The data set's users in three parts; a fifth each, at most 1 000, learn nothing; items with five users stay."""
    X = whole(name)
    order = np.random.default_rng(0).permutation(np.flatnonzero(X.sum(axis=1) >= 2))
    n = min(ASKED, len(order) // 5)
    items = np.flatnonzero(X[order[2 * n :]].sum(axis=0) >= LEAST)
    parts = (X[rows][:, items] for rows in (order[2 * n :], order[:n], order[n : 2 * n]))
    train, *others = (part[part.sum(axis=1) >= 2] for part in parts)
    return Data(train, *others, items)


def als(X, seed, regularization, alpha):
    """Alternating least squares, 15 sweeps; a user of item i alone is a multiple of row i of B(BᵀB + λI)⁻¹."""
    P, B = libraries.implicit("als", X, K, seed, regularization=regularization, alpha=alpha)
    return Model(P, B, asked=(np.linalg.solve(B.T @ B + regularization * np.eye(K), B.T).T, B))


def bpr(X, seed, learning_rate, regularization):
    """Bayesian personalized ranking, 100 epochs; the last column of the items is their bias."""
    P, B = libraries.implicit("bpr", X, K, seed, learning_rate=learning_rate, regularization=regularization)
    return Model(P, B, True, 1)


def lmf(X, seed, regularization):
    """Logistic factorization, 30 sweeps; the last two columns are the items' biases and those of the users."""
    P, B = libraries.implicit("lmf", X, K, seed, regularization=regularization)
    return Model(P, B, True, 2)


class Sentences:
    """The items of each user, in another order each time, as gensim's window is shorter than what some users took."""

    def __init__(self, X, seed):
        """X (n, p) CSR."""
        self.rows = [np.array([str(j) for j in row]) for row in np.split(X.indices, X.indptr[1:-1])]
        self.rng = np.random.default_rng(seed)

    def __iter__(self):
        """The users' items, as lists of words."""
        return (list(self.rng.permutation(row)) for row in self.rows)


def word2vec(X, seed, sg, epochs, sample):
    """gensim's: a user is a sentence of items, each a context of every other; contexts are the users."""
    settings = {"vector_size": K, "window": 10, "shrink_windows": False, "sg": sg, "epochs": epochs, "sample": sample}
    contexts, words = libraries.word2vec(Sentences(X, seed), range(X.shape[1]), seed=seed, **settings)
    return Model(contexts, words, asked=(words, contexts))


def towers(X, seed, scale, epochs):
    """Two towers: the mean of a random half of a user's items asks for the others, by a softmax over all items; Adam.

    scale None compares by dot products; a number times the cosine has both towers' rows at length one.
    """
    import jax
    import jax.numpy as jnp

    from experiments.adam import minimize

    n, p = X.shape
    lengths = np.diff(X.indptr)
    most = int(np.quantile(lengths, 0.99))
    rng, padded = np.random.default_rng(seed), np.full((n, most), p, dtype=np.int32)
    for i, (a, b) in enumerate(zip(X.indptr[:-1], X.indptr[1:], strict=True)):
        padded[i, : min(b - a, most)] = rng.permutation(X.indices[a:b])[:most]
    taken, steps = jnp.asarray(padded), epochs * -(-n // BATCH)

    def row(E):
        return E if scale is None else E / jnp.sqrt(jnp.sum(E**2, axis=1, keepdims=True) + 1e-9)

    def loss(tables, t):
        A, B = tables
        one, other = jax.random.split(jax.random.fold_in(jax.random.key(seed), t))
        some = taken[jax.random.randint(one, (BATCH,), 0, n)]
        asks = jax.random.bernoulli(other, 0.5, some.shape) & (some < p)
        X_asks, X_found = (
            jnp.zeros((BATCH, p + 1)).at[jnp.arange(BATCH)[:, None], some].add(part)[:, :p] for part in (asks, ~asks)
        )
        users = row(X_asks @ A / jnp.maximum(X_asks.sum(axis=1, keepdims=True), 1))
        weight = X_asks.any(axis=1) / jnp.maximum(X_found.sum(axis=1), 1)
        scores = users @ row(B).T * (1 if scale is None else scale)
        return -jnp.sum(weight * jnp.sum(X_found * jax.nn.log_softmax(scores), axis=1)) / BATCH

    keys = jax.random.split(jax.random.key(seed + 100))
    start = tuple(jax.random.normal(key, (p, K)) / K**0.5 for key in keys)
    (A, B), _ = jax.jit(lambda start: minimize(loss, start, steps, 0.01))(start)
    A, B = np.asarray(A, float), np.asarray(B, float)
    users = (X @ A) / np.diff(X.indptr)[:, None]
    if scale is not None:
        users, A, B = map(unit, (users, A, B))
    return Model(users, B, scale is None, asked=(A, B))


MODELS = {
    "ALS": als,
    "BPR": bpr,
    "LMF": lmf,
    "skip-gram": functools.partial(word2vec, sg=1),
    "CBOW": functools.partial(word2vec, sg=0),
    "towers, dot": functools.partial(towers, scale=None),
    "towers, cosine": towers,
}
DATA = "MovieLens", "Debian", "glosses"
EPOCHS = {  # of each data set
    "skip-gram": {"MovieLens": (10, 30, 100), "Debian": (5, 20, 60), "glosses": (2, 5, 10)},
    "CBOW": {"MovieLens": (30, 100, 300), "Debian": (15, 40, 100), "glosses": (5, 10, 20)},
    "towers, dot": {"MovieLens": (50, 100, 200, 400), "Debian": (2, 5, 10), "glosses": (1, 2, 4)},
    "towers, cosine": {"MovieLens": (100, 400), "Debian": (3, 8), "glosses": (2, 4)},
}
GRID = {
    "ALS": {"regularization": (1, 10, 30, 100, 300, 1_000), "alpha": (1, 10, 40, 160, 640)},
    "BPR": {"learning_rate": (0.003, 0.01, 0.03, 0.1), "regularization": (0.003, 0.03)},
    "LMF": {"regularization": (0.6, 2, 6, 20)},
    "skip-gram": {"sample": (0, 0.001)},
    "CBOW": {"sample": (0, 0.001)},
    "towers, dot": {},
    "towers, cosine": {"scale": (3, 6, 12)},
}


def settings(data, model):
    """All settings of a model, as dicts."""
    grid = GRID[model] | ({"epochs": EPOCHS[model][data]} if model in EPOCHS else {})
    return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]


def hidden_from(X):
    """Training data without a fifth of some users' items, these users' rows, and what they are seen and hidden with."""
    rng = np.random.default_rng(1)
    rows = np.sort(rng.permutation(X.shape[0])[:ASKED])
    seen, hidden = hide(rng, X[rows])
    chosen = sp.csr_array((np.ones(len(rows)), (rows, np.arange(len(rows)))), (X.shape[0], len(rows)))
    less = sp.csr_array(X - chosen @ hidden)
    less.eliminate_zeros()
    less.sort_indices()
    return less, rows, seen, hidden


def recall(model, rows, seen, hidden):
    """recall@20 of the model's own scores."""
    if len(model.users) == len(model.items):  # contexts
        scores = (seen @ model.asked[0]) @ model.asked[1].T
    else:
        scores = model.users[rows] @ model.items.T
    return recall_at(scores, seen, hidden)


def measure(data, model):
    """A row for each setting."""
    X, *asked = hidden_from(divided(data).X)
    return [
        {"setting": repr(setting), "recall": recall(MODELS[model](X, 1, **setting), *asked)}
        for setting in settings(data, model)
    ]


PROCESSES = 1
JOBS = [{"data": data, "model": model} for data in DATA for model in MODELS]
