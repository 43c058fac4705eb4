"""Each item's nearest others, exactly, by blocks of NumPy products."""

from typing import NamedTuple

import numpy as np

from cosine_audit.gauges import valid_integer

CELLS = 2**24  # cosines at once


class Neighbors(NamedTuple):
    """items (m,), the queries; rows (m, n), their nearest others, nearest first; cosines (m, n)."""

    items: np.ndarray
    rows: np.ndarray
    cosines: np.ndarray


def top(S, n):
    """Column numbers of the n largest of each row of S, the largest first; of equal ones the smaller number first."""
    groups = min(S.shape[1], 8 * n)  # whose n-th largest maximum is a bound, found in half the time of the n-th largest
    maxima = S[:, : S.shape[1] // groups * groups].reshape(len(S), -1, groups).max(axis=1)
    bounds = np.partition(maxima, -n, axis=1)[:, -n, None]
    rows, columns = np.divmod(np.flatnonzero(bounds <= S), S.shape[1])
    columns = columns[np.lexsort((-S[rows, columns], rows))]
    return columns[np.searchsorted(rows, np.arange(len(S)))[:, None] + np.arange(n)]


def nearest(S, n_neighbors=10):
    """The most similar others of each item, the nearest first.

    Similarities that agree to ten decimals (of the largest magnitude, if that is above 1) are tied; of tied items the
    one with the smaller number comes first.
    Parameters: S (p, p) similarities, symmetric; 1 ≤ n_neighbors < p.
    Returns: (p, n_neighbors) row numbers, the item's own never among them.
    Raises ValueError if S is not symmetric, NaN or infinite, or n_neighbors is out of range.
    """
    S = np.array(S, dtype=float)
    size = max(S.max(), -S.min()) if S.size else np.nan
    if S.ndim != 2 or S.shape[0] != S.shape[1] or not np.isfinite(size):
        raise ValueError(f"S must be a symmetric matrix of finite numbers, got shape {S.shape}")
    if np.max(S - S.T) > 1e-9 * size:
        raise ValueError(f"S must be a symmetric {len(S)}×{len(S)} matrix, got one that is not")
    n = valid_integer("n_neighbors", n_neighbors, 1, len(S) - 1)
    np.round(S / max(1, size), 10, out=S)
    np.fill_diagonal(S, -np.inf)
    return top(S, n)


def overlap(neighbors, others):
    r"""Mean share of an item's neighbors in one list that are also in another.

    .. math:: \frac1p \sum_i \frac{\#(N_i \cap N'_i)}{n}

    Parameters: neighbors, others (p, n), row numbers without repetition, as `nearest` returns them.
    Returns: a float in [0, 1], dimensionless; two random lists share n/(p − 1) on average.
    Raises ValueError if shapes disagree.
    """
    return float(np.mean(shared(neighbors, others)))


def shared(neighbors, others):
    """The same share for each item, (p,)."""
    neighbors, others = np.asarray(neighbors), np.asarray(others)
    if neighbors.ndim != 2 or neighbors.shape != others.shape:
        raise ValueError(f"neighbors and others must be lists of one shape, got {neighbors.shape} and {others.shape}")
    return np.mean(np.any(neighbors[:, :, None] == others[:, None, :], axis=2), axis=1)


def beyond_chance(share, chance):
    """What of a share of neighbors chance does not explain: 1 if all stay, 0 if as many as by chance."""
    return (share - chance) / (1 - chance)


def search(U, queries, n, progress=None, asking=None):
    """The n nearest others of some items: Neighbors.

    Parameters: U (p, r), rows of length one; queries (m,), row numbers; n < p; progress, called with the share done;
    asking (p, r), other vectors of the same items that ask among the rows of U, by default these themselves.
    """
    found = Neighbors(queries, np.empty((len(queries), n), dtype=int), np.empty((len(queries), n)))
    step = max(1, min(512, CELLS // len(U)))
    for start in range(0, len(queries), step):
        some = queries[start : start + step]
        S = (U if asking is None else asking)[some] @ U.T
        if S.dtype == float:  # float32 has no tenth digit
            np.round(S, 10, out=S)
        S[np.arange(len(some)), some] = -np.inf
        found.rows[start : start + step] = rows = top(S, n)
        found.cosines[start : start + step] = np.clip(np.take_along_axis(S, rows, axis=1), -1, 1)
        if progress:
            progress(min(1.0, (start + step) / len(queries)))
    return found


def certified(cosines, cond):
    r"""Which nearest neighbors no M of condition number at most c = cond can change, (m,) booleans.

    .. math:: \operatorname{artanh} s_1 - \operatorname{artanh} s_2 > 2 \ln c

    for the cosines s₁ ≥ s₂ of the two nearest neighbors. It suffices, and is not necessary.
    """
    z = np.arctanh(np.clip(cosines[:, :2], -1 + 1e-15, 1 - 1e-15))
    return z[:, 0] - z[:, 1] > 2 * np.log(cond)
