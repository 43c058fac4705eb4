r"""The two objectives of the paper, weight decay beside them, their closed forms, and what leaves them unchanged.

A and B are (p, k); the model predicts :math:`X A B^\top`. Losses are in the squared units of X, embeddings as stated.
"""

import numpy as np

from helpers.arguments import (
    valid_factors,
    valid_lam,
    valid_matrix,
    valid_model,
    valid_scale,
    valid_singular_values,
    valid_spectrum,
)


def squared_error(X, A, B):
    r"""The squared error of the model, without forming an n×p matrix.

    .. math:: \|X - XAB^\top\|_F^2 = \|X\|_F^2 - 2\,\langle XB, XA\rangle + \langle (XA)^\top XA,\; B^\top B\rangle

    Parameters: X (n, p), dense or sparse; A, B (p, k). Returns: a float, in squared units of X.
    Raises ValueError if shapes disagree or anything is NaN or infinite.
    Source: the first term of Eqs. 1 and 2.
    """
    X, A, B = valid_model(X, A, B)
    P = X @ A
    return float(squared_norm(X) - 2 * np.sum((X @ B) * P) + np.sum((P.T @ P) * (B.T @ B)))


def product_norm_loss(X, A, B, lam):
    r"""Eq. 1, :math:`\|X - XAB^\top\|_F^2 + \lambda\,\|AB^\top\|_F^2`: a float, in squared units of X.

    Parameters: X (n, p), dense or sparse; A, B (p, k); lam ≥ 0.
    Raises ValueError if lam < 0, shapes disagree, or anything is NaN or infinite.
    Source: Steck et al. 2024, Eq. 1.
    """
    A, B = valid_factors(A, B)
    return squared_error(X, A, B) + valid_lam(lam) * float(np.sum((A.T @ A) * (B.T @ B)))


def factor_norm_loss(X, A, B, lam):
    r"""Eq. 2, :math:`\|X - XAB^\top\|_F^2 + \lambda\,(\|XA\|_F^2 + \|B\|_F^2)`: a float, in squared units of X.

    Parameters: X (n, p), dense or sparse; A, B (p, k); lam ≥ 0.
    Raises ValueError if lam < 0, shapes disagree, or anything is NaN or infinite.
    Source: Steck et al. 2024, Eq. 2.
    """
    X, A, B = valid_model(X, A, B)
    return squared_error(X, A, B) + valid_lam(lam) * (squared_norm(X @ A) + squared_norm(B))


def weight_decay_loss(X, A, B, lam):
    r"""Weight decay, :math:`\|X - XAB^\top\|_F^2 + \lambda\,(\|A\|_F^2 + \|B\|_F^2)`: a float, in squared units of X.

    Parameters: X (n, p), dense or sparse; A, B (p, k); lam ≥ 0.
    Raises ValueError if lam < 0, shapes disagree, or anything is NaN or infinite.
    Source: not in the paper; what "weight decay" means literally.
    """
    A, B = valid_factors(A, B)
    return squared_error(X, A, B) + valid_lam(lam) * (squared_norm(A) + squared_norm(B))


def shrinkage(s, lam):
    r"""What Eq. 1 leaves of each singular direction: :math:`g_i = 1/(1 + \lambda/\sigma_i^2)`, (k,), dimensionless.

    Parameters: s (k,) singular values ≥ 0; lam ≥ 0. Where σ is 0 so is g, even at λ = 0: nothing is learned along a
    direction that X does not have.
    Raises ValueError if lam < 0 or s has a negative, NaN or infinite entry.
    Source: Steck et al. 2024, Eq. 5.
    """
    s, lam = valid_singular_values(s), valid_lam(lam)
    return np.divide(s**2, s**2 + lam, out=np.zeros_like(s), where=s > 0)


def product_norm_factors(s, V, lam):
    r"""Closed-form minimizer of Eq. 1, split evenly between A and B; one of many, as (A M, B M⁻ᵀ) are minimizers too.

    .. math:: \hat A = \hat B = V_k\,\mathrm{diag}\bigl(1/(1 + \lambda/\sigma_i^2)\bigr)^{1/2}

    Parameters: s (k,) the leading singular values ≥ 0; V (p, k) the leading right singular vectors; lam ≥ 0.
    Returns: A, B, each (p, k), dimensionless.
    Raises ValueError if lam < 0, shapes disagree, or anything is NaN or infinite.
    Source: Steck et al. 2024, Eq. 5; Jin et al. 2021.
    """
    s, V = valid_spectrum(s, V)
    B = V * np.sqrt(shrinkage(s, lam))
    return B.copy(), B


