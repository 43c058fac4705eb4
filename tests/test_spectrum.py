from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import SEEDS, rotation
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import eigh
from sklearn.utils.extmath import randomized_svd
from threadpoolctl import threadpool_info, threadpool_limits

from helpers import cosine_similarity, simulate_interactions, spectrum, truncated_svd

NAN, INF = np.nan, np.inf


def with_singular_values(rng, n, p, s):
    U = np.linalg.qr(rng.normal(size=(n, len(s))))[0]
    V = np.linalg.qr(rng.normal(size=(p, len(s))))[0]
    return U * s @ V.T


def assert_is_svd(s, V, X, k, atol=1e-9):
    """S are the k largest singular values of X, and the columns of V their right singular vectors."""
    _, s_dense, Vt = np.linalg.svd(X, full_matrices=False)
    r = np.count_nonzero(s_dense[:k] > 1e-12 * s_dense[0])
    assert s.shape == (k,)
    assert V.shape == (X.shape[1], k)
    assert np.all(np.diff(s) <= 0)
    assert_allclose(s, s_dense[:k], atol=atol * s_dense[0])
    assert_array_equal(s[r:], 0)
    assert_allclose(V[:, :r].T @ V[:, :r], np.eye(r), atol=1e-10)
    assert_allclose(V[:, :r] @ V[:, :r].T, Vt[:r].T @ Vt[:r], atol=atol)
    assert_allclose(np.abs(np.sum(V[:, :r] * Vt[:r].T, axis=0)), 1, atol=atol)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.coo_array, sp.csc_matrix])
@pytest.mark.parametrize("by_gram", [True, False])
@pytest.mark.parametrize("shape", [(30, 12), (12, 30), (10, 10)])
@pytest.mark.parametrize("k", [1, 4, 10])
def test_agrees_with_the_dense_svd(kind, by_gram, shape, k, rng, monkeypatch):
    monkeypatch.setattr(spectrum, "gram_is_cheaper", lambda X, k: by_gram)
    X = rng.normal(size=shape)
    assert_is_svd(*truncated_svd(kind(X), k), X, k)


@given(SEEDS, st.integers(1, 8), st.integers(1, 8), st.data())
def test_agrees_with_the_dense_svd_of_0_1_data(seed, n, p, data):
    X = np.random.default_rng(seed).integers(0, 2, size=(n, p))
    k = data.draw(st.integers(1, min(n, p)))
    s, V = truncated_svd(sp.csr_array(X), k)
    assert_allclose(s, np.linalg.svd(X, compute_uv=False)[:k], atol=1e-10)
    assert_allclose(V.T @ (X.T @ (X @ V)), np.diag(s**2), atol=1e-10)


@pytest.mark.parametrize("by_gram", [True, False])
@pytest.mark.parametrize("k", [2, 3, 5, 20])
def test_directions_beyond_the_rank_have_singular_value_exactly_zero(by_gram, k, rng, monkeypatch):
    monkeypatch.setattr(spectrum, "gram_is_cheaper", lambda X, k: by_gram)
    X = with_singular_values(rng, 50, 20, np.array([3.0, 2.0, 1.0]))
    assert_is_svd(*truncated_svd(X, k), X, k)


@pytest.mark.parametrize("by_gram", [True, False])
@pytest.mark.parametrize("ratio", [1e-2, 1e-4, 1e-6, 1e-9, 1e-11])
@pytest.mark.parametrize("shape", [(300, 100), (100, 300)])
def test_small_singular_values_keep_their_digits(by_gram, ratio, shape, rng, monkeypatch):
    monkeypatch.setattr(spectrum, "gram_is_cheaper", lambda X, k: by_gram)
    X = with_singular_values(rng, *shape, np.r_[1.0, 0.5, 2 * ratio, ratio, ratio * np.linspace(0.3, 0.1, 50)])
    s, V = truncated_svd(X, 4)
    _, s_dense, Vt = np.linalg.svd(X, full_matrices=False)
    assert_allclose(s, s_dense[:4], rtol=1e-14 / ratio + 1e-10)
    assert_allclose(V @ V.T, Vt[:4].T @ Vt[:4], atol=1e-14 / ratio + 1e-10)
    assert_allclose(V.T @ V, np.eye(4), atol=1e-13)


@pytest.mark.parametrize("shape", [(60, 40), (40, 60)])
def test_lanczos_finds_twelve_decades_of_singular_values(shape, rng):
    s_exact = np.logspace(0, -12, 13)
    s, V = spectrum.exact_svd(with_singular_values(rng, *shape, s_exact), 13)
    assert_allclose(s, s_exact, rtol=1e-15 / s_exact[-1])
    assert_allclose(s[:10], s_exact[:10], rtol=1e-5)
    assert_allclose(V.T @ V, np.eye(13), atol=1e-11)


