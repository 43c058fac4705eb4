r"""Canonical gauges of a model that is given as two factors: moments of the rows, imbalance, condition, safe items.

P (n, k) are the users, B (p, k) the items, and the model's scores are :math:`P B^\top`; (P M, B M⁻ᵀ) has the same
scores for every invertible M. A gauge is a choice of M, a canonical one a choice that the scores make. Everything is
computed from k×k matrices and from blocks of rows; no n×p or p×p matrix is formed. All numbers are dimensionless.
"""

from typing import NamedTuple

import numpy as np

ROWS_AT_ONCE = 8_192
NEGLIGIBLE = 1e-6  # of the largest singular value of the scores; what is below it is rounding of float32
ROUNDING = 1e-12  # of the terms of a sum; what is below it may be their rounding errors
STILL = 1e-9  # spread of an item's scores, over their size; below it the scores are the same for every user
LARGE = 2**24  # entries; directions of larger matrices are float32
SHARE = 0.5  # of safe items; see safe_items
HUGE = 1e30  # products of products of numbers up to this size, and down to its inverse, are safe in float64


class Gauge(NamedTuple):
    """Item b becomes (b − origin)ᵀ matrix; origin (k,), matrix (k, r).

    ruler (k, ·) or None: where an item is shorter than a billionth of bᵀ ruler, it is zero but for rounding.
    """

    origin: np.ndarray
    matrix: np.ndarray
    ruler: np.ndarray | None = None


class Moments(NamedTuple):
    r"""Of a factor E (m, k): count of its nonzero rows, or their weight; their mean (k,); and spread R (≤ k, k) with

    .. math:: R^\top R = (E - \mathbf 1 \bar e^\top)^\top (E - \mathbf 1 \bar e^\top)
    """

    count: float
    mean: np.ndarray
    spread: np.ndarray

    @property
    def deviations(self):
        """R (≤ k, k), whose RᵀR is the covariance."""
        return self.spread / np.sqrt(self.count)

    @property
    def root(self):
        """R (≤ k, k), whose RᵀR is the second moment."""
        return triangular_factor(self) / np.sqrt(self.count)


def drawn(n, most, rng=0):
    """Row numbers, ascending: all n of them, or of more than that so many, at random but always the same."""
    return np.sort(np.random.default_rng(rng).choice(n, most, replace=False)) if n > most else np.arange(n)


def blocks(E):
    """The rows of E as float64, many at a time, each with the number of its first row."""
    for start in range(0, len(E), ROWS_AT_ONCE):
        yield start, np.asarray(E[start : start + ROWS_AT_ONCE], dtype=float)


def sized(E):
    """E, divided by its largest entry where that is so large or small that products would overflow or vanish."""
    size = max((np.abs(rows).max(initial=0) for _, rows in blocks(E)), default=0)
    return E if size == 0 or 1 / HUGE < size < HUGE else np.asarray(E, dtype=float) / size


def moments(E, weights=None, progress=None):
    r"""Moments of E from one pass, by the QR decomposition of (1, E), which squares no condition number.

    Parameters: E (m, k), not all rows zero; weights (m,) ≥ 0 of its rows; progress, called with the share done. Rows
    that are zero do not count.
    """
    R = np.zeros((0, E.shape[1] + 1))
    count = 0
    for start, rows in blocks(E):
        w = np.ones(len(rows)) if weights is None else np.asarray(weights[start : start + len(rows)], dtype=float)
        kept = rows.any(axis=1) & (w > 0)
        count += w[kept].sum()
        rows = np.hstack([np.ones((kept.sum(), 1)), rows[kept]]) * np.sqrt(w[kept, None])
        R = np.linalg.qr(np.vstack([R, rows]), mode="r")
        if progress:
            progress(min(1.0, (start + ROWS_AT_ONCE) / len(E)))
    return Moments(float(count), R[0, 1:] / R[0, 0], R[1:, 1:])


def triangular_factor(about, origin=0.0):
    r"""R with :math:`R^\top R = (E - \mathbf 1 o^\top)^\top (E - \mathbf 1 o^\top)`, (≤ k, k), from Moments of E."""
    shift = np.sqrt(about.count) * (about.mean - origin)
    return np.linalg.qr(np.vstack([shift, about.spread]), mode="r")


def imbalance(users, items):
    r"""How far :math:`P^\top P` is from a multiple of :math:`B^\top B`, as a share of its Frobenius norm.

    .. math:: \min_q \|P^\top P - q\,B^\top B\|_F \,/\, \|P^\top P\|_F

    Parameters: Moments of P and of B. Returns: a float in [0, 1], the same if P and B change places; 0 at a minimum of
    a loss of the scores with :math:`\mu_P\|P\|_F^2 + \mu_B\|B\|_F^2` added. With Moments that are weighted by counts it
    is 0 where the penalty on each row was multiplied by that row's count.
    """
    first, second = (R.T @ R for R in map(triangular_factor, (users, items)))
    first, second = first / np.linalg.norm(first), second / np.linalg.norm(second)
    return min(1.0, float(np.linalg.norm(first - np.sum(first * second) * second)))


