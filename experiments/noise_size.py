"""Where mini-batches take the neighbors of 1 000 items: the rest point of SGD's noise from data alone, then training.

noise_size.csv has a row for each data set (the sparse simulation, 4 000 users × 1 000 items, without items that nobody
took), start and number of steps of SGD on Eq. 1 (k = 50): the share of ten nearest items, by the mean of the cosines
since half as many steps, that are also nearest at K*, the rest point of thm-who-noise; and the share that are nearest
at the start. Starts are two minimizers: none (f = 1) and all (f = g). Ten minutes.
"""

import jax
import numpy as np
from jax import numpy as jnp
from scipy.linalg import sqrtm
from scipy.sparse import csr_array

from experiments.noise import geometric_mean
from helpers import (
    cosine_similarity,
    nearest,
    overlap,
    readings,
    shrinkage,
    simulate_interactions,
    transform,
    truncated_svd,
)

N_USERS, N_ITEMS, K, LAM1 = 4_000, 1_000, 50, 0.5
BATCH, RATE, BLOCK = 20, 0.01, 500
STEPS = 2_000, 4_000, 8_000, 16_000, 32_000
TOLERANCE = 0.02  # long runs of SGD, in which rounding errors grow


def data(seed):
    """X, divided by √n, of the items that somebody took."""
    sim = simulate_interactions(np.random.default_rng(seed), N_USERS, N_ITEMS, **readings(N_ITEMS)["activity to p/10"])
    X = sim.X.toarray()
    return X[:, X.any(axis=0)] / np.sqrt(N_USERS)


def noise(X, A, B):
    """S_A and S_B, (k, k): sums over users of AᵀΓΓᵀA and BᵀΓᵀΓB, Γ a user's gradient of Eq. 1 in ABᵀ."""
    W, n = A @ B.T, len(X)
    P, R = X @ A, X @ A @ B.T - X
    Q, constant_A, constant_B = R @ B, 2 * LAM1 * W.T @ A, 2 * LAM1 * W @ B

    def total(inner, outer, constant):  # of (2n outerᵀinner + constant)ᵀ(the same), over the users
        cross = 2 * n * inner.T @ outer @ constant
        sizes = np.sum(outer**2, axis=1, keepdims=True)
        return 4 * n**2 * inner.T @ (sizes * inner) + cross + cross.T + n * constant.T @ constant

    return total(P, R, constant_A), total(Q, X, constant_B)


def trained(X, A, B, seed):
    """Pairs (A, B) after every BLOCK steps of SGD, users drawn with replacement."""
    n, X = len(X), jnp.asarray(X, jnp.float32)

    def step(pair, users):
        A, B = pair
        x = X[users] * (n / BATCH) ** 0.5
        P = x @ A
        R = P @ B.T - x
        slope_A = x.T @ (R @ B) + LAM1 * A @ (B.T @ B)
        slope_B = R.T @ P + LAM1 * B @ (A.T @ A)
        return (A - 2 * RATE * slope_A, B - 2 * RATE * slope_B), None

    @jax.jit
    def block(pair, key):
        return jax.lax.scan(step, pair, jax.random.randint(key, (BLOCK, BATCH), 0, n))[0]

    pair = jnp.asarray(A, X.dtype), jnp.asarray(B, X.dtype)
    for count in range(STEPS[-1] // BLOCK):
        pair = block(pair, jax.random.fold_in(jax.random.key(seed), count))
        yield tuple(np.asarray(side, float) for side in pair)


def measure(seed, begun):
    """All rows of one run."""
    X = data(seed)
    s, V = truncated_svd(csr_array(X), K)
    g = shrinkage(s, LAM1)
    A, B = (V * g, V) if begun == "none" else (V, V * g)
    M = sqrtm(geometric_mean(*noise(X, A, B))).real
    rest, first = (nearest(cosine_similarity(E)) for E in (transform(A, B, M)[1], B))
    rows, path = [{"steps": 0, "rest": overlap(first, rest), "start": 1}], []
    for now in trained(X, A, B, seed):
        path.append(now)
        if (steps := len(path) * BLOCK) in STEPS:
            mean = nearest(np.mean([cosine_similarity(B) for _, B in path[len(path) // 2 :]], axis=0))
            rows.append({"steps": steps, "rest": overlap(mean, rest), "start": overlap(mean, first)})
    return rows


PROCESSES = 1
JOBS = [{"seed": seed, "begun": start} for seed in (0,) for start in ("none", "all")]
