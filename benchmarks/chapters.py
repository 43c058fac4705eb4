"""``python -m benchmarks.chapters [chapter …]``: time and peak memory of each chapter, all its processes together."""

import sys
import threading
import time
from pathlib import Path

import nbformat
import psutil
from jupyter_client import AsyncKernelManager
from nbclient import NotebookClient

from benchmarks.report import table
from tools import contents

MOST = 1200  # MB: Binder gives 2 GB, its server included
EVERY = 0.2  # seconds; asking more often costs the chapter time


def memory(process):
    """Megabytes of a process; what it shares with others counts in part, where the system tells."""
    try:
        info = process.memory_full_info()
    except psutil.NoSuchProcess:
        return 0
    return getattr(info, "pss", info.rss) / 1e6


def watch(stop, peak):
    """Until told to stop, keep the largest sum of all child processes' memory, and their number then."""
    me = psutil.Process()
    while not stop.wait(EVERY):
        children = me.children(recursive=True)
        peak.append(max(peak.pop(), (sum(map(memory, children)), len(children))))


def measure(path):
    """Execute a chapter; return seconds, megabytes and the number of processes at the peak."""
    notebook = nbformat.read(path, as_version=4)
    kernel = AsyncKernelManager(kernel_name="python3", transport_encryption="auto")
    client = NotebookClient(notebook, km=kernel, timeout=600, resources={"metadata": {"path": path.parent}})
    stop, peak, start = threading.Event(), [(0, 0)], time.perf_counter()
    watcher = threading.Thread(target=watch, args=(stop, peak))
    watcher.start()
    try:
        client.execute(cleanup_kc=True)  # or the kernel stays, as it was given
    finally:
        stop.set()
        watcher.join()
    return time.perf_counter() - start, *peak[0]


def report(paths):
    """Print the table, chapter by chapter."""
    rows = []
    for path in paths:
        seconds, megabytes, processes = measure(path)
        reached = "reached" if megabytes <= MOST else "MISSED"
        rows.append([contents.name(path), f"{seconds:.0f} s", f"{megabytes:.0f} MB", str(processes), reached])
        print(*rows[-1], flush=True)
    table(f"Chapters, target <= {MOST} MB", ["chapter", "time", "peak memory", "processes", ""], rows)


if __name__ == "__main__":
    report([Path(path) for path in sys.argv[1:]] or contents.notebooks())
