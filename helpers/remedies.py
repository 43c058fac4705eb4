r"""Section 3: what can be done before, during and after learning, so that a cosine is unique, or means more.

Preparing the data (centering, standardizing, propensity scaling, shifted PMI) and reading a model out (projecting back,
whitening) are separate steps. G is the Gram matrix :math:`X^\top X`, (p, p); nothing here forms a dense n×p matrix.
"""

import numpy as np
import scipy.sparse as sp

from helpers.arguments import (
    valid_data,
    valid_factors,
    valid_integer,
    valid_matrix,
    valid_model,
    valid_number,
    valid_numbers,
    valid_square,
)


def project_items_back(G, A, B):
    r"""Item embeddings whose cosines are those of the columns of :math:`X A B^\top`, k numbers for each item.

    .. math:: B\,(A^\top G A)^{1/2}, \qquad \text{Gram matrix } B A^\top G A B^\top = (X A B^\top)^\top (X A B^\top)

    Parameters: G (p, p), the Gram matrix of X; A, B (p, k). Returns: (p, k), in units of X.
    Raises ValueError if G is not symmetric and positive semi-definite, shapes disagree, or anything is NaN or infinite.
    Source: beyond the paper, whose Section 3 takes the rows; this takes the columns.
    """
    A, B = valid_factors(A, B)
    return B @ symmetric_root(A.T @ valid_gram(G, len(A)) @ A)


def project_users_back(X, A, B):
    r"""User embeddings whose cosines are those of the rows of :math:`X A B^\top`, k numbers for each user.

    .. math:: X A\,(B^\top B)^{1/2}

    Parameters: X (n, p), dense or sparse; A, B (p, k). Returns: (n, k), in units of X.
    Raises ValueError if shapes disagree, or anything is NaN or infinite.
    Source: Steck et al. 2024, Section 3.
    """
    X, A, B = valid_model(X, A, B)
    return X @ A @ symmetric_root(B.T @ B)


def whiten(B):
    r"""Embeddings with orthogonal latent dimensions of one size: :math:`B\,(B^\top B)^{-1/2}`.

    Parameters: B (p, k), independent columns. Returns: (p, k), orthonormal columns, dimensionless.
    Raises ValueError if the columns of B are linearly dependent to working precision, or NaN or infinite.
    Source: beyond the paper; the polar factor of B, not centered.
    """
    B = valid_matrix("B", B)
    left, s, right = np.linalg.svd(B, full_matrices=False)
    if len(B) < B.shape[1] or s[-1] <= s[0] * max(B.shape) * np.finfo(float).eps:
        raise ValueError(f"B must have linearly independent columns, got rank below {B.shape[1]}")
    return left @ right


def centered_gram(G, means, n_users):
    r"""Gram matrix of X with its column means subtracted: :math:`G - n\,\bar x\bar x^\top`.

    Parameters: G (p, p), the Gram matrix of X; means (p,), its column means; n_users ≥ 1, its number of rows.
    Returns: (p, p), in squared units of X.
    Raises ValueError if G is not a Gram matrix with these means, or shapes disagree.
    Source: Steck et al. 2024, note 1.
    """
    G, means = valid_gram(G), valid_numbers("means", means)
    if means.shape != (len(G),):
        raise ValueError(f"means must be {len(G)} numbers, one for each item, got shape {means.shape}")
    n_users = valid_integer("n_users", n_users, 1, np.inf)
    short = G.diagonal() - n_users * means**2 < -1e-9 * G.diagonal()
    if short.any():
        raise ValueError(f"means must satisfy n_users * means**2 <= diag(G), got {means[short][0]}")
    return valid_gram(G - n_users * np.outer(means, means), name="G - n_users * outer(means, means)", like=G)


def standardized_gram(G, means, n_users):
    r"""Gram matrix of X with every column at mean 0 and variance 1: n times the correlations of the columns.

    .. math:: n\,\frac{G_{ij} - n\bar x_i\bar x_j}{\sqrt{(G_{ii} - n\bar x_i^2)(G_{jj} - n\bar x_j^2)}}

    Parameters: G (p, p), the Gram matrix of X; means (p,), its column means; n_users ≥ 1. No column may be constant.
    Returns: (p, p), dimensionless.
    Raises ValueError if a column is constant, which an item is that nobody or everybody took; or shapes disagree.
    Source: Steck et al. 2024, Section 3.
    """
    centered = centered_gram(G, means, n_users)
    variances = centered.diagonal() / n_users
    constant = variances <= 1e-12 * np.asarray(G).diagonal() / n_users
    if constant.any():
        raise ValueError(f"X must not have a constant column, got one of variance 0: column {constant.argmax()}")
    return centered / np.sqrt(np.outer(variances, variances))


