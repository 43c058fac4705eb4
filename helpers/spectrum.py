r"""The truncated SVD of X: the only decomposition anything in this book needs.

Every closed form of the paper is a function of the leading singular values σ and right singular vectors V of X. They
are the eigenpairs of the p×p Gram matrix :math:`G = X^\top X`, which a single pass over the rows accumulates, so the
cost grows linearly with the number of users.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh
from scipy.sparse.linalg import aslinearoperator, svds

from helpers.arguments import valid_data, valid_integer
from helpers.threads import WORKERS, one_blas_thread

SPARSE = 1_000  # times what it costs in a product of dense matrices, a sparse one takes for a multiplication
SMALLEST_RATIO = 1e-3  # of σ_k to σ_1; below it, squaring in the Gram matrix costs σ_k more than six digits
SMALL, FEW, PARTS = 2_000, 6_000, 4  # products of few items and many users are computed side by side, in so many parts
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

    A user with m items costs G the lesser of p² and SPARSE·m², and eigenvectors cost 7p³; Lanczos takes some 5k
    products with X and with :math:`X^\top`, each ten times as fast as a sparse :math:`X^\top X`. A chosen G has at most
    150k/p numbers for each of X: no other limit on p is needed.
    """
    n_items, p = items_by_user(X), X.shape[1]
    return np.minimum(p**2, SPARSE * n_items**2).sum() + 7 * p**3 <= SPARSE * k * (n_items.sum() + 20_000)


def items_by_user(X):
    """How many entries each row of X, dense or CSR, holds: (n,) float64."""
    return np.diff(X.indptr).astype(float) if sp.issparse(X) else np.full(len(X), float(X.shape[1]))


def gram(X):
    r"""The Gram matrix :math:`G = X^\top X`, (p, p) float64: of users with few items sparse, of others in dense chunks.

    X (n, p) is dense or sparse. Sparse data of ones and fewer than 2²⁴ users are counted in float32, in half the time
    and still exactly: counts are integers. Peak memory, beside copies of what is sparse, is O(p² + n).
    """
    X = sp.csr_array(X, dtype=float) if sp.issparse(X) else X
    p = X.shape[1]
    few = SPARSE * items_by_user(X) ** 2 < p**2
    some, many = X[few], np.flatnonzero(~few)
    counts = sp.issparse(X) and len(many) < 2**24 and np.all(X.data == 1) and X.has_canonical_format
    kind = np.float32 if counts else float
    if counts:  # rows are cut out of bytes, and filled, in half the time
        X = sp.csr_array((np.ones_like(X.data, np.int8), X.indices, X.indptr), shape=X.shape)

    def sparse():
        return (some.T @ some).toarray() if few.any() else np.zeros((p, p))

    def add_products(users, G):
        product = np.empty(G.shape, kind)
        for chunk in np.array_split(users, -(-len(users) // ROWS_AT_ONCE)):
            rows = (X[chunk].toarray() if sp.issparse(X) else X[chunk]).astype(kind, copy=False)
            G += cooccurrences(rows, product) if counts else np.matmul(rows.T, rows, out=product)
        return G

    if few.all():
        return sparse()
    if p > SMALL or len(many) < FEW:
        return add_products(many, sparse())
    with one_blas_thread(), ThreadPoolExecutor(WORKERS) as pool:
        first = pool.submit(sparse)
        parts = pool.map(lambda users: add_products(users, np.zeros((p, p), kind)), np.array_split(many, PARTS))
        G = first.result()
        for part in parts:  # in one order, whatever the number of threads
            G += part
    return G


def cooccurrences(rows, G):
    r"""How many of at most 4 095 rows of ones and zeros hold both of two items, into G, (p, p); all float32.

    The formula is rowsᵀ·rows. Between items of different halves a float32, exact up to 2²⁴, sums two counts below 2¹²:
    of i, and of i + p/4, whose ones weigh 4 096. That saves up to half of the multiplications.
    """
    quarter = len(G) // 4
    if quarter < 100:
        return np.matmul(rows.T, rows, out=G)
    half = 2 * quarter
    low, high, others = rows[:, :quarter], rows[:, quarter:half], rows[:, half:]
    both = (low + 4_096 * high).T @ others
    np.floor(both / 4_096, out=G[quarter:half, half:])
    np.subtract(both, 4_096 * G[quarter:half, half:], out=G[:quarter, half:])
    G[half:, :half] = G[:half, half:].T
    cooccurrences(rows[:, :half], G[:half, :half])
    cooccurrences(others, G[half:, half:])
    return G


def spectrum_of_gram(G, k):
    r"""s (k,) and V (p, k) from :math:`G = V\,\mathrm{diag}(\sigma^2)\,V^\top`, (p, p); zero where G is."""
    p = len(G)
    if 8 * k < p:
        with one_blas_thread():
            eigenvalues, V = eigh(G, subset_by_index=(p - k, p - 1))
    else:
        eigenvalues, V = np.linalg.eigh(G)
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
    s, V, start = np.zeros(0), np.zeros((X.shape[1], 0)), np.random.default_rng(0).normal(size=min(X.shape))
    while len(s) < k:
        outside = aslinearoperator(sp.eye_array(len(V))) - aslinearoperator(V) @ aslinearoperator(V.T)
        _, found, Vt = svds(aslinearoperator(X) @ outside, k - len(s), v0=start)
        kept = found >= SMALLEST_RATIO * found.max()
        if found[~kept].max(initial=0) < negligible(np.r_[s, found], X.shape):
            kept[:] = True  # the others are zero up to rounding
        s, V = np.r_[s, found[kept]], np.hstack([V, (outside @ Vt[kept].T)])
    return s, V


def negligible(s, shape):
    """What cannot be told from zero beside the largest of s: the rounding error of an SVD of that shape."""
    return s.max() * max(shape) * np.finfo(float).eps


def signs(V):
    """+1 or −1 for each column of V, (p, k): the sign of its first entry within rounding of the largest magnitude."""
    size = np.abs(V)
    leading = np.argmax(size >= (1 - 1e-6) * size.max(axis=0), axis=0)
    return np.where(V[leading, np.arange(V.shape[1])] < 0, -1.0, 1.0)
