"""Neighbors in three real data sets: how many change between readouts of one model, and which are alike by a label.

neighbors.csv has a row for each data set, split, readout and score; k (100, 200, 400, 800) and τ are those whose
scores find most of what is hidden (recall@20) of users that choose, for each objective. Scores: alike, the share of the
ten nearest with one's own label (Debian's section, a function's module; of films the genres shared of those that
either has), and by label, the mean of its means; "kept from" a named solution, the share of its ten nearest that stay;
halves, the share that two models of half of the users have in common (λ₁ halves, too; the five named solutions);
recall@20 of users that test, of each objective's scores.

Debian's packages are those that 20 sources need (in two splits 10), and sources need two of them; functions and films
are those of helpers.read_documentation, and of ratings of 3.5 or more by ten users. Users are divided into ten parts:
one tests, two choose (at most 1 000 each), seven train. It needs MovieLens. About ten minutes.
"""

import numpy as np
import scipy.sparse as sp

from experiments.common import KEPT, cosines, likeness, likes, nonzero_spectrum, roles, users_from, weightings
from experiments.curves import BY_WEIGHT
from experiments.judges import by_scores, embeddings
from helpers import nearest, overlap, read_debian, read_documentation, recall_at
from helpers.spectrum import gram

TAUS = np.array([3, 4.5, 6, 8, 11, 16, 22, 32, 45])
ASKED, MOST = 1_000, 800  # users asked; dimensions: with all there are, the cosines of D = √g are 0
OF_EQ_1 = "D = √g", "D = I", "D = 1/√g", "D = 1/√σ", "projected back"
NAMED = [BY_WEIGHT.get(name, name) for name in OF_EQ_1]
TOLERANCE = 0.01  # a tie in k or τ may fall either way


def packages(least=20):
    """X of the packages that so many sources need and the sources that need two of them, names and sections."""
    X, names, sections = read_debian()
    kept = X.sum(axis=0) >= least
    X = X[:, kept]
    return X[X.sum(axis=1) >= 2], names[kept], sections[kept]


def data_set(name):
    """X (n, p) CSR; labels (p,), or of films genres (p, genres), 0 and 1."""
    if name == "documentation":
        X, _, _, modules = read_documentation()
        return sp.csr_array(X), modules
    if name == "MovieLens":
        return likes()
    X, _, sections = packages(int(name.split()[-1]))
    return X, sections


def divide(X, split):
    """X to learn from, and Users to choose by and to test on, of whom a fifth is hidden."""
    train, *held_out = roles(np.random.default_rng(0).permutation(X.shape[0]), split)
    rng = np.random.default_rng(split)
    return X[train], *(users_from(rng, X[rng.permutation(np.flatnonzero(rows))[:ASKED]]) for rows in held_out)


def solutions(s, V, tau):
    """{readout: item embeddings} of the five named solutions of Eq. 1 at λ₁ = τ²."""
    return {BY_WEIGHT.get(name, name): V * f for name, f in weightings(s, tau).items() if name in OF_EQ_1}


def neighbors(E):
    """The ten nearest of each item, (p, 10); the cosines of a row of zeros are 0."""
    return nearest(cosines(E))


def alike(found, labels):
    """How many of its ten nearest are like an item, (p,): of its label, or mean share of genres."""
    return likeness(labels, np.arange(len(found))[:, None], found).mean(axis=1)


def halves(X, split, k, tau):
    """{named solution: share of the ten nearest that models of two halves of the users have in common}."""
    part = np.random.default_rng(100 + split).permutation(X.shape[0]) % 2
    seen = np.all([X[part == half].sum(axis=0) > 0 for half in (0, 1)], axis=0)
    models = (nonzero_spectrum(gram(X[part == half][:, seen])) for half in (0, 1))
    first, second = (solutions(s[:k], V[:, :k], tau / np.sqrt(2)) for s, V in models)
    return {name: overlap(neighbors(first[name]), neighbors(second[name])) for name in NAMED}


def measure(data, split):
    """All rows of one split."""
    X, labels = data_set(data)
    train, choose, test = divide(X, split)
    s, V = nonzero_spectrum(gram(train))
    columns, s, V = (V * s).T, s[:MOST], V[:, :MOST]  # these columns have the dot products of the data's
    best, rows, lists = by_scores(choose, s, V, 0 * V[:, 0], TAUS), [], {}
    for objective, (k, tau) in best.items():
        scores = test[0] @ V[:, :k] * KEPT[objective](s[:k], tau) @ V[:, :k].T
        rows.append((objective, k, tau, "recall", recall_at(scores, *test)))
    for readout, k, tau, E in embeddings(columns, s, V, best):
        lists[readout] = neighbors(E)
        each = alike(lists[readout], labels)
        rows.append((readout, k, tau, "alike", each.mean()))
        if labels.ndim == 1:
            by_label = [each[labels == label].mean() for label in np.unique(labels)]
            rows.append((readout, k, tau, "by label", np.mean(by_label)))
    model = best["Eq. 1"]
    for name in NAMED:
        rows += [(each, *model, f"kept from {name}", overlap(lists[name], lists[each])) for each in lists]
    rows += [(name, *model, "halves", value) for name, value in halves(X, split, *model).items()]
    return [dict(zip(("readout", "k", "tau", "score", "value"), row, strict=True)) for row in rows]


SPLITS = {"Debian 20": 10, "documentation": 10, "MovieLens": 10, "Debian 10": 2}
JOBS = [{"data": data, "split": split} for data, splits in SPLITS.items() for split in range(splits)]
