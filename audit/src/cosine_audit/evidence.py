"""What is seen in a model: units, biases, ranks, free scales, what balancing moves, chance, the health of a space."""

from functools import cache, cached_property, partial
from typing import NamedTuple

import numpy as np

from cosine_audit import gauges as g
from cosine_audit.neighbors import search, shared

NEARLY_CONSTANT, EXACTLY_CONSTANT = 0.05, 1e-4  # spread over mean
TOLERATED = 0.05  # imbalance, and share of neighbors that balancing may move
THIN = 1e-3  # of the largest singular value: with logits of 20, what is below it moves them by 0.02
FIRM = 0.05  # of `hold`: scores that change by 1 % then change a cosine by up to 0.016 / √(2 FIRM) = 0.05 on average
ALIKE = 1e-5  # 1 − |cosine| of a row and its copy with two decimals, or in float16
COLLAPSED = 0.999  # of the squared lengths along one direction: then all cosines are within 0.002 of 1 or −1


class Balance(NamedTuple):
    """Of the way from given to balanced factors: imbalance; what that exchanges of each query's neighbors, moved (m,);
    the mean change of a cosine of two queries; the condition number of its M, stretch. None for what is not known.
    """

    imbalance: float
    moved: np.ndarray | None = None
    changed: float | None = None
    stretch: float = np.inf


class Lengths:
    """What rows of length one of items B (p, k) and users P (n, k) leave open; found out when it is asked for.

    full, of each side, the least over the largest singular value; rank, of the items; seen, the least ratio of
    users' to items' mean square along a direction (0 for items of rank < k); flat_users, see `flatness`;
    firm(side, shifted), whether the directions of a side hold every scale, see `hold`.
    """

    def __init__(self, B, P, about):
        """about, the Moments of both."""
        self.sides = {"users": P, "items": B}
        R = {side: g.triangular_factor(about[side]) for side in self.sides}
        s = {side: np.linalg.svd(R[side], compute_uv=False) for side in self.sides}
        self.full = {side: float(s[side][-1] / s[side][0]) if len(s[side]) == B.shape[1] else 0.0 for side in s}
        self.rank = int(np.sum(s["items"] > g.NEGLIGIBLE * s["items"][0]))
        self.seen = 0.0
        if self.full["items"] > g.NEGLIGIBLE:
            ratios = np.linalg.svd(np.linalg.solve(R["items"].T, R["users"].T), compute_uv=False)
            self.seen = float(ratios[-1] ** 2 * about["items"].count / about["users"].count)
        self.flat_users = flatness(about["users"])
        self.firm = cache(lambda side, shifted=False: hold(self.sides[side], shifted) >= FIRM)

    @cached_property
    def free(self):
        """In how many directions other solutions surely exist."""
        return surely_free(self.sides["items"], self.sides["users"], self.rank)


class Evidence(NamedTuple):
    """What was seen; None where the other factor, or what else it takes, was not given.

    balance of users and items, and weighted by counts; biases, constant columns such as "users:8"; unit, the factors
    whose rows have length one; lengths, what these determine; unseen, how many directions of the items no user has a
    part in; flatness, least spread over mean of a direction of the items; same, the share of users parallel to
    an item; round, whether both factors, or their deviations from the mean, are as large in every direction;
    nonnegative, whether no entry is below zero; collapsed, the factors of which one direction holds nearly all; again,
    the share of neighbors that a second run has, too; untrained, how many rows have a count of 0 and are not zero.
    """

    balance: Balance | None = None
    weighted: Balance | None = None
    biases: tuple = ()
    unit: tuple = ()
    lengths: Lengths | None = None
    unseen: int = 0
    flatness: float = np.inf
    same: float = 0.0
    round: bool = False
    nonnegative: bool = False
    collapsed: tuple = ()
    again: float | None = None
    untrained: int = 0


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


def look_at(B, P, about, space, again=None, counts=(None, None)):
    """Evidence from items B (p, k) and users P (n, k) or None, their summaries and Space, a second run, both counts."""
    sides = {"items": B} | ({} if P is None else {"users": P})
    seen = Evidence(
        biases=tuple(f"{name}:{column}" for name in sides for column in constant_columns(about[name])),
        unit=tuple(name for name, E in sides.items() if have_length_one(E)),
        flatness=flatness(about["items"]),
        collapsed=tuple(name for name, E in sides.items() if share_of_the_first(E) > COLLAPSED),
        again=None if again is None else kept_by(space, again),
        untrained=sum(len(untrained(E, one)) for E, one in zip((B, P), counts, strict=True) if one is not None),
    )
    if P is None:
        return seen
    return seen._replace(
        balance=balance_of(about["users"], about["items"], space, "balanced", B, about),
        weighted=balance_of(about["weighted users"], about["weighted items"], space, "weighted", B, about)
        if "weighted items" in about
        else None,
        lengths=Lengths(B, P, about) if len(seen.unit) == 2 else None,
        unseen=unseen_directions(about["users"], about["items"]),
        same=share_parallel(P, B),
        round=any(all(is_round(about[name], centered) for name in sides) for centered in (False, True)),
        nonnegative=all(E.min() >= 0 for E in sides.values()),
    )


