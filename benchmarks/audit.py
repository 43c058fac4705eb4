"""The audit's bars: neighbors beside faiss, and a million items × 128 in time and memory.

Usage: python -m benchmarks.audit, about 3 minutes, 2 GB of disk while it runs.
"""

import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
from cosine_audit.gauges import directions
from cosine_audit.neighbors import search

from benchmarks.report import alternate, markdown, table, verdict


def neighbors(p=200_000, k=128, n=1_000):
    """Ten nearest neighbors of some items: the plain lines, beside faiss's exact flat index."""
    U = directions(np.random.default_rng(0).normal(size=(p, k)).astype(np.float32))
    try:
        import faiss
    except ImportError:
        print("faiss is not installed: pip install faiss-cpu")
        return
    index = faiss.IndexFlatIP(k)
    index.add(U)
    contestants = {
        "NumPy": lambda: search(U, np.arange(n)).rows,
        "faiss, flat": lambda: index.search(U[:n], 11)[1][:, 1:],
    }
    times, results = alternate(contestants, 3)
    agree = np.mean([np.isin(row, other).mean() for row, other in zip(*results.values(), strict=True)])
    rows = [[name, f"{wall:.2f} s", f"{cpu:.2f} s"] for name, (wall, cpu) in times.items()]
    table(f"Ten nearest neighbors of {n:,} of {p:,} × {k}", ["", "wall", "CPU"], rows)
    (ours, _), (peer, _) = times.values()
    verdict("share of neighbors that agree", agree, ">=", 0.999)
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
        command = [sys.executable, "-m", "cosine_audit", folder / "items.npy", folder / "users.npy"]
        command += ["--trained-by", "implicit ALS", "--report", folder / "out"]
        start = time.perf_counter()
        process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        said = []
        reader = threading.Thread(target=lambda: said.extend(process.stderr))
        reader.start()
        peak = peak_of(process)
        seconds = time.perf_counter() - start
        reader.join()
        summary = json.loads((folder / "out" / "summary.json").read_text("utf-8"))
        size = (folder / "out" / "safe-items.npy").stat().st_size / 1e9
    rows = [["wall", f"{seconds:.0f} s"], ["peak memory, files mapped included", f"{peak:.2f} GB"]]
    rows += [["lines of progress", str(len(said))], ["items looked up", str(summary["looked_up"])]]
    rows += [["safe-items.npy", f"{size:.2f} GB"]]
    table("Audit of 1 000 000 items × 128 and as many users, fresh processes", ["", ""], rows)
    verdict("seconds", seconds, "<=", 180)
    verdict("peak GB", peak, "<", 4)


if __name__ == "__main__":
    neighbors()
    million()
    markdown()
