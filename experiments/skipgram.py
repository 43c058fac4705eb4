"""gensim's skip-gram with negative sampling, trained on WordNet's glosses: one start, two numbers of epochs.

skipgram.csv has a row for each seed, number of epochs and way to read the model out: Spearman's correlation of cosines,
and of dot products, with WordSim-353 and SimLex-999. A holds the vectors that gensim gives away, B those of contexts.
It needs gensim 4.4 (pip install gensim) and trains with one worker; about three minutes.
"""

import numpy as np

from experiments.libraries import word2vec
from experiments.people import judgments, row_of
from helpers import read_glosses
from helpers.gauges import rebalanced
from helpers.remedies import symmetric_root

DIMENSIONS, NEGATIVES, EPOCHS = 100, 5, (5, 10)
TOLERANCE = 0.05  # float32 sums in another order, followed by a million steps


def train(seed, epochs=EPOCHS[-1]):
    """A and B, (p, 100) each: every word of a gloss is a context of every other, as order does not count."""
    X, words, *_ = read_glosses()
    sentences = [[str(words[j]) for j in X.indices[a:b]] for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True)]
    settings = {"window": 100, "shrink_windows": False, "sample": 0, "sg": 1, "negative": NEGATIVES}
    B, A = word2vec(sentences, words, vector_size=DIMENSIONS, epochs=epochs, seed=seed, **settings)
    return A, B


def readings(A, B):
    """Ways to make one vector of each word: the last three are the same for A M and B M⁻ᵀ, whatever M is."""
    back = A @ symmetric_root(B.T @ B)  # cosines of the rows of ABᵀ
    even, _ = rebalanced(A, B)
    white = even / np.linalg.norm(even, axis=0)
    return {"A": A, "B": B, "A + B": A + B, "rows of ABᵀ": back, "even split": even, "whitened": white}


def measure(seed, epochs):
    """All rows of one model."""
    used, judged = judgments()
    return [{"vectors": name} | row_of(E[used], judged) for name, E in readings(*train(seed, epochs)).items()]


JOBS = [{"seed": 1, "epochs": epochs} for epochs in EPOCHS]
