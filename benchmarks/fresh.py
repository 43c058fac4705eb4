"""What is measured as a fresh process, for its peak memory or because the imports count.

``python -m benchmarks.fresh TASK [ARGUMENT]`` runs one task and prints what the task prints, its CPU seconds with the
imports, and its peak resident set in MB. On Linux a child's peak is never below that of the process that starts it, so
report() comes before anything large is imported.
"""

import resource
import subprocess
import sys
import time
from statistics import median

from benchmarks.report import table, verdict

USERS_AT_ONCE = 10_000


def figure():
    """Figure 1's five similarity matrices: the truth, three rescalings of Eq. 1's model, and Eq. 2's model."""
    import numpy as np

    import helpers as h

    sim = h.simulate_interactions(np.random.default_rng(0))
    s, V = h.truncated_svd(sim.X, 50)
    A, B = h.product_norm_factors(s, V, lam=10_000)
    root_g = np.sqrt(h.shrinkage(s, 10_000))
    embeddings = [h.rescale(A, B, d)[1] for d in (root_g, np.ones(50), 1 / root_g)]
    embeddings.append(h.factor_norm_factors(s, V, lam=100)[1])
    return [sim.clusters[:, None] == sim.clusters, *map(h.cosine_similarity, embeddings)]


def obvious_figure():
    """The same by a loop of Generator.choice, numpy.linalg.svd of a dense X, and sklearn's cosine_similarity."""
    from benchmarks import peers

    return peers.figure()


def simulate():
    """The simulation at paper size."""
    import numpy as np

    import helpers as h

    return h.simulate_interactions(np.random.default_rng(0))


def stream(n_users):
    """The spectrum of n_users × 1 000 items, at most 100 a user, a block of users at a time; prints its times."""
    import numpy as np
    import scipy.sparse as sp

    from helpers import simulation as sim
    from helpers.spectrum import gram, spectrum_of_gram

    wall, cpu = time.perf_counter(), time.process_time()
    rng = np.random.default_rng(0)
    clusters = sim.draw_clusters(rng, 1_000, 5, "uniform")
    popularity = sim.draw_popularity(rng, clusters, 5, (0.25, 1.5), "rank")
    G = np.zeros((1_000, 1_000))
    for _ in range(int(n_users) // USERS_AT_ONCE):
        preferences = sim.draw_preferences(rng, USERS_AT_ONCE, 5, "dirichlet")
        activity = sim.draw_activity(rng, USERS_AT_ONCE, 100, 0.5, "power")
        items = np.concatenate(list(sim.draw_items(rng, clusters, popularity, preferences, activity)))
        starts = np.concatenate([[0], np.cumsum(activity)])
        G += gram(sp.csr_array((np.ones(len(items)), items, starts), shape=(USERS_AT_ONCE, 1_000)))
    s, V = spectrum_of_gram(G, 50)
    print(time.perf_counter() - wall, time.process_time() - cpu)
    return s, V


def measure(task, *arguments):
    """Run a task as a fresh process: its wall seconds, CPU seconds, peak MB, and what it prints itself."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "benchmarks.fresh", task.__name__, *map(str, arguments)]
    *own, cpu, peak = map(float, subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.split())
    return time.perf_counter() - start, cpu, peak, *own


def report():
    """The tables of fresh processes."""
    runs = [(measure(figure), measure(obvious_figure)) for _ in range(3)]
    ours, peer = ([median(column) for column in zip(*results, strict=True)] for results in zip(*runs, strict=True))
    rows = [
        [name, f"{wall:.2f} s", f"{cpu:.2f} s", f"{peak:.0f} MB"]
        for name, (wall, cpu, peak) in {"helpers": ours, "choice, svd, sklearn": peer}.items()
    ]
    table("Figure 1, a fresh process: simulate, fit, five similarity matrices", ["", "wall", "CPU", "peak"], rows)
    verdict("wall seconds", ours[0], "<", 3)
    verdict("share of the obvious code's time", ours[0] / peer[0], "<=", 0.10)
    verdict("share of the obvious code's memory", ours[2] / peer[2], "<=", 0.25)

    peak = measure(simulate)[2]
    table("Simulation at paper size, a fresh process", ["", "peak"], [["helpers", f"{peak:.0f} MB"]])
    verdict("peak MB", peak, "<", 300)

    sizes = (250_000, 500_000, 1_000_000, 2_000_000)
    runs = [measure(stream, n) for n in sizes]
    each = [(wall / n * 1e6, cpu / n * 1e6) for n, (_, _, _, wall, cpu) in zip(sizes, runs, strict=True)]
    rows = [
        [f"{n:,}", f"{wall * n / 1e6:.1f} s", f"{wall:.1f} µs", f"{cpu:.1f} µs", f"{run[2]:.0f} MB"]
        for n, run, (wall, cpu) in zip(sizes, runs, each, strict=True)
    ]
    header = ["users", "wall", "wall, a user", "CPU, a user", "peak"]
    table("Spectrum of streamed users, k_u ≤ 100, fresh processes, without imports", header, rows)
    verdict("CPU time of a user among 2 000 000, over among 250 000", each[-1][1] / each[0][1], "<=", 1.2)
    verdict("peak MB", runs[-1][2], "<", 400)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
    unit = 1024**2 if sys.platform == "darwin" else 1024
    print(time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit)