def test_the_gram_matrix_alone_would_lose_them(rng):
    X = with_singular_values(rng, 300, 100, np.r_[1.0, 0.5, 2e-9, 1e-9, 1e-9 * np.linspace(0.3, 0.1, 50)])
    s, _ = spectrum.spectrum_of_gram(spectrum.gram(X), 4)
    assert abs(s[3] / 1e-9 - 1) > 0.5


@pytest.mark.parametrize("by_gram", [True, False])
def test_signs_do_not_depend_on_the_order_or_the_sign_of_the_rows(by_gram, rng, monkeypatch):
    monkeypatch.setattr(spectrum, "gram_is_cheaper", lambda X, k: by_gram)
    X = rng.normal(size=(30, 12))
    s, V = truncated_svd(X, 6)
    assert np.all(V[np.abs(V).argmax(axis=0), range(6)] > 0)
    for same in (X[rng.permutation(30)], -X, rotation(rng, 30) @ X):
        assert_allclose(truncated_svd(same, 6)[0], s, atol=1e-9)
        assert_allclose(truncated_svd(same, 6)[1], V, atol=1e-9)


def test_the_sign_of_a_tie_does_not_depend_on_rounding():
    V = np.array([[0.5, -0.5], [-0.5 * (1 + 1e-15), 0.5]])
    assert_array_equal(spectrum.signs(V), [1, -1])


@pytest.mark.parametrize("by_gram", [True, False])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("k", [3, 8, 12])
def test_empty_columns_give_rows_that_are_exactly_zero(by_gram, kind, k, rng, monkeypatch):
    monkeypatch.setattr(spectrum, "gram_is_cheaper", lambda X, k: by_gram)
    X = rng.normal(size=(30, 12))
    X[:, [0, 5, 11]] = 0
    s, V = truncated_svd(kind(X), k)
    assert_array_equal(np.flatnonzero(~V.any(axis=1)), [0, 5, 11])
    assert_is_svd(s, V, X, k)


@pytest.mark.parametrize("by_gram", [True, False])
def test_beyond_the_rank_columns_of_v_may_be_shorter_where_columns_of_x_are_zero(by_gram, rng, monkeypatch):
    monkeypatch.setattr(spectrum, "gram_is_cheaper", lambda X, k: by_gram)
    X = rng.normal(size=(6, 4))
    X[:, 2:] = 0
    s, V = truncated_svd(X, 4)
    assert_array_equal(s > 0, [True, True, False, False])
    assert_array_equal(V[2:], 0)
    assert_allclose(V.T @ V, np.diag([1, 1, 0, 0]), atol=1e-12)


@pytest.mark.parametrize("by_gram", [True, False])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("k", [1, 6])
def test_data_that_are_all_zero_give_zeros(by_gram, kind, k, monkeypatch):
    monkeypatch.setattr(spectrum, "gram_is_cheaper", lambda X, k: by_gram)
    s, V = truncated_svd(kind(np.zeros((6, 8))), k)
    assert_array_equal(s, np.zeros(k))
    assert_array_equal(V, np.zeros((8, k)))


@pytest.mark.parametrize("rows_at_once", [1, 7, 40, 41, 2_000])
def test_gram_is_exact_for_0_1_data_whatever_the_chunks(rows_at_once, rng, monkeypatch):
    monkeypatch.setattr(spectrum, "ROWS_AT_ONCE", rows_at_once)
    X = rng.integers(0, 2, size=(40, 9))
    assert_array_equal(spectrum.gram(sp.csr_array(X, dtype=float)), X.T @ X)


def with_tied(n, p):
    """Three singular values of 3, then 2, 1 and zeros."""
    return with_singular_values(np.random.default_rng(5), n, p, np.array([3.0, 3, 3, 2, 1]))


def without_columns(X, columns):
    X = X.copy()
    X[:, columns] = 0
    return X