def canonical_gauges(users, items, ranking=False):
    r"""The gauge as given, and four that are functions of the scores.

    With the scores' singular value decomposition :math:`P B^\top = U\,\mathrm{diag}(s)\,V^\top`, items are V, V √s and
    V s: *whitened* (:math:`B^\top B = I`), *balanced* (:math:`P^\top P = B^\top B`) and projected *back* (white users),
    whose cosines are those of the columns of the scores. *Safe* is balanced after the mean user is subtracted, see
    `safe_items`: cosines which an item's bias cannot touch; nor a user's, if the mean item is subtracted, too.
    Parameters: Moments of P (n, k) and of B (p, k); ranking, whether to subtract the mean item.
    Returns: a dict of Gauges, "given", "balanced", "whitened", "back", "safe". Directions with s below 1e-6 of the
    largest are left out. Rows in a canonical gauge are the same for every M, up to the signs of columns and, where s
    are tied, rotations.
    """
    k = len(items.mean)
    back, s = projection(triangular_factor(users), triangular_factor(items))
    gauges = {"given": Gauge(np.zeros(k), np.eye(k))}
    for name, power in (("balanced", -0.5), ("whitened", -1), ("back", 0)):
        gauges[name] = Gauge(np.zeros(k), back * s**power)
    return gauges | {"safe": safe_gauge(users, items, ranking=ranking)}


def safe_gauge(users, items, *, center=True, ranking=False, share=SHARE):
    r"""The Gauge of `safe_items`, :math:`T\,\mathrm{diag}(s/s_1)^{\text{share} - 1}` of `projection`, from Moments."""
    R, origin = triangular_factor(users), items.mean if ranking else np.zeros(len(items.mean))
    sizes = projection(R, triangular_factor(items))[1]
    back, s = projection(users.spread if center else R, triangular_factor(items, origin), sizes)
    return Gauge(origin, back * (s / s[:1]) ** (share - 1), R.T if center else None)


def projection(R_P, R_B, sizes=None):
    r"""T (k, r) with :math:`B T = V\,\mathrm{diag}(s)`, and s (r,), from the triangular factors of P and B.

    .. math:: R_P R_B^\top = U\,\mathrm{diag}(s)\,W^\top, \qquad T = R_P^\top U

    What is below 1e-6 of the largest of sizes, by default of s, is left out, and what is but a rounding error.
    """
    left, s, _ = np.linalg.svd(R_P @ R_B.T, full_matrices=False)
    rounding = ROUNDING * np.max(np.abs(R_P) @ np.abs(R_B).T, initial=0)
    kept = s > max(NEGLIGIBLE * np.max(s if sizes is None else sizes, initial=0), rounding)
    return R_P.T @ left[:, kept], s[kept]


def condition(items, gauge, negligible=NEGLIGIBLE):
    r"""The factor between the directions of B that a gauge stretches most and least: the c of a cosine's error bar.

    Parameters: Moments of B (p, k); gauge, a Gauge; negligible, the share of the largest singular value of B below
    which a direction does not count. Balanced items are V √s: what is left out of s at 1e-6 is so of B at 1e-3.
    Returns: a float ≥ 1; ∞ if a direction of B is left out, or the origin moves, which no M does.
    """
    if gauge.origin.any():
        return np.inf
    _, s, Vt = np.linalg.svd(triangular_factor(items), full_matrices=False)
    rank = np.sum(s > negligible * s[0])
    stretches = np.linalg.svd(Vt[:rank] @ gauge.matrix)[1]
    return float(stretches[0] / stretches[-1]) if len(stretches) == rank and stretches[-1] > 0 else np.inf


def turned(rows, gauge):
    """Some items in a gauge, (m, r); rows that are zero stay zero, and what is zero but for rounding is zero."""
    E = (rows - gauge.origin) @ gauge.matrix
    terms = (np.abs(rows) + np.abs(gauge.origin)) @ np.abs(gauge.matrix)
    none = np.abs(E).max(axis=1, initial=0) <= ROUNDING * terms.max(axis=1, initial=0)
    if gauge.ruler is not None:
        none |= np.linalg.norm(E, axis=1) <= STILL * np.linalg.norm(rows @ gauge.ruler, axis=1)
    E[none | ~rows.any(axis=1)] = 0
    return E


def in_gauge(B, gauge):
    """All items in a gauge, (p, r), in float32 if B is."""
    E = np.empty((len(B), gauge.matrix.shape[1]), dtype=B.dtype if B.dtype == np.float32 else float)
    for start, rows in blocks(B):
        E[start : start + len(rows)] = turned(rows, gauge)
    return E


def signs(E):
    """1 or −1 for each column, the sign of its first largest entry, (r,)."""
    size = np.abs(E)
    leading = np.argmax(size >= (1 - 1e-6) * size.max(axis=0, initial=0), axis=0)
    return np.where(E[leading, np.arange(E.shape[1])] < 0, -1, 1).astype(E.dtype)


