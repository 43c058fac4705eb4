import numpy as np
import pytest
import scipy.sparse as sp
from conftest import NUMBERS, SEEDS, invertible, matrices, rotation, scales
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from scipy.linalg import polar
from scipy.spatial.distance import cdist
from scipy.stats import zscore

from helpers import cosine_similarity, product_norm_factors, rescale, shrinkage, transform, truncated_svd
from helpers.remedies import (
    centered_gram,
    layer_norm,
    project_items_back,
    project_users_back,
    propensity_scaled,
    shifted_ppmi,
    standardized_gram,
    whiten,
)

NAN, INF = np.nan, np.inf
COUNTS = st.integers(0, 2**32 - 1).map(
    lambda seed: np.random.default_rng(seed).poisson(1.5, size=(30, 6)).astype(float)
)


def gram_of(E):
    return E @ E.T


def model(seed):
    """Random data and factors: X (9, 5), A and B (5, 3)."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(9, 5)), *rng.normal(size=(2, 5, 3))


# projecting back


@given(SEEDS)
def test_projecting_items_back_gives_the_columns_of_the_predictions(seed):
    X, A, B = model(seed)
    predicted = X @ A @ B.T
    back = project_items_back(X.T @ X, A, B)
    assert_allclose(gram_of(back), predicted.T @ predicted, atol=1e-10 * np.sum(predicted**2))
    assert_allclose(cosine_similarity(back), 1 - cdist(predicted.T, predicted.T, "cosine"), atol=1e-7)


@given(SEEDS)
def test_projecting_users_back_gives_the_rows_of_the_predictions(seed):
    X, A, B = model(seed)
    predicted = X @ A @ B.T
    for data in (X, sp.csr_array(X)):
        assert_allclose(gram_of(project_users_back(data, A, B)), gram_of(predicted), atol=1e-10 * np.sum(predicted**2))


@given(SEEDS, invertible(3))
def test_what_is_projected_back_does_not_depend_on_m(seed, M):
    X, A, B = model(seed)
    A_m, B_m = transform(A, B, M)
    size = np.sum((X @ A @ B.T) ** 2)
    items, items_m = project_items_back(X.T @ X, A, B), project_items_back(X.T @ X, A_m, B_m)
    assert_allclose(gram_of(items_m), gram_of(items), atol=1e-8 * size)
    users, users_m = project_users_back(X, A, B), project_users_back(X, A_m, B_m)
    assert_allclose(gram_of(users_m), gram_of(users), atol=1e-8 * size)


def test_projected_back_the_closed_form_weighs_v_by_sigma_g(rng):
    X = rng.poisson(1.0, size=(40, 6)).astype(float)
    s, V = truncated_svd(X, 3)
    weighted = V * (s * shrinkage(s, 4.0))
    assert_allclose(
        gram_of(project_items_back(X.T @ X, *product_norm_factors(s, V, 4.0))), gram_of(weighted), atol=1e-9
    )


def test_the_cosines_of_b_itself_do_depend_on_d(rng):
    X = rng.poisson(1.0, size=(40, 6)).astype(float)
    A, B = product_norm_factors(*truncated_svd(X, 3), 4.0)
    A_d, B_d = rescale(A, B, [0.2, 1.0, 5.0])
    assert np.abs(cosine_similarity(B_d) - cosine_similarity(B)).max() > 0.3
    G = X.T @ X
    assert_allclose(
        cosine_similarity(project_items_back(G, A_d, B_d)), cosine_similarity(project_items_back(G, A, B)), atol=1e-9
    )


# whitening


@given(SEEDS)
def test_whitened_embeddings_are_the_polar_factor(seed):
    B = np.random.default_rng(seed).normal(size=(6, 3))
    assert_allclose(whiten(B), polar(B)[0], atol=1e-9)
    assert_allclose(whiten(B).T @ whiten(B), np.eye(3), atol=1e-12)


def test_whitened_dimensions_are_orthogonal_and_not_uncorrelated():
    B = np.array([[1.0, 1.0], [1.0, 2.0], [1.0, 4.0]])
    white = whiten(B)
    assert_allclose(white.T @ white, np.eye(2), atol=1e-12)
    assert abs(np.corrcoef(white.T)[0, 1]) > 0.5


@given(SEEDS, invertible(3))
def test_whitened_cosines_do_not_depend_on_m(seed, M):
    B = np.random.default_rng(seed).normal(size=(6, 3))
    assert_allclose(gram_of(whiten(B @ M)), gram_of(whiten(B)), atol=1e-7)


@given(SEEDS)
def test_whitening_a_square_matrix_leaves_no_similarity(seed):
    B = np.random.default_rng(seed).normal(size=(4, 4))
    assert_allclose(cosine_similarity(whiten(B)), np.eye(4), atol=1e-10)


# centering and standardizing


@given(COUNTS)
def test_centered_gram_is_that_of_the_centered_data(X):
    centered = X - X.mean(axis=0)
    assert_allclose(centered_gram(X.T @ X, X.mean(axis=0), len(X)), centered.T @ centered, atol=1e-10)


@given(SEEDS, st.sampled_from([0, 1, 1e3, 1e5]))
def test_constant_and_nearly_constant_columns_can_be_centered(seed, origin):
    rng = np.random.default_rng(seed)
    X = origin + rng.normal(size=(20, 3)) * [0, 1e-3, 1]
    centered = X - X.mean(axis=0)
    found = centered_gram(X.T @ X, X.mean(axis=0), 20)
    assert_allclose(found, centered.T @ centered, atol=1e-13 * np.abs(X.T @ X).max())
    assert_allclose(centered_gram(np.ones((2, 2)) * 20 * origin**2, [origin, origin], 20), 0, atol=1e-10 * origin**2)


@given(COUNTS)
def test_standardized_gram_is_n_times_the_correlations(X):
    assume(np.ptp(X, axis=0).all())
    G = standardized_gram(X.T @ X, X.mean(axis=0), len(X))
    assert_allclose(G, len(X) * np.corrcoef(X.T), atol=1e-9)
    Z = zscore(X, axis=0)
    assert_allclose(G, Z.T @ Z, atol=1e-9)


@given(COUNTS, scales(6), arrays(float, 6, elements=NUMBERS))
def test_standardizing_forgets_the_unit_and_the_origin_of_every_column(X, unit, origin):
    assume(np.ptp(X, axis=0).all())
    Y = X * np.abs(unit) + origin
    before, after = (standardized_gram(Z.T @ Z, Z.mean(axis=0), len(Z)) for Z in (X, Y))
    spread = np.abs(Y).max() / Y.std(axis=0).min()
    assert_allclose(after, before, atol=1e-13 * len(X) * (1 + spread**2))
    centered = centered_gram(X.T @ X, X.mean(axis=0), len(X))
    Y = X + origin
    assert_allclose(centered_gram(Y.T @ Y, Y.mean(axis=0), len(Y)), centered, atol=1e-9)


# propensities


@given(COUNTS, st.sampled_from([-0.5, 0, 0.5, 1]), st.sampled_from([0, 0.5, 1]))
def test_propensity_scaling_against_loops(X, item_power, user_power):
    expected = np.zeros_like(X)
    for u, i in zip(*X.nonzero(), strict=True):
        expected[u, i] = X[u, i] / (sum(X[u]) ** user_power * sum(X[:, i]) ** item_power)
    for data in (X, sp.csr_array(X)):
        assert_allclose(propensity_scaled(data, item_power, user_power).toarray(), expected, rtol=1e-12)


@given(COUNTS, scales(6))
def test_power_one_forgets_how_often_each_item_is_counted(X, unit):
    scaled = propensity_scaled(X * np.abs(unit), 1.0).toarray()
    assert_allclose(scaled, propensity_scaled(X, 1.0).toarray(), rtol=1e-12)


@given(COUNTS)
def test_power_one_half_makes_the_gram_matrix_of_0_1_data_its_cosines(X):
    X = (X > 1).astype(float)
    X = X[:, X.any(axis=0)]
    assume(X.size)
    Y = propensity_scaled(X, 0.5).toarray()
    assert_allclose(Y.T @ Y, cosine_similarity(X.T), atol=1e-12)


def test_an_empty_row_or_column_stays_empty():
    X = np.array([[1.0, 0, 1], [0, 0, 0]])
    assert_allclose(propensity_scaled(X, 1.0, 1.0).toarray(), [[0.5, 0, 0.5], [0, 0, 0]])


# shifted PMI


@given(SEEDS, st.sampled_from([0, 0.75, 1]), st.sampled_from([0.5, 1, 5]))
def test_shifted_ppmi_against_loops(seed, exponent, n_negatives):
    C = np.random.default_rng(seed).poisson(2.0, size=(5, 4)) + np.eye(5, 4)
    total = sum(sum(C) ** exponent)
    expected = np.zeros_like(C)
    for i in range(5):
        for j in range(4):
            chance = n_negatives * sum(C[i]) * sum(C[:, j]) ** exponent / total
            expected[i, j] = max(np.log(C[i, j] / chance), 0) if C[i, j] else 0
    assert_allclose(shifted_ppmi(C, exponent, n_negatives), expected, atol=1e-12)


@given(SEEDS, st.sampled_from([0.5, 0.75, 1]))
def test_the_rows_of_ppmi_forget_how_often_an_item_occurs(seed, exponent):
    C = np.random.default_rng(seed).poisson(2.0, size=(4, 5)) + 1.0
    C[1] = 7 * C[0]
    M = shifted_ppmi(C, exponent)
    assert_allclose(M[1], M[0], atol=1e-12)


@given(SEEDS)
def test_within_a_class_popularity_drops_out_at_exponent_one(seed):
    rng = np.random.default_rng(seed)
    a, classes = rng.uniform(0.1, 10, 6), np.array([0, 0, 0, 1, 1, 1])
    T = np.array([[3.0, 1.0], [1.0, 2.0]])[np.ix_(classes, classes)]
    M = shifted_ppmi(T * np.outer(a, a))
    for i, j in ((0, 2), (3, 5)):
        assert_allclose(M[i], M[j], atol=1e-12)
        assert_allclose(M[:, i], M[:, j], atol=1e-12)


# layer normalization


@given(SEEDS)
def test_layer_norm_is_the_z_score_of_a_row_and_k_times_a_cosine(seed):
    E = np.random.default_rng(seed).normal(size=(5, 4))
    assert_allclose(layer_norm(E), zscore(E, axis=1), atol=1e-12)
    cosines = cosine_similarity(E - E.mean(axis=1, keepdims=True))
    assert_allclose(gram_of(layer_norm(E)) / 4, cosines, atol=1e-12)


@given(matrices(3, 4).filter(lambda E: (E.std(axis=1) > 0.01).all()), st.floats(0.1, 10), NUMBERS)
def test_layer_norm_forgets_the_length_and_the_mean_of_an_embedding(E, scale, shift):
    assert_allclose(layer_norm(scale * E + shift), layer_norm(E), atol=1e-8)


# what is refused

G_3, ONES = 3.0 * np.eye(3), np.ones((3, 2))
INDEFINITE = "^G must be positive semi-definite, got an eigenvalue of"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: project_items_back(np.eye(2), ONES, ONES), r"G must be a non-empty matrix with 3 columns, got .*2, 2"),
        (lambda: project_items_back(np.ones((2, 3)), ONES, ONES), r"G must be a symmetric 3×3 matrix, got .*\(2, 3\)"),
        (lambda: project_items_back(np.tri(3), ONES, ONES), r"G must be a symmetric 3×3 matrix, got 0.0 at \(0, 1\)"),
        (lambda: project_items_back(-G_3, ONES, ONES), f"{INDEFINITE} -3"),
        (lambda: project_items_back(np.diag([1, -1]), [[1], [0]], [[1], [0]]), f"{INDEFINITE} -1"),
        (lambda: centered_gram([[1, 2], [2, 1]], [0, 0], 5), f"{INDEFINITE} -"),
        (lambda: standardized_gram([[1, 2], [2, 1]], [0, 0], 5), f"{INDEFINITE} -"),
        (
            lambda: centered_gram(np.eye(2), [0.4, 0.4], 5),
            r"G - n_users \* outer\(means, means\) must be positive semi-definite, got an eigenvalue of -0.6",
        ),
        (lambda: project_items_back(G_3 * NAN, ONES, ONES), "G must be finite, got nan"),
        (lambda: project_items_back(G_3, ONES, ONES[:, :1]), r"B must have the shape of A, \(3, 2\), got \(3, 1\)"),
        (lambda: project_items_back(G_3, ONES * INF, ONES), "A must be finite, got inf"),
        (lambda: project_users_back(np.eye(4), ONES, ONES), r"X must have as many columns as A has rows \(3\), got"),
        (lambda: project_users_back(np.eye(3) * NAN, ONES, ONES), "X must be finite, got nan"),
        (lambda: project_users_back(np.eye(3), ONES, ONES * NAN), "B must be finite, got nan"),
        (lambda: whiten(ONES), "B must have linearly independent columns, got rank below 2"),
        (lambda: whiten(ONES.T), "B must have linearly independent columns, got rank below 3"),
        (lambda: whiten(np.zeros((3, 2))), "B must have linearly independent columns, got rank below 2"),
        (lambda: whiten(ONES * INF), "B must be finite, got inf"),
        (lambda: centered_gram(G_3, [0, 0], 5), r"means must be 3 numbers, one for each item, got shape \(2,\)"),
        (lambda: centered_gram(G_3, [0, 0, NAN], 5), "means must be finite, got nan"),
        (lambda: centered_gram(G_3, [0, 0, 0], 0), "n_users must be an integer between 1 and inf, got 0"),
        (lambda: centered_gram(G_3, [0, 0, 2], 5), r"means must satisfy n_users \* means\*\*2 <= diag\(G\), got 2"),
        (lambda: centered_gram(ONES, [0, 0], 5), r"G must be a symmetric matrix, got shape \(3, 2\)"),
        (
            lambda: standardized_gram(3.0 * np.ones((2, 2)), [1, 1], 3),
            "X must not have a constant column, got .*: column 0",
        ),
        (
            lambda: standardized_gram(np.diag([1.0, 0]), [0.1, 0], 3),
            "X must not have a constant column, got .*: column 1",
        ),
        (lambda: propensity_scaled(-np.eye(2), 1.0), "X must be >= 0, got -1.0"),
        (lambda: propensity_scaled(np.eye(2) * NAN, 1.0), "X must be finite, got nan"),
        (lambda: propensity_scaled(np.eye(2), NAN), "item_power must be a finite number, got nan"),
        (lambda: propensity_scaled(np.eye(2), 1.0, INF), "user_power must be a finite number, got inf"),
        (lambda: shifted_ppmi(-np.ones((2, 2))), "counts must be >= 0, .*got a smallest entry of -1"),
        (lambda: shifted_ppmi(np.diag([1.0, 0])), "counts must be >= 0, without a zero row or column"),
        (lambda: shifted_ppmi(np.ones((2, 2)) * NAN), "counts must be finite, got nan"),
        (lambda: shifted_ppmi(np.ones((2, 2)), -0.5), "exponent must be a finite number >= 0, got -0.5"),
        (lambda: shifted_ppmi(np.ones((2, 2)), NAN), "exponent must be a finite number >= 0, got nan"),
        (lambda: shifted_ppmi(np.ones((2, 2)), 1.0, 0), "n_negatives must be a finite number > 0, got 0"),
        (lambda: layer_norm(ONES), "E must not have a row of equal entries, which has no spread; row 0 is one"),
        (lambda: layer_norm(np.array([[1.0, 2], [0, 0]])), "E must not have a row of equal entries.*row 1 is one"),
        (lambda: layer_norm(np.array([[1.0, INF]])), "E must be finite, got inf"),
    ],
)
def test_a_bad_argument_is_an_error_that_names_it(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_arguments_are_left_alone(rng):
    X = rng.poisson(1.0, size=(20, 4)).astype(float)
    G, B, R = X.T @ X, rng.normal(size=(4, 2)), rotation(rng, 4)
    copies = [M.copy() for M in (X, G, B, R)]
    project_items_back(G, B, B), whiten(B), layer_norm(R), propensity_scaled(X, 1.0, 1.0), shifted_ppmi(G)
    centered_gram(G, X.mean(axis=0), 20), standardized_gram(G, X.mean(axis=0), 20)
    for M, copy in zip((X, G, B, R), copies, strict=True):
        assert np.array_equal(M, copy)
