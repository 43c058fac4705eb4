"""``python -m benchmarks.environment``: the versions, the thread pools, and what the environment tells them."""

import os
import platform

import implicit
import numpy as np
import scipy
import sklearn.metrics
from threadpoolctl import threadpool_info

from benchmarks.report import table

PREFIXES = ("BLIS_", "GOTO_", "MKL_", "OMP_", "OPENBLAS_", "VECLIB_")


def report():
    """Print them."""
    packages = ", ".join(f"{package.__name__} {package.__version__}" for package in (np, scipy, sklearn, implicit))
    print(f"Python {platform.python_version()}, {packages}, {os.cpu_count()} CPUs")
    keys = ["prefix", "internal_api", "version", "num_threads", "architecture"]
    table("Thread pools", keys, [[str(pool.get(key)) for key in keys] for pool in threadpool_info()])
    told = [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith(PREFIXES)]
    print("environment:", ", ".join(told) or "none of", *([] if told else PREFIXES))


if __name__ == "__main__":
    report()
