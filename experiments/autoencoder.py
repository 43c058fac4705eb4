"""What the experiments on networks share: small data sets, an autoencoder with one hidden layer, and its training.

The scores of users x are ``f(xA + a) Bᵀ + b`` with f the ReLU or, as a control, nothing; the loss is the cross-entropy
of the softmax of the scores, in nats per interaction, with dropout of inputs and weight decay of A, a and B.
"""

from functools import partial

import jax
import numpy as np
from jax import numpy as jnp

from experiments import common
from experiments.adam import adam_step, at_rest, falling

SIZES = {"n_items": 100, "n_users": 500, "n_held_out": 500}
K, BATCH, RATE = 10, 50, 0.02  # hidden neurons, users a step, Adam's first learning rate
READINGS, SEEDS = common.DENSE_AND_SPARSE, common.SEEDS
ACTIVATIONS = ["ReLU", "linear"]
jax.config.update("jax_enable_x64", True)


draw = partial(common.draw, **SIZES)  # 500 users to learn from, 500 each to choose by and to test on, 100 items


@partial(jax.jit, static_argnames="activation")
def network(net, X, activation):
    """Scores (n, p) of the users X (n, p)."""
    Z = X @ net["A"] + net["a"]
    return (jnp.maximum(Z, 0.0) if activation == "ReLU" else Z) @ net["B"].T + net["b"]


@jax.jit
def cross_entropy(scores, X):
    """Nats per interaction of X (n, p)."""
    return -(X * jax.nn.log_softmax(scores)).sum() / X.sum()


def first(start, p):
    """The untrained network of that start: random A and B, no biases."""
    draws = [jax.random.normal(key, (p, K)) for key in jax.random.split(jax.random.key(start))]
    return {"A": draws[0] / np.sqrt(p), "a": jnp.zeros(K), "B": draws[1] / np.sqrt(K), "b": jnp.zeros(p)}


def objective(net, key, X, rate, decay, activation):
    """The loss of a batch of users drawn from X, a share ``rate`` of their inputs dropped, plus decay."""
    who, which = jax.random.split(key)
    batch = X[jax.random.randint(who, (BATCH,), 0, len(X))]
    kept = jax.random.bits(which, batch.shape, jnp.uint16) >= rate * 2**16
    penalty = sum(jnp.sum(net[name] ** 2) for name in "AaB")
    return cross_entropy(network(net, batch * kept / (1 - rate), activation), batch) + decay * penalty


def train(start, draws, rate, decay, X, activation, n_steps, decoupled):
    """The network after n_steps of Adam, its learning rate falling to zero along half a cosine.

    start draws the untrained network, draws the batches and what is dropped: two seeds that do not know each other.
    decoupled: decay is no term of the loss but shrinks A, a and B beside each step, as in AdamW.
    """
    shrunk = {name: decay * decoupled * (name != "b") for name in ("A", "a", "B", "b")}

    def step(t, state):
        net, m, v = state
        key = jax.random.fold_in(jax.random.key(draws + 1_000), t)
        slope = jax.grad(objective)(net, key, X, rate, decay * (1 - decoupled), activation)
        now = falling(RATE, t, n_steps)
        net = jax.tree.map(lambda w, c: w - now * c * w, net, shrunk)
        return adam_step(t, (net, m, v), slope, now)

    return jax.lax.fori_loop(0, n_steps, step, at_rest(first(start, X.shape[1])))[0]


@partial(jax.jit, static_argnames="activation")
def compiled(starts, draws, rates, decays, X, activation, n_steps, decoupled):
    """Networks of all combinations of start, draws and setting, compiled once for each activation and shape."""
    one = partial(train, X=X, activation=activation, n_steps=n_steps, decoupled=decoupled)
    for axes in ((None, None, 0, 0), (0, None, None, None), (None, 0, None, None)):
        one = jax.vmap(one, axes)  # what is drawn, is drawn once for all networks that share it
    return one(starts, draws, rates, decays)


def train_all(starts, draws, settings, X, activation, n_steps, decoupled=False):
    """Networks of every pair of seeds and setting, (rate, decay): a dict of arrays (draws, starts, settings, …)."""
    seeds = (jnp.array(list(each)) for each in (starts, draws))
    strengths = (jnp.array(column) for column in zip(*settings, strict=True))
    return jax.tree.map(np.asarray, compiled(*seeds, *strengths, jnp.asarray(X), activation, n_steps, decoupled))


def pick(nets, *i):
    """The network at those places of the first axes."""
    return {name: w[i] for name, w in nets.items()}
