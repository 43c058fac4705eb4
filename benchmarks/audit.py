"""The audit's bars: neighbors beside faiss, and a million items × 128 in time and memory.

Usage: python -m benchmarks.audit, with tests/requirements.txt installed: about 4 minutes, 2 GB of disk while it runs.
"""

import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from benchmarks.report import alternate, markdown, table, verdict
from helpers.gauges import directions, nearest

ROOT = Path(__file__).parents[1]


def neighbors():
    """Ten nearest neighbors of all of 20 000 × 50, beside faiss's exact flat index."""
    U = directions(np.random.default_rng(0).normal(size=(20_000, 50)))
    U_32, every = np.ascontiguousarray(U, dtype=np.float32), np.arange(len(U))
    nearest(U, every[:1])  # scikit-learn looks once for the BLAS to hold to one thread; faiss's shares its OpenMP
    import faiss

    def by_faiss():
        index = faiss.IndexFlatIP(U.shape[1])
        index.add(U_32)
        return index.search(U_32, 11)[1]

    times, results = alternate({"helpers": lambda: nearest(U, every).rows, "faiss, flat": by_faiss}, 3)
    ours, theirs = results.values()
    agree = np.mean([np.isin(row, other).mean() for row, other in zip(ours, theirs, strict=True)])
    rows = [[name, f"{wall:.2f} s", f"{cpu:.2f} s"] for name, (wall, cpu) in times.items()]
    table("Ten nearest neighbors of 20 000 × 50", ["", "wall", "CPU"], rows)
    (ours, _), (peer, _) = times.values()
    verdict("share of neighbors that agree", agree, ">=", 0.9999)
    verdict("times faiss", ours / peer, "<=", 1.5)


def write_factors(folder, p=1_000_000, n=1_000_000, k=128):
    """Two float32 factors of unequal scales on disk, written in blocks."""
    rng = np.random.default_rng(0)
    for name, size in (("items", p), ("users", n)):
        header = np.lib.format.open_memmap(folder / f"{name}.npy", "w+", np.float32, (size, k))
        for start in range(0, size, 50_000):
            block = rng.normal(size=(min(50_000, size - start), k)) * np.linspace(1, 3, k) + 0.1
            header[start : start + 50_000] = block
        header.flush()


def peak_of(process):
    """Largest memory, in GB, that a process and its children have together, and share of it that is theirs alone."""
    import psutil

    peak = 0
    while process.poll() is None:
        try:
            family = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
            peak = max(peak, sum(one.memory_info().rss for one in family))
        except psutil.Error:
            pass
        time.sleep(0.3)
    return peak / 1e9


def million():
    """The whole command on a million items and as many users."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        write_factors(folder)
        command = [
            sys.executable,
            "-m",
            "tools.audit",
            "--items",
            folder / "items.npy",
            "--users",
            folder / "users.npy",
        ]
        command += ["--objective", "factors", "--out", folder / "out"]
        start = time.perf_counter()
        process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        said = []
        reader = threading.Thread(target=lambda: said.extend(process.stderr))
        reader.start()
        peak = peak_of(process)
        seconds = time.perf_counter() - start
        reader.join()
        summary = json.loads((folder / "out" / "summary.json").read_text("utf-8"))
        size = (folder / "out" / "safe-items.npy").stat().st_size / 1e9
    errors = ", ".join(f"{name} ± {error:.3f}" for name, error in summary["sampling_error"].items())
    rows = [["wall", f"{seconds:.0f} s"], ["peak memory, files mapped included", f"{peak:.2f} GB"]]
    rows += [["lines of progress", str(len(said))], ["sampling error", errors], ["safe-items.npy", f"{size:.2f} GB"]]
    table("Audit of 1 000 000 items × 128 and as many users, fresh processes", ["", ""], rows)
    verdict("seconds", seconds, "<=", 300)
    verdict("peak GB", peak, "<", 4)


if __name__ == "__main__":
    neighbors()
    million()
    markdown()
