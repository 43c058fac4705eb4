"""Where mini-batches take D: SGD on Eq. 1 from three imbalances, until it rests, 20 small data sets; six minutes.

noise.csv has a row for each data set, way to draw batches, batch size, rate and start (its imbalance q, Δ = qI), with
the trace of Δ and the watched cosines, averaged over the second half of the run; and rows "theory" with those predicted
from the data alone, in the limit of small rates (rate 0) and one order further. Other batch sizes and rates than 40 and
0.05 are run on one data set only; momentum, Adam and other losses are not measured.
"""

import jax
import numpy as np
from jax import numpy as jnp
from scipy.linalg import expm, logm, sqrtm
from scipy.optimize import fsolve

from experiments.small_problem import LAM1, N_ITEMS, SEEDS, K, small, watched
from helpers import transform

STARTS = 5.0, 0.0, -5.0
EVERYWHERE = [("drawn", 40, 0.05, 200_000)]
RUNS = [  # on the data set of the chapter, seed 8
    *EVERYWHERE,
    ("drawn", 40, 0.025, 600_000),
    ("drawn", 160, 0.05, 600_000),
    ("drawn", 10, 0.025, 200_000),
    ("shuffled", 40, 0.05, 200_000),
]


def user_gradients(X, W, lam1=LAM1):
    """Γ of every user alone, (n, p, p): unbiased for the gradient of Eq. 1 in W."""
    return 2 * len(X) * np.einsum("ui,uj->uij", X, X @ W - X) + 2 * lam1 * W


def geometric_mean(S, T):
    """The one positive definite K with KSK = T, for positive definite S and T."""
    root = sqrtm(S).real
    back = np.linalg.inv(root)
    return back @ sqrtm(root @ T @ root).real @ back


def rest(X, A, B):
    """The solution (AM, BM⁻ᵀ) at which the noise of mini-batches balances."""
    noise = user_gradients(X, A @ B.T)
    left = np.einsum("uij,ukj->ik", noise, noise)  # sums over users of ΓΓᵀ and ΓᵀΓ
    right = np.einsum("uij,uik->jk", noise, noise)
    return transform(A, B, sqrtm(geometric_mean(A.T @ left @ A, B.T @ right @ B)).real)


def loss(pair, X, lam1):
    """Eq. 1 of a pair (2, p, k)."""
    W = pair[0] @ pair[1].T
    return jnp.sum((X - X @ W) ** 2) + lam1 * jnp.sum(W**2)


hessian = jax.jit(jax.hessian(loss))


def noise_at(X, A, B):
    """At a minimizer: the Hessian of Eq. 1 in (A, B) and the covariance of a user's gradient, both (2pk, 2pk)."""
    gamma = user_gradients(X, A @ B.T)
    gradients = np.stack([gamma @ B, gamma.mT @ A], axis=1).reshape(len(X), -1)
    curvature = np.asarray(hessian(jnp.array([A, B]), X, LAM1)).reshape(2 * A.size, -1)
    return curvature, gradients.T @ gradients / len(X)


def wandering(curvature, covariance, rate):
    """C with C = (I − ηH)C(I − ηH) + η covariance: around the minimizers, the parameters wander with covariance ηC."""
    w, Q = np.linalg.eigh(curvature)
    steep = w > 1e-8 * w[-1]
    sums = np.add.outer(w, w) - rate * np.outer(w, w)
    return Q @ np.where(np.outer(steep, steep), Q.T @ covariance @ Q / np.where(sums > 0, sums, 1), 0) @ Q.T


def latent_blocks(M, p=N_ITEMS, k=K):
    """Of a (2pk, 2pk) matrix, the sums over items of its (k, k) blocks: A's and B's."""
    M = M.reshape(2, p, k, 2, p, k)
    return np.einsum("iaib->ab", M[0, :, :, 0]), np.einsum("iaib->ab", M[1, :, :, 1])


