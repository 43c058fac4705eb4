r"""The truncated SVD of X: the only decomposition anything in this book needs.

Every closed form of the paper is a function of the leading singular values σ and right singular vectors V of X. They
are the eigenpairs of the p×p Gram matrix :math:`G = X^\top X`, which a single pass over the rows accumulates, so the
cost grows linearly with the number of users.
"""

import numpy as np
import scipy.sparse as sp
from cosine_audit.gauges import signs
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, eigsh
from threadpoolctl import ThreadpoolController

from helpers.arguments import valid_data, valid_integer

SPARSE = 1_000  # times what it costs in a product of dense matrices, a sparse one takes for a multiplication
SMALLEST_RATIO = 1e-3  # of σ_k to σ_1; below it, squaring in the Gram matrix costs σ_k more than six digits
BLAS = ThreadpoolController().select(user_api="blas")  # finding it takes longer than a small spectrum
ROWS_AT_ONCE = 2_000  # a dense chunk of 2 000 users × 1 000 items is 8 MB in float32


def truncated_svd(X, k):
    r"""The k largest singular values of X and their right singular vectors.

    .. math:: X = U\,\mathrm{diag}(\sigma)\,V^\top, \qquad \sigma_1 \ge \sigma_2 \ge \dots \ge \sigma_k

    Parameters: X (n, p), dense or sparse, finite; k, 1 ≤ k ≤ min(n, p).
    Returns: s (k,), descending, in the units of X; V (p, k), dimensionless. In each column the entry of largest
    magnitude is positive. A singular value below the rounding error of the largest is returned as 0. Rows of V that
    belong to all-zero columns of X are exactly 0, so columns of V are orthonormal where σ > 0, and may
    be shorter where σ is 0.
    Raises ValueError if X is empty, NaN or infinite, or k is out of range.
    Source: the SVD of Section 2.2 of Steck et al. 2024 (which calls the σ eigenvalues).
    """
    X = valid_data(X)
    k = valid_integer("k", k, 1, min(X.shape))
    s = None
    if gram_is_cheaper(X, k):
        s, V = spectrum_of_gram(gram(X), k)
    if s is None or s[-1] < SMALLEST_RATIO * s[0]:
        s, V = exact_svd(X, k)
    s[s < negligible(s, X.shape)] = 0
    return s, V * signs(V)


def gram_is_cheaper(X, k):
    r"""Whether G and its eigenvectors take less time than Lanczos: in multiplications of dense matrices, roughly.

    G costs np², or SPARSE·Σm² if users hold m items, and eigenvectors 7p³; Lanczos takes some 5k products with X and
    with :math:`X^\top`, each ten times as fast as a sparse :math:`X^\top X`.
    """
    n_items, p = items_by_user(X), X.shape[1]
    product = min(len(n_items) * p**2, SPARSE * (n_items @ n_items))
    return product + 7 * p**3 <= SPARSE * k * (n_items.sum() + 20_000)


def items_by_user(X):
    """How many entries each row of X, dense or CSR, holds: (n,) float64."""
    return np.diff(X.indptr).astype(float) if sp.issparse(X) else np.full(len(X), float(X.shape[1]))


def gram(X):
    r"""The Gram matrix :math:`G = X^\top X`, (p, p) float64: a sparse product if users hold few items, or dense chunks.

    X (n, p) is dense or sparse. Chunks of ones are counted in float32, in half the time and still exactly. Peak memory,
    beside copies of what is sparse, is O(p²).
    """
    if not sp.issparse(X):
        return np.asarray(X, dtype=float).T @ np.asarray(X, dtype=float)
    X = sp.csr_array(X, dtype=float)
    n_items = items_by_user(X)
    if SPARSE * (n_items @ n_items) < X.shape[0] * X.shape[1] ** 2:
        return (X.T @ X).toarray()
    kind = np.float32 if X.has_canonical_format and np.all(X.data == 1) else float
    G = np.zeros((X.shape[1], X.shape[1]))
    for first in range(0, X.shape[0], ROWS_AT_ONCE):
        rows = X[first : first + ROWS_AT_ONCE].astype(kind).toarray()
        G += rows.T @ rows
    return G


def spectrum_of_gram(G, k):
    r"""s (k,) and V (p, k) from :math:`G = V\,\mathrm{diag}(\sigma^2)\,V^\top`, (p, p); zero where G is."""
    few = (len(G) - k, len(G) - 1) if 5 * k < len(G) else None  # of more, LAPACK finds all in less time
    with BLAS.limit(limits=1):  # several would wait for each other
        eigenvalues, V = eigh(G, subset_by_index=few)
    V[G.diagonal() == 0] = 0
    return np.sqrt(np.maximum(eigenvalues, 0))[: -k - 1 : -1], V[:, : -k - 1 : -1]


def exact_svd(X, k):
    """s (k,) and V (p, k) from X itself: Lanczos, or the full SVD where nothing is truncated."""
    seen = X.astype(bool).sum(axis=0) > 0
    if not seen.any():
        return np.zeros(k), np.zeros((X.shape[1], k))
    if k == min(X.shape):
        _, s, Vt = np.linalg.svd(X.toarray() if sp.issparse(X) else X, full_matrices=False)
        V = Vt.T
    else:
        s, V = lanczos(X, k)
    V[~seen] = 0
    order = np.argsort(-s)
    return s[order], V[:, order]


def lanczos(X, k):
    r"""s (k,) and V (p, k) by Lanczos from a fixed start, which squares: a few decades of σ at a time.

    What is found is taken out, :math:`X(I - VV^\top)`, before σ are looked for whose squares would drown in its
    rounding errors.
    """
    s, V, start = np.zeros(0), np.zeros((X.shape[1], 0)), np.random.default_rng(0).normal(size=X.shape[1])
    while len(s) < k:
        product = LinearOperator((len(V), len(V)), lambda v, V=V: outside(V, X.T @ (X @ outside(V, v))), dtype=float)
        found_V = outside(V, eigsh(product, k - len(s), v0=start)[1])
        found = np.linalg.norm(X @ found_V, axis=0)
        kept = found >= SMALLEST_RATIO * found.max()
        if found[~kept].max(initial=0) < negligible(np.r_[s, found], X.shape):
            kept[:] = True  # the others are zero up to rounding
        s, V = np.r_[s, found[kept]], np.hstack([V, found_V[:, kept]])
    return s, V


def outside(V, v):
    r""":math:`(I - VV^\top)v`, for a vector v (p,) or the columns of a matrix."""
    return v - V @ (V.T @ v)


def negligible(s, shape):
    """What cannot be told from zero beside the largest of s: the rounding error of an SVD of that shape."""
    return s.max() * max(shape) * np.finfo(float).eps
