"""What was seen of a model: units, biases, balance and what balancing moves, and signs of a training that was none."""

from functools import partial
from typing import NamedTuple

import numpy as np

from cosine_audit import gauges as g
from cosine_audit.pair import Pair, flatness, singular_values
from cosine_audit.space import kept_by, moved_by
from cosine_audit.thresholds import ALIKE, COLLAPSED, EXACTLY_CONSTANT, HALF, MOVED, NEARLY_CONSTANT, THIN, TOLERATED


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


def lie_flat(items):
    """Whether items lie in a hyperplane, from their Moments: their mean is then subtracted, as of a ranking loss."""
    k = len(items.mean)
    constant = NEARLY_CONSTANT if items.count >= 2 * k else EXACTLY_CONSTANT  # which chance makes one of few rows
    return items.count > k and flatness(items) < constant  # k rows always do


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


def untrained(E, counts):
    """The numbers of the rows that have a count of 0 and are not zero: nothing trained these."""
    return np.flatnonzero((counts == 0) & E.any(axis=1))


def constant_columns(about):
    """The columns of E whose spread is below 5 % of their mean: a list of numbers, from the Moments of E."""
    spread = np.linalg.norm(about.deviations, axis=0)
    return np.flatnonzero(spread < NEARLY_CONSTANT * np.abs(about.mean)).tolist()


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
