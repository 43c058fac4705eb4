"""Threads of Python beside those of BLAS."""

import os
import threading
from contextlib import contextmanager

from threadpoolctl import threadpool_limits

WORKERS = min(8, os.cpu_count() or 1)  # each has blocks of megabytes of its own
lock, inside, limits = threading.Lock(), 0, None


@contextmanager
def one_blas_thread():
    """BLAS with one thread in here, as several would wait for each other in small products; afterwards as before.

    threadpool_limits is of the whole process, so of Python's threads the first to enter sets the limit, and the last
    to leave restores it.
    """
    global inside, limits
    with lock:
        inside += 1
        if inside == 1:
            limits = threadpool_limits(1, user_api="blas")
    try:
        yield
    finally:
        with lock:
            inside -= 1
            if inside == 0:
                limits.restore_original_limits()
