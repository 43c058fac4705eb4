r"""Canonical gauges of a model that is given as two factors, and which neighbors survive a change of gauge.

P (n, k) are the users, B (p, k) the items, and the model's scores are :math:`P B^\top`; (P M, B M⁻ᵀ) has the same
scores for every invertible M. A gauge is a choice of M. Everything is computed from k×k matrices and from blocks of
rows, so factors may be larger than memory; no n×p or p×p matrix is formed. Cosines, shares and condition numbers are
dimensionless. Rows that are zero have no direction, and no neighbors.
"""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import NamedTuple

import numpy as np

from helpers.arguments import valid_generator, valid_integer, valid_number
from helpers.spectrum import signs
from helpers.threads import WORKERS, one_blas_thread

ROWS_AT_ONCE = 8_192
CELLS = 2**22  # cosines at once in a thread, 16 MB; of more than 65 536 items 256 bytes an item
NEGLIGIBLE = 1e-6  # of the largest singular value of the scores; what is below it is rounding of float32
ROUNDING = 1e-12  # of the terms of a sum; what is below it may be their rounding errors
STILL = 1e-9  # spread of an item's scores, over their size; below it the scores are the same for every user
PARALLEL = 1e-6  # radians
NEARLY_CONSTANT, EXACTLY_CONSTANT = 0.05, 1e-4  # spread over mean
LARGE = 2**24  # entries; directions of larger matrices are float32


class Gauge(NamedTuple):
    """Item b becomes (b − origin)ᵀ matrix; origin (k,), matrix (k, r).

    ruler (k, ·) or None: where an item is shorter than a billionth of bᵀ ruler, it is zero but for rounding.
    """

    origin: np.ndarray
    matrix: np.ndarray
    ruler: np.ndarray | None = None


def blocks(E):
    """The rows of E as float64, many at a time, each with the number of its first row."""
    for start in range(0, len(E), ROWS_AT_ONCE):
        yield start, np.asarray(E[start : start + ROWS_AT_ONCE], dtype=float)


class Moments(NamedTuple):
    r"""What is needed of a factor E (m, k): m = count of its nonzero rows, their mean (k,), and spread R (≤ k, k) with

    .. math:: R^\top R = (E - \mathbf 1 \bar e^\top)^\top (E - \mathbf 1 \bar e^\top)
    """

    count: int
    mean: np.ndarray
    spread: np.ndarray


def moments(E):
    r"""Moments of E from one pass, by the QR decomposition of (1, E), which squares no condition number.

    Parameters: E (m, k), not all rows zero; rows that are zero do not count.
    """
    R = np.zeros((0, E.shape[1] + 1))
    count = 0
    for _, rows in blocks(E):
        rows = rows[rows.any(axis=1)]
        count += len(rows)
        R = np.linalg.qr(np.vstack([R, np.hstack([np.ones((len(rows), 1)), rows])]), mode="r")
    return Moments(count, R[0, 1:] / R[0, 0], R[1:, 1:])


def triangular_factor(about, origin=0.0):
    r"""R with :math:`R^\top R = (E - \mathbf 1 o^\top)^\top (E - \mathbf 1 o^\top)`, (≤ k, k), from Moments of E."""
    shift = np.sqrt(about.count) * (about.mean - origin)
    return np.linalg.qr(np.vstack([shift, about.spread]), mode="r")


def imbalance(users, items):
    r"""How far :math:`P^\top P` is from a multiple of :math:`B^\top B`, as a share of its Frobenius norm.

    .. math:: \min_q \|P^\top P - q\,B^\top B\|_F \,/\, \|P^\top P\|_F

    Parameters: Moments of P and of B. Returns: a float in [0, 1], the same if P and B change places; 0 at a minimum of
    a loss of the scores with :math:`\mu_P\|P\|_F^2 + \mu_B\|B\|_F^2` added.
    """
    first, second = (R.T @ R for R in map(triangular_factor, (users, items)))
    first, second = first / np.linalg.norm(first), second / np.linalg.norm(second)
    return float(np.linalg.norm(first - np.sum(first * second) * second))


