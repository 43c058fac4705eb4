"""Each step at the paper's size beside the obvious, or the best-known, way to the same result: ``make bench``.

``python -m benchmarks`` prints a table in Markdown, a bar a line: what is measured, ours and the peer's median of wall
seconds, contestants taking turns, and whether the bar holds. About twelve minutes on two idle cores.
``python -m benchmarks TASK`` runs one function of TASKS, as what counts memory or imports needs a process of its own,
and prints the CPU seconds of it that are not imports.
"""

import os
import subprocess
import sys
import tempfile
import time
import tracemalloc
from functools import partial
from operator import ge, le
from pathlib import Path
from statistics import median

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_info, threadpool_limits

import helpers as h
from helpers import simulation, spectrum

K, LAM_1, LAM_2 = 50, 10_000, 100  # the paper's
READERS = [(100_000, 5_000, 46), (50_000, 5_000, 128), (200_000, 20_000, 60)]  # users, items, items a user


def row(*cells):
    """Print a line of the table."""
    print(f"| {' | '.join(cells)} |", flush=True)


def bar(what, value, holds, limit, ours="", peer=""):
    """A line of the table: ours and the peer's are measured, value is what the bar is set for."""
    sign = {le: "≤", ge: "≥"}[holds]
    row(what, ours, peer, f"{value:.4g} {sign} {limit:g}", "holds" if holds(value, limit) else "**missed**")


def take_turns(*contestants, repeats=3):
    """Median wall seconds of each, and what each returned last."""
    times, results = [], []
    for _ in range(repeats):
        results.clear()
        for run in contestants:
            start = time.perf_counter()
            results.append(run())
            times.append(time.perf_counter() - start)
    return [median(times[i :: len(contestants)]) for i in range(len(contestants))], results


def duel(step, ours, peer, floor):
    """How many times as fast as the peer we are; returns both results."""
    (our_time, peer_time), results = take_turns(ours, peer)
    bar(f"{step}: times as fast", peer_time / our_time, ge, floor, f"{our_time:.3f} s", f"{peer_time:.3f} s")
    return results


def agree(step, ours, peer, within):
    """The largest difference of two nested arrays."""
    bar(f"{step}: largest difference", max(np.abs(a - b).max() for a, b in zip(ours, peer, strict=True)), le, within)


def simulate():
    """The simulation at the paper's size."""
    return h.simulate_interactions(np.random.default_rng(0))


def models(s, V):
    """B of Eq. 1's model and of Eq. 2's."""
    return h.product_norm_factors(s, V, LAM_1)[1], h.factor_norm_factors(s, V, LAM_2)[1]


