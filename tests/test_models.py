import numpy as np
import pytest
import scipy.sparse as sp
from conftest import SEEDS, invertible, matrices, rotations, scales
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from helpers import (
    factor_norm_factors,
    factor_norm_loss,
    product_norm_factors,
    product_norm_loss,
    rescale,
    shrinkage,
    transform,
    truncated_svd,
    weight_decay_factors,
    weight_decay_loss,
)

LAM = 3.0
X = np.random.default_rng(1).poisson(1.5, size=(12, 5)).astype(float)
NAN, INF = np.nan, np.inf


def product_norm(X, A, B, lam):
    return np.sum((X - X @ A @ B.T) ** 2) + lam * np.sum((A @ B.T) ** 2)


def factor_norm(X, A, B, lam):
    return np.sum((X - X @ A @ B.T) ** 2) + lam * (np.sum((X @ A) ** 2) + np.sum(B**2))


def weight_decay(X, A, B, lam):
    return np.sum((X - X @ A @ B.T) ** 2) + lam * (np.sum(A**2) + np.sum(B**2))


MODELS = pytest.mark.parametrize(
    ("closed_form", "loss", "naive"),
    [
        (product_norm_factors, product_norm_loss, product_norm),
        (factor_norm_factors, factor_norm_loss, factor_norm),
        (weight_decay_factors, weight_decay_loss, weight_decay),
    ],
    ids=["Eq. 1", "Eq. 2", "weight decay"],
)


def test_data_keep_three_directions_in_every_model():
    s = np.linalg.svd(X, compute_uv=False)
    assert s[2] > 1.2 * max(LAM, np.sqrt(LAM))
    assert np.all(s[:-1] / s[1:] > 1.1)


# Rescaling and transforming


@given(matrices(4, 3), matrices(4, 3), scales(3))
def test_rescale_multiplies_a_by_d_and_divides_b(A, B, d):
    A_d, B_d = rescale(A, B, d)
    assert_allclose(A_d, A @ np.diag(d), rtol=1e-12)
    assert_allclose(B_d, B @ np.diag(1 / d), rtol=1e-12)


def test_rescale_by_two_doubles_a_and_halves_b():
    A_d, B_d = rescale([[1.0, 3.0]], [[4.0, 8.0]], [2.0, -1.0])
    assert A_d.tolist() == [[2.0, -3.0]]
    assert B_d.tolist() == [[2.0, -8.0]]


@given(matrices(4, 3), matrices(4, 3), invertible(3))
def test_transform_multiplies_a_by_m_and_b_by_its_inverse_transpose(A, B, M):
    A_m, B_m = transform(A, B, M)
    assert_allclose(A_m, A @ M, rtol=1e-12)
    assert_allclose(B_m, B @ np.linalg.inv(M).T, rtol=1e-8, atol=1e-8)


@given(matrices(4, 3), matrices(4, 3), scales(3))
def test_transform_by_a_diagonal_matrix_is_rescale(A, B, d):
    assert_allclose(transform(A, B, np.diag(d)), rescale(A, B, d), rtol=1e-12)


@given(matrices(5, 3), matrices(5, 3), scales(3), invertible(3))
def test_predictions_and_eq_1_are_invariant_under_every_d_and_m(A, B, d, M):
    for A_new, B_new in (rescale(A, B, d), transform(A, B, M)):
        assert_allclose(A_new @ B_new.T, A @ B.T, atol=1e-8)
        loss = product_norm_loss(X, A, B, LAM)
        assert_allclose(product_norm_loss(X, A_new, B_new, LAM), loss, rtol=1e-9)


@given(matrices(5, 3), matrices(5, 3), rotations(3))
def test_every_loss_is_invariant_under_rotation(A, B, R):
    for loss in (product_norm_loss, factor_norm_loss, weight_decay_loss):
        assert_allclose(loss(X, *transform(A, B, R), LAM), loss(X, A, B, LAM), rtol=1e-9)


