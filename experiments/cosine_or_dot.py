"""Cosines against dot products, for pairs of items, of users, and of a user and an item: 80 data sets; 20 minutes.

4 000 users, 300 items in 5 or 20 clusters, k = 20 or 100. cosine_or_dot.csv has a row for each reading, seed, number of
clusters, k, gauge, τ and similarity, cosine or dot product. Items: average precision and purity as in curves.csv, and
recall@20 of the sums of the similarities to a user's items, for validation users. Users: of test users, all of whose
items are seen, how alike the ten most similar are in truth (mean cosine of their preferences), and the correlation over
pairs with that truth. Scores: recall@20 by the similarity of user and item, for validation and test users. Of
"projected back", columns and rows of XABᵀ are compared; its scores are XABᵀ itself.
"""

import numpy as np

from experiments import run
from experiments.common import TAUS, draw_smaller, jobs
from experiments.remedies import leading
from helpers import cosine_similarity, recall_at, recovery_scores
from helpers.spectrum import gram

PARTS = "validation", "test"
GAUGES = {  # item weights f, and the weights of x_u V that make up x_u A
    "D = √g": lambda s, g: (s**0, g),
    "D = I": lambda s, g: (g**0.5, g**0.5),
    "D = 1/√g": lambda s, g: (g, s**0),
    "D = 1/√σ": lambda s, g: ((s * g) ** 0.5, (g / s) ** 0.5),
    "projected back": lambda s, g: (s * g, g),
}


def weights(s, taus):
    """(gauge, τ, item weights, user weights of V)."""
    for tau in taus:
        for gauge, split in GAUGES.items():
            yield gauge, tau, *split(s, s**2 / (s**2 + tau**2))
        if tau < s[0]:
            left = np.sqrt(np.maximum(s - tau, 0))
            yield "Eq. 2", tau, left, left / s


def item_scores(S, data):
    """Recovery of the clusters, and recall@20 of the recommender by similar items."""
    _, precision, purity = recovery_scores(S, data.clusters)
    found = recall_at(data.validation.seen @ (S - np.diag(S.diagonal())), *data.validation)
    return {"items_ap": precision, "items_purity": purity, "items_recall": found}


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


def compare(reading, seed, clusters=5, k=20, taus=TAUS[2:-2:2]):
    """All rows of one data set and k."""
    data = draw_smaller(reading, seed, n_clusters=clusters)
    s, V = leading(gram(data.X), k)
    truth = cosine_similarity(preferences(data))
    whole = data.test.seen + data.test.hidden
    rows = []
    for gauge, tau, f, h in weights(s, taus / 4):
        B, P = V * f, whole @ V * h
        U = [users.seen @ V * h for users in (data.validation, data.test)]
        for name in ("cosine", "dot product"):
            alike = cosine_similarity if name == "cosine" else lambda E, F=None: E @ (E if F is None else F).T
            row = {"gauge": gauge, "tau": tau, "similarity": name}
            row |= item_scores(alike(B), data) | user_scores(alike(P), truth)
            for part, users, seen in zip(PARTS, data[2:4], U, strict=True):
                scores = seen @ V.T if gauge == "projected back" else alike(seen, B)
                row[f"pairs_{part}"] = recall_at(scores, *users)
            rows.append(row)
    return rows + baselines(data, rows[0])


def baselines(data, row):
    """The recall of recommending what is popular, and of knowing the probabilities by which test users took items."""
    row = dict.fromkeys(row, np.nan) | {"tau": 0, "similarity": "none"}
    popularity = np.broadcast_to(data.X.sum(axis=0), data.test.seen.shape)
    found = {f"pairs_{part}": recall_at(popularity, *users) for part, users in zip(PARTS, data[2:4], strict=True)}
    oracle = {"gauge": "oracle", "pairs_test": recall_at(data.weights, *data.test)}
    return [row | {"gauge": "popularity"} | found, row | oracle]


SIZES = [{"clusters": clusters, "k": k} for clusters in (5, 20) for k in (20, 100)]
JOBS = [job | size for size in SIZES for job in jobs(["default", "activity exponent 1.5"])]

if __name__ == "__main__":
    run("cosine_or_dot", JOBS, compare, processes=1)
