"""Cosines against dot products, for pairs of items, of users, and of a user and an item: 80 data sets; 20 minutes.

4 000 users, 300 items in 5 or 20 clusters, k = 20 or 100. cosine_or_dot.csv has a row for each reading, seed, number of
clusters, k, gauge, τ and similarity, cosine or dot product. Items: average precision and purity as in curves.csv, and
recall@20 of the sums of the similarities to a user's items, for validation users. Users: of test users, all of whose
items are seen, how alike the ten most similar are in truth (mean cosine of their preferences), and the correlation over
pairs with that truth. Scores: recall@20 by the similarity of user and item, for validation and test users. Of
"projected back", columns and rows of XABᵀ are compared; its scores are XABᵀ itself.
"""

import numpy as np

from experiments.common import (
    DENSE_AND_SPARSE,
    baselines,
    draw_smaller,
    jobs,
    leading,
    recall_of_items,
    shrunk,
    weightings,
)
from helpers import cosine_similarity, recall_at, recovery_scores
from helpers.spectrum import gram

PARTS = "validation", "test"
TAUS = 2.0 ** np.arange(1, 9)  # 2, 4 … 256


def weights(s, taus):
    """(gauge, τ, item weights f, the weights of x_u V that make up x_u A), but for weight decay."""
    for tau in taus:
        g, f = shrunk(s, tau), weightings(s, tau)
        for gauge in ("D = √g", "D = I", "D = 1/√g", "D = 1/√σ"):
            yield gauge, tau, f[gauge], g / f[gauge]
        yield "projected back", tau, f["projected back"], g
        if tau < s[0]:
            yield "Eq. 2", tau, f["Eq. 2"], f["Eq. 2"] / s


def item_scores(S, data):
    """Recovery of the clusters, and recall@20 of the recommender by similar items."""
    _, precision, purity = recovery_scores(S, data.clusters)
    return {"items_ap": precision, "items_purity": purity, "items_recall": recall_of_items(S, data.validation)}


def preferences(data):
    """Of test users, (users, C): their weights of the first item of each cluster, whose popularity is 1."""
    return data.weights[:, np.unique(data.clusters, return_index=True)[1]]


def user_scores(S, truth):
    """How alike each user's ten most similar others are in truth, and the correlation with it over pairs."""
    nearest = np.argpartition(2 * np.eye(len(S)) * np.abs(S).max() - S, 9, axis=1)[:, :10]
    pairs = np.triu_indices(len(S), 1)
    constant = np.ptp(S[pairs]) < 1e-9
    r = 0 if constant else np.corrcoef(S[pairs], truth[pairs])[0, 1]
    return {"users_near": np.take_along_axis(truth, nearest, axis=1).mean(), "users_r": r}


def measure(reading, seed, clusters=5, k=20, taus=TAUS):
    """All rows of one data set and k."""
    data = draw_smaller(reading, seed, n_clusters=clusters)
    s, V = leading(gram(data.X), k)
    truth = cosine_similarity(preferences(data))
    rows = []
    for gauge, tau, f, h in weights(s, taus):
        A, B = V * h, V * f
        P = (data.test.seen + data.test.hidden) @ A
        for name, alike in (("cosine", cosine_similarity), ("dot product", np.inner)):
            row = {"gauge": gauge, "tau": tau, "similarity": name}
            row |= item_scores(alike(B, B), data) | user_scores(alike(P, P), truth)
            for part in PARTS:
                users = getattr(data, part)
                scores = users.seen @ A @ V.T if gauge == "projected back" else alike(users.seen @ A, B)
                row[f"pairs_{part}"] = recall_at(scores, *users)
            rows.append(row)
    for name, found in baselines(data).items():
        row = {"gauge": name, "tau": 0, "similarity": "none"}
        rows.append(row | {"pairs_validation": found["validation"], "pairs_test": found["recall"]})
    return rows


SIZES = [{"clusters": clusters, "k": k} for clusters in (5, 20) for k in (20, 100)]
JOBS = [job | size for size in SIZES for job in jobs(DENSE_AND_SPARSE)]
