"""How well each objective predicts held-out words of the libraries' documentation, at every λ and k: ten splits.

documentation_held_out.csv has a row for each split, objective, τ and k: recall@20 and nDCG@100 on the words by which
parameters are chosen, and on those that test. Words are divided into ten parts; each tests once, the next two choose,
seven train. λ₁ = τ², λ₂ = τ, λ_w = τ². About two minutes.
"""

import numpy as np

from experiments.common import KEPT, leading, roles, users_from
from helpers import Interval, read_documentation
from helpers.evaluation import ndcgs, recalls
from helpers.spectrum import gram, spectrum_of_gram

RANKS = 50, 200, 400, 800, 1_197  # the last: all there are
TAUS = {
    "Eq. 1": (5, 7, 10, 14, 20),
    "Eq. 2": (2, 3, 4, 5, 6, 8),
    "weight decay": (3, 4, 5, 6, 8, 10),
}
TOLERANCE = 1e-3  # closed forms; a tie in the twentieth place may fall either way


def divide(X, split, seed=0):
    """Rows to learn from, and Users to choose by and to test on: words, of which a fifth is hidden."""
    train, *held_out = roles(np.random.default_rng(seed).permutation(X.shape[0]), split)
    rng = np.random.default_rng(split)
    return X[train], *(users_from(rng, X[rows]) for rows in held_out)


def full_spectrum(rows, k=None):
    """All singular values, at least 1e-6, and right singular vectors; or k, in less time, where each item is seen."""
    s, V = spectrum_of_gram(gram(rows), k) if k else leading(gram(rows), rows.shape[1])
    return np.maximum(s, 1e-6), V


def by_row(scores, seen, hidden):
    """recall@20 and nDCG@100 of each row of scores: (2, rows)."""
    return np.array([recalls(scores, seen, hidden), ndcgs(scores, seen, hidden)])


def bootstrap(values, rng):
    """Mean of the values, one for each held-out row, and the 95 % interval of means of 1 000 draws of rows."""
    drawn = rng.integers(len(values), size=(1_000, len(values)))
    return Interval(values.mean(), *np.quantile(values[drawn].mean(axis=1), [0.025, 0.975]))


def predict(seen, s, V, objective, tau, ranks):
    """Scores of every function for words that are seen in some, for each rank in turn."""
    coordinates, kept, scores = seen @ V, KEPT[objective](s, tau), 0
    for first, k in zip((0, *ranks), ranks, strict=False):
        scores = scores + coordinates[:, first:k] * kept[first:k] @ V[:, first:k].T
        yield k, scores


def measure(split, ranks=RANKS):
    """All rows of one split."""
    train, choose, test = divide(read_documentation().X, split)
    s, V = full_spectrum(train, max(ranks))
    rows = []
    for objective, taus in TAUS.items():
        for tau in taus:
            both = (predict(part[0], s, V, objective, tau, ranks) for part in (choose, test))
            for (k, first), (_, second) in zip(*both, strict=True):
                row = {"objective": objective, "tau": tau, "k": k}
                row |= zip(("recall to choose", "ndcg to choose"), by_row(first, *choose).mean(axis=1), strict=True)
                rows.append(row | dict(zip(("recall", "ndcg"), by_row(second, *test).mean(axis=1), strict=True)))
    return rows


JOBS = [{"split": split} for split in range(10)]