def unit(rows):
    """Rows at length one, whatever their size; rows that are zero stay zero."""
    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0)
    rows = np.divide(rows, largest, out=np.zeros_like(rows), where=largest > 0)
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, length, out=rows, where=length > 0)


def directions(B, gauge=None):
    """Rows of B at length one, in a gauge, by default as given: (p, r), float32 if that has over 16 M entries."""
    r = B.shape[1] if gauge is None else gauge.matrix.shape[1]
    U = np.empty((len(B), r), dtype=np.float32 if len(B) * r > LARGE else float)
    for start, rows in blocks(B):
        U[start : start + len(rows)] = unit(rows if gauge is None else turned(rows, gauge))
    return U


def fingerprints(U):
    """A number for each row of length one, the same for parallel rows: six digits of three fixed projections.

    Rows that are zero have −1. Two different rows of a million have the same with a chance below one in a million.
    """
    views = np.random.default_rng(0).normal(size=(U.shape[1], 3))
    seen = np.vstack([np.round(rows @ views, 6) for _, rows in blocks(U)]) + 0.0
    numbers = np.unique(seen, axis=0, return_inverse=True)[1].ravel()
    return np.where(U.any(axis=1), numbers, -1)


def safe_items(*, items, users, interactions=None, center=True, ranking=False, share=SHARE):
    r"""Item embeddings whose cosines depend on the model's scores alone, the same for every choice of M.

    With the scores :math:`Y = P B^\top`, of columns with mean zero if center, they are E with

    .. math:: E E^\top \propto (Y^\top Y)^{\text{share}}

    Parameters: items B (p, k); users P (n, k), all of them; or, with interactions X (n, m), dense or sparse, users A
    (m, k) with P = XA. center: no item's bias can touch the cosines. ranking: a constant for each user is free, too, so
    the mean item is subtracted. share, from 0 to 1: ½, the default, splits singular values evenly between users and
    items, which fits most of what judged it best (README); 1 projects back, so that cosines are those of the columns of
    Y (correlations if center); in 0 all directions count alike.
    Returns: (p, r), r ≤ k. Rows that are zero do not count, and stay zero.
    Raises ValueError or TypeError that names argument and value.
    """
    from cosine_audit.safe import SafeItems

    users = users if interactions is None else interactions @ np.asarray(users, dtype=float)
    return SafeItems.fit(items, users, share=share, center=center, ranking=ranking).transform(items)


def as_array(name, value):
    """What NumPy makes of a value; TypeError for numbers that are masked, and for tensors that NumPy cannot read."""
    if np.ma.is_masked(value):
        raise TypeError(f"{name} must have no masked numbers, got {np.ma.count_masked(value)}: fill them or drop rows")
    try:
        return np.asarray(value)
    except (RuntimeError, TypeError, ValueError) as problem:
        tensor = f"; of a tensor pass {name}.detach().cpu().float().numpy()" if hasattr(value, "detach") else ""
        raise TypeError(f"{name} must be an array, got {type(value).__name__}: {problem}{tensor}") from None


def valid_matrix(name, value):
    """A matrix of real, finite numbers with a row other than zero: float32 and float64 as they are."""
    array = as_array(name, value)
    if array.ndim != 2 or 0 in array.shape:
        got = f"shape {array.shape}" if array.ndim else f"{value!r:.40}"
        raise ValueError(f"{name} must be a matrix with rows and columns, got {got}")
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must be real numbers, got {array.dtype}")
    native = array.dtype.isnative and array.dtype in (np.float32, np.float64)
    array = array if native else array.astype(np.float32 if array.dtype == np.float16 else float)
    for start, rows in blocks(array):
        wrong = np.argwhere(~np.isfinite(rows))
        if len(wrong):
            row, column = wrong[0]
            raise ValueError(f"{name} must be finite, got {rows[row, column]} in row {start + row}, column {column}")
    if not array.any():
        raise ValueError(f"{name} must have a row other than zero, got only zeros")
    return array


def valid_numbers(name, array, least=-np.inf):
    """TypeError for an array of other than numbers, ValueError where one is not finite, or below the least."""
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be numbers, got {array.dtype}")
    wrong = array[~(np.isfinite(array) & (array >= least))]
    if wrong.size:
        raise ValueError(f"{name} must be finite{' and at least 0' if least == 0 else ''}, got {wrong[0]}")


def valid_integer(name, value, least, most=np.inf):
    """An integer from least to most."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not least <= value <= most:
        wanted = f">= {least}" if most == np.inf else f"between {least} and {most}"
        raise ValueError(f"{name} must be an integer {wanted}, got {value!r}")
    return int(value)


def valid_pair(items, users=None, of=""):
    """Items and users as matrices of equally many columns, of a size whose products neither overflow nor vanish."""
    B = sized(valid_matrix(f"{of}items", items))
    P = None if users is None else sized(valid_matrix(f"{of}users", users))
    if P is not None and P.shape[1] != B.shape[1]:
        raise ValueError(f"{of}users must have {B.shape[1]} columns, as items have, got {P.shape[1]}")
    return B, P
