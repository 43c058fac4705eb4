"""How well cosines of words agree with people: every weighting, k and λ, on WordNet's glosses.

people.csv has a row for each input, method, k and setting (τ: λ₁ = τ², λ₂ = τ, λ_w = τ²; or α): Spearman's correlation
of cosines, and of dot products, with the judgments of WordSim-353 and of SimLex-999. Inputs are the 0/1 matrix of
glosses × words, the same with centered columns, and the shifted positive PMI of words that share a gloss, whose rows
are words and whose columns are contexts: V is that of its transpose, U Σ^α of the matrix. k = 0 stands for no
decomposition. Both lists come with gensim (pip install gensim). Three minutes.
"""

import functools

import numpy as np
import pandas as pd
import scipy.sparse
from scipy.sparse.linalg import aslinearoperator, svds
from scipy.stats import rankdata

from experiments.documentation_cosines import WEIGHTS
from helpers import centered_gram, read_glosses, shifted_ppmi, truncated_svd
from helpers.remedies import symmetric_root
from helpers.spectrum import gram

RANKS = 50, 100, 200, 400
ALPHAS = -1, -0.5, 0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3
TAUS, SOFT = (0, 6, 12, 17, 24, 34, 48, 68, 96, np.inf), (0, 3, 6, 9, 12, 15, 18, 21, 24, 30)
SETTINGS = {"D = √g": (0,), "f = σ^α": ALPHAS, "Eq. 2": SOFT, "weight decay": SOFT}  # of all others TAUS
FILES = {"wordsim": "wordsim353.tsv", "simlex": "simlex999.txt"}
LISTS = "wordsim", "simlex"
TOLERANCE = 2e-3  # closed forms; pairs whose cosines nearly tie may change places


def read_judgments(name):
    """WordSim-353 or SimLex-999, from the package gensim, which has both as test data.

    Returns: a DataFrame with the columns first, second and score, a mean over raters from 0 to 10. In WordSim-353 one
    pair is tiger, tiger, and two others are there twice.
    Source: Finkelstein et al. 2002; Hill et al. 2015.
    """
    from gensim.test.utils import datapath

    return pd.read_csv(datapath(FILES[name]), sep="\t", comment="#", names=["first", "second", "score"])


def pairs(judged, words):
    """Places of first and second words, and scores, of the pairs of two different words that are both among words."""
    place = {word: i for i, word in enumerate(words)}
    first, second = (judged[side].str.lower().map(place) for side in ("first", "second"))
    both = first.notna() & second.notna() & (first != second)
    return first[both].to_numpy(int), second[both].to_numpy(int), judged["score"][both].to_numpy()


def spearman(x, y):
    """Spearman's rank correlation; numbers that agree to ten decimals are tied."""
    return np.corrcoef(rankdata(np.round(np.asarray(x, float), 10)), rankdata(y))[0, 1]


def agreement(E, first, second, score):
    """Spearman's correlation of the cosines of rows of E with scores, and of their dot products."""
    dots = np.array([E[i] @ E[j] for i, j in zip(first, second, strict=True)])
    lengths = np.sqrt(np.einsum("ij,ij->i", E, E))
    lengths = np.where(lengths > 0, lengths, 1)
    return spearman(dots / lengths[first] / lengths[second], score), spearman(dots / np.max(lengths) ** 2, score)


def row_of(E, judged):
    """The four numbers of one table of vectors."""
    both = {name: agreement(E, *judged[name]) for name in judged}
    return {name: cosine for name, (cosine, _) in both.items()} | {f"{n} dot": dot for n, (_, dot) in both.items()}


def cooccurrence(X):
    """How many glosses two different words share, (p, p)."""
    counts = (X.T @ X).toarray()
    np.fill_diagonal(counts, 0)
    return counts


def centered_svd(X, k):
    """truncated_svd of X without its columns' means, which would be dense: by products with it alone."""
    means = aslinearoperator(np.ones((X.shape[0], 1))) @ aslinearoperator(X.mean(axis=0)[None])
    _, s, Vt = svds(aslinearoperator(X) - means, k, v0=np.random.default_rng(0).normal(size=X.shape[1]))
    return s[::-1], Vt[::-1].T


def judgments():
    """Columns of X that occur in a pair, and for each list the pairs as places among these, with their scores."""
    words = read_glosses().words
    judged = {name: pairs(read_judgments(name), words) for name in LISTS}
    used = np.unique(np.concatenate([side for first, second, _ in judged.values() for side in (first, second)]))
    return used, {name: (*np.searchsorted(used, (i, j)), score) for name, (i, j, score) in judged.items()}


@functools.cache
def svd_of_glosses(k):
    """σ and V of the 0/1 matrix."""
    return truncated_svd(read_glosses().X, k)


def inputs(name):
    """Of an input: vectors with the dot products of the words of pairs, its σ and V, and the methods to try."""
    X, used = read_glosses().X, judgments()[0]
    if name.startswith("PPMI"):
        M = shifted_ppmi(cooccurrence(X), 0.75, int(name.removeprefix("PPMI, shift ")))
        return M[used], *truncated_svd(scipy.sparse.csr_array(M.T), RANKS[-1]), ("f = σ^α",)
    G = gram(X[:, used])
    if name == "centered":
        G = centered_gram(G, X.mean(axis=0)[used], X.shape[0])
        return symmetric_root(G), *centered_svd(X, RANKS[-1]), WEIGHTS
    return symmetric_root(G), *svd_of_glosses(RANKS[-1]), WEIGHTS


def measure(name):
    """All rows of one input."""
    used, judged = judgments()
    raw, s, V, methods = inputs(name)
    rows = [{"method": "no decomposition", "k": 0, "setting": 0} | row_of(raw, judged)]
    for method in methods:
        for k in RANKS:
            for setting in SETTINGS.get(method, TAUS):
                E = V[used, :k] * WEIGHTS[method][0](s[:k], setting)
                rows.append({"method": method, "k": k, "setting": setting} | row_of(E, judged))
    return rows


PROCESSES = 1  # two would need too much memory
JOBS = [{"name": name} for name in ("0/1", "centered", "PPMI, shift 1")]
