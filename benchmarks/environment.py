"""``python -m benchmarks.environment``: the machine, versions, thread pools, and what the environment tells them."""

import os
import platform
from pathlib import Path

import implicit
import numpy as np
import scipy
import sklearn.metrics
from numpy._core import _multiarray_umath as core
from threadpoolctl import threadpool_info

from benchmarks.report import table

PREFIXES = ("BLIS_", "GOTO_", "MKL_", "OMP_", "OPENBLAS_", "VECLIB_")


def processor():
    """The model of the CPU, as far as the system tells."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text("utf-8").splitlines() if info.exists() else []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def simd():
    """The instruction sets NumPy was compiled for and found."""
    return " ".join([*core.__cpu_baseline__, *(name for name in core.__cpu_dispatch__ if core.__cpu_features__[name])])


def report():
    """Print them."""
    print(f"{processor()}, {os.cpu_count()} CPUs, {platform.system()}; SIMD found by NumPy: {simd()}")
    packages = ", ".join(f"{package.__name__} {package.__version__}" for package in (np, scipy, sklearn, implicit))
    print(f"Python {platform.python_version()}, {packages}")
    keys = ["prefix", "internal_api", "version", "num_threads", "architecture"]
    table("Thread pools", keys, [[str(pool.get(key)) for key in keys] for pool in threadpool_info()])
    told = [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith(PREFIXES)]
    print("environment:", ", ".join(told) or "none of", *([] if told else PREFIXES))


if __name__ == "__main__":
    report()
