r"""Ω and the cosines (Eq. 4), and how far they can be moved while predictions stay the same."""

from collections.abc import Iterable

import numpy as np

from helpers.arguments import (
    valid_integer,
    valid_matrix,
    valid_number,
    valid_numbers,
    valid_rows,
    valid_scale,
    valid_square,
)


def normalize_rows(E):
    r"""The rows of E at unit length: :math:`\Omega E` with :math:`\Omega_{ii} = 1/\|e_i\|`.

    Parameters: E (m, k), no row zero. Returns: (m, k), dimensionless.
    Raises ValueError if a row is zero (it has no direction), NaN or infinite.
    Source: Steck et al. 2024, Eq. 4.
    """
    return unit_rows("E", E)


def cosine_similarity(E, F=None):
    r"""Cosines between the rows of E and those of F, or of E itself.

    .. math:: \mathrm{cosSim}(E, F) = \Omega_E\,E\,F^\top\,\Omega_F

    Parameters: E (m, k); F (q, k), by default E. No row zero. Returns: (m, q), dimensionless, in [−1, 1].
    Raises ValueError if a row is zero, NaN or infinite, or the column counts differ.
    Source: Steck et al. 2024, Section 2.1, below Eq. 4.
    """
    E = unit_rows("E", E)
    F = E if F is None else unit_rows("F", F, E.shape[1])
    S = E @ F.T
    return np.clip(S, -1, 1, out=S)  # in place: fresh memory takes longer than the arithmetic


def cosine_moments(B, scales):
    r"""Mean and standard deviation, over rescalings :math:`D = \mathrm{diag}(d)`, of every cosine of :math:`B D^{-1}`.

    Parameters: B (p, k); scales, an iterable of d (k,), all entries ≠ 0. Only running sums are kept: memory is O(p²).
    Returns: mean (p, p), standard deviation (p, p), dimensionless.
    Raises ValueError if scales is empty, a d has a zero, or B has a zero row; TypeError if scales cannot be iterated.
    Source: Steck et al. 2024, Eqs. 3 and 4.
    """
    B = valid_rows("B", B)
    if not isinstance(scales, Iterable):
        raise TypeError(f"scales must be an iterable of d, got {scales!r}")
    count, (total, squares, S) = 0, np.zeros((3, len(B), len(B)))
    for count, d in enumerate(scales, 1):  # noqa: B007
        E = unit_rows("B", B / valid_scale(d, B.shape[1]))
        np.matmul(E, E.T, out=S)  # in place, too
        total += S
        squares += np.square(S, out=S)
    if count == 0:
        raise ValueError("scales must hold at least one d, got none")
    mean = total / count
    return np.clip(mean, -1, 1), np.sqrt(np.maximum(squares / count - mean**2, 0))


def attainable_interval(x, y):
    r"""The cosines that positive diagonal rescalings can give a pair of embeddings, as an open or half-open interval.

    Let :math:`\rho = \max_l |x_l/y_l| \,/\, \min_l |x_l/y_l|`. If the products :math:`x_l y_l` take both signs:
    (−1, 1); if all are positive: :math:`[2\sqrt\rho/(1+\rho), 1)`; if all are negative:
    :math:`(-1, -2\sqrt\rho/(1+\rho)]`.
    The end 2√ρ/(1+ρ) is attained if ρ is finite and every ratio is the largest or the smallest (for k = 2 they are),
    and approached otherwise. Entries that are zero in both do not count; where only one of the two is zero, ρ = ∞;
    where x and y share no entry, every rescaling gives exactly 0.

    Parameters: x, y (k,), not zero. Returns: lower, upper, dimensionless; equal where nothing can be moved.
    Raises ValueError if x or y is zero, NaN or infinite, or their shapes disagree.
    Source: beyond the paper; the inequality of Pólya and Szegő.
    """
    x, y = valid_numbers("x", x), valid_numbers("y", y)
    if x.ndim != 1 or x.shape != y.shape or not x.any() or not y.any():
        raise ValueError(f"x and y must be nonzero vectors of one length, got {x} and {y}")
    products = np.sign(x) * np.sign(y)
    if products.min() < 0 < products.max():
        return -1.0, 1.0
    if not products.any():
        return 0.0, 0.0
    shared = (x != 0) | (y != 0)
    with np.errstate(divide="ignore", over="ignore"):  # log 0 = −∞, and beyond e^709 the end is 0
        ratios = np.log(np.abs(x[shared])) - np.log(np.abs(y[shared]))
        nearest = float(1 / np.cosh((ratios.max() - ratios.min()) / 2))  # 2√ρ/(1+ρ)
    return (-1.0, -nearest) if products.min() < 0 else (nearest, 1.0)