@given(scales(3))
def test_eq_2_is_not_invariant_under_d(d):
    s, V = truncated_svd(X, 3)
    A, B = factor_norm_factors(s, V, LAM)
    increase = factor_norm_loss(X, *rescale(A, B, d), LAM) - factor_norm_loss(X, A, B, LAM)
    assert_allclose(increase, LAM * np.sum((s - LAM) * (d - 1 / d) ** 2), rtol=1e-8, atol=1e-8)


def test_eq_2_and_weight_decay_rise_where_eq_1_does_not():
    s, V = truncated_svd(X, 3)
    d = np.array([2.0, 1.0, 0.5])
    rise = {}
    for factors, loss in (
        (product_norm_factors, product_norm_loss),
        (factor_norm_factors, factor_norm_loss),
        (weight_decay_factors, weight_decay_loss),
    ):
        A, B = factors(s, V, LAM)
        rise[loss] = loss(X, *rescale(A, B, d), LAM) - loss(X, A, B, LAM)
    assert abs(rise[product_norm_loss]) < 1e-9
    assert rise[factor_norm_loss] > 1
    assert rise[weight_decay_loss] > 1


@given(SEEDS, invertible(3))
def test_every_pair_of_one_product_is_a_transform_of_every_other_at_full_rank(seed, M):
    A, B = np.random.default_rng(seed).normal(size=(2, 5, 3))
    A_other, B_other = A @ M, B @ np.linalg.inv(M).T
    found = np.linalg.lstsq(A, A_other, rcond=None)[0]
    assert_allclose(transform(A, B, found)[1], B_other, atol=1e-6 * np.linalg.cond(M))


def test_without_full_rank_there_are_pairs_of_one_product_that_no_transform_reaches():
    A, B, B_other = np.array([[1.0, 0], [2, 0]]), np.array([[3.0, 1], [1, 1]]), np.array([[3.0, 0], [1, 0]])
    assert_allclose(A @ B.T, A @ B_other.T)
    assert np.linalg.matrix_rank(B) > np.linalg.matrix_rank(B_other)  # B M⁻ᵀ has the rank of B


def test_eq_2_is_not_unique_without_a_penalty_nor_is_its_a_without_full_column_rank():
    A, B = factor_norm_factors(*truncated_svd(X, 3), 0.0)
    assert_allclose(factor_norm_loss(X, *rescale(A, B, [2.0, 1, 1]), 0), factor_norm_loss(X, A, B, 0), rtol=1e-12)
    twin = X[:, [0, 0, 1, 2]]  # two items that the same users took
    A, B = factor_norm_factors(*truncated_svd(twin, 2), LAM)
    A_other = A + np.outer([1, -1, 0, 0], [1, 1])
    assert_allclose(factor_norm_loss(twin, A_other, B, LAM), factor_norm_loss(twin, A, B, LAM), rtol=1e-12)


def test_rescale_and_transform_leave_their_arguments_alone():
    A, B = np.ones((3, 2)), np.ones((3, 2))
    rescale(A, B, [2.0, 3.0])
    transform(A, B, [[2.0, 1.0], [0.0, 1.0]])
    assert np.all(A == 1)
    assert np.all(B == 1)


# Losses


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.coo_array, sp.csc_matrix])
def test_losses_agree_with_loops_over_every_entry(kind, rng):
    n, p, k, lam = 4, 3, 2, 0.7
    X = rng.poisson(1.0, size=(n, p)) * rng.normal(size=(n, p))
    A, B = rng.normal(size=(p, k)), rng.normal(size=(p, k))
    error = product = users = items = a_norm = 0.0
    for u in range(n):
        for i in range(p):
            score = sum(X[u, j] * A[j, r] * B[i, r] for j in range(p) for r in range(k))
            error += (X[u, i] - score) ** 2
        for r in range(k):
            users += sum(X[u, j] * A[j, r] for j in range(p)) ** 2
    for i in range(p):
        for j in range(p):
            product += sum(A[i, r] * B[j, r] for r in range(k)) ** 2
        for r in range(k):
            items += B[i, r] ** 2
            a_norm += A[i, r] ** 2
    assert_allclose(product_norm_loss(kind(X), A, B, lam), error + lam * product)
    assert_allclose(factor_norm_loss(kind(X), A, B, lam), error + lam * (users + items))
    assert_allclose(weight_decay_loss(kind(X), A, B, lam), error + lam * (a_norm + items))


