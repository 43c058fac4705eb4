r"""What a fair comparison needs: held-out users, parameters chosen on other data, and intervals.

A method's parameters are chosen in one of two ways. Without labels: by how well held-out interactions are predicted.
With labels: as the setting that is best, on average, in all *other* data sets. Neither looks at what it is judged by.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import stdtrit

from helpers.arguments import valid_data, valid_generator, valid_integer, valid_matrix, valid_number, valid_numbers
from helpers.recovery import DECIMALS, levels


class Interval(NamedTuple):
    """The mean over data sets, and the ends of its interval; each of the shape of one data set's values."""

    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @property
    def sign(self):
        """1 where the interval lies above 0, −1 where it lies below, 0 where it holds 0: not decided."""
        return np.subtract(np.greater(self.low, 0), np.less(self.high, 0), dtype=int)


def t_interval(values, confidence=0.95):
    r"""Mean over the first axis, with Student's t interval; for a paired comparison, pass the differences.

    .. math:: \bar x \pm t_{(1 + \text{confidence})/2,\; m-1}\,\frac{\mathrm{sd}}{\sqrt m}

    Parameters: values (m, …), m ≥ 2 data sets; confidence strictly between 0 and 1.
    Returns: an Interval, in the units of values.
    Raises ValueError if there are fewer than two data sets, or a value is NaN or infinite.
    Source: Student 1908.
    """
    values = valid_numbers("values", values)
    confidence = valid_number("confidence", confidence, 0, 1, strictly=True)
    if values.ndim == 0 or len(values) < 2:
        raise ValueError(f"values must hold at least two data sets, got shape {values.shape}")
    mean, error = values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(len(values))
    half = stdtrit(len(values) - 1, (1 + confidence) / 2) * error
    return Interval(mean, mean - half, mean + half)


def chosen_elsewhere(scores):
    """For each data set, the setting that is best on average in all others: leave one data set out.

    Parameters: scores (m, settings), m ≥ 2 data sets, larger is better.
    Returns: (m,) columns of scores; of equally good settings the first.
    Raises ValueError if there are fewer than two data sets, or a score is NaN or infinite.
    """
    scores = valid_matrix("scores", scores)
    if len(scores) < 2:
        raise ValueError(f"scores must hold at least two data sets, got {len(scores)}")
    others = (1 - np.eye(len(scores))) @ scores
    return np.argmax(others >= others.max(axis=1, keepdims=True) - 1e-12, axis=1)


def hide(rng, X, share=0.2):
    """Split each user's interactions at random into those that a recommender may see and those it has to find.

    Parameters: rng, a numpy Generator; X (n, p), dense or sparse; share of each user's interactions to hide, rounded up
    to whole interactions but never all of them.
    Returns: seen, hidden, both (n, p) CSR, seen + hidden = X; a user of a single interaction keeps it.
    Raises ValueError if share is not between 0 and 1, TypeError if rng is no Generator.
    """
    rng, X = valid_generator(rng), sp.csr_array(valid_data(X), copy=True)
    share = valid_number("share", share, 0, 1)
    X.sum_duplicates()
    X.eliminate_zeros()
    sizes = np.diff(X.indptr)
    rank = np.argsort(np.repeat(np.arange(len(sizes)), sizes) + rng.random(X.nnz), kind="stable")  # by user
    place = np.empty(X.nnz, dtype=int)
    place[rank] = np.arange(X.nnz) - np.repeat(X.indptr[:-1], sizes)
    wanted = np.ceil(np.round(share * sizes, 9))  # 0.07 · 100 is 7.000000000000001
    hidden = place < np.repeat(np.minimum(wanted, sizes - 1), sizes)
    parts = [sp.csr_array((X.data * part, X.indices, X.indptr), X.shape, copy=True) for part in (~hidden, hidden)]
    for part in parts:
        part.eliminate_zeros()
    return tuple(parts)


def recall_at(scores, seen, hidden, n=20):
    r"""Share of a user's hidden items among the n best that the user has not seen, averaged over users with any hidden.

    .. math:: \frac{\#(\text{n best} \cap \text{hidden})}{\min(n, \#\text{hidden})}

    Parameters: scores (n_users, p); seen, hidden (n_users, p), dense or sparse, nonzero where the user took the item;
    1 ≤ n ≤ p. What a user has seen is no candidate. Scores that agree to ten decimals, as in `recovery`, are tied, and
    tied items come in one fixed random order.
    Returns: a float in [0, 1], dimensionless.
    Raises ValueError if shapes disagree, nothing is hidden, or an item is both seen and hidden.
    Source: strong generalization of Liang et al. 2018.
    """
    return float(np.mean(recalls(scores, seen, hidden, n)))


def ndcg_at(scores, seen, hidden, n=100):
    r"""Normalized discounted cumulative gain of the n best items that the user has not seen, averaged like recall_at.

    .. math:: \sum_{r \le n} \frac{\text{hit}_r}{\log_2(r + 1)}
              \Big/ \sum_{r \le \min(n, \#\text{hidden})} \frac{1}{\log_2(r + 1)}

    Parameters, errors: as for recall_at. Returns: a float in [0, 1], dimensionless.
    Source: Järvelin and Kekäläinen 2002.
    """
    return float(np.mean(ndcgs(scores, seen, hidden, n)))


def recalls(scores, seen, hidden, n=20):
    """recall_at of each user with anything hidden."""
    hits, ideal = hits_at(scores, seen, hidden, n)
    return hits.sum(axis=1) / ideal.sum(axis=1)


def ndcgs(scores, seen, hidden, n=100):
    """ndcg_at of each user with anything hidden."""
    hits, ideal = hits_at(scores, seen, hidden, n)
    discount = 1 / np.log2(np.arange(2, n + 2))
    return hits @ discount / (ideal @ discount)


def taken(name, M, shape):
    """Where M, dense or sparse, is not zero; ValueError if it is not of that shape."""
    M = valid_data(M, name)
    if M.shape != shape:
        raise ValueError(f"{name} must have the shape of scores, {shape}, got {M.shape}")
    return (M.toarray() if sp.issparse(M) else M) != 0


def hits_at(scores, seen, hidden, n):
    """Which of the n best unseen items are hidden ones, and which places a perfect ranking hits: (users, n) each."""
    scores = valid_matrix("scores", scores)
    seen, hidden = (taken(name, M, scores.shape) for name, M in (("seen", seen), ("hidden", hidden)))
    if np.any(seen & hidden):
        raise ValueError(f"hidden must not have items that were seen, got {np.sum(seen & hidden)} of them")
    n = valid_integer("n", n, 1, scores.shape[1])
    users = hidden.any(axis=1)
    if not users.any():
        raise ValueError("hidden must have at least one item, got none")
    ranked, n_items = levels(scores[users]), scores.shape[1]
    ranked[seen[users]] = -2 * 10**DECIMALS  # below all others
    order = np.random.default_rng(0).permutation(n_items)  # of tied items
    ranked *= -n_items
    ranked += order  # no two of a user tie, and the remainder says whose a place is
    ranked.partition(n - 1, axis=1)
    best = np.argsort(order)[np.sort(ranked[:, :n], axis=1) % n_items]
    return np.take_along_axis(hidden[users], best, axis=1), np.arange(n) < hidden[users].sum(axis=1, keepdims=True)