def balance_of(users, items, space, name, B, about):
    """The Balance of Moments of users and items, and what the gauge of that name does to the items B (p, k)."""
    imbalance = g.imbalance(users, items)
    if name not in space.found:
        return Balance(imbalance)
    some = B[space.queries[:: len(space.queries) // 1_000 + 1]]
    before, after = (g.directions(some, space.gauges[one]) for one in ("given", name))
    changed = np.abs(before @ before.T - after @ after.T)[np.triu_indices(len(some), 1)].mean()
    stretch = g.condition(about["items"], space.gauges[name], THIN)
    return Balance(imbalance, moved_by(space, name), float(changed), stretch)


def moved_by(space, name):
    """The share of each query's neighbors that a gauge exchanges, (m,)."""
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


def look_up(B, gauges, sample=1_000, report=None):
    """The Space of the items: neighbors of up to so many distinct items in every gauge. Random, but always the same.

    Rows that are zero and rows parallel to an earlier one are left out, and queries without a direction in a gauge.
    """
    U = g.directions(B)
    distinct = first_of_each(U)
    if len(distinct) < 4:
        why = ": the model has collapsed to one direction" if len(distinct) < 3 and len(B) > 3 else ""
        raise ValueError(f"items must have at least 4 different directions, got {len(distinct)}{why}")
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
    flat = items.count > k and flatness(items) < constant  # k rows always are
    gauges = g.canonical_gauges(about["users"], items, ranking or flat)
    if "weighted users" in about:
        back, s = g.projection(*(g.triangular_factor(about[f"weighted {side}"]) for side in ("users", "items")))
        gauges["weighted"] = g.Gauge(np.zeros(k), back * s**-0.5)
    return gauges


def first_of_each(U):
    """The row numbers of the first of each group of parallel rows, rows of zeros left out, ascending."""
    numbers, first = np.unique(g.fingerprints(U), return_index=True)
    return np.sort(first[numbers >= 0])


def share_parallel(P, B, most=500):
    """The share of (some) users nearly parallel to an item: near 1 where one table was given twice, in any order."""
    filled = np.flatnonzero(P.any(axis=1))
    some = g.directions(P[filled[:: len(filled) // most + 1]])
    nearest = np.zeros(len(some))
    for _, rows in g.blocks(B):
        nearest = np.maximum(nearest, np.abs(some @ g.unit(rows).T).max(axis=1))
    return float(np.mean(nearest > 1 - ALIKE))


def is_round(about, centered):
    """Whether rows, or their deviations from the mean row, are as large in every direction, from Moments."""
    zero = np.zeros(len(about.mean))
    about = about._replace(mean=zero) if centered else about
    return g.imbalance(about, g.Moments(1.0, zero, np.eye(len(zero)))) <= TOLERATED


def untrained(E, counts):
    """The numbers of the rows that have a count of 0 and are not zero: nothing trained these."""
    return np.flatnonzero((counts == 0) & E.any(axis=1))


def constant_columns(about):
    """The columns of E whose spread is below 5 % of their mean: a list of numbers, from the Moments of E."""
    spread = np.linalg.norm(about.spread, axis=0) / np.sqrt(about.count)
    return np.flatnonzero(spread < NEARLY_CONSTANT * np.abs(about.mean)).tolist()


def flatness(about):
    r"""How nearly the rows of E lie in a common hyperplane that misses the origin: the same answer for every E M.

    .. math:: \min_v \frac{\mathrm{sd}(Ev)}{|\mathrm{mean}(Ev)|} = (\bar e^\top C^{-1} \bar e)^{-1/2}

    for the mean row ē and the covariance C. k rows or fewer that are independent always do: then it is 0. It is ∞ where
    the mean is 0, as of rows in a hyperplane through the origin that have no other such direction.
    """
    k = len(about.mean)
    _, s, Vt = np.linalg.svd(np.vstack([about.spread / np.sqrt(about.count), np.zeros((k, k))]), full_matrices=False)
    floor = 1e-10 * max(s[0], np.linalg.norm(about.mean))
    steep = np.linalg.norm(Vt @ about.mean / np.maximum(s, floor))
    return float(1 / steep) if steep > 0 else np.inf


def have_length_one(E):
    """Whether all rows of E but those that are zero have length one, within two thousandths."""
    lengths = (np.linalg.norm(rows[rows.any(axis=1)], axis=1) for _, rows in g.blocks(E))
    return all(np.all(np.abs(some - 1) < 0.002) for some in lengths)


def unseen_directions(users, items):
    """How many directions of the items no user has a part in, so that no score sees them; from Moments."""
    _, s, Vt = np.linalg.svd(g.triangular_factor(items), full_matrices=False)
    kept = Vt[s > g.NEGLIGIBLE * s[0]]
    R = g.triangular_factor(users)
    seen = np.linalg.svd(R @ kept.T, compute_uv=False)
    return len(kept) - int(np.sum(seen > g.NEGLIGIBLE * np.linalg.norm(R)))


def share_of_the_first(E):
    """The share of the squared lengths of (some) rows, at length one, that lies along one direction: 1/k to 1."""
    some = g.directions(E[:: len(E) // 5_000 + 1])
    return float(np.linalg.norm(some, 2) ** 2 / max(1, np.sum(some.any(axis=1))))


def hold(E, shifted=False):
    r"""How firmly the directions of rows of length one hold every scale: 0, not at all, to about 1, as an even sphere.

    Two models with the same scores differ by an M. With :math:`S = M M^\top`, rows of length one before and after say
    :math:`e^\top (S - I)\,e = 0`, so S = I if the :math:`e e^\top` span the symmetric matrices. How firmly they do is

    .. math:: \tfrac{k(k+2)}{2}\, \min_{\|N\|_F = 1} \operatorname{mean}\,(e^\top N e)^2

    of whitened rows (an invertible map of the rows changes no span), by Lanczos' method, with no matrix of size k².
    shifted: rows (e, 1), which hold M and a translation, too; of their N that one is left out which is 0 on the sphere.
    0 where there are too few rows, or they hardly fill their dimensions. Of many rows 20 000, or 4k² if that is more,
    are looked at, chosen at random but always the same.

    What FIRM means: rows whose squared lengths S changes by ε on average (root mean square) allow
    :math:`\|S - I\|_F = \varepsilon \sqrt{k(k+2) / (2\,\mathrm{hold})}`, and cosines of rows spread evenly then change
    by √(2/π)/k times that on average. Scores change by 1 % where lengths do, and squared lengths by ε = 2 %: cosines by
    0.016 / √(2 hold), in any number of dimensions.
    """
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

    k = E.shape[1] + shifted
    most = max(20_000, 4 * k * (k + 1))
    some = np.random.default_rng(0).choice(len(E), most, replace=False) if len(E) > most else slice(None)
    Z = np.asarray(E[some], dtype=float)
    Z = Z[Z.any(axis=1)]
    Z = np.hstack([Z, np.ones((len(Z), int(shifted)))])
    R = np.linalg.qr(Z, mode="r")
    s = np.linalg.svd(R, compute_uv=False)
    if len(Z) < k * (k + 1) // 2 - shifted or s[-1] < THIN * s[0]:
        return 0.0
    Z = g.unit(np.linalg.solve(R.T, Z.T).T)
    sphere = R @ np.diag([*np.ones(k - 1), -1.0]) @ R.T
    sphere *= shifted / np.linalg.norm(sphere)
    scale = k * (k + 2) / 2 / len(Z)
    largest = scale * np.linalg.norm(Z, 2) ** 2  # a bound, as (zᵀNz)² ≤ zᵀN²z

    def below_it(x):
        N = (x.reshape(k, k) + x.reshape(k, k).T) / 2
        N -= np.sum(N * sphere) * sphere
        image = scale * (Z * np.sum(Z @ N * Z, axis=1, keepdims=True)).T @ Z
        return (largest * N - image + np.sum(image * sphere) * sphere).ravel()

    seed = np.random.default_rng(0).normal(size=k * k)
    operator = LinearOperator((k * k, k * k), below_it, dtype=float)
    try:
        top = eigsh(operator, 1, which="LA", v0=seed, tol=FIRM / 4 / largest, return_eigenvectors=False)
    except ArpackNoConvergence:
        return 0.0
    return max(0.0, float(largest - top[0]))


def surely_free(B, P, rank):
    """In how many directions other solutions surely exist: k(k + 1)/2 less the number of different rows' directions.

    If the :math:`e e^\top` of all rows are independent and the items have rank k, these solutions are a surface around
    S = I, and each has other cosines. 0 where there is none, or where there are more than 2 000 directions.
    """
    k = B.shape[1]
    if rank < k or len(B) + len(P) > 20_000:
        return 0
    rows = np.vstack([g.directions(E).astype(float) for E in (B, P)])
    rows *= np.sign(rows @ np.random.default_rng(0).normal(size=(k, 1)))
    rows = np.unique(np.round(rows[rows.any(axis=1)], 9), axis=0)
    if len(rows) >= min(k * (k + 1) // 2, 2_000):
        return 0
    sizes = np.linalg.eigvalsh((rows @ rows.T) ** 2)  # the inner products of the matrices e eᵀ
    return k * (k + 1) // 2 - len(rows) if sizes[0] > 1e-10 * sizes[-1] else 0


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