def propensity_scaled(X, item_power, user_power=0.0):
    r"""X with each entry divided by powers of its column's sum, the item's popularity, and of its row's, the activity.

    .. math:: \frac{x_{ui}}{(\sum_v x_{vi})^{\text{item power}}\,(\sum_j x_{uj})^{\text{user power}}}

    Parameters: X (n, p) ≥ 0, dense or sparse; item_power and user_power, finite. Empty rows and columns stay so.
    Returns: (n, p), CSR.
    Raises ValueError if X has a negative, NaN or infinite entry, or a power is NaN or infinite.
    Source: Steck et al. 2024, Section 3; Schnabel et al. 2016 for item_power 1 and known propensities.
    """
    X = sp.csr_array(valid_data(X))
    if X.nnz and X.data.min() < 0:
        raise ValueError(f"X must be >= 0, got {X.data.min()}")
    item_power, user_power = valid_number("item_power", item_power), valid_number("user_power", user_power)
    scales = []
    for axis, power in ((1, user_power), (0, item_power)):
        sums = X.sum(axis=axis)
        scales.append(sp.diags_array(np.power(sums, -power, out=np.zeros_like(sums), where=sums > 0)))
    return sp.csr_array(scales[0] @ X @ scales[1])


def shifted_ppmi(counts, exponent=1.0, n_negatives=1):
    r"""Shifted positive PMI of items and contexts, with the exponent β of the negative-sampling distribution.

    .. math:: \Bigl(\log\frac{n_{ij}}{n_{i\cdot}\,P_\beta(j)} - \log\kappa\Bigr)_+, \qquad
              P_\beta(j) = \frac{n_{\cdot j}^{\beta}}{\sum_l n_{\cdot l}^{\beta}}

    Parameters: counts (p, q), :math:`n_{ij}` ≥ 0 with sums :math:`n_{i\cdot}` of rows and :math:`n_{\cdot j}` of
    columns, none of them zero; exponent β ≥ 0; n_negatives κ > 0.
    Returns: (p, q), dimensionless; 0 where the count is 0.
    Raises ValueError if a count is negative, NaN or infinite, a row or column is zero, β < 0 or κ ≤ 0.
    Source: Levy and Goldberg 2014; Levy, Goldberg and Dagan 2015 for β.
    """
    counts = valid_matrix("counts", counts)
    if counts.min() < 0 or not (counts.any(axis=0).all() and counts.any(axis=1).all()):
        raise ValueError(f"counts must be >= 0, without a zero row or column, got a smallest entry of {counts.min()}")
    exponent = valid_number("exponent", exponent, low=0)
    n_negatives = valid_number("n_negatives", n_negatives, low=0, strictly=True)
    noise = counts.sum(axis=0) ** exponent
    ratio = counts / (n_negatives * np.outer(counts.sum(axis=1), noise / noise.sum()))
    return np.log(np.maximum(ratio, 1))


def layer_norm(E):
    r"""Layer normalization of each row, without gain and bias: mean 0 and variance 1 over its k entries.

    .. math:: \frac{e - \bar e}{\sqrt{\tfrac1k\sum_l (e_l - \bar e)^2}}

    Parameters: E (m, k), no row constant. Returns: (m, k), dimensionless, rows of length √k.
    Raises ValueError if the entries of a row are all equal, NaN or infinite.
    Source: Ba et al. 2016, with ε = 0.
    """
    E = valid_matrix("E", E)
    centered = E - E.mean(axis=1, keepdims=True)
    spread = centered.std(axis=1, keepdims=True)
    constant = spread <= 1e-14 * np.abs(E).max(axis=1, keepdims=True)
    if constant.any():
        raise ValueError(f"E must not have a row of equal entries, which has no spread; row {constant.argmax()} is one")
    return centered / spread


def valid_gram(G, size=None, name="G", like=None):
    """G as a finite, symmetric, positive semi-definite matrix (of that size), up to the rounding errors of one like it.

    ValueError otherwise.
    """
    G = valid_square(name, G, size)
    rounding = 1e-9 * np.abs(G if like is None else like).max()
    try:
        np.linalg.cholesky(G + rounding * np.eye(len(G)))  # ten times as fast as the eigenvalues
    except np.linalg.LinAlgError:
        smallest = np.linalg.eigvalsh(G)[0]
        if smallest < -rounding:
            raise ValueError(f"{name} must be positive semi-definite, got an eigenvalue of {smallest}") from None
    return G


def symmetric_root(M):
    """The symmetric square root of a positive semi-definite M, (k, k)."""
    eigenvalues, vectors = np.linalg.eigh(M)
    return vectors * np.sqrt(np.maximum(eigenvalues, 0)) @ vectors.T