@MODELS
@given(A=matrices(5, 2), B=matrices(5, 2), lam=st.floats(0, 100))
def test_losses_agree_with_their_formula(closed_form, loss, naive, A, B, lam):
    expected = naive(X, A, B, lam)
    assert_allclose(loss(sp.csr_array(X), A, B, lam), expected, rtol=1e-9)
    assert isinstance(loss(X, A, B, lam), float)


def test_losses_take_lists():
    A, B = [[1.0, 2.0]], [[3.0, 1.0]]  # X A Bᵀ = 2 · 5
    assert product_norm_loss([[2.0]], A, B, 1) == (2 - 10) ** 2 + 25
    assert factor_norm_loss([[2.0]], A, B, 1) == (2 - 10) ** 2 + 20 + 10
    assert weight_decay_loss([[2.0]], A, B, 1) == (2 - 10) ** 2 + 5 + 10


# Closed forms


def test_shrinkage_in_numbers():
    assert_allclose(shrinkage([4.0, 3.0, 1.0, 0.0], 16.0), [1 / 2, 9 / 25, 1 / 17, 0])
    assert_allclose(shrinkage([4.0, 1e-3, 0.0], 0.0), [1, 1, 0])


@given(SEEDS, st.floats(0.01, 100))
def test_eq_5_at_full_rank_is_ridge_regression(seed, lam):
    X = np.random.default_rng(seed).normal(size=(9, 4))
    A, B = product_norm_factors(*truncated_svd(X, 4), lam)
    G = X.T @ X
    assert_allclose(A @ B.T, np.linalg.solve(G + lam * np.eye(4), G), atol=1e-8)
    assert_allclose(A, B)


@pytest.mark.parametrize("k", [1, 3, 5])
def test_eq_6_soft_thresholds_the_singular_values(k):
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    A, B = factor_norm_factors(s[:k], Vt[:k].T, LAM)
    kept = np.where(np.arange(len(s)) < k, np.maximum(s - LAM, 0), 0)
    assert_allclose(X @ A @ B.T, U * kept @ Vt, atol=1e-10)
    assert_allclose((X @ A).T @ (X @ A), B.T @ B, atol=1e-10)


@pytest.mark.parametrize("lam", [0.0, LAM, 30.0])
def test_weight_decay_soft_thresholds_the_squared_singular_values(lam):
    _, s, Vt = np.linalg.svd(X, full_matrices=False)
    A, B = weight_decay_factors(s, Vt.T, lam)
    assert_allclose(A @ B.T, Vt.T @ np.diag([max(0, 1 - lam / sigma**2) for sigma in s]) @ Vt, atol=1e-12)
    assert_allclose(A, B)


@pytest.mark.parametrize("factors", [factor_norm_factors, weight_decay_factors])
def test_directions_at_or_below_the_threshold_are_exactly_zero(factors):
    A, B = factors([3.0, 2.0, 1.0, 0.0], np.eye(4), 4.0 if factors is weight_decay_factors else 2.0)
    assert A.any(axis=0).tolist() == B.any(axis=0).tolist() == [True, False, False, False]


@pytest.mark.parametrize("factors", [product_norm_factors, factor_norm_factors, weight_decay_factors])
def test_without_regularization_closed_forms_project_and_a_zero_direction_stays_zero(factors):
    A, B = factors([3.0, 2.0, 0.0], np.eye(3), 0.0)
    assert_allclose(A @ B.T, np.diag([1.0, 1.0, 0.0]), atol=1e-15)


