"""Which functions of the documentation belong together, by cosines of every weighting of V: every k and λ.

documentation_cosines.csv has two rows for each method, k and setting (τ: λ₁ = τ², λ₂ = τ, λ_w = τ²; or α): purity of
the ten nearest, and average precision of the ranking of all others, both averaged over the functions of each of the 24
modules; the models are those of all words. Beside them recall@20 of held-out words by the item–item recommender, which
needs no labels: models of four fifths of the words, each fifth held out once. About ten minutes, one thread.
"""

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfTransformer

from experiments.common import recommended, users_from, weightings
from experiments.documentation_held_out import full_spectrum
from helpers import cosine_similarity, read_documentation

RANKS = 10, 20, 50, 100, 200, 400, 800, 1_197  # the last: all there are
TAUS = 0, 1, 2.5, 5, 10, 20, 40, 80, 160, np.inf
SOFT = 0, 2, 3, 4, 5, 6, 8, 10, 14, 20, 28, 40
ALPHAS = -0.5, 0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3
TOLERANCE = 2e-3  # closed forms; a function has few in its module, and a tie may fall either way


def weight(method):
    """Item weights as a function of σ and τ."""
    return lambda s, tau: weightings(s, tau)[method]


WEIGHTS = {  # what multiplies the columns of V: of Eq. 1's five choices of D, of the other two penalties, and powers
    "D = √g": (weight("D = √g"), (0,)),  # λ₁ plays no part
    "D = I": (weight("D = I"), TAUS),
    "D = 1/√g": (weight("D = 1/√g"), TAUS),
    "D = 1/√σ": (weight("D = 1/√σ"), TAUS),
    "D = 1/(σ√g)": (weight("projected back"), TAUS),
    "Eq. 2": (weight("Eq. 2"), SOFT),
    "weight decay": (weight("weight decay"), SOFT),
    "f = σ^α": (lambda s, alpha: (s / s[0]) ** alpha, ALPHAS),
}


def by_module(S, module_of):
    """Purity of the ten nearest, and average precision, of each module: a DataFrame with a row for each of the two."""
    same = module_of[:, None] == module_of
    others = -np.round(S, 10) + np.diag(np.full(len(S), np.inf))  # ties as in helpers.nearest, in a fifth of the time
    hits = np.take_along_axis(same, np.argsort(others, axis=1, kind="stable")[:, :-1], axis=1)
    precision = np.cumsum(hits, axis=1) / np.arange(1, len(S))
    average = (precision * hits).sum(axis=1) / hits.sum(axis=1)
    found = pd.DataFrame({"purity": hits[:, :10].mean(axis=1), "ap": average})
    return found.groupby(module_of).mean().T


def folds(X, k):
    """For each fifth of the words: k of σ and V of the others, what is seen of the fifth, and what is hidden."""
    fold = np.random.default_rng(1).permutation(len(X)) % 5
    for i in range(5):
        yield *full_spectrum(X[fold != i], k), *users_from(np.random.default_rng(i), X[fold == i])


def measure(method, ranks=RANKS):
    """All rows of one method."""
    X, _, _, module_of = read_documentation()
    if method == "TF-IDF":
        E = TfidfTransformer().fit_transform(X.T)
        return [
            {"k": 0, "setting": 0, "recall": np.nan, "score": name} | dict(row)
            for name, row in by_module((E @ E.T).toarray(), module_of).iterrows()
        ]
    weight, settings = WEIGHTS[method]
    most, rows = max(ranks), []
    (s, V), held_out = full_spectrum(X, most), list(folds(X, most))
    for k in ranks:
        for setting in settings:
            found = [recommended(U[:, :k] * weight(t[:k], setting), *users) for t, U, *users in held_out]
            recall = np.mean([each.mean() for each in found])
            S = cosine_similarity(V[:, :k] * weight(s[:k], setting))
            for name, row in by_module(S, module_of).iterrows():
                rows.append({"k": k, "setting": setting, "recall": recall, "score": name} | dict(row))
    return rows


JOBS = [{"method": method} for method in ("TF-IDF", *WEIGHTS)]