def rebalanced(P, B):
    r"""The factors with the same scores and :math:`P^\top P = B^\top B`, diagonal: P (n, k), B (p, k).

    .. math:: P B^\top = U\,\mathrm{diag}(s)\,V^\top, \qquad U\,\mathrm{diag}(s)^{1/2},\ V\,\mathrm{diag}(s)^{1/2}

    Parameters: P (n, k), B (p, k), k ≤ n, p; both are held in memory. Items are those of the gauge "balanced".
    """
    (basis_P, R_P), (basis_B, R_B) = map(np.linalg.qr, (P, B))
    U, s, Vt = np.linalg.svd(R_P @ R_B.T)
    return basis_P @ U * np.sqrt(s), basis_B @ Vt.T * np.sqrt(s)


def canonical_gauges(users, items, center_items=False):
    r"""The gauge as given, and four that are functions of the scores.

    With the scores' singular value decomposition :math:`P B^\top = U\,\mathrm{diag}(s)\,V^\top`, items are V, V √s and
    V s: *whitened* (:math:`B^\top B = I`), *balanced* (:math:`P^\top P = B^\top B`) and projected *back* (white users),
    whose cosines are those of the columns of the scores. *Centered* is projected back after the mean user is
    subtracted: cosines are correlations of the columns, which an item's bias cannot touch; nor a user's, if the mean
    item is subtracted, too.
    Parameters: Moments of P (n, k) and of B (p, k); center_items, whether to subtract the mean item.
    Returns: a dict of Gauges, "given", "balanced", "whitened", "back", "centered". Directions with s below 1e-6 of the
    largest are left out. Rows in a canonical gauge are the same for every M, up to the signs of columns and, where s
    are tied, rotations.
    Source: beyond the paper; the gauges are those of `whiten` and `project_items_back`.
    """
    zero = np.zeros(len(items.mean))
    back, s = projection(triangular_factor(users), triangular_factor(items))
    gauges = {"given": Gauge(zero, np.eye(len(zero)))}
    for name, power in (("balanced", -0.5), ("whitened", -1), ("back", 0)):
        gauges[name] = Gauge(zero, back * s**power)
    origin = items.mean if center_items else zero
    centered = projection(users.spread, triangular_factor(items, origin), s)[0]
    return gauges | {"centered": Gauge(origin, centered, triangular_factor(users).T)}


def projection(R_P, R_B, sizes=None):
    r"""T (k, r) with :math:`B T = V\,\mathrm{diag}(s)`, and s (r,), from the triangular factors of P and B.

    .. math:: R_P R_B^\top = U\,\mathrm{diag}(s)\,W^\top, \qquad T = R_P^\top U

    What is below 1e-6 of the largest of sizes, by default of s, is left out, and what is but a rounding error.
    """
    left, s, _ = np.linalg.svd(R_P @ R_B.T, full_matrices=False)
    rounding = ROUNDING * np.max(np.abs(R_P) @ np.abs(R_B).T, initial=0)
    kept = s > max(NEGLIGIBLE * np.max(s if sizes is None else sizes, initial=0), rounding)
    return R_P.T @ left[:, kept], s[kept]


def unseen_directions(users, items):
    """How many directions of the items no user has a part in, so that no score sees them; from Moments."""
    _, s, Vt = np.linalg.svd(triangular_factor(items), full_matrices=False)
    kept = Vt[s > NEGLIGIBLE * s[0]]
    R = triangular_factor(users)
    seen = np.linalg.svd(R @ kept.T, compute_uv=False)
    return len(kept) - int(np.sum(seen > NEGLIGIBLE * np.linalg.norm(R)))


def condition(items, gauge):
    r"""The factor between the directions of B that a gauge stretches most and least: the c of a cosine's error bar.

    Parameters: Moments of B (p, k); gauge, a Gauge.
    Returns: a float ≥ 1; ∞ if a direction of B is left out, or the origin moves, which no M does.
    """
    if gauge.origin.any():
        return np.inf
    _, s, Vt = np.linalg.svd(triangular_factor(items, gauge.origin), full_matrices=False)
    rank = np.sum(s > NEGLIGIBLE * s[0])
    stretches = np.linalg.svd(Vt[:rank] @ gauge.matrix)[1]
    return float(stretches[0] / stretches[-1]) if len(stretches) == rank and stretches[-1] > 0 else np.inf