@pytest.mark.parametrize("factors", [product_norm_factors, weight_decay_factors])
def test_equal_factors_do_not_share_memory(factors):
    A, B = factors([3.0, 2.0], np.eye(2), 1.0)
    assert not np.shares_memory(A, B)


def gradient(loss, A, B, lam, step=1e-4):
    theta, shape = np.r_[A.ravel(), B.ravel()], A.shape

    def f(theta):
        return loss(X, *theta.reshape(2, *shape), lam)

    steps = step * np.eye(len(theta))
    return np.array([(f(theta + h) - f(theta - h)) / (2 * step) for h in steps])


@MODELS
@pytest.mark.parametrize("k", [1, 3, 5])
def test_closed_forms_are_stationary(closed_form, loss, naive, k):
    s, V = truncated_svd(X, k)
    assert np.abs(gradient(naive, *closed_form(s, V, LAM), LAM)).max() < 1e-4
    assert np.abs(gradient(naive, *closed_form(s, V, 1.05 * LAM), LAM)).max() > 1e-2


@MODELS
@pytest.mark.parametrize("k", [1, 2])
def test_closed_forms_are_reached_but_not_beaten_by_brute_force(closed_form, loss, naive, k, rng):
    least = naive(X, *closed_form(*truncated_svd(X, k), LAM), LAM)
    found = [
        minimize(lambda theta: naive(X, *theta.reshape(2, 5, k), LAM), start, method="L-BFGS-B", tol=1e-8).fun
        for start in rng.normal(size=(3, 2 * 5 * k)) / 2
    ]
    assert min(found) > least * (1 - 1e-9)
    assert_allclose(min(found), least, rtol=1e-5)


@MODELS
@given(seed=SEEDS, size=st.sampled_from([1e-3, 1e-2, 0.1, 1.0]), k=st.integers(1, 5), lam=st.floats(0, 30))
def test_closed_forms_are_not_beaten_by_perturbations(closed_form, loss, naive, seed, size, k, lam):
    A, B = closed_form(*truncated_svd(X, k), lam)
    dA, dB = size * np.random.default_rng(seed).normal(size=(2, 5, k))
    assert loss(X, A + dA, B + dB, lam) >= loss(X, A, B, lam) * (1 - 1e-12) - 1e-10


# Errors

ONES = np.ones((5, 2))


@pytest.mark.parametrize("loss", [product_norm_loss, factor_norm_loss, weight_decay_loss])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((X, ONES, ONES, -3.0), "lam must be a finite number >= 0, got -3.0"),
        ((X, ONES, ONES, NAN), "lam must be a finite number >= 0, got nan"),
        ((X, ONES, ONES, INF), "lam must be a finite number >= 0, got inf"),
        ((np.where(X > 3, NAN, X), ONES, ONES, 1.0), "X must be finite, got nan"),
        ((sp.csr_array(np.where(X > 3, -INF, X)), ONES, ONES, 1.0), "X must be finite, got -inf"),
        ((np.ones((0, 5)), ONES, ONES, 1.0), r"X must be a non-empty matrix, got shape \(0, 5\)"),
        ((np.ones(5), ONES, ONES, 1.0), r"X must be a non-empty matrix, got shape \(5,\)"),
        ((X[:, :4], ONES, ONES, 1.0), r"X must have as many columns as A has rows \(5\), got shape \(12, 4\)"),
        ((X, ONES, np.ones((5, 3)), 1.0), r"B must have the shape of A, \(5, 2\), got \(5, 3\)"),
        ((X, np.ones(5), ONES, 1.0), r"A must be a non-empty matrix, got shape \(5,\)"),
        ((X, NAN * ONES, ONES, 1.0), "A must be finite, got nan"),
        ((X, ONES, INF * ONES, 1.0), "B must be finite, got inf"),
    ],
)
def test_losses_name_the_bad_argument_and_its_value(loss, arguments, message):
    with pytest.raises(ValueError, match=message):
        loss(*arguments)