def rest_at(rate, X, A, B):
    """As rest, one order further in the rate: gradients also vary because the parameters wander."""
    upper = np.triu_indices(A.shape[1])

    def solution(entries):
        S = np.zeros((A.shape[1],) * 2)
        S[upper] = entries
        return transform(A, B, expm(S + S.T))

    def unbalanced(entries):
        curvature, covariance = noise_at(X, *solution(entries))
        total = covariance + rate * curvature @ wandering(curvature, covariance, rate) @ curvature
        of_A, of_B = latent_blocks(total, *A.shape)
        return (of_A - of_B)[upper] / np.trace(covariance)

    M = np.linalg.lstsq(A, rest(X, A, B)[0])[0]
    first = logm(M).real / 2
    return solution(fsolve(unbalanced, (first + first.T)[upper] / 2, xtol=1e-8))


def start(q, rng):
    """A and B with Δ = AᵀA − BᵀB = qI: random orthonormal columns times two lengths."""
    A, B = (np.linalg.qr(rng.normal(size=(N_ITEMS, K)))[0] for _ in range(2))
    return np.array([A * np.sqrt(max(q, 0) + 0.1), B * np.sqrt(max(-q, 0) + 0.1)])


def sgd(X, pairs, batch, rate, n_steps, seed, shuffled=False):
    """Pairs (starts, 2, p, k) after every 500 steps of SGD, (records, starts, 2, p, k); each start has its own batches.

    Batches are drawn anew for each step, users with replacement, or cut from a new order of all users in each epoch.
    """
    n, X = len(X), jnp.asarray(X)

    def users(key):
        if not shuffled:
            return jax.random.randint(key, (500, batch), 0, n)
        orders = jax.vmap(lambda key: jax.random.permutation(key, n))(jax.random.split(key, 500 * batch // n))
        return orders.reshape(500, batch)

    def step(pair, gram):
        W = pair[0] @ pair[1].T
        gamma = 2 * (gram @ W - gram + LAM1 * W)
        return pair - rate * jnp.stack([gamma @ pair[1], gamma.T @ pair[0]]), None

    def block(pair, key):
        x = X[users(key)]
        pair = jax.lax.scan(step, pair, jnp.einsum("tbi,tbj->tij", x, x) * (n / batch))[0]
        return pair, pair

    @jax.jit
    def path(pairs, seed):
        keys = jax.random.split(jax.random.key(seed), len(pairs))
        keys = jax.vmap(lambda key: jax.random.split(key, n_steps // 500))(keys)
        return jax.vmap(lambda pair, keys: jax.lax.scan(block, pair, keys)[1])(pairs, keys)

    return np.moveaxis(np.asarray(path(jnp.asarray(pairs), seed)), 1, 0)


def measure(seed):
    """All rows of one data set."""
    problem, runs = small(seed), RUNS if seed == 8 else EVERYWHERE

    def row(drawn, batch, rate, q, pairs):
        traces = [np.sum(A**2) - np.sum(B**2) for A, B in pairs]
        cosines = np.mean([watched(B, problem.heads) for _, B in pairs], axis=0)
        row = {"batches": drawn, "batch": batch, "rate": rate, "q": q, "trace": np.mean(traces)}
        return row | dict(zip(("c12", "c13", "c23"), cosines, strict=True))

    rows = [row("theory", 0, 0, 0, [rest(problem.X, problem.A, problem.B)])]
    for rate in sorted({rate for _, _, rate, _ in runs}):
        rows.append(row("theory", 0, rate, 0, [rest_at(rate, problem.X, problem.A, problem.B)]))
    pairs = np.array([start(q, np.random.default_rng([seed, i])) for i, q in enumerate(STARTS)])
    for drawn, batch, rate, n_steps in runs:
        path = sgd(problem.X, pairs, batch, rate, n_steps, seed, drawn == "shuffled")
        late = path[len(path) // 2 :]
        rows += [row(drawn, batch, rate, q, late[:, i]) for i, q in enumerate(STARTS)]
    return rows


TOLERANCE = 0.01  # averages over long runs of SGD, in which rounding errors grow
JOBS = [{"seed": seed} for seed in SEEDS]
