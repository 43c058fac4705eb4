r"""Ω and the cosines (Eq. 4), and how far they can be moved while predictions stay the same."""

import numpy as np

from helpers import checks


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
    return np.clip(E @ F.T, -1, 1)


def cosine_moments(B, scales):
    r"""Mean and standard deviation, over rescalings :math:`D = \mathrm{diag}(d)`, of every cosine of :math:`B D^{-1}`.

    Parameters: B (p, k); scales, an iterable of d (k,), all entries ≠ 0. Only running sums are kept: memory is O(p²).
    Returns: mean (p, p), standard deviation (p, p), dimensionless.
    Raises ValueError if scales is empty, or a d has a zero or makes a row of B D⁻¹ zero.
    Source: Steck et al. 2024, Eqs. 3 and 4.
    """
    B = checks.matrix("B", B)
    total, total_of_squares, count = 0, 0, 0
    for d in scales:
        unit = unit_rows("B", B / checks.scale(d, B.shape[1]))
        S = np.clip(unit @ unit.T, -1, 1)
        total, total_of_squares, count = total + S, total_of_squares + S * S, count + 1
    if count == 0:
        raise ValueError("scales must hold at least one d, got none")
    mean = total / count
    return mean, np.sqrt(np.maximum(total_of_squares / count - mean**2, 0))


def attainable_interval(x, y):
    r"""The cosines that positive diagonal rescalings can give a pair of embeddings, as an open or half-open interval.

    Let :math:`\rho = \max_l |x_l/y_l| \,/\, \min_l |x_l/y_l|`. If the products :math:`x_l y_l` take both signs:
    (−1, 1); if all are positive: :math:`[2\sqrt\rho/(1+\rho), 1)`; if all are negative:
    :math:`(-1, -2\sqrt\rho/(1+\rho)]`.
    Entries that are zero in both do not count; where only one of the two is zero, ρ = ∞; where x and y share no entry,
    every rescaling gives exactly 0.

    Parameters: x, y (k,), not zero. Returns: lower, upper, dimensionless; equal where nothing can be moved.
    Raises ValueError if x or y is zero, NaN or infinite, or their shapes disagree.
    Source: beyond the paper; the inequality of Pólya and Szegő.
    """
    x, y = checks.finite("x", x), checks.finite("y", y)
    if x.ndim != 1 or x.shape != y.shape or not x.any() or not y.any():
        raise ValueError(f"x and y must be nonzero vectors of one length, got {x} and {y}")
    products = np.sign(x) * np.sign(y)
    if products.min() < 0 < products.max():
        return -1.0, 1.0
    if not products.any():
        return 0.0, 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.abs(x / y)[(x != 0) | (y != 0)]
        rho = ratios.max() / ratios.min()
    nearest = float(2 / (np.sqrt(rho) + 1 / np.sqrt(rho)))
    return (-1.0, -nearest) if products.min() < 0 else (nearest, 1.0)


def cosine_range(cosine, cond):
    r"""Error bar of a cosine, if the embeddings may be changed by any M whose condition number is at most cond.

    A pair at angle θ can be moved exactly to the angles from :math:`2\arctan(\tan(\theta/2)/c)` to
    :math:`2\arctan(c\tan(\theta/2))`.

    Parameters: cosine in [−1, 1]; cond ≥ 1, finite; both dimensionless. Returns: lowest, highest cosine.
    Raises ValueError if cosine is outside [−1, 1] or cond is below 1, NaN or infinite.
    Source: beyond the paper; generalized Wielandt inequality, Bauer and Householder 1960.
    """
    if not -1 <= cosine <= 1:
        raise ValueError(f"cosine must be between -1 and 1, got {cosine}")
    if not 1 <= cond < np.inf:
        raise ValueError(f"cond must be a finite number >= 1, got {cond}")
    half = np.arccos(cosine) / 2
    return tuple(float(np.cos(2 * np.arctan2(np.sin(half) * a, np.cos(half) * b))) for a, b in ((cond, 1), (1, cond)))


def unit_rows(name, E, n_columns=None):
    """The rows of E at unit length; ValueError naming the argument and the row if one is zero."""
    E = checks.matrix(name, E, n_columns)
    norms = np.linalg.norm(E, axis=1, keepdims=True)
    if not norms.all():
        raise ValueError(f"{name} must not have a zero row, which has no direction; row {norms.argmin()} is zero")
    return E / norms
