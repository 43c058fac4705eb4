"""The steps at paper size, each beside its peer, in one process; those that use BLAS with one thread and with all."""

import os
import tracemalloc
from functools import partial
from unittest.mock import patch

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

import helpers as h
from benchmarks import peers
from benchmarks.report import alternate, duel, table, verdict
from helpers import spectrum

K, LAM_PRODUCT, LAM_FACTOR = 50, 10_000, 100  # the paper's k, and its λ of Eq. 1 and of Eq. 2
SPARSE_DATA = [(100_000, 5_000, 46), (50_000, 5_000, 128), (200_000, 20_000, 60)]  # users, items, items a user
HOPELESS = 20  # times the cheapest, by the estimate: such a route is not run


def report():
    """The tables of the steps, on one simulated data set, and of the decomposition of sparse ones."""
    simulation()
    data = h.simulate_interactions(np.random.default_rng(0))
    X = data.X[:, np.flatnonzero(data.X.sum(axis=0))]  # an item nobody took has no cosines
    for threads in sorted({1, os.cpu_count()}):
        with threadpool_limits(threads, user_api="blas"):
            fit(X, threads)
            moments(X, threads)
    within_a_thousandth(X)
    recovery(data)
    routes("20 000 × 1 000, the paper's", X)
    for n_users, n_items, mean in SPARSE_DATA:
        title = f"{n_users:,} × {n_items:,}, {mean} a user".replace(",", " ", 2)
        routes(title, peers.readers_data(np.random.default_rng(0), n_users, n_items, mean))


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


def fit(X, threads):
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
    duel(
        f"Fit both models, BLAS threads: {threads}",
        times,
        [f"item–item cosines within {difference:.1e}", "reference"],
        14,
    )
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


def moments(X, threads):
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
    duel(f"Mean and spread of item–item cosines over 100 D, BLAS threads: {threads}", times, words, 5)
    verdict("largest difference of a mean or spread", max(differences), "<=", 1e-6)
    more = allocated(lambda: h.cosine_moments(B, np.tile(scales, (3, 1))))
    verdict("memory with 300 D, over that with 100 D", more / peaks[0], "<=", 1.05)


def recovery(data):
    """AUC, average precision and purity of one similarity matrix, of Eq. 1's model, as it is and with many ties."""
    _, B = h.product_norm_factors(*h.truncated_svd(data.X, K), LAM_PRODUCT)
    S = h.cosine_similarity(B)
    contestants = {
        "helpers": lambda: h.recovery_scores(S, data.clusters),
        "scikit-learn": lambda: peers.recovery_by_sklearn(S, data.clusters),
    }
    times, results = alternate(contestants, 9)
    ties = np.round(S, 2)  # purity by scikit-learn takes tied neighbors by their order, helpers by their chances
    pairs = [results.values(), (h.recovery_scores(ties, data.clusters), peers.recovery_by_sklearn(ties, data.clusters))]
    exact, tied = (np.abs(np.subtract(*pair)) for pair in pairs)
    duel("Recovery scores of 1 000 items", times, [f"within {exact.max():.1e}", "reference"], 5)
    verdict("largest difference of a score", exact.max(), "<=", 1e-12)
    verdict("the same of AUC and average precision with many ties", tied[:2].max(), "<=", 1e-12)


def routes(title, X):
    """Truncated SVD: the route chosen, beside each of the three; the estimate leaves out what would take too long."""
    m, p = spectrum.items_by_user(X), X.shape[1]
    costs = {
        "dense Gram": len(m) * p**2 + 7 * p**3,
        "sparse Gram": spectrum.SPARSE * (m @ m) + 7 * p**3,
        "Lanczos": spectrum.SPARSE * K * m.sum(),
    }
    settings = {"dense Gram": (np.inf, True), "sparse Gram": (1e-9, True), "Lanczos": (spectrum.SPARSE, False)}
    hopeless = [name for name, cost in costs.items() if cost > HOPELESS * min(costs.values())]

    def decompose(name):
        sparse, by_gram = settings.get(name, (spectrum.SPARSE, spectrum.gram_is_cheaper(X, K)))
        with patch.multiple(spectrum, SPARSE=sparse, gram_is_cheaper=lambda X, k: by_gram):
            return h.truncated_svd(X, K)

    contestants = {name: partial(decompose, name) for name in ["chosen", *costs] if name not in hopeless}
    times, found = alternate(contestants, 3)
    seconds = {name: wall for name, (wall, _) in times.items()}
    rows = [
        [name, f"{seconds[name]:.2f} s", f"cosines within {cosines_apart(found[name], found['chosen']):.1e}"]
        for name in contestants
    ]
    for name in hopeless:
        rows.append([name, f"not run: estimated at {costs[name] / min(costs.values()):.0f} times the cheapest", ""])
    table(f"Truncated SVD, k = {K}, {title}", ["", "wall", "of the chosen one's"], rows)
    fastest = min(time for name, time in seconds.items() if name != "chosen")
    verdict("times the fastest route", seconds["chosen"] / fastest, "<=", 1.3)
    verdict(
        "largest difference of a cosine", max(cosines_apart(one, found["chosen"]) for one in found.values()), "<=", 1e-9
    )


def cosines_apart(one, other):
    """The largest difference between the item–item cosines of Eq. 1's models of two spectra, of 2 000 items at most."""
    models = [h.product_norm_factors(s, V, LAM_PRODUCT)[1] for s, V in (one, other)]
    some = np.flatnonzero(models[0].any(axis=1))[:: max(1, len(models[0]) // 2_000)]
    return np.abs(np.subtract(*(h.cosine_similarity(B[some]) for B in models))).max()


def allocated(run):
    """Peak MB that a call has allocated at a time, as Python and numpy account for it."""
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20