def cosine_range(cosine, cond):
    r"""Error bar of a cosine, if the embeddings may be changed by any M whose condition number is at most cond.

    A pair at angle θ can be moved exactly to the angles from :math:`2\arctan(\tan(\theta/2)/c)` to
    :math:`2\arctan(c\tan(\theta/2))`.

    Parameters: cosine in [−1, 1]; cond ≥ 1, finite; both dimensionless. Returns: lowest, highest cosine.
    Raises ValueError if cosine is outside [−1, 1] or cond is below 1, NaN or infinite.
    Source: beyond the paper; generalized Wielandt inequality, Bauer and Householder 1960.
    """
    cosine = valid_number("cosine", cosine, low=-1, high=1)
    cond = valid_number("cond", cond, low=1)
    half = np.arccos(cosine) / 2
    return tuple(float(np.cos(2 * np.arctan2(np.sin(half) * a, np.cos(half) * b))) for a, b in ((cond, 1), (1, cond)))


def realizing_transform(B, T):
    r"""The symmetric M after which the items of B have the cosines T, at unchanged lengths and predictions.

    .. math:: M = \bigl(B^+\,\Omega^{-1} T\,\Omega^{-1} B^{+\top} + I - B^+ B\bigr)^{-1/2},\qquad
              \Omega^{-1} = \mathrm{diag}(\|b_i\|)

    Then :math:`\mathrm{cosSim}(B M^{-\top}) = T`.
    Parameters: B (m, k), independent rows, the items to be moved, m ≤ k; T (m, m), a positive definite correlation
    matrix. Returns: M (k, k), for `transform`, dimensionless; the identity if T is their present cosines.
    Raises ValueError if the rows of B are dependent, or T is not symmetric, has a diagonal entry other than 1, or is
    not positive definite; shapes disagree; anything is NaN or infinite.
    Source: beyond the paper.
    """
    B = valid_matrix("B", B)
    if np.linalg.matrix_rank(B) < len(B):
        raise ValueError(f"B must have linearly independent rows, got {len(B)} of rank {np.linalg.matrix_rank(B)}")
    T = valid_correlations("T", T, len(B))
    basis, coordinates = np.linalg.qr(B.T)
    lengths = np.linalg.norm(B, axis=1, keepdims=True)
    root = np.linalg.solve(coordinates.T, lengths * np.linalg.cholesky(T))
    vectors, s, _ = np.linalg.svd(basis @ root @ basis.T + np.eye(B.shape[1]) - basis @ basis.T)
    return vectors / s @ vectors.T  # M⁻² = vectors diag(s²) vectorsᵀ


def neighbor_transform(B, i, j, cond):
    r"""The M of condition number cond that brings items i and j as close as any such M can.

    .. math:: M = I + (c - 1)\,u u^\top,\qquad u \propto \frac{b_i}{\|b_i\|} - \frac{b_j}{\|b_j\|},\qquad \|u\| = 1

    In :math:`B M^{-\top}` their cosine is the upper end of `cosine_range`. If no other item lies in the plane of the
    two, each is the nearest of the other once cond is large enough.
    Parameters: B (p, k), rows i and j not parallel; i, j row numbers; cond c ≥ 1, finite.
    Returns: M (k, k), for `transform`, dimensionless.
    Raises ValueError if i or j is not a row number, the rows are parallel or one is zero, cond is below 1, NaN or
    infinite.
    Source: beyond the paper; the equality case of the generalized Wielandt inequality.
    """
    B = valid_matrix("B", B)
    i, j = (valid_integer(name, value, 0, len(B) - 1) for name, value in (("i", i), ("j", j)))
    cond = valid_number("cond", cond, low=1)
    x, y = unit_rows("items i and j of B", B[[i, j]])
    if min(np.linalg.norm(x - y), np.linalg.norm(x + y)) < 1e-12:
        raise ValueError(f"items i and j must not be parallel, got {i} and {j}")
    u = (x - y) / np.linalg.norm(x - y)
    return np.eye(len(u)) + (cond - 1) * np.outer(u, u)


def unit_rows(name, E, n_columns=None):
    """The rows of E at unit length; ValueError naming the argument and the row if one is zero.

    Each row is first scaled by a power of two, which is exact, so that no square overflows or vanishes.
    """
    E = valid_rows(name, E, n_columns)
    _, exponents = np.frexp(np.abs(E).max(axis=1, keepdims=True))
    E = np.ldexp(E, -exponents)
    return E / np.linalg.norm(E, axis=1, keepdims=True)


def valid_correlations(name, T, size):
    """T as a positive definite float64 matrix of that size with ones on its diagonal; ValueError otherwise."""
    T = valid_square(name, T, size)
    wrong = np.abs(T.diagonal() - 1) > 1e-9
    if wrong.any():
        raise ValueError(f"{name} must have ones on its diagonal, got {T.diagonal()[wrong][0]}")
    smallest = np.linalg.eigvalsh(T)[0]
    if smallest <= size * np.finfo(float).eps:
        raise ValueError(f"{name} must be positive definite, got a smallest eigenvalue of {smallest}")
    return T