@pytest.mark.parametrize("factors", [product_norm_factors, factor_norm_factors, weight_decay_factors])
@pytest.mark.parametrize(
    ("s", "V", "lam", "message"),
    [
        ([2.0, 1.0], ONES, -3.0, "lam must be a finite number >= 0, got -3.0"),
        ([2.0, 1.0], ONES, NAN, "lam must be a finite number >= 0, got nan"),
        ([2.0, -1.0], ONES, 1.0, r"s must be a non-empty vector of numbers >= 0, got \[ 2. -1.\]"),
        ([2.0, NAN], ONES, 1.0, "s must be finite, got nan"),
        ([], np.ones((5, 0)), 1.0, r"s must be a non-empty vector of numbers >= 0, got \[\]"),
        ([[2.0, 1.0]], ONES, 1.0, r"s must be a non-empty vector of numbers >= 0, got \[\[2. 1.\]\]"),
        ([2.0, 1.0, 0.5], ONES, 1.0, r"V must be a non-empty matrix with 3 columns, got shape \(5, 2\)"),
        ([2.0, 1.0], INF * ONES, 1.0, "V must be finite, got inf"),
    ],
)
def test_closed_forms_name_the_bad_argument_and_its_value(factors, s, V, lam, message):
    with pytest.raises(ValueError, match=message):
        factors(s, V, lam)


@pytest.mark.parametrize(
    ("s", "lam", "message"),
    [
        ([1.0], -3.0, "lam must be a finite number >= 0, got -3.0"),
        ([1.0], NAN, "lam must be a finite number >= 0, got nan"),
        ([-1.0], 1.0, r"s must be a non-empty vector of numbers >= 0, got \[-1.\]"),
        ([INF], 1.0, "s must be finite, got inf"),
    ],
)
def test_shrinkage_names_the_bad_argument_and_its_value(s, lam, message):
    with pytest.raises(ValueError, match=message):
        shrinkage(s, lam)


@pytest.mark.parametrize(
    ("A", "B", "d", "message"),
    [
        (ONES, ONES, [1.0, 0.0], r"d must be 2 numbers other than 0, got \[1. 0.\]"),
        (ONES, ONES, [1.0, NAN], "d must be finite, got nan"),
        (ONES, ONES, [INF, 1.0], "d must be finite, got inf"),
        (ONES, ONES, [1.0, 2.0, 3.0], r"d must be 2 numbers other than 0, got \[1. 2. 3.\]"),
        (ONES, ONES, 2.0, "d must be 2 numbers other than 0, got 2.0"),
        (ONES, ONES, np.eye(2), "d must be 2 numbers other than 0, got"),
        (ONES, ONES[:4], [1.0, 2.0], r"B must have the shape of A, \(5, 2\), got \(4, 2\)"),
        (NAN * ONES, ONES, [1.0, 2.0], "A must be finite, got nan"),
    ],
)
def test_rescale_names_the_bad_argument_and_its_value(A, B, d, message):
    with pytest.raises(ValueError, match=message):
        rescale(A, B, d)


@pytest.mark.parametrize(
    ("M", "message"),
    [
        ([[1.0, 2.0], [2.0, 4.0]], r"M must be an invertible 2×2 matrix, got \[\[1. 2.\]\n \[2. 4.\]\]"),
        (np.zeros((2, 2)), "M must be an invertible 2×2 matrix, got"),
        ([[1.0, 0.0], [0.0, 1e-17]], "M must be an invertible 2×2 matrix, got"),
        (np.ones((3, 2)), "M must be an invertible 2×2 matrix, got"),
        (np.eye(3), r"M must be a non-empty matrix with 2 columns, got shape \(3, 3\)"),
        (np.ones(2), r"M must be a non-empty matrix with 2 columns, got shape \(2,\)"),
        ([[1.0, NAN], [0.0, 1.0]], "M must be finite, got nan"),
    ],
)
def test_transform_names_the_bad_m_and_its_value(M, message):
    with pytest.raises(ValueError, match=message):
        transform(ONES, ONES, M)
