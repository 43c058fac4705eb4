"""A collection of real texts: which words the documentation of NumPy, SciPy and scikit-learn uses for which function.

The matrix is committed, as new versions of these libraries change their texts; `python -m experiments.documentation`
made it. It holds no text, only which words occur. All three libraries are BSD-licensed.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from helpers.files import committed_arrays

FILE = Path(__file__).with_name("documentation.npz")
SHA256 = "bb6e585c463b00b1b0cf31f245cc0d5d0628e563d3107e67c13fd6acaedc18d4"


class Documentation(NamedTuple):
    """X (3 253, 1 197) of 0 and 1, float, a row for each word; and the names of its rows and columns."""

    X: np.ndarray
    words: np.ndarray  # (3 253,)
    functions: np.ndarray  # (1 197,), with their modules: scipy.linalg.svd
    modules: np.ndarray  # (1 197,), the module of each function: scipy.linalg; 24 different ones


def read_documentation():
    """Words in the part of users, functions in that of items, modules in that of clusters.

    X[i, j] is 1 if word i occurs in the docstring of function j. Words have three letters or more and occur in at least
    five of these docstrings; names of modules do not count. Functions have at least sixty different words.
    Returns: a Documentation.
    Raises MissingDataError if documentation.npz is not here or is not the file that was committed.
    Source: docstrings of NumPy 2.4.6, SciPy 1.17.1 and scikit-learn 1.9.1.
    """
    stored = committed_arrays(FILE, SHA256)
    words, functions, packed = (stored[name] for name in ("words", "functions", "packed"))
    X = np.unpackbits(packed, axis=1, count=len(functions)).astype(float)
    return Documentation(X, words, functions, np.array([name.rpartition(".")[0] for name in functions]))
