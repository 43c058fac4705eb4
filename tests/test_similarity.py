import numpy as np
import pytest
from conftest import SEEDS, invertible, matrices, scales
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

import helpers as h

SMALL_INTEGERS = st.integers(-3, 3).map(float)
VECTORS = st.integers(1, 4).flatmap(
    lambda k: st.tuples(*[st.lists(SMALL_INTEGERS, min_size=k, max_size=k).filter(any).map(np.array)] * 2)
)


def nonzero_rows(m, k):
    return matrices(m, k).filter(lambda E: E.any(axis=1).all())


def cosine(x, y):
    return x @ y / np.sqrt(x @ x * (y @ y))


@given(nonzero_rows(4, 3), nonzero_rows(5, 3))
def test_cosines_agree_with_scipy_and_stay_within_one(E, F):
    S = h.cosine_similarity(E, F)
    assert_allclose(S, 1 - cdist(E, F, "cosine"), atol=1e-12)
    assert np.abs(S).max() <= 1
    assert_allclose(h.cosine_similarity(E), h.cosine_similarity(E, E), atol=1e-15)
    assert_allclose(np.diag(h.cosine_similarity(E)), 1)


@pytest.mark.parametrize("unit", [5e-324, 1e-300, 1e-170, 1e-20, 1e20, 1e170, 1e300])
def test_rows_of_any_size_have_a_direction(unit):
    E = np.array([[3.0, 4.0], [-4.0, 3.0], [1.0, 0.0]])
    large = unit * E
    assert_allclose(h.normalize_rows(large), [[0.6, 0.8], [-0.8, 0.6], [1, 0]], rtol=1e-12)
    cosines = [[1, 0, 0.6], [0, 1, -0.8], [0.6, -0.8, 1]]
    assert_allclose(h.cosine_similarity(large), cosines, atol=1e-12)
    assert_allclose(h.cosine_similarity(large, E), cosines, atol=1e-12)


@pytest.mark.parametrize(("p", "count"), [(1, 1), (100, 20)])
def test_cosine_moments_are_those_of_a_stack_of_all_tables(p, count, rng):
    B, D = rng.normal(size=(p, 4)) + 2, rng.lognormal(size=(count, 4)) * [1, -1, 1e8, 1e-8]
    stack = np.array([h.cosine_similarity(B / d) for d in D])
    mean, deviation = h.cosine_moments(B, D)
    assert mean.dtype == deviation.dtype == float
    assert_array_equal(mean, mean.T)
    assert_array_equal(deviation, deviation.T)
    assert_allclose(mean, stack.mean(axis=0), atol=1e-6)
    assert_allclose(deviation, stack.std(axis=0), atol=1e-6)


@given(VECTORS, st.data())
def test_no_rescaling_leaves_the_attainable_interval(pair, data):
    x, y = pair
    lower, upper = h.attainable_interval(x, y)
    d = data.draw(scales(len(x)))
    assert lower - 1e-12 <= cosine(x * d, y * d) <= upper + 1e-12


def test_attainable_interval_in_numbers():
    for x, y, interval in (
        ([1, 1], [1, 4], (0.8, 1)),
        ([1, 1], [1, -1], (-1, 1)),
        ([1, 0], [0, 1], (0, 0)),
        ([1, 1, 0], [0, 1, 1], (0, 1)),
        ([0, 1], [1, 1], (0, 1)),
        ([1e200, 2e200], [1e-200, 1e-200], (np.sqrt(8) / 3, 1)),
        ([1e300, 1e-300], [1e-300, 1e300], (0, 1)),
        ([1, 2], [3, 6], (1, 1)),
        ([5], [-2], (-1, -1)),
        ([1e-200, 1], [-1e-200, 1], (-1, 1)),
    ):
        for pair in ((x, y), (y, x)):
            assert_allclose(h.attainable_interval(*pair), interval, atol=1e-12)


@given(nonzero_rows(2, 3), invertible(3))
def test_no_transformation_leaves_the_cosine_range(pair, M):
    x, y = pair
    lowest, highest = h.cosine_range(np.clip(cosine(x, y), -1, 1), np.linalg.cond(M))
    assert lowest - 1e-7 <= cosine(M @ x, M @ y) <= highest + 1e-7


def test_cosine_range_in_numbers():
    for (value, cond), ends in {(0.8, 2): (5 / 13, 35 / 37), (0, 3): (-0.8, 0.8), (0.3, 1): (0.3, 0.3)}.items():
        assert_allclose(h.cosine_range(value, cond), ends, atol=1e-12)
    assert_allclose(h.cosine_range(-1, 1e6), (-1, -1), atol=1e-12)


@given(SEEDS, st.integers(1, 5), st.integers(0, 2))
def test_any_correlation_matrix_is_realized_and_predictions_stay(seed, m, more):
    rng = np.random.default_rng(seed)
    T, (A, B) = h.cosine_similarity(rng.normal(size=(m, m + 2))), rng.normal(size=(2, 9, m + more))
    items = rng.permutation(9)[:m]
    M = h.realizing_transform(B[items], T)
    A_m, B_m = h.transform(A, B, M)
    scale = np.linalg.cond(M) * np.linalg.cond(B[items])
    assert_allclose(h.cosine_similarity(B_m[items]), T, atol=1e-12 * scale)
    assert_allclose(np.linalg.norm(B_m[items], axis=1), np.linalg.norm(B[items], axis=1), rtol=1e-12 * scale)
    assert_allclose(A_m @ B_m.T, A @ B.T, atol=1e-12 * scale)
    assert_allclose(M, M.T, atol=1e-12 * scale)


@given(SEEDS, st.integers(2, 6), st.floats(1, 100))
def test_a_neighbor_transform_attains_the_upper_end(seed, k, cond):
    A, B = np.random.default_rng(seed).normal(size=(2, 5, k))
    M = h.neighbor_transform(B, 1, 3, cond)
    A_m, B_m = h.transform(A, B, M)
    assert_allclose(np.linalg.cond(M), cond, rtol=1e-9)
    assert_allclose(A_m @ B_m.T, A @ B.T, atol=1e-12)
    assert_allclose(h.cosine_similarity(B_m)[1, 3], h.cosine_range(h.cosine_similarity(B)[1, 3], cond)[1], atol=1e-9)
