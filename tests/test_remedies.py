import numpy as np
import pytest
import scipy.sparse as sp
from conftest import SEEDS
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.linalg import polar
from scipy.spatial.distance import cdist
from scipy.stats import zscore

from helpers import cosine_similarity
from helpers import remedies as r

COUNTS = SEEDS.map(lambda seed: np.random.default_rng(seed).poisson(1.5, size=(30, 6)).astype(float))


def gram_of(E):
    return E @ E.T


@given(SEEDS)
def test_projecting_back_gives_the_columns_and_the_rows_of_the_predictions(seed):
    rng = np.random.default_rng(seed)
    X, (A, B) = rng.normal(size=(9, 5)), rng.normal(size=(2, 5, 3))
    predicted = X @ A @ B.T
    back = r.project_items_back(X.T @ X, A, B)
    assert_allclose(gram_of(back), predicted.T @ predicted, atol=1e-10 * np.sum(predicted**2))
    assert_allclose(cosine_similarity(back), 1 - cdist(predicted.T, predicted.T, "cosine"), atol=1e-7)
    for data in (X, sp.csr_array(X)):
        back = r.project_users_back(data, A, B)
        assert_allclose(gram_of(back), gram_of(predicted), atol=1e-10 * np.sum(predicted**2))


@given(SEEDS)
def test_whitened_embeddings_are_the_polar_factor(seed):
    B = np.random.default_rng(seed).normal(size=(6, 3))
    assert_allclose(r.whiten(B), polar(B)[0], atol=1e-9)


@given(SEEDS, st.sampled_from([0, 1, 1e3, 1e5]))
def test_centered_gram_is_that_of_the_centered_data_if_columns_are_nearly_constant_too(seed, origin):
    rng = np.random.default_rng(seed)
    X = origin + rng.normal(size=(20, 3)) * [0, 1e-3, 1]
    centered = X - X.mean(axis=0)
    found = r.centered_gram(X.T @ X, X.mean(axis=0), 20)
    assert_allclose(found, centered.T @ centered, atol=1e-13 * np.abs(X.T @ X).max())
    assert_allclose(r.centered_gram(np.ones((2, 2)) * 20 * origin**2, [origin, origin], 20), 0, atol=1e-10 * origin**2)


def test_a_gram_matrix_may_be_singular_or_off_by_rounding_but_not_indefinite(rng):
    X = rng.normal(size=(3, 6))
    G, Q = X.T @ X, np.linalg.qr(rng.normal(size=(6, 6)))[0]
    size = np.abs(G).max()
    for smallest, like in ((0, None), (-1e-12 * size, None), (-1e-6 * size, 1e6 * G)):
        M = G + smallest * np.outer(Q[0], Q[0]) if smallest else G
        assert r.valid_gram(M, 6, like=like) is not None
    indefinite = Q @ np.diag([5, 4, 3, 2, 1, -1e-6]) @ Q.T
    with pytest.raises(ValueError, match=r"^G must be positive semi-definite, got an eigenvalue of -(1\.0|9\.99)"):
        r.valid_gram(indefinite)
    with pytest.raises(ValueError, match=r"^H must be positive"):
        r.valid_gram(1e3 * indefinite, name="H", like=G)


@given(COUNTS)
def test_standardized_gram_is_n_times_the_correlations(X):
    assume(np.ptp(X, axis=0).all())
    G = r.standardized_gram(X.T @ X, X.mean(axis=0), len(X))
    assert_allclose(G, len(X) * np.corrcoef(X.T), atol=1e-9)


@given(COUNTS, st.sampled_from([-0.5, 0, 0.5, 1]), st.sampled_from([0, 0.5, 1]))
def test_propensity_scaling_against_loops(X, item_power, user_power):
    expected = np.zeros_like(X)
    for u, i in zip(*X.nonzero(), strict=True):
        expected[u, i] = X[u, i] / (sum(X[u]) ** user_power * sum(X[:, i]) ** item_power)
    for data in (X, sp.csr_array(X)):
        assert_allclose(r.propensity_scaled(data, item_power, user_power).toarray(), expected, rtol=1e-12)


@given(SEEDS, st.sampled_from([0, 0.75, 1]), st.sampled_from([0.5, 1, 5]))
def test_shifted_ppmi_against_loops(seed, exponent, n_negatives):
    C = np.random.default_rng(seed).poisson(2.0, size=(5, 4)) + np.eye(5, 4)
    total = sum(sum(C) ** exponent)
    expected = np.zeros_like(C)
    for i in range(5):
        for j in range(4):
            chance = n_negatives * sum(C[i]) * sum(C[:, j]) ** exponent / total
            expected[i, j] = max(np.log(C[i, j] / chance), 0) if C[i, j] else 0
    assert_allclose(r.shifted_ppmi(C, exponent, n_negatives), expected, atol=1e-12)


@given(SEEDS)
def test_layer_norm_is_the_z_score_of_a_row_and_k_times_a_cosine(seed):
    E = np.random.default_rng(seed).normal(size=(5, 4))
    assert_allclose(r.layer_norm(E), zscore(E, axis=1), atol=1e-12)
    cosines = cosine_similarity(E - E.mean(axis=1, keepdims=True))
    assert_allclose(gram_of(r.layer_norm(E)) / 4, cosines, atol=1e-12)
