"""A collection of real interactions: which packages of Debian 12 each of its source packages needs.

The matrix is committed; `apt-cache dumpavail | python tools/debian.py` made it. It holds facts of the package index
alone: names, sections and dependencies.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from helpers.files import committed_arrays, rows_of_ones

FILE = Path(__file__).with_name("debian.npz")
SHA256 = "a8ff93c19fafe1573c18db2fa962d2cc93806aa9354991604baf94ff1b281068"


class Debian(NamedTuple):
    """X (23 060, 6 976) CSR of 0 and 1, a row for each source package; and what its columns are."""

    X: sp.csr_array
    packages: np.ndarray  # (6 976,), sorted: python3-numpy
    sections: np.ndarray  # (6 976,), the section of each package: python; 54 different ones


def read_debian():
    """Source packages in the part of users, packages in that of items, sections in that of clusters.

    X[i, j] is 1 if a binary package built from source i depends on package j, pre-depends on it or recommends it. Items
    are packages of the index that at least five binary packages need; of alternatives the first counts; sources that
    need fewer than two items are left out.
    Returns: a Debian.
    Raises MissingDataError if debian.npz is not here or is not the file that was committed.
    Source: package index of Debian 12.15, main, amd64.
    """
    stored = committed_arrays(FILE, SHA256)
    packages, sections = (np.array(str(stored[name]).split()) for name in ("packages", "sections"))
    X = rows_of_ones(stored["columns"], stored["lengths"], len(packages))
    return Debian(X, packages, sections[stored["section"]])
