"""The model from blocks of users, on workers: what the chapter runs, and what it costs as data grow; eight minutes.

scaling.csv has a row for each way, number of users and of items, and number of workers. "gram" sums Gram matrices and
decomposes the sum, "krylov" multiplies 60 vectors by G, ten times; both on sparse data, at most 100 items a user, read
from files with a checksum. The other ways decompose the paper's simulation. A row holds "step", the core-seconds that
the workers spend on the sum, on one pass, or on the whole of the other ways; "eigen", the client's for the eigenpairs
of the sum, or for the algebra of ten passes; the peak memory of a worker and what all workers sent, in MB; and for the
paper's simulation the passes over X and the worst errors of σ (relative), of the cosines of V_k and of those of Eq. 2.
"""

import hashlib
import io
import logging
import operator
import os
import tempfile
import time
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import dask
import dask.array as da
import numpy as np
import psutil
import scipy.sparse as sp
from distributed import Client, wait
from scipy.sparse.linalg import LinearOperator, eigsh

from helpers import cosine_similarity, factor_norm_factors, simulate_interactions
from helpers.simulation import draw_activity, draw_clusters, draw_popularity, draw_preferences
from helpers.spectrum import gram, spectrum_of_gram

K, LAM2, WIDTH, PASSES = 50, 100.0, 60, 10


# What the chapter shows


def gram_of_block(block):
    """A block's share of G = XᵀX, (p, p), float64."""
    return gram(read_block(block))


def summed(parts):
    """Added two by two, then the sums two by two: always in this order."""
    add = dask.delayed(operator.add, pure=True)
    while len(parts) > 1:
        pairs = zip(parts[::2], parts[1::2], strict=False)
        parts = [add(*pair) for pair in pairs] + parts[len(parts) & ~1 :]
    return parts[0]


def krylov(times, Q, k):
    """From G, known by times(Q) = GQ, after each pass: θ, V and GV − Vθ."""
    basis, images = Q, times(Q)
    while True:
        theta, U = np.linalg.eigh(basis.T @ images)
        theta, U = theta[: -k - 1 : -1], U[:, : -k - 1 : -1]
        V = basis @ U
        yield theta, V, images @ U - V * theta
        Q = images[:, -Q.shape[1] :]
        for _ in range(2):
            Q = np.linalg.qr(Q - basis @ (basis.T @ Q))[0]
        basis = np.hstack([basis, Q])
        images = np.hstack([images, times(Q)])


def eq2_items(theta, V, R, lam2):
    """Eq. 2's B̃ from a pass, and a bound on ‖BBᵀ − B̃B̃ᵀ‖, Frobenius."""
    kept = theta > lam2**2
    B = V[:, kept] * np.sqrt(np.sqrt(theta[kept]) - lam2)
    return B, np.linalg.norm(R[:, kept]) / (np.sqrt(2) * lam2)


# What it needs


class Block(NamedTuple):
    """A file of rows of X, and the checksum that it had when it was written."""

    path: str
    sha256: str


def write_blocks(folder, matrices):
    """Write each CSR matrix into a file of its own: a list of Blocks, which is what a run begins with."""
    blocks = []
    for i, X in enumerate(matrices):
        path = Path(folder) / f"block-{i}.npz"
        sp.save_npz(path, X, compressed=False)
        blocks.append(Block(str(path), hashlib.sha256(path.read_bytes()).hexdigest()))
    return blocks


def read_block(block):
    """The rows of a block, CSR. ValueError, naming the file, if it is not the one that was written."""
    content = Path(block.path).read_bytes()
    if hashlib.sha256(content).hexdigest() != block.sha256:
        raise ValueError(f"{Path(block.path).name} is not the file that was written")
    return sp.load_npz(io.BytesIO(content))


def connect(n_workers=2):
    """A client of the scheduler at DASK_SCHEDULER_ADDRESS; without one, of that many processes here, a thread each."""
    if dask.config.get("scheduler-address", None):  # which Dask reads from that variable
        return Client()
    quiet = {"dashboard_address": "127.0.0.1:0", "silence_logs": logging.CRITICAL}  # any free port, without a warning
    return Client(n_workers=n_workers, threads_per_worker=1, **quiet)


def kill_worker(client, worker):
    """Kill a worker's process. ValueError if it is none of this client's own: its pid would mean another process."""
    if client.cluster is None:
        raise ValueError("client must have workers of its own, got those of another scheduler")
    psutil.Process(client.run(os.getpid, workers=[worker])[worker]).kill()


