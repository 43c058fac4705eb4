"""How well a similarity matrix recovers known clusters: three scores, at most 1, all dimensionless.

Similarities that agree to ten decimals (of the largest magnitude, if that is above 1) count as tied, so that rounding
errors of 1e-13 hardly ever decide a ranking. Where all pairs tie, AUC is 0.5 and the other two are the share of pairs,
or of others, that belong together. Purity is below 1 even for perfect similarities if a cluster has no more than
n_neighbors items.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from helpers.arguments import valid_integer, valid_labels, valid_square

DECIMALS = 10


class Recovery(NamedTuple):
    """Three scores of one similarity matrix, all dimensionless."""

    auc: float
    average_precision: float
    purity: float


def recovery_scores(S, clusters, n_neighbors=10):
    """cluster_auc, average_precision and neighbor_purity of one similarity matrix, in half the time of the three.

    Parameters, errors: as for these. Returns: a Recovery.
    """
    L, clusters = rounded(S, clusters)
    with ThreadPoolExecutor(1) as other:  # the two sorts are nearly all of the time, and NumPy sorts in parallel
        purity = other.submit(purity_of, L, clusters, n_neighbors)
        counts = counts_by_level(L, clusters)
    return Recovery(auc_of(*counts), precision_of(*counts), purity.result())


def cluster_auc(S, clusters):
    r"""Probability that a random pair within a cluster is more similar than a random pair across (ROC AUC; chance 0.5).

    .. math:: P(S_{\text{within}} > S_{\text{across}}) + \tfrac12 P(S_{\text{within}} = S_{\text{across}})

    Parameters: S (m, m) similarities, symmetric; clusters (m,) labels, at least two clusters, one with two items.
    Raises ValueError if shapes disagree, S is not symmetric, NaN or infinite, a label is missing, or all pairs are of
    one kind.
    Source: Mann and Whitney 1947; sklearn.metrics.roc_auc_score over the m(m−1)/2 unordered pairs.
    """
    return auc_of(*counts_by_level(*rounded(S, clusters)))


def average_precision(S, clusters):
    r"""Mean precision over the ranking of all pairs, most similar first (chance: the share of within-cluster pairs).

    .. math:: \sum_l (\text{recall}_l - \text{recall}_{l-1})\,\text{precision}_l \quad \text{over the levels of } S

    Parameters, errors: as for cluster_auc.
    Source: sklearn.metrics.average_precision_score over the m(m−1)/2 unordered pairs.
    """
    return precision_of(*counts_by_level(*rounded(S, clusters)))


def neighbor_purity(S, clusters, n_neighbors=10):
    """Share of an item's n_neighbors most similar others that are of its cluster, averaged over items.

    Items tied for the last places share them: each counts by its chance of being drawn.

    Parameters: S (m, m) similarities, symmetric; clusters (m,) labels; 1 ≤ n_neighbors < m.
    Raises ValueError if shapes disagree, S is not symmetric, NaN or infinite, a label is missing, or n_neighbors is out
    of range.
    Source: precision at n_neighbors, the item itself left out.
    """
    return purity_of(*rounded(S, clusters), n_neighbors)


def auc_of(within, across):
    """AUC from the numbers of pairs at each level of similarity, from the highest level down."""
    above = np.cumsum(across) - across  # across pairs that are more similar
    return float(1 - np.sum(within * (above + across / 2)) / (within.sum() * across.sum()))


def precision_of(within, across):
    """Average precision from the same numbers."""
    found = np.cumsum(within)
    return float(np.sum(within * found / (found + np.cumsum(across))) / found[-1])


def purity_of(L, clusters, n_neighbors):
    """Purity from levels (m, m) and clusters (m,)."""
    n_neighbors = valid_integer("n_neighbors", n_neighbors, 1, len(L) - 1)
    L = np.where(np.eye(len(L), dtype=bool), np.iinfo(L.dtype).min, L)
    same = clusters[:, None] == clusters
    last = np.partition(L, -n_neighbors, axis=1)[:, -n_neighbors, None]
    above, tied = last < L, last == L
    places = n_neighbors - above.sum(axis=1)
    found = (above & same).sum(axis=1) + places * (tied & same).sum(axis=1) / tied.sum(axis=1)
    return float(np.mean(found / n_neighbors))


def counts_by_level(L, clusters):
    """Numbers of pairs within and across clusters at each level of similarity, from the highest level down."""
    pairs = ~np.tri(len(L), dtype=bool)
    same = (clusters[:, None] == clusters)[pairs]
    if same.all() or not same.any():
        raise ValueError(f"clusters must have pairs within and across clusters, got {clusters.max() + 1} clusters")
    keys = np.sort(2 * L[pairs] + same)[::-1]  # one sort of integers, the lowest bit of which is the kind of pair
    starts = np.flatnonzero(np.diff(keys >> 1, prepend=np.iinfo(keys.dtype).max))
    within = np.add.reduceat(keys & 1, starts)
    return within, np.diff(starts, append=len(keys)) - within


def rounded(S, clusters):
    """The levels of S, (m, m), and clusters as integers from 0, (m,); ValueError if shapes disagree."""
    clusters = valid_labels("clusters", clusters)
    return levels(valid_square("S", S, len(clusters))), clusters


def levels(values):
    """Finite values as integers, in units of their last counted decimal: equal where values are tied."""
    scaled = values * (10**DECIMALS / max(1, values.max(), -values.min()))
    return np.rint(scaled, out=scaled).astype(np.int64)  # in place: fresh memory would take longer
