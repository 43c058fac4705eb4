"""Training for cosines, tuned: 40 smaller data sets in two readings, about 50 minutes.

4 000 users, 300 items, k = 20. cosine_training.csv has a row for each reading, seed, method, start and setting.
"squared" minimizes the squared error of γ cos(x_u A, b_i) with a learned γ > 0, "softmax" the loss of a softmax over
all items of the same, with a fixed γ, the setting; "+ bias" adds a learned number for each item. Adam starts from Eq.
1's embeddings or at random (at BEYOND, the settings past the first grid's ends, from Eq. 1's alone) and sees each user
with a share of the items dropped.

loss is that of the last epoch per user, apart the root mean square difference of item cosines to the run from Eq. 1's
embeddings; score and test are recall@20 of validation and test users by the model's own scores, the others as in
curves.csv.
"""

from functools import partial

import jax
import numpy as np
from jax import numpy as jnp

from experiments.adam import adam_step, at_rest, falling
from experiments.common import DENSE_AND_SPARSE, draw_smaller, jobs, leading, scores
from helpers import cosine_similarity, product_norm_factors, recall_at
from helpers.spectrum import gram

EPOCHS, BATCH, RATE, START = 30, 250, 0.02, 32.0
GAMMAS = {"squared": (0,), "softmax": (0.25, 1, 4, 16)}  # 0: learned
DROPPED = {"squared": (0, 0.3, 0.6, 0.8), "softmax": (0.3, 0.6, 0.8)}
BEYOND = {  # (γ, share dropped) past the ends of these grids, from Eq. 1's embeddings alone
    "squared": [(0, 0.9), (0, 0.95)],
    "softmax": [(g, d) for g in (1, 4, 16) for d in (0, 0.9)]
    + [(0.25, 0.9)]
    + [(g, d) for g in (0.0625, 64) for d in (0.6, 0.8)],
}
STARTS = "Eq. 1", "random", "random again"


def squared(S, Y):
    """The squared error of scores."""
    return jnp.sum((S - Y) ** 2)


def softmax(S, Y):
    """Minus the log likelihood of every interaction under a softmax of its user's scores."""
    return -jnp.sum(Y * jax.nn.log_softmax(S))


@jax.jit
def predict(theta, seen):
    """γ cos(x_u A, b_i) + bias for users of whom this is seen."""
    A, B, bias, log_gamma = theta
    P, Q = (E / jnp.sqrt(jnp.sum(E**2, axis=1, keepdims=True) + 1e-24) for E in (seen @ A, B))
    return jnp.exp(log_gamma) * P @ Q.T + bias


@partial(jax.jit, static_argnames="loss")
def step(t, state, seen, Y, loss, free, last):
    """The state after step t of last, and the loss of the batch; a part that is not free stays."""
    value, slope = jax.value_and_grad(lambda theta: loss(predict(theta, seen), Y))(state[0])
    slope = [part * each / len(Y) for part, each in zip(free, slope, strict=True)]
    return adam_step(t, state, slope, falling(RATE, t, last), late=0.99), value


def train(X, A, B, rng, loss=squared, bias=True, gamma=0, dropped=0.3):
    """(A, B, bias, log γ) by Adam, its rate falling along half a cosine, and the loss per user of the last epoch."""
    state = at_rest([jnp.asarray(part, jnp.float32) for part in (A, B, np.zeros(len(B)), [np.log(gamma or 1)])])
    last = EPOCHS * -(-len(X) // BATCH)
    for t in range(last):
        if t % (last // EPOCHS) == 0:
            order, value = rng.permutation(len(X)), 0
        Y = X[order[:BATCH]]
        order = order[BATCH:]
        seen = Y * (rng.random(Y.shape, dtype=np.float32) >= dropped)
        state, batch = step(t, state, seen, Y, loss, (1, 1, bias, gamma == 0), last)
        value += float(batch)
    return [np.asarray(part, float) for part in state[0]], value / len(X)


def settings(name):
    """(γ, share dropped, starts) of the loss of that name."""
    grid = [(gamma, dropped, STARTS) for gamma in GAMMAS[name] for dropped in DROPPED[name]]
    return grid + [(*setting, STARTS[:1]) for setting in BEYOND[name]]


def from_each_start(data, pair, seed, starts, *how):
    """(start, row) of each start, by how it is trained: loss, bias, γ and share dropped."""
    X = data.X.toarray().astype(np.float32)
    for number, start in enumerate(starts):
        rng = np.random.default_rng([seed, number])
        A, B = pair if number == 0 else rng.normal(size=(2, *pair[0].shape)) / 5
        theta, value = train(X, A, B, rng, *how)
        S = cosine_similarity(theta[1])
        if number == 0:
            reference = S
        apart = np.sqrt(np.mean((S - reference)[np.triu_indices(len(S), 1)] ** 2))
        yield start, describe(theta, data) | {"loss": value, "apart": apart}


def describe(theta, data):
    """What is recorded of a trained model beside its loss."""
    parts = (("score", data.validation), ("test", data.test))
    row = {name: recall_at(np.asarray(predict(theta, users.seen)), *users) for name, users in parts}
    return row | scores(cosine_similarity(theta[1]), data)


def measure(reading, seed):
    """All rows of one data set."""
    data, rows = draw_smaller(reading, seed), []
    pair = product_norm_factors(*leading(gram(data.X)), START**2)
    for loss in (squared, softmax):
        for method, bias in ((loss.__name__, False), (f"{loss.__name__} + bias", True)):
            for gamma, dropped, starts in settings(loss.__name__):
                for start, row in from_each_start(data, pair, seed, starts, loss, bias, gamma, dropped):
                    rows.append({"method": method, "start": start, "setting": gamma, "dropped": dropped} | row)
    return rows


JOBS = jobs(DENSE_AND_SPARSE)