def gram_times(X, V):
    """X (m, p) and V (p, b): a block's share of GV."""
    return X.T @ (X @ V)


def product(held, V):
    """GV, (p, b): one pass over blocks of rows, delayed or held by the workers."""
    V, task = dask.delayed(V), dask.delayed(gram_times)
    return summed([task(X, V) for X in held]).compute()


def start(p, width=WIDTH):
    """Random orthonormal columns, (p, width), from which krylov sets out."""
    return np.linalg.qr(np.random.default_rng(0).normal(size=(p, width)))[0]


# What is measured


def draw_rows(n, p, seed):
    """Sparse 0/1 rows, (n, p) CSR: as simulate_interactions, but drawn with replacement, repeats dropped: fast."""
    rng = np.random.default_rng(0)
    clusters = draw_clusters(rng, p, 5, "uniform")
    reach = np.cumsum(draw_popularity(rng, clusters, 5, (0.25, 1.5), "rank"))
    ends = np.r_[0, reach[np.searchsorted(clusters, range(5), "right") - 1]]
    rng = np.random.default_rng([1, seed])
    activity = draw_activity(rng, n, 100, 0.5, "power")
    users = np.repeat(np.arange(n, dtype=np.int32), activity)
    preferences = np.cumsum(draw_preferences(rng, n, 5, "dirichlet"), axis=1)[:, :-1]
    chosen = (rng.random(len(users))[:, None] > preferences[users]).sum(axis=1)
    places = ends[chosen] + rng.random(len(users)) * np.diff(ends)[chosen]
    items = np.minimum(np.searchsorted(reach, places), p - 1).astype(np.int32)
    X = sp.csr_array((np.ones(len(users)), (users, items)), shape=(n, p))
    X.sum_duplicates()
    X.data[:] = 1
    return X