RNG = np.random.default_rng(4)
FEW_ONES = (RNG.random((300, 120)) < RNG.random((300, 1)) / 10).astype(float)
CASES = {
    "0/1": (FEW_ONES, 8),
    "columns of zeros": (without_columns(FEW_ONES, slice(0, 120, 7)), 8),
    "counts": (FEW_ONES * RNG.integers(1, 9, FEW_ONES.shape), 8),
    "negative entries": (FEW_ONES * RNG.normal(size=FEW_ONES.shape), 8),
    "tied": (with_tied(60, 40), 3),
    "more items than users": (FEW_ONES.T, 8),
    "k = p": (FEW_ONES[:, :12], 12),
    "k = n": ((RNG.random((12, 120)) < 0.3).astype(float), 12),
}


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("case", CASES)
def test_every_route_gives_the_same_cosines(kind, case, monkeypatch):
    X, k = CASES[case]
    kept = X.any(axis=0)
    found = [truncated_svd(kind(X), k)]
    for sparse, by_gram in ((1e-9, True), (1e9, True), (1, False)):
        monkeypatch.setattr(spectrum, "SPARSE", sparse if kind is sp.csr_array else 1e9)
        monkeypatch.setattr(spectrum, "gram_is_cheaper", lambda X, k, by_gram=by_gram: by_gram)
        found.append(truncated_svd(kind(X), k))
    for s, V in found:
        assert_allclose(s, found[0][0], atol=1e-9)
        assert_allclose(cosine_similarity(V[kept]), cosine_similarity(found[0][1][kept]), atol=1e-9)
        assert_array_equal(V[~kept], 0)


def with_rows_of(n, p, m):
    """A CSR matrix of that shape with m entries a row, all in the first column: only their numbers matter."""
    return sp.csr_array((np.ones(n * m, dtype=bool), np.zeros(n * m, dtype=np.int32), np.arange(n + 1) * m), (n, p))


@pytest.mark.parametrize(
    ("n", "p", "m", "by_gram"),
    [
        (20_000, 1_000, 340, True),  # the paper's size
        (100_000, 1_000, 27, True),
        (100_000, 5_000, 46, False),
        (50_000, 5_000, 128, False),
        (10_000, 20_000, 60, False),  # and more so with more users
        (1_000_000, 200, 2, True),
        (1_000, 100_000, 10, False),
        (6, 8, 3, True),
    ],
)
def test_the_estimate_of_cost_chooses_what_measures_faster(n, p, m, by_gram):
    assert spectrum.gram_is_cheaper(with_rows_of(n, p, m), 50) == by_gram


def test_a_dense_matrix_of_many_columns_is_not_squared():
    assert not spectrum.gram_is_cheaper(np.broadcast_to(0.0, (500, 100_000)), 5)
    assert spectrum.gram_is_cheaper(np.broadcast_to(0.0, (100_000, 500)), 50)


def test_rows_with_few_entries_are_multiplied_as_sparse_ones_and_all_counts_are_exact(rng):
    X = (rng.random((5_000, 200)) < rng.random((5_000, 1)) ** 3).astype(float)
    share = np.mean(spectrum.SPARSE * spectrum.items_by_user(sp.csr_array(X)) ** 2 < 200**2)
    assert 0.2 < share < 0.8
    assert_array_equal(spectrum.gram(sp.csr_array(X)), X.T @ X)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.coo_matrix])
@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int8, np.float32])
def test_gram_of_small_types_does_not_overflow(kind, dtype, rng):
    X = (rng.random((400, 50)) < rng.random((400, 1)) ** 2) * dtype(100)
    assert_array_equal(spectrum.gram(kind(X.astype(dtype))), X.astype(dtype).astype(float).T @ X.astype(dtype))


