"""The steps at paper size, each beside its peer, in one process."""

import tracemalloc

import numpy as np
import scipy.sparse as sp

import helpers as h
from benchmarks import peers
from benchmarks.report import alternate, duel, verdict

K, LAM_PRODUCT, LAM_FACTOR = 50, 10_000, 100  # the paper's k, and its λ of Eq. 1 and of Eq. 2


def report():
    """The tables of the steps, on one simulated data set."""
    simulation()
    X = h.simulate_interactions(np.random.default_rng(0)).X
    X = X[:, np.flatnonzero(X.sum(axis=0))]  # an item nobody took has no cosines
    fit(X)
    within_a_thousandth(X)
    moments(X)


def simulation():
    """Simulate; both draw the same clusters, preferences and activity from one seed, and then take items."""
    contestants = {
        "helpers": lambda: h.simulate_interactions(np.random.default_rng(0)).X,
        "loop of Generator.choice": lambda: peers.simulate_by_choice(np.random.default_rng(0))[1],
    }
    times, results = alternate(contestants, 5)
    X, items = results.values()
    same_sizes = np.array_equal(np.diff(X.indptr), [len(taken) for taken in items])
    counts = X.sum(axis=0), np.bincount(np.concatenate(items), minlength=X.shape[1])
    mean = np.add(*counts) / 2
    z = np.subtract(*counts) / np.sqrt(2 * np.maximum(mean * (1 - mean / X.shape[0]), 1))
    accuracy = (
        f"every user has k_u items: {same_sizes}; item counts differ by at most {np.abs(z).max():.1f} std. errors"
    )
    duel("Simulate 20 000 users × 1 000 items", times, [accuracy, "reference"], 12)


def fit(X):
    """Both models from the decomposition; the peer is given a dense X."""
    dense = X.toarray()

    def by_helpers():
        s, V = h.truncated_svd(X, K)
        return h.product_norm_factors(s, V, LAM_PRODUCT)[1], h.factor_norm_factors(s, V, LAM_FACTOR)[1]

    def by_svd():
        return peers.closed_forms(*peers.svd_of_dense(dense, K), LAM_PRODUCT, LAM_FACTOR)

    times, results = alternate({"helpers": by_helpers, "numpy.linalg.svd": by_svd}, 5)
    cosines = [[h.cosine_similarity(B) for B in models] for models in results.values()]
    difference = np.abs(np.subtract(*cosines)).max()
    duel("Fit both models", times, [f"item–item cosines within {difference:.1e}", "reference"], 12)
    verdict("largest difference of a cosine", difference, "<=", 1e-9)


def within_a_thousandth(X):
    """Eq. 2 until its loss is at most 1.001 times the optimum."""

    def closed_form():
        return h.factor_norm_factors(*h.truncated_svd(X, K), LAM_FACTOR)

    A, B = closed_form()
    optimum = alternating_loss(X, X @ A, B)
    print("\nloss of the closed form, by Eq. 2 and as ‖X − PQᵀ‖² + λ(‖P‖² + ‖Q‖²):", end=" ")
    print(f"{h.factor_norm_loss(X, A, B, LAM_FACTOR):.6e} {optimum:.6e}")
    X32, losses = sp.csr_matrix(X, dtype=np.float32), []
    factors = peers.alternating_least_squares(X32, K, LAM_FACTOR, 20, losses)
    losses = np.multiply(losses, X.shape[0] * X.shape[1])
    print("loss of implicit after 20 iterations, by the second formula and by its own account:", end=" ")
    print(f"{alternating_loss(X, *factors):.6e} {losses[-1]:.6e}")
    iterations = 1 + int(np.flatnonzero(losses <= 1.001 * optimum)[0])

    contestants = {
        "closed form": closed_form,
        f"implicit, {iterations} iterations": lambda: peers.alternating_least_squares(X32, K, LAM_FACTOR, iterations),
    }
    times, results = alternate(contestants, 3)
    (A, B), (P, Q) = results.values()
    excess = [f"loss above the optimum: {alternating_loss(X, *PQ) / optimum - 1:.1e}" for PQ in ((X @ A, B), (P, Q))]
    duel("Eq. 2 to within 1e-3 of the optimum", times, excess, 20)


def alternating_loss(X, P, Q):
    """‖X − PQᵀ‖² + λ(‖P‖² + ‖Q‖²) in float64: Eq. 2, for P = XA and Q = B."""
    P, Q = P.astype(float), Q.astype(float)
    return ((X.toarray() - P @ Q.T) ** 2).sum() + LAM_FACTOR * ((P**2).sum() + (Q**2).sum())


def moments(X):
    """Mean and spread of the item–item cosines of Eq. 1's model over 100 random D."""
    s, V = h.truncated_svd(X, K)
    _, B = h.product_norm_factors(s, V, LAM_PRODUCT)
    scales = np.random.default_rng(0).lognormal(size=(100, K))
    contestants = {
        "helpers": lambda: h.cosine_moments(B, scales),
        "stack of sklearn cosine_similarity": lambda: peers.moments_of_stack(B, scales),
    }
    times, results = alternate(contestants, 5)
    differences = [np.abs(np.subtract(*moment)).max() for moment in zip(*results.values(), strict=True)]
    accuracy = "mean within {:.1e}, spread within {:.1e}".format(*differences)
    peaks = [allocated(run) for run in contestants.values()]
    words = [f"{accuracy}; allocates {peaks[0]:.0f} MB", f"reference; allocates {peaks[1]:.0f} MB"]
    duel("Mean and spread of item–item cosines over 100 D", times, words, 5)
    more = allocated(lambda: h.cosine_moments(B, np.tile(scales, (3, 1))))
    verdict("memory with 300 D, over that with 100 D", more / peaks[0], "<=", 1.05)


def allocated(run):
    """Peak MB that a call has allocated at a time, as Python and numpy account for it."""
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20