def turned(rows, gauge):
    """Some items in a gauge, (m, r); rows that are zero stay zero, and what is zero but for rounding is zero."""
    E = (rows - gauge.origin) @ gauge.matrix
    terms = (np.abs(rows) + np.abs(gauge.origin)) @ np.abs(gauge.matrix)
    none = ~rows.any(axis=1) | (np.abs(E).max(axis=1, initial=0) <= ROUNDING * terms.max(axis=1, initial=0))
    if gauge.ruler is not None:
        none |= np.linalg.norm(E, axis=1) <= STILL * np.linalg.norm(rows @ gauge.ruler, axis=1)
    E[none] = 0
    return E


def in_gauge(B, gauge):
    """All items in a gauge, (p, r), with the signs of `truncated_svd`, in float32 if B is; zero rows stay zero.

    The entry of largest magnitude in each column is positive. Items without a direction there, as those with the same
    score for every user have none in the centered gauge, are zero, too.
    """
    E = np.empty((len(B), gauge.matrix.shape[1]), dtype=B.dtype if B.dtype == np.float32 else float)
    for start, rows in blocks(B):
        E[start : start + len(rows)] = turned(rows, gauge)
    E *= signs(E).astype(E.dtype)
    return E


def directions(B, gauge=None, kept=None):
    """Rows of B at length one, in a gauge; rows that are zero, but for rounding, stay zero.

    Parameters: B (p, k); gauge, a Gauge, by default as given; kept (p,), booleans, the rows that count, by default all:
    others become zero. Returns: (p, r), float32 if that has over 16 M entries.
    """
    k = B.shape[1]
    gauge = Gauge(np.zeros(k), np.eye(k)) if gauge is None else gauge
    r = gauge.matrix.shape[1]
    U = np.empty((len(B), r), dtype=np.float32 if len(B) * r > LARGE else float)
    for start, rows in blocks(B):
        E = turned(rows, gauge)
        if kept is not None:
            E[~kept[start : start + len(rows)]] = 0
        largest = np.abs(E).max(axis=1, keepdims=True, initial=0)
        E = np.divide(E, largest, out=E, where=largest > 0)
        length = np.linalg.norm(E, axis=1, keepdims=True)
        U[start : start + len(rows)] = np.divide(E, length, out=E, where=length > 0)
    return U


class Neighbors(NamedTuple):
    """items (m,), the queries; rows (m, n), their nearest others, nearest first; distances (m, n) of unit vectors."""

    items: np.ndarray
    rows: np.ndarray
    distances: np.ndarray


