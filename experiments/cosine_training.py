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

import math

import numpy as np

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


def unit(E):
    """Rows of length one, and how a gradient in them becomes one in E."""
    lengths = np.linalg.norm(E, axis=1, keepdims=True) + 1e-12
    U = E / lengths
    return U, lambda slope: (slope - np.sum(slope * U, axis=1, keepdims=True) * U) / lengths


def squared(S, Y):
    """The squared error of scores, and its gradient."""
    E = S - Y
    return np.sum(E * E), 2 * E


def softmax(S, Y):
    """Minus the log likelihood of every interaction under a softmax of its user's scores, and its gradient."""
    S = S - S.max(axis=1, keepdims=True)
    e, sizes = np.exp(S), Y.sum(axis=1, keepdims=True)
    total = e.sum(axis=1, keepdims=True)
    return np.sum(sizes * np.log(total)) - np.sum(Y * S), e * (sizes / total) - Y


def slopes(theta, seen, Y, loss):
    """The loss of a batch, and its gradients in A, B, bias and log γ."""
    A, B, bias, log_gamma = theta
    (U, in_P), (Q, in_B) = unit(seen @ A), unit(B)
    C, gamma = U @ Q.T, np.exp(log_gamma)
    value, E = loss(gamma * C + bias, Y)
    return value, [seen.T @ in_P(gamma * E @ Q), in_B(gamma * E.T @ U), E.sum(axis=0), gamma * np.sum(E * C)]


def train(X, A, B, rng, loss=squared, bias=True, gamma=0, dropped=0.3, epochs=EPOCHS):
    """(A, B, bias, log γ) by Adam, its rate falling along half a cosine, and the loss per user of the last epoch."""
    theta = [np.array(part, np.float32) for part in (A, B, np.zeros(len(B)), [np.log(gamma or 1)])]
    free = 1, 1, bias, gamma == 0
    m, v = ([0 * part for part in theta] for _ in range(2))
    last = epochs * -(-len(X) // BATCH)
    for t in range(last):
        if t % (last // epochs) == 0:
            order, value = rng.permutation(len(X)), 0
        Y = X[order[:BATCH]]
        order = order[BATCH:]
        batch, gradient = slopes(theta, Y * (rng.random(Y.shape, dtype=np.float32) >= dropped), Y, loss)
        value, rate = value + float(batch), RATE * (1 + math.cos(math.pi * t / last)) / 2  # float32 stays float32
        for i, slope in enumerate(gradient):
            slope = free[i] * slope / len(Y)
            m[i], v[i] = 0.9 * m[i] + 0.1 * slope, 0.99 * v[i] + 0.01 * slope**2
            theta[i] = theta[i] - rate * m[i] / (1 - 0.9 ** (t + 1)) / (np.sqrt(v[i] / (1 - 0.99 ** (t + 1))) + 1e-8)
    return [part.astype(float) for part in theta], value / len(X)


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
    A, B, bias, log_gamma = theta
    row = {}
    for name, users in (("score", data.validation), ("test", data.test)):
        row[name] = recall_at(np.exp(log_gamma) * unit(users.seen @ A)[0] @ unit(B)[0].T + bias, *users)
    return row | scores(cosine_similarity(B), data)


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
