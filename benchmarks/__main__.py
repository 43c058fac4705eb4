"""Each step at the paper's size beside what one would write first: ``make bench``, two minutes on two idle cores.

Prints a table in Markdown: median wall seconds of both, which take turns, and how many times as fast ours is; it stops
where the two disagree. ``python -m benchmarks figure`` draws up one of FIGURES in a process of its own, and says its
peak memory in MB.
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from threadpoolctl import threadpool_limits

import helpers as h
from helpers.simulation import draw_activity, draw_clusters, draw_popularity, draw_preferences

N, P, K, LAM_1, LAM_2 = 20_000, 1_000, 50, 10_000, 100  # the paper's


def row(*cells):
    """A line of the table."""
    print(f"| {' | '.join(cells)} |", flush=True)


def duel(step, ours, other, repeats=3):
    """A line for two functions that take turns; what each returned last."""
    times, results = [], []
    for i in range(2 * repeats):
        start = time.perf_counter()
        results.append((ours, other)[i % 2]())
        times.append(time.perf_counter() - start)
    first, second = median(times[::2]), median(times[1::2])
    row(step, f"{first:.3f} s", f"{second:.3f} s", f"{second / first:.1f}")
    return results[-2:]


def simulate():
    """The simulation."""
    return h.simulate_interactions(np.random.default_rng(0))


def simulate_by_choice():
    """Clusters and X, dense, for the same users, by a loop of Generator.choice."""
    rng, X = np.random.default_rng(0), np.zeros((N, P))
    clusters = draw_clusters(rng, P, 5, "uniform")
    popularity = draw_popularity(rng, clusters, 5, (0.25, 1.5), "rank")
    preferences = draw_preferences(rng, N, 5, "dirichlet")
    activity = draw_activity(rng, N, P, 0.5, "power")
    for taken, preference, k in zip(X, preferences, activity, strict=True):
        weights = preference[clusters] * popularity
        taken[rng.choice(P, size=k, replace=False, p=weights / weights.sum())] = 1
    return clusters, X


def compare_simulations():
    """Both give each user as many items, and each item as many users, but for chance."""
    sim, (_, X) = duel("simulate", simulate, simulate_by_choice)
    assert_array_equal(sim.X.sum(axis=1), X.sum(axis=1))
    one, other = sim.X.sum(axis=0), X.sum(axis=0)
    assert np.all((one - other) ** 2 <= 25 * (one + other).clip(2))  # five standard errors, at most
    return sim


def models(s, V):
    """B of Eq. 1's model and of Eq. 2's."""
    return h.product_norm_factors(s, V, LAM_1)[1], h.factor_norm_factors(s, V, LAM_2)[1]


def models_by_svd(X):
    """The same from a dense X, by numpy.linalg.svd and Eqs. 5 and 6 as they stand."""
    _, s, Vt = np.linalg.svd(X, full_matrices=False)
    s, V = s[:K], Vt[:K].T
    return V * np.sqrt(1 / (1 + LAM_1 / s**2)), V * np.sqrt(np.maximum(s - LAM_2, 0))


def moments_of_stack(B, scales):
    """Mean and standard deviation of every cosine of B D⁻¹, from a stack of all the tables."""
    from sklearn.metrics.pairwise import cosine_similarity

    S = np.stack([cosine_similarity(B / d) for d in scales])
    return S.mean(axis=0), S.std(axis=0)


def compare_models(X):
    """Both models, and moments of their cosines, with one BLAS thread and with two."""
    dense, scales = X.toarray(), np.random.default_rng(0).lognormal(size=(100, K))
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="blas"):
            fit = f"fit both models, BLAS threads: {threads}"
            ours, other = duel(fit, lambda: models(*h.truncated_svd(X, K)), lambda: models_by_svd(dense))
            for B, C in zip(ours, other, strict=True):
                assert_allclose(h.cosine_similarity(B), h.cosine_similarity(C), atol=1e-9)
            step, B = f"cosines over 100 random D, BLAS threads: {threads}", ours[0]
            both = duel(step, lambda B=B: h.cosine_moments(B, scales), lambda B=B: moments_of_stack(B, scales))
            assert_allclose(*both, atol=1e-6)
    return h.cosine_similarity(ours[0])


def recovery_by_sklearn(S, clusters):
    """AUC and average precision over the pairs, and purity of ten neighbors."""
    from sklearn.metrics import average_precision_score, roc_auc_score
    from sklearn.neighbors import NearestNeighbors

    pairs, S = np.triu_indices(len(S), 1), np.round(S, 10)  # as helpers do
    same = clusters[pairs[0]] == clusters[pairs[1]]
    fitted = NearestNeighbors(n_neighbors=10, metric="precomputed").fit(np.clip(1 - S, 0, None))
    purity = np.mean(clusters[fitted.kneighbors(return_distance=False)] == clusters[:, None])
    return roc_auc_score(same, S[pairs]), average_precision_score(same, S[pairs]), purity


def losses_of_implicit(X, iterations, calculated=False):
    """Eq. 2 by implicit, on all cores: its loss after each iteration, per entry of X, if it is to be calculated."""
    from implicit.cpu.als import AlternatingLeastSquares

    losses = []  # alpha 1 on 0/1 data: every confidence is 1, so it minimizes ‖X − PQᵀ‖² + λ(‖P‖² + ‖Q‖²)
    options = {"regularization": LAM_2, "alpha": 1.0, "random_state": 0, "calculate_training_loss": calculated}
    with threadpool_limits(1, user_api="blas"):  # as it asks for
        model = AlternatingLeastSquares(K, iterations=iterations, **options)
        model.fit(X, show_progress=False, callback=lambda iteration, seconds, loss: losses.append(loss))
    return losses


def compare_eq_2(X):
    """Eq. 2's closed form beside as many iterations as bring implicit within a thousandth of its minimum."""

    def closed_form():
        A, B = h.factor_norm_factors(*h.truncated_svd(X, K), LAM_2)
        return X @ A, B

    P, Q = closed_form()
    least = np.sum((X.toarray() - P @ Q.T) ** 2) + LAM_2 * (np.sum(P**2) + np.sum(Q**2))
    single = sp.csr_matrix(X, dtype=np.float32)
    losses = losses_of_implicit(single, 20, calculated=True)
    needed = 1 + int(np.flatnonzero(np.multiply(losses, X.shape[0] * X.shape[1]) <= 1.001 * least)[0])
    duel(f"Eq. 2, {needed} iterations of implicit", closed_form, lambda: losses_of_implicit(single, needed))


