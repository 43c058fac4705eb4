"""How well a similarity matrix recovers known clusters: three scores, 1 is perfect, all dimensionless.

Similarities that agree to ten decimals count as tied, so that rounding never decides a ranking: where every cosine is
±1, the scores are those of guessing within the ties.
"""

import numpy as np

from helpers import checks


def cluster_auc(S, clusters):
    """Probability that a random pair within a cluster is more similar than a random pair across (ROC AUC; chance 0.5).

    Parameters: S (m, m) similarities; clusters (m,) labels, at least two clusters, one of them with two items.
    Raises ValueError if shapes disagree, S is NaN or infinite, or all pairs are of one kind.
    Source: sklearn.metrics.roc_auc_score over the m(m−1)/2 unordered pairs.
    """
    from sklearn.metrics import roc_auc_score  # here, as it would double the time that importing helpers takes

    return float(roc_auc_score(*pairs(S, clusters)))


def average_precision(S, clusters):
    """Mean precision over the ranking of all pairs, most similar first (chance: the share of within-cluster pairs).

    Parameters, errors: as for cluster_auc.
    Source: sklearn.metrics.average_precision_score over the m(m−1)/2 unordered pairs.
    """
    from sklearn.metrics import average_precision_score

    return float(average_precision_score(*pairs(S, clusters)))


def neighbor_purity(S, clusters, n_neighbors=10):
    """Share of an item's n_neighbors most similar others that are of its cluster, averaged over items.

    Items tied for the last places share them: each counts by its chance of being drawn.

    Parameters: S (m, m) similarities; clusters (m,) labels; 1 ≤ n_neighbors < m.
    Raises ValueError if shapes disagree, S is NaN or infinite, or n_neighbors is out of range.
    Source: precision at n_neighbors, the item itself left out.
    """
    S, clusters = scored(S, clusters)
    n_neighbors = checks.integer("n_neighbors", n_neighbors, 1, len(S) - 1)
    np.fill_diagonal(S, -np.inf)
    same = clusters[:, None] == clusters
    last = -np.partition(-S, n_neighbors - 1, axis=1)[:, n_neighbors - 1, None]
    above, tied = last < S, last == S
    places = n_neighbors - above.sum(axis=1)
    found = (above & same).sum(axis=1) + places * (tied & same).sum(axis=1) / tied.sum(axis=1)
    return float(np.mean(found / n_neighbors))


def pairs(S, clusters):
    """For every unordered pair of items: whether they share a cluster, and their similarity."""
    S, clusters = scored(S, clusters)
    i, j = np.triu_indices(len(S), 1)
    same = clusters[i] == clusters[j]
    if same.all() or not same.any():
        raise ValueError(f"clusters must have pairs within and across clusters, got labels {np.unique(clusters)}")
    return same, S[i, j]


def scored(S, clusters):
    """S rounded to ten decimals, (m, m), and clusters, (m,); ValueError if their shapes disagree."""
    clusters = np.asarray(clusters)
    S = np.round(checks.matrix("S", S, len(clusters)), 10)
    if S.shape != (len(clusters),) * 2:
        raise ValueError(f"S must be a square matrix with a row for each of {len(clusters)} items, got shape {S.shape}")
    return S, clusters
