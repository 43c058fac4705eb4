"""The shop of the audit: its two trainings are minimizers of Eq. 1 that differ."""

import numpy as np
import pytest

from helpers import cosine_similarity, product_norm_factors, truncated_svd
from helpers.shop import SHELVES, shop, train


@pytest.fixture(scope="module")
def X():
    return shop()[0]


def test_both_trainings_end_at_the_product_of_eq_5_and_their_cosines_differ(X):
    s, V = truncated_svd(X, 12)
    A, B = product_norm_factors(s, V, lam=100.0)
    runs = [train(X, seed) for seed in (0, 1)]
    for P, B_run in runs:
        np.testing.assert_allclose(P @ B_run.T, X @ A @ B.T, atol=1e-9)
    one, other = (cosine_similarity(B_run) for _, B_run in runs)
    assert np.abs(one - other).max() > 0.1


def test_an_items_name_is_its_shelf_and_its_place_in_it(X):
    _, names, shelves = shop()
    assert len(names) == X.shape[1] == 120
    for shelf in SHELVES:
        own = [name for name, of in zip(names, shelves, strict=True) if of == shelf]
        assert own == [f"{shelf} {place}" for place in range(1, len(own) + 1)]
