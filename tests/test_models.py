import numpy as np
import pytest
import scipy.sparse as sp
from conftest import SEEDS, invertible, matrices, scales
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import helpers as h
from helpers.gauges import rebalanced

LAM = 3.0
X = np.random.default_rng(1).poisson(1.5, size=(12, 5)).astype(float)


MODELS = pytest.mark.parametrize(
    ("closed_form", "loss", "penalty"),
    [
        (h.product_norm_factors, h.product_norm_loss, lambda A, B: np.sum((A @ B.T) ** 2)),
        (h.factor_norm_factors, h.factor_norm_loss, lambda A, B: np.sum((X @ A) ** 2) + np.sum(B**2)),
        (h.weight_decay_factors, h.weight_decay_loss, lambda A, B: np.sum(A**2) + np.sum(B**2)),
    ],
    ids=["Eq. 1", "Eq. 2", "weight decay"],
)


@given(matrices(4, 3), matrices(4, 3), scales(3))
def test_rescale_multiplies_a_by_d_and_divides_b(A, B, d):
    A_d, B_d = h.rescale(A, B, d)
    assert_allclose(A_d, A @ np.diag(d), rtol=1e-12)
    assert_allclose(B_d, B @ np.diag(1 / d), rtol=1e-12)


@given(matrices(4, 3), matrices(4, 3), invertible(3))
def test_transform_multiplies_a_by_m_and_b_by_its_inverse_transpose(A, B, M):
    A_m, B_m = h.transform(A, B, M)
    assert_allclose(A_m, A @ M, rtol=1e-12)
    assert_allclose(B_m, B @ np.linalg.inv(M).T, rtol=1e-8, atol=1e-8)


@MODELS
@given(A=matrices(5, 2), B=matrices(5, 2), lam=st.floats(0, 100))
def test_losses_agree_with_their_formula(closed_form, loss, penalty, A, B, lam):
    expected = np.sum((X - X @ A @ B.T) ** 2) + lam * penalty(A, B)
    assert_allclose(loss(sp.csr_array(X), A, B, lam), expected, rtol=1e-9)
    assert isinstance(loss(X, A, B, lam), float)


@pytest.mark.parametrize("k", [1, 3, 5])
def test_eq_6_soft_thresholds_the_singular_values(k):
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    A, B = h.factor_norm_factors(s[:k], Vt[:k].T, LAM)
    kept = np.where(np.arange(len(s)) < k, np.maximum(s - LAM, 0), 0)
    assert_allclose(X @ A @ B.T, U * kept @ Vt, atol=1e-10)
    assert_allclose((X @ A).T @ (X @ A), B.T @ B, atol=1e-10)


@pytest.mark.parametrize("lam", [0.0, LAM, 30.0])
def test_weight_decay_soft_thresholds_the_squared_singular_values(lam):
    _, s, Vt = np.linalg.svd(X, full_matrices=False)
    A, B = h.weight_decay_factors(s, Vt.T, lam)
    assert_allclose(A @ B.T, Vt.T @ np.diag([max(0, 1 - lam / sigma**2) for sigma in s]) @ Vt, atol=1e-12)
    assert_allclose(A, B)


@pytest.mark.parametrize("factors", [h.product_norm_factors, h.factor_norm_factors, h.weight_decay_factors])
def test_without_regularization_closed_forms_project_and_a_zero_direction_stays_zero(factors):
    A, B = factors([3.0, 2.0, 0.0], np.eye(3), 0.0)
    assert_allclose(A @ B.T, np.diag([1.0, 1.0, 0.0]), atol=1e-15)


@MODELS
@given(seed=SEEDS, size=st.sampled_from([1e-3, 1e-2, 0.1, 1.0]), k=st.integers(1, 5), lam=st.floats(0, 30))
def test_closed_forms_are_not_beaten_by_perturbations(closed_form, loss, penalty, seed, size, k, lam):
    A, B = closed_form(*h.truncated_svd(X, k), lam)
    dA, dB = size * np.random.default_rng(seed).normal(size=(2, 5, k))
    assert loss(X, A + dA, B + dB, lam) >= loss(X, A, B, lam) * (1 - 1e-12) - 1e-10


def test_choices_of_d_have_one_table_of_scores_and_the_cosines_that_are_said_of_them():
    s, V = h.truncated_svd(X, 3)
    A, B = h.product_norm_factors(s, V, 7.0)
    models = {name: h.rescale(A, B, d) for name, d in h.choices_of_d(s, 7.0).items()}
    assert len(models) == 6
    for A_d, B_d in models.values():
        assert_allclose(A_d @ B_d.T, A @ B.T, atol=1e-12)
    scores = X @ A @ B.T
    norms = np.linalg.norm(scores, axis=0)
    back = h.cosine_similarity(models["D = 1/(σ√g)"][1])
    assert_allclose(back, scores.T @ scores / np.outer(norms, norms), atol=1e-12)
    assert_allclose(models["D = √g"][1], V, atol=1e-12)
    assert_allclose(models["D = I"][1], B, atol=1e-12)
    users, items = X @ models["D = 1/√σ"][0], models["D = 1/√σ"][1]
    assert_allclose(users.T @ users, items.T @ items, atol=1e-12)  # balanced
    P, Q = rebalanced(X @ A, B)
    assert_allclose(P @ Q.T, scores, atol=1e-12)
    assert_allclose(Q @ Q.T, items @ items.T, atol=1e-12)
    assert_allclose(models["D = 1/√g"][0], V, atol=1e-12)
    drawn = models["D drawn"][1] / B
    assert_allclose(drawn, np.tile(drawn[0], (5, 1)))