def test_eigenvectors_are_computed_by_one_thread_which_waits_for_none(rng, monkeypatch):
    threads = []

    def counted(*arguments, **options):
        threads.extend(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")
        return eigh(*arguments, **options)

    monkeypatch.setattr(spectrum, "eigh", counted)
    with threadpool_limits(2, user_api="blas"):
        truncated_svd(rng.normal(size=(60, 40)), 2)
    assert set(threads) == {1}


def test_counts_that_float32_could_not_hold_are_exact():
    assert spectrum.gram(sp.csr_array(np.ones((3, 2)))).dtype == float
    X = np.full((3, 2), 4097.0)  # whose square is odd and above 2²⁴
    assert_array_equal(spectrum.gram(sp.csr_array(X)), np.full((2, 2), 3 * 4097.0**2))


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("rows_at_once", [1, 7, 40, 41, 2_000])
def test_gram_of_real_data_is_float64_whatever_the_chunks(kind, rows_at_once, rng, monkeypatch):
    monkeypatch.setattr(spectrum, "ROWS_AT_ONCE", rows_at_once)
    X = rng.normal(size=(40, 9))
    assert_allclose(spectrum.gram(kind(X)), X.T @ X, atol=1e-13)


@pytest.mark.parametrize("p", [1, 399, 400, 403, 1_001])
def test_two_counts_in_one_sum_are_both_exact(p, rng):
    """Up to 4 095 rows, which all hold both items: one more would not fit."""
    rows = (rng.random((4_095, p)) < rng.random(p)).astype(np.float32)
    rows[:, rng.random(p) < 0.5] = 1
    assert_array_equal(spectrum.cooccurrences(rows, np.empty((p, p), np.float32)), rows.T.astype(float) @ rows)
    assert spectrum.ROWS_AT_ONCE < 2**12


@pytest.mark.parametrize("n", [100, 8_000])
def test_gram_counts_in_parts_and_in_one_piece(n, rng):
    X = (rng.random((n, 500)) < rng.random((n, 1))).astype(float)
    G = spectrum.gram(sp.csr_array(X))
    assert_array_equal(G, X.T @ X)
    assert G.dtype == float


def test_users_with_few_items_need_no_dense_chunk(monkeypatch):
    monkeypatch.setattr(spectrum, "cooccurrences", None)
    monkeypatch.setattr(spectrum, "SPARSE", 1)
    assert_array_equal(spectrum.gram(sp.eye_array(9, format="csr")), np.eye(9))


def test_counts_of_repeated_entries_are_exact():
    """60 000 users who took one item 51 times each, as 51 entries of 1."""
    n, times = 60_000, 51
    X = sp.csr_array((np.ones(n * times), np.zeros(n * times, int), np.arange(0, n * times + 1, times)), shape=(n, 1))
    assert spectrum.gram(X)[0, 0] == n * times**2


@pytest.mark.parametrize("p", [3, 2_001])
def test_the_parts_are_all_there_and_threads_of_blas_are_restored(p, rng, monkeypatch):
    monkeypatch.setattr(spectrum, "FEW", 100)
    X = (rng.random((300, p)) < 0.4).astype(float)
    with threadpool_limits(2, user_api="blas"):
        with ThreadPoolExecutor(4) as pool:
            for G in pool.map(spectrum.gram, [sp.csr_array(X), X] * 6):
                assert_array_equal(G, X.T @ X)
        assert {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"} == {2}


def test_the_data_are_left_alone(rng):
    X = rng.normal(size=(10, 5))
    before = X.copy()
    truncated_svd(X, 5)
    assert_array_equal(X, before)


def test_randomized_svd_gets_item_cosines_wrong_on_a_flat_spectrum_where_ours_are_exact():
    X = simulate_interactions(np.random.default_rng(0), n_users=1_000, n_items=200).X
    _, s_dense, Vt = np.linalg.svd(X.toarray(), full_matrices=False)
    exact = cosine_similarity(Vt[:50].T)

    _, s_random, Vt_random = randomized_svd(X, 50, random_state=0)
    assert_allclose(s_random[:5], s_dense[:5], rtol=1e-6)
    assert np.abs(cosine_similarity(Vt_random.T) - exact).max() > 0.1

    s, V = truncated_svd(X, 50)
    assert_allclose(s, s_dense[:50], rtol=1e-9)
    assert np.abs(cosine_similarity(V) - exact).max() < 1e-9


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("bad", [NAN, INF, -INF])
def test_data_that_are_not_finite_are_an_error(kind, bad):
    X = np.eye(4, 3)
    X[1, 2] = bad
    with pytest.raises(ValueError, match=f"X must be finite, got {bad}"):
        truncated_svd(kind(X), 2)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.ones((0, 3)), r"X must be a non-empty matrix, got shape \(0, 3\)"),
        (np.ones((3, 0)), r"X must be a non-empty matrix, got shape \(3, 0\)"),
        (sp.csr_array((0, 3)), r"X must be a non-empty matrix, got shape \(0, 3\)"),
        (np.ones(3), r"X must be a non-empty matrix, got shape \(3,\)"),
        (np.ones((2, 2, 2)), r"X must be a non-empty matrix, got shape \(2, 2, 2\)"),
        (1.0, r"X must be a non-empty matrix, got shape \(\)"),
    ],
)
def test_data_of_the_wrong_shape_are_an_error(X, message):
    with pytest.raises(ValueError, match=message):
        truncated_svd(X, 1)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("k", [0, -1, 4, 2.0, 2.5, NAN])
def test_k_out_of_range_is_an_error(kind, k):
    with pytest.raises(ValueError, match=f"k must be an integer between 1 and 3, got {k}"):
        truncated_svd(kind(np.ones((5, 3))), k)


def test_k_is_limited_by_the_users_too():
    with pytest.raises(ValueError, match="k must be an integer between 1 and 2, got 3"):
        truncated_svd(np.ones((2, 3)), 3)


def test_numpy_integers_are_integers():
    assert truncated_svd(np.eye(3), np.int64(2))[1].shape == (3, 2)