def cosines(embeddings):
    """The item–item cosines of several B, of 2 000 items at most."""
    some = np.flatnonzero(embeddings[0].any(axis=1))  # an item nobody took has none
    some = some[:: max(1, len(some) // 2_000)]
    return [h.cosine_similarity(B[some]) for B in embeddings]


def steps(threads):
    """The steps of the paper's experiment that use BLAS, with so many of its threads."""
    from benchmarks import peers  # here, as a process that counts our memory must not load what they load

    data, note = simulate(), f", BLAS threads: {threads}"
    X = data.X[:, np.flatnonzero(data.X.sum(axis=0))]
    dense, (B, _) = X.toarray(), models(*h.truncated_svd(X, K))
    step = f"fit both models / numpy.linalg.svd{note}"
    ours, peer = lambda: models(*h.truncated_svd(X, K)), lambda: peers.closed_forms(*peers.svd_of_dense(dense, K))
    agree(f"{step}, cosines", *map(cosines, duel(step, ours, peer, 10)), 1e-9)

    scales, step = np.random.default_rng(0).lognormal(size=(300, K)), f"moments over 100 D / stack of cosines{note}"
    ours = [partial(h.cosine_moments, B, scales[:n]) for n in (100, 300)]
    agree(step, *duel(step, ours[0], partial(peers.moments_of_stack, B, scales[:100]), 5), 1e-6)
    few, many = map(allocated, ours)
    bar("moments: memory of 300 D over that of 100 D", many / few, le, 1.05, f"{many:.0f} MB, {few:.0f} MB")


def steps_without_blas():
    """Simulation, recovery scores, ALS, and the decomposition of sparse data as readers have it."""
    from benchmarks import peers

    step = "simulate / Generator.choice"
    data, (_, items) = duel(step, simulate, lambda: peers.simulate_by_choice(np.random.default_rng(0)), 12)
    apart = np.abs(np.diff(data.X.indptr) - [len(taken) for taken in items]).max()
    bar(f"{step}: most that a user's number of items differs", apart, le, 0)
    ours, theirs = data.X.sum(axis=0), np.bincount(np.concatenate(items), minlength=data.X.shape[1])
    share = (ours + theirs) / 2 / data.X.shape[0]
    errors = np.sqrt(2 * data.X.shape[0] * np.maximum(share * (1 - share), 1 / data.X.shape[0]))
    bar(f"{step}: most that an item's users differ, in standard errors", np.abs((ours - theirs) / errors).max(), le, 5)

    step, clusters = "recovery scores / scikit-learn", data.clusters[np.flatnonzero(data.X.sum(axis=0))]
    S = cosines(models(*h.truncated_svd(data.X, K)))[0]
    ours, theirs = h.recovery_scores, peers.recovery_by_sklearn
    agree(step, *duel(step, lambda: ours(S, clusters), lambda: theirs(S, clusters), 5), 1e-12)
    ties = np.round(S, 2)  # of tied neighbors scikit-learn takes the first, helpers all by their chances
    agree(f"{step}, AUC and AP with ties", *(recover(ties, clusters)[:2] for recover in (ours, theirs)), 1e-12)
    within_a_thousandth(data.X, peers)
    for size in READERS:
        step = "sparse {:,} × {:,}, {} a user".format(*size)
        decompose(peers.readers_data(np.random.default_rng(0), *size), peers, step)


def decompose(X, peers, step):
    """The route that we choose beside the fastest of those that could be chosen."""
    routes = [lambda: h.truncated_svd(X, K), lambda: peers.svds_of_sparse(X, K)]
    if X.shape[1] <= 5_000:  # the eigenvectors of more take minutes
        routes.append(lambda: spectrum.spectrum_of_gram(spectrum.gram(X), K))
    (our_time, *times), (ours, peer, *_) = take_turns(*routes, repeats=1)
    bar(f"{step}: times the fastest route", our_time / min(times), le, 1.3, f"{our_time:.2f} s", f"{min(times):.2f} s")
    agree(f"{step}, cosines", *(cosines(models(*found)) for found in (ours, peer)), 1e-9)


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
    step = f"Eq. 2 / implicit, {needed} iterations"
    PQs = duel(step, closed_form, lambda: peers.alternating_least_squares(X32, K, LAM_2, needed), 20)
    ours, theirs = (loss(*PQ) for PQ in PQs)
    bar(f"{step}: our loss over theirs", ours / theirs, le, 1)


def allocated(run):
    """Peak MB that a call has allocated at a time, as Python and NumPy account for it."""
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def figure():
    """Figure 1's five similarity matrices: the truth, three rescalings of Eq. 1's model, and Eq. 2's model."""
    sim = simulate()
    s, V = h.truncated_svd(sim.X, K)
    A, B = h.product_norm_factors(s, V, LAM_1)
    root = np.sqrt(h.shrinkage(s, LAM_1))
    embeddings = [h.rescale(A, B, d)[1] for d in (root, np.ones(K), 1 / root)]
    embeddings.append(h.factor_norm_factors(s, V, LAM_2)[1])
    return [sim.clusters[:, None] == sim.clusters, *map(h.cosine_similarity, embeddings)]


def obvious_figure():
    """Figure 1's matrices by a loop of Generator.choice, numpy.linalg.svd of a dense X, and scikit-learn's cosines."""
    from benchmarks import peers

    return peers.figure()


def stream(n_users, at_once=10_000):
    """The spectrum of n_users × 1 000 items, at most 100 a user, a block of users at a time."""
    rng, G = np.random.default_rng(0), np.zeros((1_000, 1_000))
    clusters = simulation.draw_clusters(rng, 1_000, 5, "uniform")
    popularity = simulation.draw_popularity(rng, clusters, 5, (0.25, 1.5), "rank")
    for _ in range(int(n_users) // at_once):
        preferences = simulation.draw_preferences(rng, at_once, 5, "dirichlet")
        activity = simulation.draw_activity(rng, at_once, 100, 0.5, "power")
        items = np.concatenate(list(simulation.draw_items(rng, clusters, popularity, preferences, activity)))
        ends = np.concatenate([[0], np.cumsum(activity)])
        G += spectrum.gram(sp.csr_array((np.ones(len(items)), items, ends), shape=(at_once, 1_000)))
    return spectrum.spectrum_of_gram(G, K)


TASKS = {task.__name__: task for task in (figure, obvious_figure, simulate, stream)}


def fresh(*arguments):
    """``python -m …`` in a process of its own, which must succeed: wall seconds, peak MB, and what it prints."""
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", *map(str, arguments)], stdout=subprocess.PIPE, text=True)
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, process.args)
    unit = 1024**2 if sys.platform == "darwin" else 1024
    return time.perf_counter() - start, usage.ru_maxrss / unit, said


def fresh_tasks():
    """What counts with its imports, or by its peak memory."""
    runs = [[fresh("benchmarks", name)[:2] for name in ("figure", "obvious_figure")] for _ in range(3)]
    ours, peer = ([median(column) for column in zip(*each, strict=True)] for each in zip(*runs, strict=True))
    times, sizes = zip(*((f"{wall:.2f} s", f"{peak:.0f} MB") for wall, peak in (ours, peer)), strict=True)
    bar("Figure 1: seconds, imports included", ours[0], le, 3, *times)
    bar("Figure 1: share of the obvious code's time", ours[0] / peer[0], le, 0.2, *times)
    bar("Figure 1: share of its memory", ours[1] / peer[1], le, 0.25, *sizes)
    bar("simulate: MB", fresh("benchmarks", "simulate")[1], le, 300)
    (_, _, few), (wall, peak, many) = (fresh("benchmarks", "stream", n) for n in (250_000, 2_000_000))
    cost = float(many) / 2, float(few) / 0.25
    both = "{:.1f} µs, {:.1f} µs".format(*cost)
    bar("stream: CPU of a user among 2 000 000 over among 250 000", cost[0] / cost[1], le, 1.2, both)
    bar("stream of 2 000 000 users: MB", peak, le, 150, f"{wall:.0f} s")


def write_factors(path, n, k):
    """Random factors of unequal scales, float32, in blocks, so that this process stays small."""
    rng = np.random.default_rng(n)
    with open(path, "wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": (n, k)})
        for start in range(0, n, 10_000):
            block = rng.normal(size=(min(10_000, n - start), k)) * np.linspace(1, 3, k) + 0.1
            file.write(block.astype("<f4").tobytes())


def audit(items, users, k, seconds, megabytes, *options):
    """cosine-audit as a command, on files that are there."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, f"{name}.npy") for name in ("items", "users")]
        for path, n in zip(paths, (items, users), strict=True):
            write_factors(path, n, k)
        named = [option.format(folder) for option in options]
        wall, peak, _ = fresh("cosine_audit", *paths, "--trained-by", "implicit ALS", *named)
    bar(f"audit of {items:,} × {k}, {users:,} users: seconds", wall, le, seconds)
    bar(f"audit of {items:,} × {k}, {users:,} users: MB", peak, le, megabytes)


if __name__ == "__main__":
    if sys.argv[1:]:
        start = time.process_time()
        TASKS[sys.argv[1]](*sys.argv[2:])
        print(time.process_time() - start)
    else:
        for pool in threadpool_info():
            print(f"{pool['internal_api']} {pool['version']}: {pool['num_threads']} threads")
        print()
        row("measured", "ours", "the peer's", "bar", "")
        row(*["---"] * 5)
        fresh_tasks()  # first: on Linux a child's peak is at least that of the process that starts it
        audit(5_000, 20_000, 64, 3, 200)
        audit(1_000_000, 1_000_000, 128, 180, 4_000, "--report", "{}/report")
        steps_without_blas()
        for threads in (1, 2):
            with threadpool_limits(threads, user_api="blas"):
                steps(threads)
