"""Each step at the paper's size beside the obvious, or the best-known, way to the same result: ``make bench``.

``python -m benchmarks`` prints medians of wall seconds, contestants taking turns, how far the results differ, and which
floor or ceiling holds; about ten minutes on two cores. ``python -m benchmarks TASK`` runs one task of FRESH in a fresh
process, as its memory or its imports count, and prints its seconds and its peak memory.
"""

import resource
import subprocess
import sys
import tempfile
import time
from functools import partial
from statistics import median

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_info, threadpool_limits

import helpers as h
from helpers import simulation
from helpers.spectrum import gram, spectrum_of_gram

K, LAM_1, LAM_2 = 50, 10_000, 100  # the paper's
READERS = [(100_000, 5_000, 46), (50_000, 5_000, 128), (200_000, 20_000, 60)]  # users, items, items a user


def seconds(run):
    """Wall seconds of a call, and its result."""
    start = time.perf_counter()
    result = run()
    return time.perf_counter() - start, result


def duel(step, ours, peer, apart, floor, repeats=3):
    """Print one line: our seconds, the peer's, the ratio of medians beside its floor, how far the results differ."""
    turns = [(seconds(ours), seconds(peer)) for _ in range(repeats)]
    mine, other = (median(wall for wall, _ in column) for column in zip(*turns, strict=True))
    ratio, differ = other / mine, apart(*(result for _, result in turns[-1]))
    verdict = "holds" if ratio >= floor else "MISSED"
    print(f"{step:44}{mine:8.3f} s {other:8.3f} s {ratio:6.1f} ≥ {floor:g}: {verdict}; {differ}", flush=True)


def largest(mine, other):
    """The largest difference of two nested arrays, in words."""
    return f"within {max(np.abs(np.subtract(*pair)).max() for pair in zip(mine, other, strict=True)):.0e}"


def spectra(mine, other):
    """The largest relative difference of singular values, in words."""
    return f"σ within {np.abs(mine[0] / other[0] - 1).max():.0e}"


def steps():
    """The steps of the paper's experiment, then the decomposition of sparse data as readers have it."""
    from benchmarks import peers  # here, as a fresh process of ours must not load what they load

    data = simulate()
    X = data.X[:, np.flatnonzero(data.X.sum(axis=0))]  # an item nobody took has no cosines
    dense, s, V = X.toarray(), *h.truncated_svd(X, K)
    B = h.product_norm_factors(s, V, LAM_1)[1]
    S, scales = h.cosine_similarity(B), np.random.default_rng(0).lognormal(size=(100, K))

    def taken(sim, clusters_and_items):
        same = np.array_equal(np.diff(sim.X.indptr), [len(items) for items in clusters_and_items[1]])
        return f"the same number of items for every user: {same}"

    def cosines(weights):
        return [h.cosine_similarity(E) for E in weights]

    def fitted(s, V):
        return cosines([h.product_norm_factors(s, V, LAM_1)[1], h.factor_norm_factors(s, V, LAM_2)[1]])

    def fitted_by_svd():
        return cosines(peers.closed_forms(*peers.svd_of_dense(dense, K), LAM_1, LAM_2))

    duel("simulate / Generator.choice", simulate, lambda: peers.simulate_by_choice(np.random.default_rng(0)), taken, 12)
    duel("fit both models / numpy.linalg.svd", lambda: fitted(*h.truncated_svd(X, K)), fitted_by_svd, largest, 10)
    moments = partial(h.cosine_moments, B, scales), partial(peers.moments_of_stack, B, scales)
    duel("moments over 100 D / stack of scikit-learn's", *moments, largest, 5)
    recovery = partial(h.recovery_scores, S, data.clusters), partial(peers.recovery_by_sklearn, S, data.clusters)
    duel("recovery scores / scikit-learn", *recovery, largest, 5)
    within_a_thousandth(X, peers)
    for size in READERS:
        Y = peers.readers_data(np.random.default_rng(0), *size)
        routes = partial(h.truncated_svd, Y, K), partial(peers.svds_of_sparse, Y, K)
        duel("sparse {:,} × {:,} / scipy's svds".format(*size), *routes, spectra, 1 / 1.3, repeats=1)


def within_a_thousandth(X, peers):
    """Eq. 2's closed form beside implicit's alternating least squares until its loss is 1.001 times the optimum."""

    def loss(P, Q):
        P, Q = P.astype(float), Q.astype(float)
        return np.sum((X.toarray() - P @ Q.T) ** 2) + LAM_2 * (np.sum(P**2) + np.sum(Q**2))

    def closed_form():
        A, B = h.factor_norm_factors(*h.truncated_svd(X, K), LAM_2)
        return X @ A, B

    optimum, X32, losses = loss(*closed_form()), sp.csr_matrix(X, dtype=np.float32), []
    peers.alternating_least_squares(X32, K, LAM_2, 20, losses)
    needed = 1 + int(np.flatnonzero(np.multiply(losses, X.shape[0] * X.shape[1]) <= 1.001 * optimum)[0])

    def above(mine, other):
        excess = [loss(*PQ) / optimum - 1 for PQ in (mine, other)]
        return f"{needed} iterations; above the optimum by {excess[0]:.0e} and {excess[1]:.0e}"

    duel("Eq. 2 / implicit", closed_form, lambda: peers.alternating_least_squares(X32, K, LAM_2, needed), above, 20)


