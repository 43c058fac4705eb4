"""Three trainings that look at popularity: 40 smaller data sets in two settings of the simulation, about 25 minutes.

4 000 users, 300 items, k = 20. popularity.csv has a row for each reading, seed, method, start and pair of settings:
the scores of curves.csv for the cosines of the item embeddings, and the training's loss (of "weighted loss" that of
its objective; of the others that of the last steps). Training starts from Eq. 1's embeddings, in three data sets of
each reading at random, too. "weighted loss" is Eq. 2 with weights: an interaction with item i
counts c/popularity^a, everything else 1, where c makes the mean weight of an interaction 1; settings a and τ = λ₂;
alternating least squares. "skip-gram" is skip-gram with κ negative samples drawn by popularity^β, its expected loss
over all pairs of items of one user; settings κ and β. "BPR" is Bayesian personalized ranking with an item bias and a
penalty; settings its strength and 0.
"""

from functools import partial

import jax
import numpy as np
from jax import numpy as jnp

from experiments.adam import minimize
from experiments.common import DENSE_AND_SPARSE, TAUS, cosines, draw_smaller, jobs, leading, scores
from helpers import product_norm_factors
from helpers.spectrum import gram

TOLERANCE = 0.02  # trained in float32, hundreds of steps
K, RATE, RANDOM = 20, 0.02, 3
POWERS = 0.5, 1, 1.5, 2  # a = 0 is Eq. 2, in remedies.csv
PATHS = TAUS[11:3:-1] / 4, TAUS[13:11:-1] / 4  # τ falls from 45 to 4, and from 91 to 64
SAMPLES, EXPONENTS, SKIP_STEPS = (0.25, 0.5, 1, 2, 5, 10), (0.75, 1), 400
PENALTIES, TRIPLES, BPR_STEPS = (0, 0.001, 0.003, 0.01, 0.03, 0.06, 0.1, 0.2), 4_000, 800


def solve(X, weights, B, tau):
    """The rows p of P that minimize Σ w (x − ⟨p, b⟩)² + τ‖p‖², w being 1 where X is 0 and its entry of weights else."""
    k, more = B.shape[1], X * (weights - 1)
    outer = (B[:, :, None] * B[:, None, :]).reshape(-1, k * k)
    left = (more @ outer).reshape(-1, k, k) + B.T @ B + tau * np.eye(k, dtype=B.dtype)
    return np.linalg.solve(left, ((X * weights) @ B)[:, :, None])[:, :, 0]


def weighted_factors(X, item_weights, tau, B, rounds=6):
    """Users and items of Eq. 2's loss with those weights, by alternating least squares from the items B."""
    for _ in range(rounds):
        P = solve(X, item_weights, B, tau)
        B = solve(X.T, item_weights[:, None], P, tau)
    return P, B


def weighted_loss(X, item_weights, tau, P, B):
    """What weighted_factors minimizes."""
    error = (X - P @ B.T) ** 2
    return np.sum(error * (1 + X * (item_weights - 1))) + tau * (np.sum(P * P) + np.sum(B * B))


def by_weights(X, popularity, s, V):
    """(settings, start, items, loss)."""
    for power in POWERS:
        weights = popularity ** -float(power)
        weights *= popularity.sum() / (popularity * weights).sum()
        for taus in PATHS:
            B = (V * np.sqrt(np.maximum(s - taus[0], 1))).astype(np.float32)
            for tau in taus:  # from large to small, each from the last one's items
                P, B = weighted_factors(X, weights.astype(np.float32), np.float32(tau), B + np.float32(1e-3))
                yield (power, tau), "Eq. 2", B, weighted_loss(X, weights, tau, P, B)


def fitted(loss, theta, n_steps):
    """Parameters after n_steps of Adam, and the mean loss of the last tenth of them."""
    theta, values = minimize(loss, theta, n_steps, RATE)
    return theta, values[-(n_steps // 10) :].mean()


@jax.jit
def skip_gram(counts, kappa, beta, start):
    """Words and contexts: log σ(⟨b, c⟩) for pairs that occur, log σ(−⟨b, c⟩) for κ others drawn by popularity^β."""
    totals = counts.sum(axis=1)
    chance = totals**beta / jnp.sum(totals**beta)
    others = kappa * totals[:, None] * chance * (1 - jnp.eye(len(counts)))

    def loss(theta, t):
        M = theta[0] @ theta[1].T
        log_p = jax.nn.log_sigmoid(M)  # log σ(−M) = log σ(M) − M
        return -jnp.sum(counts * log_p + others * (log_p - M)) / counts.sum()

    return fitted(loss, start, SKIP_STEPS)


@partial(jax.jit, static_argnames="shape")
def bpr(users, items, taken, mu, start, seed, shape):
    """Users, items and item biases: log σ(score of an item taken − of one not taken), less μ times their squares."""

    def loss(theta, t):
        P, B, bias = theta
        who, which = jax.random.split(jax.random.fold_in(jax.random.key(seed), t))
        at = jax.random.randint(who, (TRIPLES,), 0, len(users), jnp.int32)  # int64 draws others, where x64 is on
        u, i, j = users[at], items[at], jax.random.randint(which, (TRIPLES,), 0, shape[1], jnp.int32)
        user, one, other = P[u], B[i], B[j]
        lead = jnp.sum(user * (one - other), axis=1) + bias[i] - bias[j]
        squares = sum(jnp.sum(E**2, axis=1) for E in (user, one, other)) + bias[i] ** 2 + bias[j] ** 2
        return jnp.mean((1 - taken[u, j]) * (mu * squares - jax.nn.log_sigmoid(lead)))

    return fitted(loss, start, BPR_STEPS)


def starts(X, s, V, seed):
    """(name, users, items): Eq. 1's embeddings, balanced and of that mean length, and random ones."""
    A, B = product_norm_factors(s, V, 32.0**2)
    P, rng = X @ A, np.random.default_rng(seed)
    scale = np.sqrt(np.linalg.norm(P) / np.linalg.norm(B) * len(B) / len(P))
    yield "Eq. 1", P / scale, B * scale
    if seed < RANDOM:
        yield "random", rng.normal(size=P.shape) / 10, rng.normal(size=B.shape) / 10


def measure(reading, seed):
    """All rows of one data set."""
    data = draw_smaller(reading, seed)
    X, G = data.X.toarray().astype(np.float32), gram(data.X)
    s, V = leading(G, K)
    rows = []

    def add(method, settings, start, B, loss):
        row = {"method": method, "start": start, "setting": settings[0], "second": settings[1]}
        rows.append(row | scores(cosines(np.asarray(B, float)), data) | {"loss": float(loss)})

    for settings, start, B, loss in by_weights(X, G.diagonal(), s, V):
        add("weighted loss", settings, start, B, loss)
    counts = jnp.asarray(G - np.diag(G.diagonal()), jnp.float32)
    users, items = (jnp.asarray(each) for each in np.nonzero(X))
    for name, P, B in starts(X, s, V, seed):
        C, B, P = (jnp.asarray(E, jnp.float32) for E in (B, B, P))
        for settings in ((kappa, beta) for kappa in SAMPLES for beta in EXPONENTS):
            theta, loss = skip_gram(counts, *map(float, settings), (B, C))
            add("skip-gram", settings, name, theta[0], loss)
        for mu in PENALTIES:
            theta, loss = bpr(users, items, jnp.asarray(X), mu, (P, B, jnp.zeros(len(B))), seed, X.shape)
            add("BPR", (mu, 0), name, theta[1], loss)
    return rows


JOBS = jobs(DENSE_AND_SPARSE)
