"""A collection of real texts: which words stand in which of the 117 659 glosses of WordNet 3.0.

The matrix is committed; `python tools/glosses.py FOLDER` made it from WordNet, whose licence, in WORDNET-LICENSE, goes
with every copy. It holds no text, only which words occur.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from helpers.files import committed_arrays, rows_of_ones

FILE = Path(__file__).with_name("glosses.npz")
SHA256 = "88edfc6f319de136c17ef4c1571b89807d3ca962b611fafef6f464ed7474e861"


class Glosses(NamedTuple):
    """X (117 659, 7 250) CSR of 0 and 1, a row for each gloss; and what its rows and columns are."""

    X: sp.csr_array
    words: np.ndarray  # (7 250,), sorted
    gloss_category: np.ndarray  # (117 659,): noun.animal; 45 different ones
    word_category: np.ndarray  # (7 250,), the category if all synsets of the word agree in it, else ""


def read_glosses():
    """Glosses in the part of users, words in that of items, WordNet's 45 categories in that of clusters.

    X[i, j] is 1 if word j occurs in gloss i, or is a one-word lemma of its synset. Words are runs of three or more
    letters, in lower case, in at least twenty glosses, without the sixty most frequent.
    Returns: a Glosses.
    Raises MissingDataError if glosses.npz is not here or is not the file that was committed.
    Source: WordNet 3.0, Copyright 2006 by Princeton University.
    """
    stored = committed_arrays(FILE, SHA256)
    words, categories = (np.array(str(stored[name]).split()) for name in ("words", "categories"))
    X = rows_of_ones(stored["columns"], stored["lengths"], len(words))
    named = np.append(categories, "")  # −1 is the last
    return Glosses(X, words, categories[stored["gloss_category"]], named[stored["word_category"]])