def simulate():
    """The simulation at the paper's size."""
    return h.simulate_interactions(np.random.default_rng(0))


def figure():
    """Figure 1's five similarity matrices: the truth, three rescalings of Eq. 1's model, and Eq. 2's model."""
    sim = simulate()
    s, V = h.truncated_svd(sim.X, K)
    A, B = h.product_norm_factors(s, V, LAM_1)
    root = np.sqrt(h.shrinkage(s, LAM_1))
    embeddings = [h.rescale(A, B, d)[1] for d in (root, np.ones(K), 1 / root)]
    embeddings.append(h.factor_norm_factors(s, V, LAM_2)[1])
    return [sim.clusters[:, None] == sim.clusters, *map(h.cosine_similarity, embeddings)]


def stream(n_users=2_000_000, at_once=10_000):
    """The spectrum of two million users × 1 000 items, at most 100 a user, a block of users at a time."""
    rng, G = np.random.default_rng(0), np.zeros((1_000, 1_000))
    clusters = simulation.draw_clusters(rng, 1_000, 5, "uniform")
    popularity = simulation.draw_popularity(rng, clusters, 5, (0.25, 1.5), "rank")
    for _ in range(n_users // at_once):
        preferences = simulation.draw_preferences(rng, at_once, 5, "dirichlet")
        activity = simulation.draw_activity(rng, at_once, 100, 0.5, "power")
        items = np.concatenate(list(simulation.draw_items(rng, clusters, popularity, preferences, activity)))
        ends = np.concatenate([[0], np.cumsum(activity)])
        G += gram(sp.csr_array((np.ones(len(items)), items, ends), shape=(at_once, 1_000)))
    return spectrum_of_gram(G, K)


def audit(p, n, k, *options):
    """cosine-audit as a command, on random factors of unequal scales, which are written first."""
    with tempfile.TemporaryDirectory() as folder:
        for name, size in (("items", p), ("users", n)):
            rows = np.lib.format.open_memmap(f"{folder}/{name}.npy", "w+", np.float32, (size, k))
            for start in range(0, size, 50_000):
                block = np.random.default_rng(start + size).normal(size=(min(50_000, size - start), k))
                rows[start : start + 50_000] = block * np.linspace(1, 3, k) + 0.1
        command = [sys.executable, "-m", "cosine_audit", f"{folder}/items.npy", f"{folder}/users.npy"]
        command += ["--trained-by", "implicit ALS", *(option.format(folder) for option in options)]
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def audit_million():
    """A million items and as many users, 128 dimensions, with a report."""
    audit(1_000_000, 1_000_000, 128, "--report", "{}/report")


def audit_thousands():
    """The everyday size: 5 000 items and 20 000 users, 64 dimensions."""
    audit(5_000, 20_000, 64)


def obvious_figure():
    """Figure 1's matrices by a loop of Generator.choice, numpy.linalg.svd of a dense X, and scikit-learn's cosines."""
    from benchmarks import peers

    return peers.figure()


FRESH = {  # task: the seconds and megabytes that it may take, imports included
    figure: (3, 400),
    obvious_figure: None,
    simulate: (3, 300),
    stream: (60, 400),
    audit_thousands: (3, 200),
    audit_million: (180, 4_000),
}


def fresh():
    """Every task in a process of its own."""
    for task, most in FRESH.items():
        command = [sys.executable, "-m", "benchmarks", task.__name__]
        run = subprocess.run(command, check=True, capture_output=True, text=True)
        wall, peak = map(float, run.stdout.split())
        verdict = "" if most is None else "at most {} s and {} MB".format(*most)
        if most is not None and (wall > most[0] or peak > most[1]):
            verdict += ": MISSED"
        print(f"{task.__name__:44}{wall:8.2f} s {peak:8.0f} MB  {verdict}", flush=True)


def peak_megabytes():
    """The peak resident memory of this process, or of a child if that is larger."""
    unit = 1024**2 if sys.platform == "darwin" else 1024
    return max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / unit


if __name__ == "__main__":
    if sys.argv[1:]:
        task = {each.__name__: each for each in FRESH}[sys.argv[1]]
        print(seconds(task)[0], peak_megabytes())
    else:
        for pool in threadpool_info():
            print(f"{pool['internal_api']} {pool['version']}: {pool['num_threads']} threads")
        fresh()
        for threads in (1, 2):
            print(f"BLAS threads: {threads}")
            with threadpool_limits(threads, user_api="blas"):
                steps()
