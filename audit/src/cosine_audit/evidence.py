"""What is seen in a model: units, biases, ranks, free scales, what balancing moves, chance, the health of a space."""

from functools import partial
from typing import NamedTuple

import numpy as np

from cosine_audit import gauges as g
from cosine_audit.neighbors import search, shared

NEARLY_CONSTANT, EXACTLY_CONSTANT = 0.05, 1e-4  # spread over mean
TOLERATED = 0.05  # imbalance, and share of neighbors that balancing may move


class Scales(NamedTuple):
    """What unit lengths leave undecided, as numbers of directions of a symmetric k×k matrix.

    users and items, after the lengths of that side alone; pooled, after those of both, to first order; surely, whether
    the pooled ones are free: then the solutions are a surface of so many dimensions.
    """

    users: int | None
    items: int
    pooled: int
    surely: bool


class Evidence(NamedTuple):
    """What was seen; None where the other factor, or what else it takes, was not given.

    imbalance of users and items, and weighted by counts; moved and moved_weighted (m,), each item's share of neighbors
    that balancing exchanges; biases, constant columns such as "users:8"; unit, the factors whose rows have length one;
    scales; unseen, how many directions of the items no user has a part in; flatness, least spread over mean of a
    direction of the items; same, the share of users that are parallel to an item; round, whether both factors are as
    large in every direction; nonnegative, whether no entry is below zero; again, the share of neighbors that a second
    run has, too.
    """

    imbalance: float | None = None
    weighted: float | None = None
    moved: np.ndarray | None = None
    moved_weighted: np.ndarray | None = None
    biases: tuple = ()
    unit: tuple = ()
    scales: Scales | None = None
    unseen: int = 0
    flatness: float = np.inf
    same: float = 0.0
    round: bool = False
    nonnegative: bool = False
    again: float | None = None


class Space(NamedTuple):
    """The items in several gauges: gauges, found (Neighbors by gauge), queries and distinct items (row numbers)."""

    gauges: dict
    found: dict
    queries: np.ndarray
    distinct: np.ndarray


def summaries(B, P=None, item_counts=None, user_counts=None, report=None):
    """Moments of items B (p, k) and users P (n, k) or None; with both counts, "weighted items" and users, too."""
    wanted = {"items": (B,)} | ({} if P is None else {"users": (P,)})
    if P is not None and item_counts is not None and user_counts is not None:
        wanted |= {"weighted items": (B, item_counts), "weighted users": (P, user_counts)}
    return {name: g.moments(*E, report=report and partial(report, f"moments of {name}")) for name, E in wanted.items()}


def look_at(B, P, about, space, again=None):
    """Evidence from items B (p, k) and users P (n, k) or None, their summaries and Space, a second run."""
    sides = {"items": B} | ({} if P is None else {"users": P})
    seen = Evidence(
        biases=tuple(f"{name}:{column}" for name in sides for column in constant_columns(about[name])),
        unit=tuple(name for name, E in sides.items() if have_length_one(E)),
        scales=free_scales(B, P),
        flatness=flatness(about["items"]),
        again=None if again is None else kept_by(space, again),
    )
    if P is None:
        return seen
    weighted, ball = "weighted items" in about, g.Moments(1.0, np.zeros(B.shape[1]), np.eye(B.shape[1]))
    return seen._replace(
        imbalance=g.imbalance(about["users"], about["items"]),
        weighted=g.imbalance(about["weighted users"], about["weighted items"]) if weighted else None,
        unseen=unseen_directions(about["users"], about["items"]),
        same=share_parallel(P, B),
        moved=moved_by(space, "balanced"),
        moved_weighted=moved_by(space, "weighted"),
        round=all(g.imbalance(about[name], ball) <= TOLERATED for name in sides),
        nonnegative=all(E.min() >= 0 for E in sides.values()),
    )


def moved_by(space, name):
    """The share of each query's neighbors that a gauge exchanges, (m,)."""
    return 1 - shared(space.found["given"].rows, space.found[name].rows) if name in space.found else None


