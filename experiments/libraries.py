"""Five small models that other people's libraries trained: implicit, gensim, and two towers in JAX.

Usage: python -m experiments libraries, with tests/requirements.txt installed: about 20 seconds. It writes
libraries.new.npz, which replaces libraries.npz, which the chapter on the audit reads, if all factors agree within the
tolerance, or with ACCEPT=1. One shop, 400 users × 120 items, 8 dimensions. Factors are float32, as the libraries make
them.
"""

from functools import partial
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from threadpoolctl import threadpool_limits

from experiments import accept
from helpers import simulate_interactions

FILE = Path(__file__).with_name("libraries.npz")
K = 8
TOLERANCE = 0.05  # another processor changes last digits, which training lets grow; the verdicts are the same


def shop():
    """The interactions, (400, 120) CSR."""
    sim = simulate_interactions(np.random.default_rng(15), 400, 120, max_activity=40)
    return sim.X[:, sim.X.sum(axis=0) > 0]


def implicit(library, X, factors=K, random_state=0, **settings):
    """Users and items of a model of implicit: als (Eq. 2's family, weighted by confidence), bpr or lmf."""
    from implicit.cpu import als, bpr, lmf

    kind = {
        "als": als.AlternatingLeastSquares,
        "bpr": bpr.BayesianPersonalizedRanking,
        "lmf": lmf.LogisticMatrixFactorization,
    }[library]
    with threadpool_limits(1, user_api="blas"):
        model = kind(factors=factors, random_state=random_state, num_threads=1, **settings)
        model.fit(csr_matrix(X, dtype=np.float32), show_progress=False)
    return model.user_factors.astype(float), model.item_factors.astype(float)


def word2vec(sentences, words, **settings):
    """Contexts and words, (p, k) each, of gensim's Word2Vec with one worker, in the order of words."""
    from gensim.models import Word2Vec

    model = Word2Vec(sentences, min_count=1, workers=1, **settings)
    rows = [model.wv.key_to_index[str(word)] for word in words]
    return model.syn1neg[rows].astype(float), model.wv.vectors[rows].astype(float)


def skip_gram(X):
    """Contexts and words of the skip-gram with negative sampling: a user is a sentence of items."""
    sentences = [[str(item) for item in row.indices] for row in X]
    settings = {"vector_size": K, "window": 40, "sg": 1, "negative": 5, "epochs": 30, "seed": 0, "sorted_vocab": 0}
    return word2vec(sentences, range(X.shape[1]), **settings)


def two_towers(X):
    """Users and items, rows of length one, of a softmax over items of their cosines, times 10, by Adam."""
    import jax
    import jax.numpy as jnp

    from experiments.adam import adam_step, at_rest

    target = jnp.asarray(X.toarray())

    def unit(E):
        return E / jnp.linalg.norm(E, axis=1, keepdims=True)

    def loss(pair):
        P, B = map(unit, pair)
        return -jnp.sum(target * jax.nn.log_softmax(10 * P @ B.T)) / target.sum()

    def step(t, state):
        return adam_step(t, state, jax.grad(loss)(state[0]), 0.02)

    keys = jax.random.split(jax.random.key(0))
    start = tuple(jax.random.normal(key, (size, K)) for key, size in zip(keys, X.shape, strict=True))
    pair, _, _ = jax.lax.fori_loop(0, 400, step, at_rest(start))
    return tuple(np.asarray(unit(E)) for E in pair)


MODELS = {  # how it is trained, the objective it claims, the verdict expected from both
    "implicit ALS, defaults": (partial(implicit, "als"), "factors", "no"),
    "implicit ALS, converged": (partial(implicit, "als", regularization=3.0, iterations=400), "factors", "yes"),
    "implicit BPR": (partial(implicit, "bpr", iterations=200), "ranking", "no"),  # the items' last column is their bias
    "gensim skip-gram": (skip_gram, "none", "no"),
    "two towers, normalized": (two_towers, "normalized", "yes"),
}


def read():
    """The committed models: a dict from name to users and items."""
    with np.load(FILE) as arrays:
        return {name: (arrays[f"{name}: users"], arrays[f"{name}: items"]) for name in MODELS}


def run():
    """Train all, and replace the file by them if they agree with it."""
    X = shop()
    arrays = {}
    for name, (train, _, _) in MODELS.items():
        users, items = train(X)
        arrays |= {f"{name}: users": np.float32(users), f"{name}: items": np.float32(items)}
        print(name, flush=True)
    new = FILE.with_suffix(".new.npz")
    np.savez_compressed(new, **arrays)
    accept(FILE, new, TOLERANCE)
