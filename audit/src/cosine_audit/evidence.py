"""What is seen in a model: units, biases, ranks, free scales, what balancing moves, chance, the health of a space."""

from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from cosine_audit import gauges as g
from cosine_audit.neighbors import Neighbors, search, shared

NEARLY_CONSTANT, EXACTLY_CONSTANT = 0.05, 1e-4  # spread over mean
TOLERATED = 0.05  # imbalance, and share of neighbors that balancing may move
MOVED = TOLERATED / 2  # share of neighbors that balancing may exchange, and of a cosine; see verdict.is_stable
HALF = 0.5 - 1e-9  # of an item's neighbors, beyond which a finding counts it
THIN = 1e-3  # of the largest singular value: with logits of 20, what is below it moves them by 0.02
FIRM = 0.1  # of `hold`: scores that change by 1 % then change a cosine by 0.02 √(2/π) / √FIRM = 0.05 on average
STIFF = 0.0016  # (2 · 2 %)²: rows then notice at 2 % of their squared lengths if one direction is halved, see `Pair`
ALIKE = 1e-5  # 1 − |cosine| of a row and its copy with two decimals, or in float16
HARDLY = 0.05  # see `Pair.outside`
TIED = 1e-3  # singular values this near are tied: their directions are rounding, or a randomized decomposition's choice
CELLS = 2**20  # scores at once
COLLAPSED = 0.999  # of the squared lengths along one direction: then all cosines are within 0.002 of 1 or −1


class Change(NamedTuple):
    """What balancing changes: share of the neighbors; torn, how many queries lose half of theirs, and torn_share of
    all; bent, the share of queries of which some cosine changes by more than MOVED; mean change of a cosine; stretch,
    the condition number of its M.
    """

    share: float
    torn: int
    torn_share: float
    bent: float
    mean: float
    stretch: float


class Balance(NamedTuple):
    """How far users and items are from balance; what balancing changes, None where that was not looked up."""

    imbalance: float
    change: Change | None = None


