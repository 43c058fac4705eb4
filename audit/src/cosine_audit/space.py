"""The items in several gauges: whose neighbors are whose, what chance would make near, and the health of the space."""

from functools import partial
from typing import NamedTuple

import numpy as np

from cosine_audit import gauges as g
from cosine_audit.neighbors import Neighbors, search, shared


class Space(NamedTuple):
    """The items in several gauges: gauges, found (Neighbors by gauge), queries and distinct items (row numbers)."""

    gauges: dict
    found: dict
    queries: np.ndarray
    distinct: np.ndarray


def look_up(B, gauges, sample=1_000, progress=None):
    """The Space of the items: neighbors of up to so many distinct items in every gauge. Random, but always the same.

    Rows that are zero and rows parallel to an earlier one are left out. A query without a direction in a gauge has the
    rows −1 there, and the cosines NaN; a gauge in which not more than n queries have one is left out.
    """
    U = g.directions(B)
    distinct = first_of_each(U)
    if len(distinct) < 4:
        why = ": the model has collapsed to one direction" if len(distinct) < 3 and len(B) > 3 else ""
        raise ValueError(f"items must have at least 4 different directions, got {len(distinct)}{why}")
    queries = g.drawn(len(distinct), sample)
    n = max(2, min(10, (len(distinct) - 1) // 2))
    kept, found = {}, {}
    for name, gauge in gauges.items():
        U = U[distinct] if name == "given" else g.directions(B[distinct], gauge)
        has = U[queries].any(axis=1)
        if has.sum() > n:
            near = search(U, queries, n, progress and partial(progress, f"neighbors, {name}"))
            rows = np.where(has[:, None], distinct[near.rows], -1)
            kept[name] = gauge
            found[name] = Neighbors(distinct[queries], rows, np.where(has[:, None], near.cosines, np.nan))
    return Space(kept, found, distinct[queries], distinct)


def first_of_each(U):
    """The row numbers of the first of each group of parallel rows, rows of zeros left out, ascending."""
    numbers, first = np.unique(g.fingerprints(U), return_index=True)
    return np.sort(first[numbers >= 0])


def gauges_of(about, ranking):
    """The canonical gauges, and with counts the one that a penalty weighted by them has at its minimum."""
    k = len(about["items"].mean)
    if "users" not in about:
        return {"given": g.Gauge(np.zeros(k), np.eye(k))}
    gauges = g.canonical_gauges(about["users"], about["items"], ranking)
    if "weighted users" in about:
        back, s = g.projection(*(g.triangular_factor(about[f"weighted {side}"]) for side in ("users", "items")))
        gauges["weighted"] = g.Gauge(np.zeros(k), back * s**-0.5)
    return gauges


def moved_by(space, name):
    """The share of each query's neighbors that a gauge exchanges, (m,): all, where it leaves the query no direction."""
    return 1 - shared(space.found["given"].rows, space.found[name].rows)


def kept_by(space, again):
    """The share of the neighbors as given that items of a second run have, too."""
    given, U = space.found["given"], g.directions(again[space.distinct])
    some = g.directions(again[space.queries]).any(axis=1)
    if 2 * some.sum() < len(some):
        least = "a row other than zero for half of the items looked up"
        raise ValueError(f"again must have {least}, got {some.sum()} of {len(some)}")
    rows = search(U, np.searchsorted(space.distinct, space.queries[some]), given.rows.shape[1]).rows
    return float(np.mean(shared(given.rows[some], space.distinct[rows])))


def chance(E):
    """The cosine that one pair of items in a thousand exceeds by chance, for embeddings with mean and spread of E.

    E is turned to its principal axes, so that a rotation of E changes nothing, and there each column is shuffled: an
    axis keeps its mean, so a mean far from zero makes the threshold large. Random, but always the same.
    """
    rng = np.random.default_rng(2)
    some = np.asarray(E[np.sort(rng.choice(len(E), min(len(E), 20_000), replace=False))], dtype=float)
    turned = some[some.any(axis=1)] @ np.linalg.svd(g.moments(some).spread)[2].T
    first, second = np.take_along_axis(
        turned[None], rng.integers(len(turned), size=(2, 1_000, turned.shape[1])), axis=1
    )
    first, second = (g.unit(np.resize(rows[rows.any(axis=1)], rows.shape)) for rows in (first, second))
    return float(np.quantile(first @ second.T, 0.999))


def health(U):
    """Of rows of length one: the five numbers that `findings.HEALTH` names.

    The effective rank is exp of the entropy of the shares of the squared singular values, from 1 to k; a hub is among
    the nearest of very many others.
    """
    m, total = len(U), U.sum(axis=0, dtype=float)
    squares = np.linalg.svd(g.triangular_factor(g.moments(U)), compute_uv=False) ** 2
    shares = squares[squares > 0] / squares.sum()
    near = search(U, np.arange(m), min(10, m - 1))
    times = np.bincount(near.rows.ravel(), minlength=m) - near.rows.shape[1]
    skewness = np.mean(times**3) / max(np.mean(times**2), 1e-12) ** 1.5
    mean = (total @ total - m) / (m * (m - 1))
    return mean, shares[0], np.exp(-np.sum(shares * np.log(shares))), skewness, np.mean(near.cosines[:, 0] > 0.999)
