"""Each item's nearest others, how many two lists share, and the choices of D whose lists the book compares."""

import numpy as np

from helpers.arguments import valid_integer, valid_singular_values, valid_square
from helpers.models import shrinkage
from helpers.recovery import levels


def nearest(S, n_neighbors=10):
    """The most similar others of each item, the nearest first.

    Similarities that agree to ten decimals, as in `recovery`, are tied; of tied items the one with the smaller number
    comes first.
    Parameters: S (p, p) similarities, symmetric; 1 ≤ n_neighbors < p.
    Returns: (p, n_neighbors) row numbers, the item's own never among them.
    Raises ValueError if S is not symmetric, NaN or infinite, or n_neighbors is out of range.
    """
    S = valid_square("S", S)
    p = len(S)
    n_neighbors = valid_integer("n_neighbors", n_neighbors, 1, p - 1)
    keys = np.arange(p) - p * levels(S)  # no two of a row tie
    np.fill_diagonal(keys, np.iinfo(keys.dtype).max)
    found = np.argpartition(keys, n_neighbors - 1, axis=1)[:, :n_neighbors]
    return np.take_along_axis(found, np.argsort(np.take_along_axis(keys, found, axis=1), axis=1), axis=1)


def overlap(neighbors, others):
    r"""Mean share of an item's neighbors in one list that are also in another.

    .. math:: \frac1p \sum_i \frac{\#(N_i \cap N'_i)}{n}

    Parameters: neighbors, others (p, n), row numbers without repetition, as `nearest` returns them.
    Returns: a float in [0, 1], dimensionless; two random lists share n/(p − 1) on average.
    Raises ValueError if shapes disagree.
    """
    neighbors, others = np.asarray(neighbors), np.asarray(others)
    if neighbors.ndim != 2 or neighbors.shape != others.shape:
        raise ValueError(f"neighbors and others must be lists of one shape, got {neighbors.shape} and {others.shape}")
    return float(np.mean(np.any(neighbors[:, :, None] == others[:, None, :], axis=2)))


def choices_of_d(s, lam):
    r"""Six choices of D for :math:`\hat A D, \hat B D^{-1}` with Eq. 5's factors: one table of scores, six of cosines.

    :math:`D = \sqrt g` and :math:`1/\sqrt g`, the paper's two; I between them; :math:`1/\sqrt\sigma`, the balanced
    split; :math:`1/(\sigma\sqrt g)`, under which item–item cosines are those of the columns of the scores (projecting
    back); and one drawn at random, :math:`\ln d` normal with deviation 1, always the same.
    Parameters: s (k,) singular values > 0; lam ≥ 0. Returns: a dict from name to d (k,).
    Raises ValueError if lam < 0 or s has an entry that is not finite and > 0.
    Source: Steck et al. 2024, Section 2.2 and below Eq. 6; the fifth is f = σ g.
    """
    s, g = valid_singular_values(s), shrinkage(s, lam)
    if not s.all():
        raise ValueError(f"s must be > 0, got {s}")
    return {
        "D = √g": np.sqrt(g),
        "D = I": np.ones_like(s),
        "D = 1/√g": 1 / np.sqrt(g),
        "D = 1/√σ": 1 / np.sqrt(s),
        "D = 1/(σ√g)": 1 / (s * np.sqrt(g)),
        "D drawn": np.exp(np.random.default_rng(0).normal(size=len(s))),
    }