def blocks_of(folder, n, p):
    """n rows in ten blocks."""
    return write_blocks(folder, (draw_rows(n // 10, p, seed) for seed in range(10)))


def peak():
    """The largest resident memory of this process so far, MB; Linux."""
    lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) / 1e3 for line in lines if line.startswith("VmHWM"))


def sent(dask_worker):
    """What a worker has sent so far, MB."""
    return dask_worker.transfer_outgoing_bytes_total / 1e6


def effort(client, function, *args):
    """Core-seconds that the workers spend on a call, and what it returns."""
    before, result = client.run(time.process_time), function(*args)
    return sum(client.run(time.process_time).values()) - sum(before.values()), result


def by_gram(client, blocks):
    """The sum of Gram matrices on the workers, its eigenpairs in the client.

    LAPACK holds Python's lock, and a worker that is silent for five minutes counts as dead.
    """
    task = dask.delayed(gram_of_block, pure=True)
    step, G = effort(client, summed([task(block) for block in blocks]).compute)
    begun = time.process_time()
    spectrum_of_gram(G, K)
    return {"step": step, "eigen": time.process_time() - begun}


def by_krylov(client, blocks, p):
    """Ten passes over blocks that the workers hold."""
    held = dask.persist(*[dask.delayed(read_block, pure=True)(block) for block in blocks])
    wait(held)
    times, begun = partial(product, held), time.process_time()
    spent, _ = effort(client, list, islice(krylov(times, start(p), K), PASSES))
    return {"step": spent / PASSES, "eigen": time.process_time() - begun}


# The paper's simulation, every way


def cosines(s, V):
    """Item–item cosines of V_k, and of Eq. 2."""
    return cosine_similarity(V), cosine_similarity(factor_norm_factors(s, V, LAM2)[1])


def errors(found, exact):
    """The worst error of σ, relative, and of a cosine of V_k and of Eq. 2; two pairs (s, V)."""
    sigma = np.abs(found[0] / exact[0] - 1).max()
    return [sigma, *(np.abs(S - T).max() for S, T in zip(cosines(*found), cosines(*exact), strict=True))]


def dense(held, shape):
    """A dask array of dense rows, from CSR blocks that the workers hold."""
    toarray = dask.delayed(sp.csr_array.toarray)
    return da.concatenate([da.from_delayed(toarray(X), shape, float) for X in held])


def compressed(M, **options):
    """s and V by Dask's randomized SVD of a dask array."""
    _, s, Vt = da.linalg.svd_compressed(M, K, seed=0, **options)
    s, Vt = dask.compute(s, Vt)
    return s, Vt.T


def whole_svd(M):
    """s and V by Dask's exact SVD of a tall dask array."""
    _, s, Vt = da.linalg.svd(M)
    s, Vt = dask.compute(s[:K], Vt[:K])
    return s, Vt.T


def by_eigsh(held, p):
    """s and V by Lanczos, a vector at a time; and the number of passes."""
    vectors = []

    def times(v):
        vectors.append(v)
        return product(held, v.ravel())

    theta, V = eigsh(LinearOperator((p, p), times, dtype=float), K, v0=np.ones(p))
    return np.sqrt(theta[::-1]), V[:, ::-1], len(vectors)


def by_passes(held, p):
    """s and V after ten passes."""
    *_, (theta, V, _) = islice(krylov(partial(product, held), start(p), K), PASSES)
    return np.sqrt(theta), V


RANDOMIZED = {
    "svd_compressed": {},
    "svd_compressed, 4 power": {"n_power_iter": 4},
    "svd_compressed, 8 power": {"n_power_iter": 8},
    "svd_compressed, 4 QR": {"n_power_iter": 4, "iterator": "QR"},
}


def paper_blocks(folder):
    """The paper's simulation, seed 2, and eight blocks of it that the workers hold."""
    X = simulate_interactions(np.random.default_rng(2)).X
    parts = [X[first : first + 2_500] for first in range(0, 20_000, 2_500)]
    held = dask.persist(*[dask.delayed(read_block, pure=True)(block) for block in write_blocks(folder, parts)])
    wait(held)
    return X, held


def decomposed(way, held, M):
    """s, V and the number of passes over X, of one way; the workers hold X as blocks and as M."""
    if way in RANDOMIZED:
        return *compressed(M, **RANDOMIZED[way]), 2 + 2 * RANDOMIZED[way].get("n_power_iter", 0)
    if way == "dask.array.linalg.svd":
        return *whole_svd(M), 1
    if way == "eigsh":
        return by_eigsh(held, M.shape[1])
    if way == "passes":
        return *by_passes(held, M.shape[1]), PASSES
    return *spectrum_of_gram(summed([dask.delayed(gram)(rows) for rows in held]).compute(), K), 1


def decompose(client, folder, way):
    """One way of the paper's simulation."""
    X, held = paper_blocks(folder)
    M = dense(held, (2_500, X.shape[1])).persist()
    wait(M)
    spent, (s, V, passes) = effort(client, decomposed, way, held, M)
    sigma, cosine, eq2 = errors((s, V), spectrum_of_gram(gram(X), K))
    return {"step": spent, "passes": passes, "sigma": sigma, "cosine": cosine, "eq2": eq2}


COLUMNS = "step", "eigen", "peak", "sent", "passes", "sigma", "cosine", "eq2"


def measure(way, n, p, workers):
    """The row of one job."""
    with tempfile.TemporaryDirectory() as folder, connect(workers) as client:
        if way in ("gram", "krylov"):
            blocks = blocks_of(folder, n, p)
            row = by_gram(client, blocks) if way == "gram" else by_krylov(client, blocks, p)
            row |= {"peak": max(client.run(peak).values()), "sent": sum(client.run(sent).values())}
        else:
            row = decompose(client, folder, way)
    return [{column: row.get(column) for column in COLUMNS}]


GROWING = [
    *[("krylov", 100_000, p, 2) for p in (1_000, 5_000, 10_000)],
    *[("krylov", 100_000, 20_000, workers) for workers in (1, 2)],
    *[("gram", n, 1_000, workers) for n in (100_000, 1_000_000) for workers in (1, 2)],
    *[("gram", 100_000, 5_000, workers) for workers in (1, 2)],
    ("gram", 10_000_000, 1_000, 2),
    ("gram", 100_000, 10_000, 2),
    *[("krylov", 1_000_000, p, 2) for p in (1_000, 10_000)],
]
PAPER = ["Gram matrices", "dask.array.linalg.svd", "eigsh", "passes", *RANDOMIZED]
PROCESSES = 1  # what is timed is alone
JOBS = [{"way": way, "n": 20_000, "p": 1_000, "workers": 2} for way in PAPER]
JOBS += [dict(zip(("way", "n", "p", "workers"), job, strict=True)) for job in GROWING]