class Pair:
    """What items B (p, k) and users P (n, k) show together; found out when it is asked for.

    Two models with the same scores differ by an M, and their items' cosines by :math:`S = M M^\top`.
    """

    def __init__(self, B, P, about, labels=None):
        """about, the Moments of both; labels (n,), each user's item, where users are features and items classes."""
        self.sides, self.about, self.labels = {"users": P, "items": B}, about, labels

    @cached_property
    def roots(self):
        """R (·, k) of each side, whose RᵀR is its second moment."""
        return {side: self.about[side].root for side in self.sides}

    @cached_property
    def sizes(self):
        """The singular values of each side over the largest, (k,); those that few rows lack are 0."""
        return {side: singular_values(R) / np.linalg.norm(R, 2) for side, R in self.roots.items()}

    @cached_property
    def rank(self):
        """The rank of the items."""
        return int(np.sum(self.sizes["items"] > g.NEGLIGIBLE))

    @cached_property
    def faintest(self):
        """The least ratio of users' to items' mean square along a direction, of items of rank k."""
        return float(singular_values(np.linalg.solve(self.roots["items"].T, self.roots["users"].T).T)[-1] ** 2)

    @cached_property
    def free(self):
        """In how many directions other solutions surely exist, of rows of length one."""
        return surely_free(self.sides["items"], self.sides["users"], self.rank)

    @cached_property
    def raised(self):
        """How much the items' cosines may change if all items are raised along one direction, see `rise`."""
        return rise(self.about["items"].mean, shown_by_lengths(self.sides["items"], self.about["items"], self.roots))

    @cached_property
    def raised_unseen(self):
        """The same, where only a softmax over the users shows it: by how their parts in that direction vary."""
        spread = self.about["users"].deviations
        size = np.linalg.norm(spread @ self.roots["items"].T)
        return rise(self.about["items"].mean, spread.T @ spread / size**2)

    def drift(self, both=False):
        r"""How much items' cosines may change if each is moved by ±δ along the direction that users see least, or less.

        .. math:: \delta^2 = (0.01\,\|S\| / s_k)^2

        for the scores S less what is free, each user's mean or, of both softmaxes, the mean: the scores then change by
        1 %, root mean square. Lengths of one stay at another temperature, as δ is the same for all.
        """
        users, items = (self.about[side] for side in ("users", "items"))
        size = np.linalg.norm(self.roots["users"] @ items.deviations.T)
        if both:
            size = np.hypot(size, np.linalg.norm(users.deviations @ items.mean))
        return float((0.01 * size / singular_values(self.roots["users"])[-1]) ** 2)

    def hold(self, side, shifted=False):
        """How firmly the directions of a side, all of length one, hold every scale, see `hold`."""
        other = {"users": "items", "items": "users"}[side]
        return hold(self.sides[side], self.roots["items"], self.about[other].deviations, shifted)

    def held_by(self, side, shifted=False):
        """At most how much items' cosines change on average by other scales, if these change scores by 1 %."""
        firm = self.hold(side, shifted)
        if firm == 0 or (side == "users" and not self.stiff(shifted)):
            return np.inf
        return 0.02 * np.sqrt(2 / np.pi / firm)

    def stiff(self, shifted=False):
        """Whether users would notice a direction that shrinks to half, though few items fill it, or all fill it alike.

        `hold` speaks of small changes of S. Users see S, and items its inverse, which grows without bounds as a
        direction of S shrinks to 0. Either users see that, or items, which then have to hold all scales, too.
        """
        spread = self.about["items"].deviations
        firm = self.hold("items") >= FIRM
        return firm or hold(self.sides["users"], np.eye(spread.shape[1]), spread, shifted, STIFF) >= STIFF

    @cached_property
    def outside(self):
        """The share of items of which a part of 0.05 or more, of length one, lies where users hardly reach.

        There users have, along a direction, less than 0.05 of the scores' size over the items': what is left changes
        the scores by 1 %, root mean square, before it changes a cosine by about 0.04.
        """
        R_P, R_B = (self.roots[side] for side in ("users", "items"))
        _, s, Vt = np.linalg.svd(R_P, full_matrices=False)
        kept = Vt[s > HARDLY * np.linalg.norm(R_P @ R_B.T) / np.linalg.norm(R_B)]
        rows = (g.unit(some[some.any(axis=1)]) for _, some in g.blocks(self.sides["items"]))
        lost = np.concatenate([np.linalg.norm(some - some @ kept.T @ kept, axis=1) for some in rows])
        return float(np.mean(lost > HARDLY))

    @cached_property
    def loose(self):
        r"""At most how much classes' cosines change on average, if scores change by 1 %, root mean square.

        Along the direction in which features vary least a class then changes by :math:`0.01 \|S\| / s_k`, and its
        cosine by that over its length; an intercept takes the features' mean. ∞ where some direction is not seen.
        """
        R_P, R_B = (self.about[side].deviations for side in ("users", "items"))
        s = singular_values(R_P)
        if s[-1] <= g.NEGLIGIBLE * s[0]:
            return np.inf
        return float(2 * 0.01 * np.linalg.norm(R_P @ R_B.T) / s[-1] * self.inverse_length)

    @cached_property
    def to_go(self):
        r"""At most how far classes W are from the minimum, over their lengths, on average.

        .. math:: F(W, b) = \tfrac12 \|W\|^2 + C \sum_u \bigl(\log \textstyle\sum_c e^{x_u^\top w_c + b_c}
            - x_u^\top w_{y_u} - b_{y_u}\bigr)

        less ½‖W‖² is convex, so that the minimum is no farther than the gradient is long, for the best b, or b = 0, and
        the C for which it is shortest. ∞ where no C > 0 is.
        """
        from scipy.optimize import minimize

        X, W = (np.asarray(self.sides[side], dtype=float) for side in ("users", "items"))
        best = minimize(
            self.loss, np.zeros(len(W)), jac=True, method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-9}
        ).x
        found = []
        for b in (best, np.zeros(len(W))):
            G = -sum(slopes.T @ X[rows] for rows, slopes, _ in self.slopes(b))
            found.append(np.linalg.norm(W - max(0, np.sum(W * G) / np.sum(G**2)) * G))
        return float(min(found) * self.inverse_length / np.sqrt(len(W)))

    def loss(self, b):
        """The mean loss of a softmax with intercepts b, without a penalty, and its gradient in b."""
        parts = [(np.sum(losses), slopes.sum(axis=0)) for _, slopes, losses in self.slopes(b)]
        return sum(part[0] for part in parts) / len(self.labels), sum(part[1] for part in parts) / len(self.labels)

    def slopes(self, b):
        """The gradient in the scores, and the loss, of many users at a time: which rows; (m, p); (m,)."""
        from scipy.special import log_softmax

        X, W = (np.asarray(self.sides[side], dtype=float) for side in ("users", "items"))
        step = max(1, CELLS // len(W))
        for rows in (slice(start, start + step) for start in range(0, len(X), step)):
            log = log_softmax(X[rows] @ W.T + b, axis=1)
            own = np.arange(len(log)), self.labels[rows]
            losses, slopes = -log[own], np.exp(log, out=log)
            slopes[own] -= 1
            yield rows, slopes, losses

    def lengths(self, side):
        """Of the rows of a side that are not zero."""
        lengths = np.concatenate([np.linalg.norm(rows, axis=1) for _, rows in g.blocks(self.sides[side])])
        return lengths[lengths > 0]

    @property
    def inverse_length(self):
        """The root mean square of one over an item's length."""
        return np.sqrt(np.mean(self.lengths("items") ** -2.0))

    def shift(self, side="items"):
        """The length of a side's mean, over that of nearly its shortest row (one in a hundred is shorter)."""
        return float(np.linalg.norm(self.about[side].mean) / np.quantile(self.lengths(side), 0.01))

    @cached_property
    def off_center(self):
        """How far both means are from 0: over nearly the shortest row, and over the spread along any direction."""
        return max(max(self.shift(side), 1 / flatness(self.about[side])) for side in self.sides)

    @cached_property
    def crossed(self):
        r"""The largest cosine of two rows of :math:`V^\top B`, with V of the scores' decomposition: 0 for V, V√Σ, VΣ.

        Then :math:`P^\top P` and :math:`B^\top B` commute. Rows of tied σ have no directions of their own: none counts.
        """
        R_P, R_B = (self.roots[side] for side in ("users", "items"))
        T, s = g.projection(R_P, R_B)
        rows = g.unit(((R_B @ T) / s).T @ R_B)
        apart = np.abs(np.subtract.outer(s, s)) > TIED * np.maximum.outer(s, s)
        return float(np.abs((rows @ rows.T)[apart]).max(initial=0))


class Evidence(NamedTuple):
    """What was seen; None where the other factor, or what else it takes, was not given.

    balance of users and items, and weighted by counts; biases, constant columns such as "users:8"; unit, the factors
    whose rows have length one; pair, what both factors show; unseen, how many directions of the items no user has a
    part in; flatness, least spread over mean of a direction of the items; same, the share of users parallel to an item;
    random, whether both factors are like numbers that nothing trained; nonnegative, whether no entry is below zero;
    collapsed, the factors of which one direction holds nearly all; again, the share of neighbors that a second run has,
    too, and again_by_chance, the share that chance would give it; untrained, how many rows have a count of 0 and are
    not zero.
    """

    balance: Balance | None = None
    weighted: Balance | None = None
    biases: tuple = ()
    unit: tuple = ()
    pair: Pair | None = None
    unseen: int = 0
    flatness: float = np.inf
    same: float = 0.0
    random: bool = False
    nonnegative: bool = False
    collapsed: tuple = ()
    again: float | None = None
    again_by_chance: float = 0.0
    untrained: int = 0


class Space(NamedTuple):
    """The items in several gauges: gauges, found (Neighbors by gauge), queries and distinct items (row numbers)."""

    gauges: dict
    found: dict
    queries: np.ndarray
    distinct: np.ndarray


def summaries(B, P=None, item_counts=None, user_counts=None, progress=None):
    """Moments of items B (p, k) and users P (n, k) or None; with both counts, "weighted items" and users, too."""
    wanted = {"items": (B,)} | ({} if P is None else {"users": (P,)})
    if P is not None and item_counts is not None and user_counts is not None:
        wanted |= {"weighted items": (B, item_counts), "weighted users": (P, user_counts)}
    told = {name: progress and partial(progress, f"moments of {name}") for name in wanted}
    return {name: g.moments(*E, progress=told[name]) for name, E in wanted.items()}


def look_at(B, P, about, space, again=None, counts=(None, None), labels=None):
    """Evidence from items B (p, k) and users P (n, k) or None, their summaries and Space, a second run, both counts,
    and which item each user is labeled with.
    """
    sides = {"items": B} | ({} if P is None else {"users": P})
    seen = Evidence(
        biases=tuple(f"{name}:{column}" for name in sides for column in constant_columns(about[name])),
        unit=tuple(name for name, E in sides.items() if have_length_one(E)),
        flatness=flatness(about["items"]),
        collapsed=tuple(name for name, E in sides.items() if share_of_the_first(E) > COLLAPSED),
        again=None if again is None else kept_by(space, again),
        again_by_chance=space.found["given"].rows.shape[1] / (len(space.distinct) - 1),
        untrained=sum(len(untrained(E, one)) for E, one in zip((B, P), counts, strict=True) if one is not None),
    )
    if P is None:
        return seen
    return seen._replace(
        balance=balance_of(B, about, space, "balanced"),
        weighted=balance_of(B, about, space, "weighted") if "weighted items" in about else None,
        pair=Pair(B, P, about, labels),
        unseen=unseen_directions(about["users"], about["items"]),
        same=share_parallel(P, B),
        random=any(like_random(about["users"], about["items"], centered) for centered in (False, True)),
        nonnegative=all(E.min() >= 0 for E in sides.values()),
    )


def balance_of(B, about, space, name):
    """The Balance of users and items B (p, k), weighted by counts in the gauge "weighted", and what that gauge does."""
    weighted = "weighted " if name == "weighted" else ""
    imbalance = g.imbalance(about[f"{weighted}users"], about[f"{weighted}items"])
    if name not in space.found:
        return Balance(imbalance)
    some = B[space.queries[:: len(space.queries) // 1_000 + 1]]
    before, after = (g.directions(some, space.gauges[one]) for one in ("given", name))
    changes = np.abs(before @ before.T - after @ after.T) * (1 - np.eye(len(some)))
    mean = float(changes.sum() / (len(some) * (len(some) - 1)))
    moved = moved_by(space, name)
    torn, bent = moved >= HALF, changes.max(axis=1) > MOVED
    stretch = g.condition(about["items"], space.gauges[name], THIN)
    return Balance(imbalance, Change(float(moved.mean()), int(torn.sum()), torn.mean(), bent.mean(), mean, stretch))


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


def lie_flat(items):
    """Whether items lie in a hyperplane, from their Moments: their mean is then subtracted, as of a ranking loss."""
    k = len(items.mean)
    constant = NEARLY_CONSTANT if items.count >= 2 * k else EXACTLY_CONSTANT  # which chance makes one of few rows
    return items.count > k and flatness(items) < constant  # k rows always do


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


def first_of_each(U):
    """The row numbers of the first of each group of parallel rows, rows of zeros left out, ascending."""
    numbers, first = np.unique(g.fingerprints(U), return_index=True)
    return np.sort(first[numbers >= 0])


def share_parallel(P, B):
    """The share of (some) users nearly parallel to an item: near 1 where one table was given twice, in any order."""
    filled = np.flatnonzero(P.any(axis=1))
    some = g.directions(P[filled[:: len(filled) // 500 + 1]])
    nearest = np.zeros(len(some))
    for _, rows in g.blocks(B):
        nearest = np.maximum(nearest, np.abs(some @ g.unit(rows).T).max(axis=1))
    return float(np.mean(nearest > 1 - ALIKE))


def like_random(users, items, centered):
    r"""Whether two factors, or their deviations from the mean row, are as large in every direction, and no nearer to
    balance than independent ones, from Moments.

    Independent normal numbers are about :math:`\sqrt{(k + 1)(1/n + 1/p)}` out of balance; trained factors of noise,
    also as large in every direction, are balanced far better.
    """
    zero = np.zeros(len(users.mean))
    users, items = (about._replace(mean=zero) if centered else about for about in (users, items))
    if not (users.spread.any() and items.spread.any()):
        return False
    even = g.Moments(1.0, zero, np.eye(len(zero)))
    usual = np.sqrt((len(zero) + 1) * (1 / users.count + 1 / items.count))
    return all(g.imbalance(E, even) <= TOLERATED for E in (users, items)) and g.imbalance(users, items) > usual / 4


def singular_values(R):
    """The singular values of R (·, k), the largest first, (k,): 0 in place of those that few rows lack."""
    s = np.linalg.svd(R, compute_uv=False)
    return np.pad(s, (0, R.shape[1] - len(s)))


def untrained(E, counts):
    """The numbers of the rows that have a count of 0 and are not zero: nothing trained these."""
    return np.flatnonzero((counts == 0) & E.any(axis=1))


def constant_columns(about):
    """The columns of E whose spread is below 5 % of their mean: a list of numbers, from the Moments of E."""
    spread = np.linalg.norm(about.deviations, axis=0)
    return np.flatnonzero(spread < NEARLY_CONSTANT * np.abs(about.mean)).tolist()


def flatness(about):
    r"""How nearly the rows of E lie in a common hyperplane that misses the origin: the same answer for every E M.

    .. math:: \min_v \frac{\mathrm{sd}(Ev)}{|\mathrm{mean}(Ev)|} = (\bar e^\top C^{-1} \bar e)^{-1/2}

    for the mean row ē and the covariance C. k rows or fewer that are independent always do: then it is 0. It is ∞ where
    the mean is 0, as of rows in a hyperplane through the origin that have no other such direction.
    """
    k = len(about.mean)
    _, s, Vt = np.linalg.svd(np.vstack([about.deviations, np.zeros((k, k))]), full_matrices=False)
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
    return len(kept) - int(np.sum(singular_values(R @ kept.T) > g.NEGLIGIBLE * np.linalg.norm(R)))


def share_of_the_first(E):
    """The share of the squared lengths of (some) rows, at length one, that lies along one direction: 1/k to 1."""
    some = g.directions(E[:: len(E) // 5_000 + 1])
    return float(np.linalg.norm(some, 2) ** 2 / max(1, np.sum(some.any(axis=1))))


def hold(E, metric, other, shifted=False, least=FIRM):
    r"""How firmly rows e of length one hold every scale: 0, not at all, to about 2, where both sides are even spheres.

    Lengths of one before and after M say that :math:`e^\top S e` is the same for all e, so that S is a multiple of I if
    the :math:`e e^\top` span the symmetric matrices; the other side's lengths set the multiple. How firmly they do is

    .. math:: \min_{\|N\|_F = 1,\ \operatorname{tr} N = 0} \operatorname{var}_w(\hat e^\top N \hat e),
        \qquad \hat e = R^{-\top} e, \quad w \propto \|T e\|^2

    by Lanczos' method, with no matrix of size k²; asked for one value alone, it may stop at another that is near.
    Parameters: E (m, k); metric R (k, k), so that for the items' second moment RᵀR the norm of N is the root mean
    square by which the cosines of two items change; other T (·, k), so that TᵀT is the other side's covariance: a row
    counts as much as its scores vary. shifted: linear functions of e are free, too, so that S and a translation are
    held. 0 where there are too few rows. Of many rows 20 000, or 4k² if that is more, are looked at, chosen at random
    but always the same. Error: at most a quarter of least, the threshold.

    Scores that change by 1 % (root mean square) change the squared lengths by 2 %, and cosines by 0.02/√hold.
    """
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

    k = E.shape[1]
    E = np.asarray(E[g.drawn(len(E), max(20_000, 4 * k * (k + 1)))], dtype=float)
    E = E[E.any(axis=1)]
    root = np.linalg.norm(E @ other.T, axis=1, keepdims=True)
    root /= np.linalg.norm(root)
    free = np.linalg.qr(root * (np.hstack([np.ones_like(root), E]) if shifted else 1))[0]
    if len(E) < k * (k + 1) // 2 + free.shape[1] - 1:
        return 0.0
    Z = np.linalg.solve(metric.T, E.T).T
    largest = np.linalg.norm(root * np.linalg.norm(Z, axis=1, keepdims=True) * Z, 2) ** 2  # as (zᵀNz)² ≤ |z|² |Nz|²
    traceless = lambda N: N - np.trace(N) / k * np.eye(k)  # noqa: E731

    def below_it(x):
        N = traceless(x.reshape(k, k) + x.reshape(k, k).T) / 2
        q = root * np.sum(Z @ N * Z, axis=1, keepdims=True)
        q -= free @ (free.T @ q)
        return (largest * N - traceless((Z * root * q).T @ Z)).ravel()

    seed = np.random.default_rng(0).normal(size=k * k)
    operator = LinearOperator((k * k, k * k), below_it, dtype=float)
    try:
        top = eigsh(operator, 3, which="LA", v0=seed, tol=least / 4 / largest, return_eigenvectors=False)
    except ArpackNoConvergence:
        return 0.0
    return max(0.0, float(largest - top.max()))


def shown_by_lengths(B, items, roots):
    r"""Q (k, k), by which the scores of unit items b show that all were raised along u, and brought back to length one.

    To first order :math:`g b + u` at length one is :math:`b + u - \delta b` up to g, where
    :math:`\delta = (b - \bar b)^\top u`. A softmax over the items does not see u, nor a learned temperature g. What is
    left of the scores, :math:`\delta p^\top b` less each user's mean and its part along the scores, has the mean square
    :math:`u^\top Q u` over theirs; dimensionless.
    Of many items 20 000 are looked at, chosen at random but always the same.
    """
    rows = np.asarray(B[g.drawn(len(B), 20_000)], dtype=float)
    D, T = rows - items.mean, rows @ roots["users"].T
    centered = T - T.mean(axis=0)
    mean, size = D.T @ T / len(D), np.mean(np.sum(centered**2, axis=1))
    along = D.T @ np.sum(T * centered, axis=1) / len(D)
    Q = D.T @ (D * np.sum(T**2, axis=1, keepdims=True)) / len(D) - mean @ mean.T
    return (Q - np.outer(along, along) / size) / size


def rise(mean, Q, share=0.01):
    r"""At most how much cosines of unit items change on average, where all are raised and scores change by share.

    A cosine c becomes :math:`c + (1 - c)(1 - g^2)`, :math:`1 - g^2 \leq 2 \bar b^\top u + |u|^2`, where
    :math:`u^\top Q u` is share squared at most. With :math:`d = share^2 / s`, and a the mean times its root along the
    axes of Q, the maximum is :math:`\min_{\mu > \max d} \mu + \sum a^2 / (\mu - d)`, its dual: every μ is an upper
    bound. ∞ where a direction of Q is zero.
    """
    from scipy.optimize import minimize_scalar

    s, V = np.linalg.eigh(Q)
    if s[0] <= 1e-12 * max(1.0, s[-1]):
        return np.inf
    d, a = share**2 / s, share * (V.T @ mean) / np.sqrt(s)
    top, wide = d.max(), np.linalg.norm(a) + 1e-3 * d.max()
    dual = lambda x: top + x + np.sum(a**2 / (top + x - d))  # noqa: E731
    return float(minimize_scalar(dual, bounds=(1e-6 * wide, wide), method="bounded").fun * (1 - mean @ mean))


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
