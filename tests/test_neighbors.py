"""Nearest others and how many are shared, against a sort in plain Python."""

import numpy as np
import pytest

from helpers import choices_of_d, cosine_similarity, nearest, overlap, product_norm_factors, rescale, truncated_svd


def test_nearest_are_those_of_a_plain_sort(rng):
    S = cosine_similarity(rng.normal(size=(30, 4)))
    for i, row in enumerate(nearest(S, 7)):
        others = sorted((j for j in range(30) if j != i), key=lambda j: -S[i, j])
        assert row.tolist() == others[:7]


def test_an_item_is_never_its_own_neighbor_even_if_another_is_as_near():
    S = np.ones((4, 4))
    assert nearest(S, 3).tolist() == [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]]


def test_rounding_errors_do_not_order_ties(rng):
    S = np.round(cosine_similarity(rng.normal(size=(40, 2))), 1)
    noise = 1e-13 * rng.normal(size=S.shape)
    assert np.array_equal(nearest(S, 5), nearest(S + noise + noise.T, 5))


def test_overlap_counts_what_two_lists_share_in_any_order():
    assert overlap([[1, 2, 3], [0, 2, 3]], [[3, 2, 1], [4, 5, 0]]) == pytest.approx((1 + 1 / 3) / 2)
    assert overlap([[1]], [[2]]) == 0


def test_chance_overlap_is_n_over_p_minus_1(rng):
    p, n = 200, 20
    lists = [nearest(S + S.T, n) for S in rng.random((2, p, p))]
    assert overlap(*lists) == pytest.approx(n / (p - 1), abs=0.02)


@pytest.mark.parametrize("n", [0, 3, 1.5])
def test_nearest_refuses_a_wrong_number(n):
    with pytest.raises((ValueError, TypeError), match="n_neighbors must be"):
        nearest(np.eye(3), n)


@pytest.mark.parametrize("S", [np.ones((2, 3)), [[1, 0], [1, 1]], [[1, np.nan], [np.nan, 1]]])
def test_nearest_refuses_what_is_no_similarity(S):
    with pytest.raises(ValueError, match="S must be"):
        nearest(S, 1)


@pytest.mark.parametrize("others", [[[1, 2]], [[1], [2], [3]], [1, 2]])
def test_overlap_refuses_lists_of_other_shapes(others):
    with pytest.raises(ValueError, match="must be lists of one shape"):
        overlap([[1], [2]], others)


def test_choices_have_one_table_of_scores_and_the_cosines_that_are_said_of_them(rng):
    X = rng.poisson(1.0, size=(50, 8)).astype(float)
    s, V = truncated_svd(X, 5)
    A, B = product_norm_factors(s, V, 7.0)
    models = {name: rescale(A, B, d) for name, d in choices_of_d(s, 7.0).items()}
    assert len(models) == 6
    for A_d, B_d in models.values():
        assert np.allclose(A_d @ B_d.T, A @ B.T)
    scores = X @ A @ B.T
    norms = np.linalg.norm(scores, axis=0)
    assert np.allclose(cosine_similarity(models["D = 1/(σ√g)"][1]), scores.T @ scores / np.outer(norms, norms))
    assert np.allclose(models["D = √g"][1], V)
    assert np.allclose(models["D = I"][1], B)
    users, items = X @ models["D = 1/√σ"][0], models["D = 1/√σ"][1]
    assert np.allclose(users.T @ users, items.T @ items)  # balanced
    users = X @ models["D = 1/√g"][0]
    assert np.allclose(users, X @ V)  # A = V
    assert models["D drawn"][1] / B == pytest.approx((models["D drawn"][1] / B)[:1].repeat(8, axis=0))


@pytest.mark.parametrize(("s", "lam"), [([1, 0], 1), ([1, -1], 1), ([1, np.nan], 1), ([1, 2], -1)])
def test_choices_refuse_what_has_none(s, lam):
    with pytest.raises(ValueError, match="must be"):
        choices_of_d(s, lam)