def figure():
    """Figure 1's matrices: the truth, three rescalings of Eq. 1's model, and Eq. 2's model."""
    sim = simulate()
    s, V = h.truncated_svd(sim.X, K)
    B, B_2 = models(s, V)
    root = np.sqrt(h.shrinkage(s, LAM_1))
    return [sim.clusters[:, None] == sim.clusters, *map(h.cosine_similarity, (B / root, B, B * root, B_2))]


def obvious_figure():
    """The same by the loop, numpy.linalg.svd and scikit-learn."""
    from sklearn.metrics.pairwise import cosine_similarity

    clusters, X = simulate_by_choice()
    B, B_2 = models_by_svd(X)
    root = np.linalg.norm(B, axis=0)  # √g, as the columns of V have length 1
    return [clusters[:, None] == clusters, *map(cosine_similarity, (B / root, B, B * root, B_2))]


FIGURES = {each.__name__: each for each in (figure, obvious_figure)}


def fresh(*arguments):
    """What ``python -m …`` prints, in a process of its own."""
    return subprocess.run([sys.executable, "-m", *arguments], capture_output=True, text=True, check=True).stdout


def audit():
    """A verdict on 5 000 items and 20 000 users in 64 dimensions, from the command to its end."""
    rng, scales = np.random.default_rng(0), np.linspace(1, 3, 64)
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder, f"{name}.npy")) for name in ("items", "users")]
        for path, n in zip(paths, (5_000, 20_000), strict=True):
            np.save(path, np.float32(rng.normal(size=(n, 64)) * scales + 0.1))
        start = time.perf_counter()
        fresh("cosine_audit", *paths, "--trained-by", "implicit ALS")
        row("audit of 5 000 × 64, 20 000 users", f"{time.perf_counter() - start:.1f} s", "", "")


def main():
    """All lines of the table."""
    row("step", "ours", "the other's", "times as fast")
    row(*["---"] * 4)
    # first, as a process that is started begins as large as this one is
    sizes = duel("Figure 1, imports included", *(lambda name=name: fresh("benchmarks", name) for name in FIGURES))
    row("Figure 1, memory", *(f"{float(size):.0f} MB" for size in sizes), "")
    audit()
    sim = compare_simulations()
    S, clusters = compare_models(sim.X), sim.clusters
    ours, other = duel(
        "recovery scores", lambda: h.recovery_scores(S, clusters), lambda: recovery_by_sklearn(S, clusters)
    )
    assert_allclose(ours, other, atol=1e-12)
    compare_eq_2(sim.X)


if __name__ == "__main__":
    if sys.argv[1:]:
        FIGURES[sys.argv[1]]()
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10))
    else:
        main()
