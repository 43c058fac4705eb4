"""The choices of D whose neighbors the book compares; neighbors have their tests with the audit."""

import numpy as np
import pytest

from helpers import choices_of_d, cosine_similarity, product_norm_factors, rescale, truncated_svd
from helpers.gauges import rebalanced


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
    P, Q = rebalanced(X @ A, B)
    assert np.allclose(P @ Q.T, scores)
    assert np.allclose(Q @ Q.T, items @ items.T)
    users = X @ models["D = 1/√g"][0]
    assert np.allclose(users, X @ V)  # A = V
    assert models["D drawn"][1] / B == pytest.approx((models["D drawn"][1] / B)[:1].repeat(8, axis=0))
