"""How wrong cosines of Eq. 2 are at a given excess of the loss, λ₂ swept across the noise; 20 data sets, ten minutes.

4 000 users, 300 items, k = 20; λ₂ is given as a multiple of σ_{k+1}, the largest singular value that is left out.
convergence.csv has a row for each seed, multiple, method and relative excess of the loss: the error of the item–item
cosines (worst, 99 %, 90 %, median of all pairs) when the method first comes below that excess, after how many sweeps or
steps. In the rows with excess 0, ALS was stopped by a usual rule: a sweep has lowered the loss by less than 0.01 %.
Other k are not in the table: at k = 20 the cut goes through a flat part of the spectrum.
"""

from typing import NamedTuple

import numpy as np
from sklearn.utils.extmath import randomized_svd

from experiments.small_problem import adam, descent, train
from helpers import cosine_similarity, factor_norm_factors, factor_norm_loss, simulate_interactions
from helpers.spectrum import gram, spectrum_of_gram

N_USERS, N_ITEMS, K, SEEDS = 4_000, 300, 20, range(20)
BELOW, ABOVE = 0.5, 1.3  # where all methods are compared, on the first ten data sets
MULTIPLES = (0.25, 0.5, 0.85, 1.05, 1.3, 1.8, 2.5)
LEVELS = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)


class Problem(NamedTuple):
    """A root of G = XᵀX (p, p), for X; the spectrum with one direction to spare; λ₂; and what is to be found."""

    root: np.ndarray
    s: np.ndarray
    V: np.ndarray
    lam2: float
    least: float
    B: np.ndarray


def problem(seed, multiple):
    """The data set of that seed and the unique minimum of Eq. 2 at that multiple of σ_{k+1}."""
    G = gram(simulate_interactions(np.random.default_rng(seed), N_USERS, N_ITEMS).X)
    s, V = spectrum_of_gram(G, K + 1)
    return with_lam(np.linalg.cholesky(G).T, s, V, multiple * s[K])


def with_lam(root, s, V, lam2):
    """The problem with another λ₂: ``with_lam(*given[:3], lam2)``."""
    A, B = factor_norm_factors(s[:K], V[:, :K], lam2)
    return Problem(root, s, V, lam2, factor_norm_loss(root, A, B, lam2), B)


def loss(root, lam2, P, Q):
    """Eq. 2 of the usual factors: root stands for X, as P enters only through its products with X and itself."""
    PP, QQ = P.T @ P, Q.T @ Q
    error = np.sum(root**2) - 2 * np.sum(P * (root @ Q)) + np.sum(PP * QQ)
    return error + lam2 * (np.trace(PP) + np.trace(QQ))


def als(root, lam2, Q, n_sweeps):
    """Alternating least squares for Eq. 2: P, Q after each sweep."""
    ridge = lam2 * np.eye(Q.shape[1])
    for _ in range(n_sweeps):
        P = root @ Q @ np.linalg.inv(Q.T @ Q + ridge)
        Q = root.T @ P @ np.linalg.inv(P.T @ P + ridge)
        yield P, Q


def gradient(root, lam2):
    """The gradient of Eq. 2 in (P, Q), stacked."""
    roots = np.stack([root, root.T])

    def slope(pair):
        other = pair[::-1]  # the gradient in P is 2(P QᵀQ − root Q + λ₂P)
        return 2 * (pair @ (other.mT @ other) - roots @ other + lam2 * pair)

    return slope


def by_steps(rule, rate, n_steps, given, first):
    """(steps, P, Q) at 80 moments of a training by gradients."""
    marks = np.unique(np.geomspace(1, n_steps, 80).astype(int))
    path = train(rule(rate, n_steps), gradient(given.root, given.lam2), first, marks)
    return ((mark, *pair) for mark, pair in zip(marks, path, strict=True))


def by_svd(given):
    """(power iterations, P, Q) of Eq. 6, filled with the result of a randomized SVD."""
    for n_iter in (*range(10), 12, 14, 17, 20, 24, 28, 34, 40):
        _, s, Vt = randomized_svd(given.root, K, n_iter=n_iter, random_state=0)
        A, B = factor_norm_factors(s, Vt.T, given.lam2)
        yield n_iter, given.root @ A, B


def errors(Q, given):
    """Worst, 99 %, 90 % and median error of the cosines of Q."""
    error = np.abs(cosine_similarity(Q) - cosine_similarity(given.B))[np.triu_indices(len(Q), 1)]
    return dict(zip(("worst", "q99", "q90", "median"), np.quantile(error, [1, 0.99, 0.9, 0.5]), strict=True))


def crossings(states, given):
    """A row for each level of the excess: the first state at or below it."""
    left = list(LEVELS)
    for steps, P, Q in states:
        excess = loss(given.root, given.lam2, P, Q) / given.least - 1
        while left and excess <= left[0]:
            yield {"excess": left.pop(0), "steps": steps} | errors(Q, given)
        if not left:
            return


def stopped(given, first):
    """Sweeps, and Q, when a sweep of ALS lowers the loss by less than 0.01 %."""
    value = np.inf
    for sweep, (P, Q) in enumerate(als(given.root, given.lam2, first, 10_000), start=1):
        before, value = value, loss(given.root, given.lam2, P, Q)
        if before - value < 1e-4 * before:
            return sweep, Q


def first_factors(seed):
    """The start of all methods: users' and items' embeddings, normal with deviation 0.1."""
    return 0.1 * np.random.default_rng([seed, 1]).normal(size=(2, N_ITEMS, K))


def measure(seed, multiple):
    """All rows of one data set at one λ₂."""
    given, first = problem(seed, multiple), first_factors(seed)
    sweeps = als(given.root, given.lam2, first[1], 3_000)
    methods = {"ALS": ((sweep, *pair) for sweep, pair in enumerate(sweeps, start=1))}
    if seed < 10 and multiple in (BELOW, ABOVE):
        methods |= {
            "descent": by_steps(descent, 0.4 / given.s[0], 4_000, given, first),
            "Adam": by_steps(adam, 0.1, 2_000, given, first),
            "randomized SVD": by_svd(given),
        }
    rows = [{"method": name} | row for name, states in methods.items() for row in crossings(states, given)]
    sweep, Q = stopped(given, first[1])
    return [*rows, {"method": "ALS", "excess": 0, "steps": sweep} | errors(Q, given)]


TOLERANCE = 0.1  # the first state below a level may be the next one, a sweep or a twentieth of the steps later
JOBS = [{"seed": seed, "multiple": multiple} for seed in SEEDS for multiple in MULTIPLES]
