"""Which words occur in the docstrings of which functions, of 24 modules of NumPy, SciPy and scikit-learn.

Usage: python -m experiments.documentation, a few seconds. It writes helpers/documentation.npz from the versions that
are installed; with others than those that `read_documentation` names, the chapters' numbers change. The checksum in
helpers/documentation.py has to be that of the file written.
"""

import importlib
import inspect
import re
from hashlib import sha256

import numpy as np

from helpers.documentation import FILE

SUBJECTS = {
    "numpy": "fft linalg random strings testing",
    "scipy": "cluster.hierarchy fft integrate interpolate linalg ndimage optimize signal signal.windows sparse "
    "sparse.csgraph sparse.linalg spatial.distance special stats",
    "sklearn": "cluster datasets metrics utils",
}
MODULES = [f"{library}.{name}" for library, names in SUBJECTS.items() for name in names.split()]
LEAST_WORDS, LEAST_FUNCTIONS = 60, 5  # of a function, and of a word


def docstrings(module):
    """Names and docstrings of a module's public functions."""
    namespace = importlib.import_module(module)
    for name in sorted(namespace.__all__):
        thing = getattr(namespace, name)
        if inspect.isroutine(thing) or isinstance(thing, np.ufunc):
            yield f"{module}.{name}", thing.__doc__ or ""


def word_matrix(texts, given_away, least_words=LEAST_WORDS, least_functions=LEAST_FUNCTIONS):
    """Words, functions and X (words, functions) of 0 and 1, from pairs of a function's name and its text.

    Words in given_away do not count; of two functions with the same words the first is kept.
    """
    kept = {}
    for name, text in texts:
        found = set(re.findall("[a-z]{3,}", text.lower())) - set(given_away)
        if len(found) >= least_words and found not in kept.values():
            kept[name] = found
    words = np.array(sorted(set().union(*kept.values())))
    X = np.array([[word in found for found in kept.values()] for word in words])
    often = X.sum(axis=1) >= least_functions
    return words[often], np.array(list(kept)), X[often]


def write():
    """Read the installed libraries, and write the matrix."""
    texts = [pair for module in MODULES for pair in docstrings(module)]
    words, functions, X = word_matrix(texts, re.findall("[a-z]+", " ".join(MODULES)))
    np.savez_compressed(FILE, words=words, functions=functions, packed=np.packbits(X, axis=1))
    print(f"{len(words)} words × {len(functions)} functions, {X.mean():.1%} are 1")
    print("sha256", sha256(FILE.read_bytes()).hexdigest())


if __name__ == "__main__":
    write()
