"""How judgments become cosines: the matrix of their order, and the M that gives it exactly."""

import numpy as np
import pytest
from scipy.stats import rankdata

from experiments import forged

FIRST, SECOND, SAID = [0, 1, 2, 0, 3], [1, 2, 3, 2, 0], [7.0, 1.0, 5.0, 2.0, 9.0]


def test_entries_are_in_the_order_of_the_judgments():
    J = forged.order_matrix(5, FIRST, SECOND, SAID)
    np.testing.assert_array_equal(J, J.T)
    assert np.linalg.norm(J, 2) == pytest.approx(1)
    np.testing.assert_array_equal(rankdata(J[FIRST, SECOND]), rankdata(SAID))
    assert not J[4].any()  # nobody judged this word, nor the next pair
    assert not J[1, 3]
    assert J[FIRST, SECOND].sum() == pytest.approx(0)


def test_a_pair_that_is_listed_twice_has_the_mean_of_its_ranks():
    """Ranks of 2, 4 and 3: the mean of the first two is the third, and, less the mean of all, 0."""
    J = forged.order_matrix(4, [0, 1, 2, 0], [1, 0, 3, 2], [1.0, 9.0, 4.0, 5.0])
    assert J[0, 1] == pytest.approx(0)
    assert J[2, 3] < J[0, 1] < J[0, 2]


def test_enough_dimensions_give_any_order_exactly():
    """By the M that is found, agreement is perfect, or perfectly opposite; from words of other cosines."""
    E = np.random.default_rng(0).normal(size=(4, 6))
    row = forged.exact(E, FIRST, SECOND, SAID)
    assert (row["highest, exact"], row["lowest, exact"]) == (pytest.approx(1), pytest.approx(-1))
    U = E / np.linalg.norm(E, axis=1, keepdims=True)
    assert row["orthogonal"] == pytest.approx(np.sqrt(np.linalg.cond(U @ U.T)))
    assert row["highest, exact price"] == pytest.approx(row["orthogonal"], rel=0.05)  # I ± J / 100 is nearly I