def factor_norm_factors(s, V, lam):
    r"""Closed-form minimizer of Eq. 2.

    For λ > 0, and if :math:`\sigma_{k+1} < \sigma_k` or ≤ λ, the embeddings X A and B are unique up to a rotation; A is
    if, besides, X has full column rank.

    .. math:: \hat A = V_k\,\mathrm{diag}\bigl(\tfrac{1}{\sigma_i}(1 - \tfrac{\lambda}{\sigma_i})_+\bigr)^{1/2},\qquad
              \hat B = V_k\,\mathrm{diag}\bigl(\sigma_i (1 - \tfrac{\lambda}{\sigma_i})_+\bigr)^{1/2}

    Parameters: s (k,) the leading singular values ≥ 0; V (p, k) the leading right singular vectors; lam ≥ 0.
    Where σ is 0, both columns are 0.
    Returns: A (p, k), in inverse square-root units of X; B (p, k), in square-root units of X.
    Raises ValueError if lam < 0, shapes disagree, or anything is NaN or infinite.
    Source: Steck et al. 2024, Eq. 6; Zheng et al. 2018.
    """
    s, V = valid_spectrum(s, V)
    f = np.sqrt(np.maximum(s - valid_lam(lam), 0))
    return V * np.divide(f, s, out=np.zeros_like(s), where=s > 0), V * f


def weight_decay_factors(s, V, lam):
    r"""Closed-form minimizer of weight decay.

    .. math:: \hat A = \hat B = V_k\,\mathrm{diag}\bigl((1 - \lambda/\sigma_i^2)_+\bigr)^{1/2}

    Parameters: s (k,) the leading singular values ≥ 0; V (p, k) the leading right singular vectors; lam ≥ 0.
    Where σ is 0, both columns are 0.
    Returns: A, B, each (p, k), dimensionless.
    Raises ValueError if lam < 0, shapes disagree, or anything is NaN or infinite.
    Source: not in the paper; derived in the chapter on the second objective.
    """
    s, V = valid_spectrum(s, V)
    excess = np.maximum(s**2 - valid_lam(lam), 0)
    B = V * np.sqrt(np.divide(excess, s**2, out=np.zeros_like(s), where=s > 0))
    return B.copy(), B


def rescale(A, B, d):
    r"""Rescale the latent dimensions: :math:`A D` and :math:`B D^{-1}` with :math:`D = \mathrm{diag}(d)`.

    Parameters: A, B (p, k); d (k,), all entries ≠ 0, dimensionless.
    Returns: A D (p, k), B D⁻¹ (p, k), whose product is that of A and B.
    Raises ValueError if an entry of d is 0, NaN or infinite, or shapes disagree.
    Source: Steck et al. 2024, Eq. 3.
    """
    A, B = valid_factors(A, B)
    d = valid_scale(d, A.shape[1])
    return A * d, B / d


def transform(A, B, M):
    r"""Change the basis of the latent space: :math:`A M` and :math:`B M^{-\top}`, whose product is that of A and B.

    If A and B have full column rank, these are all the pairs of that product; if X has, too, all of those predictions.
    Parameters: A, B (p, k); M (k, k), invertible, dimensionless.
    Returns: A M (p, k), B M⁻ᵀ (p, k).
    Raises ValueError if M is singular to working precision, NaN or infinite, or shapes disagree.
    Source: beyond the paper, which names rotations and diagonal matrices; M = R₁ D R₂ is built from those.
    """
    A, B = valid_factors(A, B)
    M = valid_matrix("M", M, A.shape[1])
    if len(M) != A.shape[1] or np.linalg.matrix_rank(M) < len(M):
        raise ValueError(f"M must be an invertible {A.shape[1]}×{A.shape[1]} matrix, got {M}")
    return A @ M, np.linalg.solve(M, B.T).T


def squared_norm(M):
    """Squared Frobenius norm of a dense or sparse matrix."""
    return float((M.multiply(M) if hasattr(M, "multiply") else M * M).sum())


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
