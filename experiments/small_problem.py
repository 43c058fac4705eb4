"""What the experiments on what decides the cosine share: a small problem, training by full-batch steps."""

from functools import cache
from itertools import pairwise
from typing import NamedTuple

import jax
import numpy as np
from jax import numpy as jnp

from experiments.adam import adam_step, falling
from helpers import cosine_similarity, product_norm_factors, simulate_interactions, truncated_svd

N_USERS, N_ITEMS, K, LAM1 = 400, 9, 3, 0.5
SEEDS = [*range(14), *range(15, 21)]  # in the data set of seed 14 one cluster has no item
jax.config.update("jax_enable_x64", True)


class Small(NamedTuple):
    """X (400, 9) divided by 20, so that a loss is one per user; its σ, V; Eq. 5 with k = 3; the items to watch."""

    X: np.ndarray
    s: np.ndarray
    V: np.ndarray
    A: np.ndarray
    B: np.ndarray
    heads: np.ndarray  # the most popular item of each of the three clusters


@cache
def small(seed):
    """The problem of that seed: 400 users, nine items in three clusters."""
    sim = simulate_interactions(np.random.default_rng(seed), N_USERS, N_ITEMS, 3, preference_law="sparse")
    X = sim.X.toarray() / np.sqrt(N_USERS)
    s, V = truncated_svd(X, N_ITEMS)
    return Small(X, s, V, *product_norm_factors(s[:K], V[:, :K], LAM1), np.searchsorted(sim.clusters, range(3)))


def watched(B, heads):
    """The three cosines between the most popular items of different clusters."""
    return cosine_similarity(B)[heads[[0, 0, 1]], heads[[1, 2, 2]]]


def descent(rate, n_steps):
    """Plain gradient descent, as a rule: slope, two moments, step number → step, two moments."""
    return lambda slope, m, v, t: (rate * slope, m, v)


def momentum(rate, n_steps):
    """Heavy-ball momentum with a factor of 0.9."""
    return lambda slope, m, v, t: (rate * (0.9 * m + slope), 0.9 * m + slope, v)


def adam(rate, n_steps):
    """Adam with its usual constants, its rate falling to zero along half a cosine."""

    def rule(slope, m, v, t):
        moved, m, v = adam_step(t, (0 * m, m, v), slope, falling(rate, t, n_steps))
        return -moved, m, v

    return rule


def train(rule, gradient, pair, marks):
    """The pair (2, …, p, k) after each number of steps in marks, by a rule and a full-batch gradient."""

    def one(t, state):
        step, *moments = rule(gradient(state[0]), *state[1:], t)
        return state[0] - step, *moments

    @jax.jit
    def run(first, last, state):
        return jax.lax.fori_loop(first, last, one, state)

    path, state = [], (jnp.asarray(pair), 0.0 * pair, 0.0 * pair)
    for first, last in pairwise(np.r_[0, marks]):  # of one type: else the loop is compiled twice
        state = run(first, last, state)
        path.append(np.asarray(state[0]))
    return np.array(path)


def slopes(X, lam1=LAM1):
    """The gradient of Eq. 1 in A and B, for a pair stacked in the first axis; X (…, n, p), one data set or many."""
    G = X.mT @ X
    H = G + lam1 * np.eye(G.shape[-1])

    def gradient(pair):
        half = H @ pair[0] @ pair[1].mT - G
        return 2 * jnp.stack([half @ pair[1], half.mT @ pair[0]])

    return gradient