def nearest(U, items, n=10, report=None):
    r"""The n others of the largest cosine, exactly; of others at one distance, those of smaller number first.

    Where hundreds of others are about as near, squared distances within rounding are one: 2 × 10⁻¹³ for k = 200.
    Parameters: U (p, r), rows of length one or zero; items (m,), rows of U that are not zero; n below the number of
    such rows; report, called with the share that is done.
    Returns: Neighbors. A distance d belongs to the cosine :math:`1 - d^2/2`.
    """
    kept = np.flatnonzero(U.any(axis=1))
    n = valid_integer("n", n, 1, len(kept) - 1)
    coarse = (U if len(kept) == len(U) else U[kept]).astype(np.float32, copy=False)
    step = max(64, CELLS // len(kept))
    starts = range(0, len(items), step)
    found = Neighbors(items, np.empty((len(items), n), dtype=int), np.empty((len(items), n)))

    def search(start):
        return nearest_of(U, items[start : start + step], n, coarse, kept)

    with one_blas_thread(), ThreadPoolExecutor(WORKERS) as pool, closing(pool.map(search, starts)) as results:
        for start, (rows, distances) in zip(starts, results, strict=True):
            found.rows[start : start + step] = rows
            found.distances[start : start + step] = distances
            if report is not None:
                report(min(1.0, (start + step) / len(items)))
    return found


def nearest_of(U, some, n, coarse, kept):
    """Rows and distances of the n nearest of some items, (m, n) each; coarse is U[kept] in float32.

    A float32 product finds candidates, as float64 distances to all would take several times as long. It errs by less
    than slack/2, so none of the n nearest, nor the item itself, is further than slack below the (n + 1)-th of the
    maxima of groups of items. Where that leaves many, as among nearly parallel rows, a float64 product decides.
    """
    p, k = coarse.shape
    slack = np.float32(4 * (k + 2) * 2.0**-24)
    S = U[some].astype(np.float32, copy=False) @ coarse.T
    size = max(1, p // (16 * (n + 1)))
    maxima = S[:, : p // size * size].reshape(len(some), size, -1).max(axis=1)
    near = np.partition(maxima, -n - 1, axis=1)[:, -n - 1, None] - slack <= S
    i, j = np.divmod(np.flatnonzero(near), p)
    many = np.flatnonzero(np.bincount(i) > 16 * (n + 1))
    if len(many):
        near[many] = nearest_by_float64(U, some[many], n, kept)
        i, j = np.divmod(np.flatnonzero(near), p)
    j = kept[j]
    i, j = i[j != some[i]], j[j != some[i]]
    d = np.linalg.norm(np.subtract(U[some[i]], U[j], dtype=float), axis=1)
    order = np.lexsort((j, d, i))[np.searchsorted(i, np.arange(len(some)))[:, None] + np.arange(n)]
    return j[order], d[order]


def nearest_by_float64(U, some, n, kept):
    r"""Which of U[kept] may be the n nearest of some items, or the items themselves: (m, p) booleans, ≤ 2n + 1 each.

    By :math:`a^\top b - \|b\|^2/2`, which orders as distances do; those that it cannot tell apart are tied.
    """
    S, Q = np.empty((len(some), len(kept))), np.asarray(U[some], dtype=float)
    for start in range(0, len(kept), ROWS_AT_ONCE):
        rows = np.asarray(U[kept[start : start + ROWS_AT_ONCE]], dtype=float)
        S[:, start : start + len(rows)] = Q @ rows.T - np.sum(rows**2, axis=1) / 2
    S -= np.partition(S, -n - 1, axis=1)[:, -n - 1, None]
    slack = 4 * (Q.shape[1] + 2) * 2.0**-53
    tied = np.abs(S) <= slack
    return (slack < S) | tied & (np.cumsum(tied, axis=1, dtype=np.int32) <= n + 1)


def overlap(first, second):
    """Share of each query's neighbors that two lists have in common, (m,); rows (m, n) of each."""
    return np.mean([np.isin(a, b) for a, b in zip(first, second, strict=True)], axis=1)


def parallel_groups(U):
    """A number for each row of U, the same for rows within a millionth of a radian of each other.

    Parameters: U (p, r), rows of length one or zero. Returns: (p,) integers; rows that are zero are groups of one.
    Rows are sorted by a random projection, and compared with those that stand next to them.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    views = np.vstack([rows @ view(U.shape[1]) for _, rows in blocks(U)])
    order = np.argsort(views[:, 0])
    order = order[np.any(views[order], axis=1)]  # a row other than zero has none in a random direction of measure 0
    pairs = []
    for step in range(1, min(33, len(order))):
        i, j = order[:-step], order[step:]
        near = views[j, 0] - views[i, 0] <= PARALLEL
        if not near.any():
            break
        i, j = i[near], j[near]
        near = np.abs(views[i, 1] - views[j, 1]) <= PARALLEL
        i, j = i[near], j[near]
        same = np.linalg.norm(U[i].astype(float) - U[j], axis=1) <= PARALLEL
        pairs.append(np.array([i[same], j[same]]))
    i, j = np.hstack([np.empty((2, 0), dtype=int), *pairs])
    return connected_components(coo_array((np.ones(len(i)), (i, j)), shape=(len(U),) * 2), directed=False)[1]


def view(k):
    """Two fixed random directions of k dimensions, (k, 2)."""
    axes = np.random.default_rng(0).normal(size=(k, 2))
    return axes / np.linalg.norm(axes, axis=0)


def artanh(distances):
    r"""artanh of the cosines of unit vectors at these distances, :math:`\tfrac12\ln\frac{4 - d^2}{d^2}`."""
    squares = np.clip(np.square(distances), 1e-300, 4)
    with np.errstate(divide="ignore"):
        return np.log((4 - squares) / squares) / 2


def certified(distances, cond):
    r"""Which nearest neighbors no M of condition number at most c = cond can change, (m,) booleans.

    .. math:: \operatorname{artanh} s_1 - \operatorname{artanh} s_2 > 2 \ln c

    for the cosines s₁ ≥ s₂ of the two nearest neighbors. It suffices, and is not necessary.
    Parameters: distances (m, ≥ 2) of unit vectors to their nearest neighbors, no two of which are parallel; cond ≥ 1.
    Source: beyond the paper; see `cosine_range`.
    """
    z = artanh(distances[:, :2])
    return z[:, 0] - z[:, 1] > 2 * np.log(valid_number("cond", cond, low=1))


def constant_columns(about):
    """The columns of E whose spread is below 5 % of their mean: a list of numbers, from the Moments of E."""
    spread = np.linalg.norm(about.spread, axis=0) / np.sqrt(about.count)
    return np.flatnonzero(spread < NEARLY_CONSTANT * np.abs(about.mean)).tolist()


def has_constant(about):
    r"""Whether some direction v, not only a column, makes E v nearly constant: the same answer for every E M.

    .. math:: \min_v \frac{\mathrm{sd}(Ev)}{|\mathrm{mean}(Ev)|} = (\bar e^\top C^{-1} \bar e)^{-1/2}

    for the mean row ē and the covariance C. With fewer than 2k rows chance makes directions nearly constant, so it has
    to be constant to four digits; with k rows or fewer, of which some direction always is, the answer is no.
    Parameters: the Moments of E.
    """
    k = len(about.mean)
    if about.count <= k:
        return False
    _, s, Vt = np.linalg.svd(about.spread / np.sqrt(about.count))
    floor = 1e-10 * max(s[0], np.linalg.norm(about.mean))
    least = NEARLY_CONSTANT if about.count >= 2 * k else EXACTLY_CONSTANT
    return bool(np.linalg.norm(Vt @ about.mean / np.maximum(s, floor)) > 1 / least)


class Scales(NamedTuple):
    """What unit lengths leave undecided, as numbers of directions of a symmetric k×k matrix.

    alone, after the lengths of the side that decides more; pooled, after those of both sides, to first order; surely,
    whether the pooled ones are free: then the solutions are a surface of so many dimensions.
    """

    alone: int
    pooled: int
    surely: bool


def free_scales(*factors):
    r"""How many scales unit lengths of the rows of these factors leave free: Scales.

    Two models with the same scores differ by an M. With :math:`S = M M^\top`, users of length one before and after say
    :math:`p^\top (S - I)\,p = 0`, items :math:`b^\top (S^{-1} - I)\,b = 0`. So S = I if the :math:`p p^\top` alone, or
    the :math:`b b^\top` alone, span the symmetric matrices. If only both together do, S = I has no other solution
    *near* it. If they do not, are independent and the items span all k dimensions, other solutions have other cosines.
    Parameters: factors (m, k), items last; their lengths do not matter. Beyond 64 columns, and of long factors, a part
    of the rows is used: see `directions_of`.
    """
    sides = [directions_of(E) for E in factors]
    alone = [wanted_and_rank(E)[0] - wanted_and_rank(E)[1] for E in sides]
    pooled = np.vstack(sides)
    wanted, rank, independent = wanted_and_rank(pooled)
    spans = np.linalg.matrix_rank(sides[-1]) == sides[-1].shape[1]
    return Scales(min(alone), wanted - rank, bool(independent and spans and rank < wanted))


def directions_of(E):
    """Different directions among some 2k(k + 1) rows of E, either sign of one being the same."""
    k = E.shape[1]
    some = directions(np.asarray(E[:: len(E) // (2 * k * (k + 1)) + 1], dtype=float))
    some = some[some.any(axis=1)]
    return np.unique(np.round(some * np.sign(some @ view(k)[:, :1]), 12), axis=0)


def wanted_and_rank(E):
    r"""k(k + 1)/2, the rank of the :math:`e e^\top` of rows e, and whether none of these depends on the others.

    Beyond 64 columns rows are counted, which is the rank of rows in general position; whether they are is tried with
    1 000 of them, and if not, the rank of these is what is counted.
    """
    k = E.shape[1]
    wanted = k * (k + 1) // 2
    if k > 64:
        some = E[:: len(E) // 1000 + 1]
        rank = rank_of((some @ some.T) ** 2)  # the inner products of the matrices e eᵀ
        return wanted, *((min(wanted, len(E)), len(E) <= wanted) if rank == len(some) else (rank, False))
    i, j = np.triu_indices(k)
    squares = E[:, i] * E[:, j] * np.where(i == j, 1, np.sqrt(2))
    rank = rank_of(squares.T @ squares)
    return wanted, rank, rank == len(E)


def rank_of(M):
    """The number of eigenvalues of a symmetric M above 1e-10 of the largest."""
    sizes = np.linalg.eigvalsh(M)
    return int(np.sum(sizes > 1e-10 * sizes[-1]))


def have_length_one(E):
    """Whether all rows of E but those that are zero have length one, within a hundredth."""
    lengths = (np.linalg.norm(rows[rows.any(axis=1)], axis=1) for _, rows in blocks(E))
    return all(np.all(np.abs(some - 1) < 0.01) for some in lengths)


def null_cosines(rng, E, m=1_000):
    """Cosines of m random items with m others, (m, m): chance, for embeddings with the mean and the spread of E.

    E is turned to its principal axes, so that a rotation of E changes nothing, and there each column is shuffled: an
    axis keeps its mean, so that a mean far from zero makes chance cosines large.
    Rows that come out zero, as they may where most entries are, have no direction; others stand in for them.
    Parameters: rng, a numpy Generator; E (p, k), not all rows zero; m ≥ 1.
    """
    rng, m = valid_generator(rng), valid_integer("m", m, 1, np.inf)
    axes = np.linalg.svd(moments(E).spread)[2].T
    some = np.sort(rng.choice(len(E), min(len(E), 20_000), replace=False))
    turned = np.asarray(E[some], dtype=float)
    turned = turned[turned.any(axis=1)] @ axes
    drawn = [np.take_along_axis(turned, rng.integers(len(turned), size=(m, len(axes))), axis=0) for _ in range(2)]
    drawn = [np.resize(rows[rows.any(axis=1)], rows.shape) for rows in drawn]
    first, second = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in drawn)
    return np.clip(first @ second.T, -1, 1)


def precision(neighbors, labels):
    """Share of each query's neighbors that have its label, (m,)."""
    return np.mean(labels[neighbors.rows] == labels[neighbors.items, None], axis=1)


def average_precisions(U, items, labels, others):
    """Average precision of each query, (m,): over all others ranked by cosine, NaN if none has its label.

    Parameters: U (p, r) rows of length one; items (m,), the queries; labels (p,); others, the rows that are ranked.
    """
    found = np.full(len(items), np.nan)
    for place, item in enumerate(items):
        ranked = others[others != item]
        ranked = ranked[np.argsort(-(U[ranked] @ U[item]), kind="stable")]
        hits = labels[ranked] == labels[item]
        if hits.any():
            found[place] = np.mean(np.arange(1, hits.sum() + 1) / (np.flatnonzero(hits) + 1))
    return found


def effective_rank(about):
    r"""exp of the entropy of the shares :math:`s_i^2/\sum s^2` of the singular values of E: from 1 to k, dimensionless.

    Parameters: the Moments of E. Source: Roy and Vetterli 2007, with squares.
    """
    shares = np.linalg.svd(triangular_factor(about), compute_uv=False) ** 2
    shares = shares[shares > 0] / shares.sum()
    return float(np.exp(-np.sum(shares * np.log(shares))))


def mean_cosine(U):
    """Mean cosine of two different items, from rows of length one."""
    total, m = sum(rows.sum(axis=0) for _, rows in blocks(U)), int(U.any(axis=1).sum())
    return float((total @ total - m) / (m * (m - 1)))


def occurrence(neighbors, p):
    """How often each of p items is among the neighbors of another, (p,)."""
    return np.bincount(neighbors.rows.ravel(), minlength=p)


def one_of_each(U):
    """Which rows stand for all that are parallel to them, (p,) booleans: the first of each group; no row that is zero.

    Parameters: U (p, r), rows of length one or zero.
    """
    kept = np.zeros(len(U), dtype=bool)
    kept[np.unique(parallel_groups(U), return_index=True)[1]] = True
    return kept & U.any(axis=1)
