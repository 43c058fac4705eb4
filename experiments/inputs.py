"""Item embeddings as inputs of other models, under several D: 80 smaller data sets, about ten minutes.

4 000 users, 300 items in 5 or 20 clusters, k = 20, Eq. 1's λ₁ chosen by the recall of its scores on validation users,
which no D changes. inputs.csv has a row for each reading, seed, number of clusters, model and version of the embeddings
B: D of the paper, D drawn at random (factors from 0.1 to 10), or any matrix M (random, normal). score is the share of
right clusters of items that have no label (three draws of 60 labeled items), of k-means the adjusted Rand index with
the clusters, of "popularity" the correlation of predicted and true log popularity; same is the share of items whose
prediction is that of D = I (of k-means, the adjusted Rand index with its clusters; of "popularity", the correlation).
Neighbors and penalties are chosen by cross-validation among the labeled items, for each version anew.
"""

import warnings

import numpy as np
from sklearn.cluster import KMeans
from sklearn.linear_model import LinearRegression, RidgeClassifier, RidgeClassifierCV, RidgeCV
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, normalize, scale
from sklearn.tree import DecisionTreeClassifier

from experiments.common import DENSE_AND_SPARSE, TAUS, draw_smaller, jobs, leading, shrunk, weightings
from helpers import recall_at
from helpers.spectrum import gram

TOLERANCE = 0.02  # a neighbor, a split or a penalty may be as good as another
LABELED, DRAWS, ALPHAS = 60, 3, np.logspace(-6, 4, 21)


def nearest(metric):
    """Nearest neighbors, their number cross-validated."""
    return GridSearchCV(KNeighborsClassifier(metric=metric), {"n_neighbors": [1, 3, 5, 10]}, cv=3)


CLASSIFIERS = {
    "least squares": lambda: RidgeClassifier(0, solver="svd"),
    "ridge": lambda: RidgeClassifierCV(ALPHAS),
    "ridge, scaled columns": lambda: make_pipeline(StandardScaler(), RidgeClassifierCV(ALPHAS)),
    "nearest neighbors": lambda: nearest("euclidean"),
    "nearest neighbors, scaled columns": lambda: make_pipeline(StandardScaler(), nearest("euclidean")),
    "nearest neighbors, cosine": lambda: nearest("cosine"),
    "tree": lambda: DecisionTreeClassifier(random_state=0),
}
CLUSTERINGS = {"k-means": np.asarray, "k-means, scaled columns": scale, "k-means, unit rows": normalize}
REGRESSIONS = {"popularity: least squares": LinearRegression, "popularity: ridge": lambda: RidgeCV(ALPHAS)}


def versions(s, V, tau, rng):
    """(name, item embeddings) of one model of Eq. 1."""
    f = weightings(s, tau)
    yield from ((name, V * f[name]) for name in ("D = I", "D = √g", "D = 1/√g", "D = 1/√σ"))
    yield "random D", V * f["D = I"] * 10 ** rng.uniform(-1, 1, len(s))
    yield "random M", V * f["D = I"] @ rng.normal(size=(len(s), len(s)))


def predictions(B, clusters, popularity, labeled):
    """{model: what it says of the items}, of those without a label if it learns from labels."""
    rest = ~labeled
    found = {name: make().fit(B[labeled], clusters[labeled]).predict(B[rest]) for name, make in CLASSIFIERS.items()}
    for name, make in REGRESSIONS.items():
        found[name] = make().fit(B[labeled], popularity[labeled]).predict(B[rest])
    return found


def agreement(name, one, other):
    """Adjusted Rand index, correlation, or share of equal labels."""
    if name in CLUSTERINGS:
        return adjusted_rand_score(one, other)
    return np.corrcoef(one, other)[0, 1] if name in REGRESSIONS else np.mean(one == other)


def measure(reading, seed, clusters=5):
    """All rows of one data set."""
    data, rng = draw_smaller(reading, seed, n_clusters=clusters), np.random.default_rng(seed)
    G, seen = gram(data.X), data.validation.seen
    s, V = leading(G)
    popularity, C = np.log(G.diagonal()), data.clusters
    taus = TAUS[4:-4] / 4  # 4, 5.7 … 181
    tau = max(taus, key=lambda tau: recall_at(seen @ (V * shrunk(s, tau)) @ V.T, *data.validation))
    draws = [rng.permutation(len(C)) < LABELED for _ in range(DRAWS)]
    first, rows = {}, []
    for version, B in versions(s, V, tau, rng):
        B = B / np.linalg.norm(B, 2)
        cases = {}
        for name, prepare in CLUSTERINGS.items():
            labels = KMeans(C.max() + 1, n_init=10, random_state=0).fit_predict(prepare(B))
            cases[name] = [(labels, C)]
        for labeled in draws:
            with warnings.catch_warnings(action="ignore"):  # a cluster with fewer labels than folds
                found = predictions(B, C, popularity, labeled)
            for name, values in found.items():
                truth = popularity if name in REGRESSIONS else C
                cases.setdefault(name, []).append((values, truth[~labeled]))
        for name, pairs in cases.items():
            first.setdefault(name, pairs)
            score = np.mean([agreement(name, *pair) for pair in pairs])
            same = [agreement(name, a, b) for (a, _), (b, _) in zip(pairs, first[name], strict=True)]
            rows.append({"model": name, "version": version, "score": score, "same": np.mean(same), "tau": tau})
    return rows


JOBS = [job | {"clusters": c} for c in (5, 20) for job in jobs(DENSE_AND_SPARSE)]