def kept_by(space, again):
    """The share of the neighbors as given that items of a second run have, too."""
    given, U = space.found["given"], g.directions(again[space.distinct])
    some = g.directions(again[space.queries]).any(axis=1)
    rows = search(U, np.searchsorted(space.distinct, space.queries[some]), given.rows.shape[1]).rows
    return float(np.mean(shared(given.rows[some], space.distinct[rows])))


def look_up(B, gauges, sample=1_000, report=None):
    """The Space of the items: neighbors of up to so many distinct items in every gauge. Random, but always the same.

    Rows that are zero and rows parallel to an earlier one are left out, and queries without a direction in a gauge.
    """
    U = g.directions(B)
    distinct = first_of_each(U)
    if len(distinct) < 4:
        raise ValueError(f"items must have at least 4 different directions, got {len(distinct)}")
    queries = np.arange(len(distinct))
    if len(queries) > sample:
        queries = np.sort(np.random.default_rng(0).choice(queries, sample, replace=False))
    n = max(2, min(10, (len(distinct) - 1) // 2))
    kept, found = {}, {}
    for name, gauge in gauges.items():
        has = g.directions(B[distinct[queries]], gauge).any(axis=1)
        if has.sum() > n:
            kept[name], queries = gauge, queries[has]
    for name, gauge in kept.items():
        U = U[distinct] if name == "given" else g.directions(B[distinct], gauge)
        near = search(U, queries, n, report and partial(report, f"neighbors, {name}"))
        found[name] = near._replace(items=distinct[near.items], rows=distinct[near.rows])
    return Space(kept, found, distinct[queries], distinct)


def gauges_of(about, ranking):
    """The canonical gauges, and with counts the one that a penalty weighted by them has at its minimum."""
    items, k = about["items"], len(about["items"].mean)
    if "users" not in about:
        return {"given": g.Gauge(np.zeros(k), np.eye(k))}
    constant = NEARLY_CONSTANT if items.count >= 2 * k else EXACTLY_CONSTANT  # which chance makes one of few rows
    gauges = g.canonical_gauges(about["users"], items, ranking or flatness(items) < constant)
    if "weighted users" in about:
        back, s = g.projection(*(g.triangular_factor(about[f"weighted {side}"]) for side in ("users", "items")))
        gauges["weighted"] = g.Gauge(np.zeros(k), back * s**-0.5)
    return gauges


def first_of_each(U):
    """The row numbers of the first of each group of parallel rows, rows of zeros left out, ascending."""
    numbers, first = np.unique(g.fingerprints(U), return_index=True)
    return np.sort(first[numbers >= 0])


def share_parallel(P, B, most=20_000):
    """The share of (some) users that are parallel to an item: near 1 where one table was given twice, in any order."""
    some = g.directions(P[:: len(P) // most + 1])
    numbers = g.fingerprints(np.vstack([g.directions(B), some[some.any(axis=1)]]))
    return float(np.isin(numbers[len(B) :], numbers[: len(B)]).mean())


def constant_columns(about):
    """The columns of E whose spread is below 5 % of their mean: a list of numbers, from the Moments of E."""
    spread = np.linalg.norm(about.spread, axis=0) / np.sqrt(about.count)
    return np.flatnonzero(spread < NEARLY_CONSTANT * np.abs(about.mean)).tolist()


def flatness(about):
    r"""How nearly the rows of E lie in a common hyperplane that misses the origin: the same answer for every E M.

    .. math:: \min_v \frac{\mathrm{sd}(Ev)}{|\mathrm{mean}(Ev)|} = (\bar e^\top C^{-1} \bar e)^{-1/2}

    for the mean row ē and the covariance C. k rows or fewer always do: then it is infinite, as it says nothing.
    """
    k = len(about.mean)
    if about.count <= k:
        return np.inf
    _, s, Vt = np.linalg.svd(about.spread / np.sqrt(about.count))
    floor = 1e-10 * max(s[0], np.linalg.norm(about.mean))
    steep = np.linalg.norm(Vt @ about.mean / np.maximum(s, floor))
    return float(1 / steep) if steep > 0 else np.inf


def have_length_one(E):
    """Whether all rows of E but those that are zero have length one, within a hundredth."""
    lengths = (np.linalg.norm(rows[rows.any(axis=1)], axis=1) for _, rows in g.blocks(E))
    return all(np.all(np.abs(some - 1) < 0.01) for some in lengths)


def unseen_directions(users, items):
    """How many directions of the items no user has a part in, so that no score sees them; from Moments."""
    _, s, Vt = np.linalg.svd(g.triangular_factor(items), full_matrices=False)
    kept = Vt[s > g.NEGLIGIBLE * s[0]]
    R = g.triangular_factor(users)
    seen = np.linalg.svd(R @ kept.T, compute_uv=False)
    return len(kept) - int(np.sum(seen > g.NEGLIGIBLE * np.linalg.norm(R)))


def free_scales(B, P=None):
    r"""How many scales unit lengths of items B, and users P if given, leave free: Scales.

    Two models with the same scores differ by an M. With :math:`S = M M^\top`, users of length one before and after say
    :math:`p^\top (S - I)\,p = 0`, items :math:`b^\top (S^{-1} - I)\,b = 0`. So S = I if the :math:`p p^\top` alone, or
    the :math:`b b^\top` alone, span the symmetric matrices. If only both together do, S = I has no other solution
    *near* it. If they do not, are independent and the items span all k dimensions, other solutions have other cosines.
    """
    sides = [directions_of(E) for E in (B, P) if E is not None]
    free = [wanted - rank for wanted, rank, _ in map(wanted_and_rank, sides)]
    wanted, rank, independent = wanted_and_rank(np.vstack(sides))
    spans = np.linalg.matrix_rank(sides[0]) == B.shape[1]
    surely = bool(independent and spans and rank < wanted)
    return Scales(None if P is None else free[1], free[0], wanted - rank, surely)


def directions_of(E):
    """Different directions among some 2k(k + 1) rows of E, either sign of one being the same."""
    k = E.shape[1]
    some = g.unit(np.asarray(E[:: len(E) // (2 * k * (k + 1)) + 1], dtype=float))
    some = some[some.any(axis=1)]
    side = np.sign(some @ np.random.default_rng(0).normal(size=(k, 1)))
    return np.unique(np.round(some * side, 12), axis=0)


def wanted_and_rank(E):
    r"""k(k + 1)/2, the rank of the :math:`e e^\top` of rows e, and whether none of these depends on the others.

    Beyond 64 columns rows are counted, which is the rank of rows in general position; whether they are is tried with
    1 000 of them, and if not, the rank of these is what is counted.
    """
    k = E.shape[1]
    wanted = k * (k + 1) // 2
    if k > 64:
        some = E[:: len(E) // 1000 + 1]
        products = (some @ some.T) ** 2  # the inner products of the matrices e eᵀ
    else:
        i, j = np.triu_indices(k)
        squares = E[:, i] * E[:, j] * np.where(i == j, 1, np.sqrt(2))
        some, products = E, squares.T @ squares
    sizes = np.linalg.eigvalsh(products)
    rank = int(np.sum(sizes > 1e-10 * sizes[-1]))
    if k > 64 and rank == len(some):
        return wanted, min(wanted, len(E)), len(E) <= wanted
    return wanted, rank, rank == len(some)


def chance(E, m=1_000):
    """The cosine that one pair of items in a thousand exceeds by chance, for embeddings with mean and spread of E.

    E is turned to its principal axes, so that a rotation of E changes nothing, and there each column is shuffled: an
    axis keeps its mean, so a mean far from zero makes the threshold large. Random, but always the same.
    """
    rng = np.random.default_rng(2)
    some = np.asarray(E[np.sort(rng.choice(len(E), min(len(E), 20_000), replace=False))], dtype=float)
    turned = some[some.any(axis=1)] @ np.linalg.svd(g.moments(some).spread)[2].T
    drawn = [np.take_along_axis(turned, rng.integers(len(turned), size=(m, turned.shape[1])), axis=0) for _ in "PB"]
    drawn = [g.unit(np.resize(rows[rows.any(axis=1)], rows.shape)) for rows in drawn]
    return float(np.quantile(drawn[0] @ drawn[1].T, 0.999))


def health(U):
    """Of rows of length one: the five numbers that `verdict.HEALTH` names.

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
