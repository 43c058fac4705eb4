import numpy as np
import pytest
import scipy.sparse as sp
from conftest import rotation
from numpy.testing import assert_allclose, assert_array_equal

from helpers import spectrum, truncated_svd


def with_singular_values(rng, n, p, s):
    U, V = (np.linalg.qr(rng.normal(size=(m, len(s))))[0] for m in (n, p))
    return U * s @ V.T


@pytest.fixture(params=["Gram", "Lanczos"])
def route(request, monkeypatch):
    monkeypatch.setattr(spectrum, "gram_is_cheaper", lambda X, k: request.param == "Gram")


@pytest.mark.usefixtures("route")
@pytest.mark.parametrize("ratio", [1e-2, 1e-4, 1e-6, 1e-9, 1e-11])
@pytest.mark.parametrize("shape", [(300, 100), (100, 300)])
def test_small_singular_values_keep_their_digits(ratio, shape, rng):
    X = with_singular_values(rng, *shape, np.r_[1.0, 0.5, 2 * ratio, ratio, ratio * np.linspace(0.3, 0.1, 50)])
    s, V = truncated_svd(X, 4)
    _, s_dense, Vt = np.linalg.svd(X, full_matrices=False)
    assert_allclose(s, s_dense[:4], rtol=1e-14 / ratio + 1e-10)
    assert_allclose(V @ V.T, Vt[:4].T @ Vt[:4], atol=1e-14 / ratio + 1e-10)
    assert_allclose(V.T @ V, np.eye(4), atol=1e-13)


@pytest.mark.usefixtures("route")
def test_signs_do_not_depend_on_the_order_or_the_sign_of_the_rows(rng):
    X = rng.normal(size=(30, 12))
    s, V = truncated_svd(X, 6)
    assert np.all(V[np.abs(V).argmax(axis=0), range(6)] > 0)
    for same in (X[rng.permutation(30)], -X, rotation(rng, 30) @ X):
        assert_allclose(truncated_svd(same, 6)[0], s, atol=1e-9)
        assert_allclose(truncated_svd(same, 6)[1], V, atol=1e-9)


def test_the_sign_of_a_tie_does_not_depend_on_rounding():
    V = np.array([[0.5, -0.5], [-0.5 * (1 + 1e-15), 0.5]])
    assert_array_equal(spectrum.signs(V), [1, -1])


RNG = np.random.default_rng(4)
FEW = (RNG.random((300, 120)) < RNG.random((300, 1)) / 10).astype(float)
TIED = np.array([3.0, 3, 3, 2, 1])  # and zeros
CASES = {
    "0/1": (FEW, 8),
    "columns of zeros": (np.where(np.arange(120) % 7, FEW, 0), 8),
    "negative entries": (FEW * RNG.normal(size=FEW.shape), 8),
    "tied": (with_singular_values(RNG, 60, 40, TIED), 3),
    "beyond the rank": (with_singular_values(RNG, 60, 40, TIED), 20),
    "rank and columns": (np.where(np.arange(4) < 2, RNG.normal(size=(6, 4)), 0), 4),
    "nothing": (np.zeros((6, 8)), 6),
    "more items than users": (FEW.T, 8),
    "k = p": (FEW[:, :12], 12),
    "k = n": ((RNG.random((12, 120)) < 0.3).astype(float), 12),
}


@pytest.mark.parametrize("kind", [np.asarray, sp.coo_array])
@pytest.mark.usefixtures("route")
@pytest.mark.parametrize("case", CASES)
def test_both_routes_agree_with_the_dense_svd(case, kind):
    X, k = CASES[case]
    s, V = truncated_svd(kind(X), k)
    _, s_dense, Vt = np.linalg.svd(X, full_matrices=False)
    r = np.count_nonzero(s_dense[:k] > 1e-12 * s_dense[0])
    assert (s.shape, V.shape) == ((k,), (X.shape[1], k))
    assert np.all(np.diff(s) <= 0)
    assert_allclose(s, s_dense[:k], atol=1e-9 * s_dense[0])
    assert_array_equal(s[r:], 0)
    assert_allclose(V[:, :r].T @ V[:, :r], np.eye(r), atol=1e-10)
    assert_allclose(V[:, :r] @ V[:, :r].T, Vt[:r].T @ Vt[:r], atol=1e-9)
    assert_allclose(X.T @ (X @ V), V * s**2, atol=1e-9 * max(s[0], 1) ** 2)
    assert_array_equal(V[~X.any(axis=0)], 0)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.coo_matrix])
@pytest.mark.parametrize("sparse", [0, 1e9])
@pytest.mark.parametrize("dtype", [bool, np.int16, np.float32, float])
def test_the_gram_matrix_is_exact_by_sparse_products_and_by_chunks(dtype, sparse, kind, rng, monkeypatch):
    monkeypatch.setattr(spectrum, "SPARSE", sparse)
    monkeypatch.setattr(spectrum, "ROWS_AT_ONCE", 70)
    for largest in (1, 100, 4097):  # whose square float32 cannot hold
        X = ((rng.random((400, 50)) < rng.random((400, 1))) * float(largest)).astype(dtype)
        assert_array_equal(spectrum.gram(kind(X)), X.astype(float).T @ X.astype(float))
