import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import GRADES, SEEDS
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from helpers import chosen_elsewhere, hide, ndcg_at, recall_at, t_interval


@given(SEEDS, st.integers(2, 12), st.sampled_from([(), (3,), (2, 2)]), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_the_interval_is_that_of_scipy(seed, m, shape, confidence):
    values = np.random.default_rng(seed).normal(3, 2, size=(m, *shape))
    mean, low, high = found = t_interval(values, confidence)
    assert np.shape(mean) == shape
    assert_array_equal(found.sign, np.where(low > 0, 1, np.where(high < 0, -1, 0)))
    assert_allclose(mean, values.mean(axis=0))
    assert_allclose([low, high], stats.ttest_1samp(values, 0, axis=0).confidence_interval(confidence))


@given(st.tuples(st.integers(2, 6), st.integers(1, 5)).flatmap(lambda shape: arrays(float, shape, elements=GRADES)))
@example(np.array([[0.1 + 0.2, 0.3], [0.3, 0.1 + 0.2]]))  # which rounding must not decide
def test_the_setting_is_the_first_of_the_best_in_all_other_data_sets(scores):
    chosen = []
    for left_out in range(len(scores)):
        sums = [sum(Fraction(row[j]) for i, row in enumerate(scores) if i != left_out) for j in range(scores.shape[1])]
        chosen.append(next(j for j, each in enumerate(sums) if each >= max(sums) - Fraction(1, 10**12)))
    assert chosen_elsewhere(scores).tolist() == chosen


def interactions(seed, n=12, p=9):
    """Real numbers, a third of them 0; one user with none, one with a single item, one with all."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * (rng.random((n, p)) < 2 / 3)
    X[0], X[1], X[2] = 0, np.eye(p)[3], 1
    return X


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.coo_array, sp.csc_matrix])
@given(seed=SEEDS, share=st.sampled_from([Fraction(0), Fraction(1, 5), Fraction(1, 3), Fraction(1, 2), Fraction(1)]))
def test_every_user_s_split_has_its_size_and_loses_nothing(kind, seed, share):
    X = interactions(seed)
    seen, hidden = hide(np.random.default_rng(seed), kind(X), share)
    for part in (seen, hidden):
        assert isinstance(part, sp.csr_array)
        assert part.has_canonical_format
        assert np.all(part.data != 0)
    assert_array_equal((seen + hidden).toarray(), X)
    for row, kept, taken in zip(X, seen.toarray(), hidden.toarray(), strict=True):
        assert not np.any((kept != 0) & (taken != 0))
        size = np.count_nonzero(row)
        assert np.count_nonzero(taken) == max(0, min(math.ceil(share * size), size - 1))


@pytest.mark.parametrize(("share", "size", "hidden"), [(0.07, 100, 7), (0.2, 15, 3), (0.2, 16, 4), (0.29, 100, 29)])
def test_rounding_does_not_decide_how_many_are_hidden(share, size, hidden):
    assert hide(np.random.default_rng(0), np.ones((1, size)), share)[1].nnz == hidden


def test_every_item_of_a_user_is_hidden_equally_often(rng):
    n, p = 5_000, 10
    _, hidden = hide(rng, np.ones((n, p)), 0.3)
    assert stats.chisquare(hidden.sum(axis=0)).pvalue > 1e-3
    together = (hidden.T @ hidden).toarray()[np.triu_indices(p, 1)]
    assert np.abs(together - n * 3 * 2 / 90).max() < 4.5 * np.sqrt(n * 3 * 2 / 90)


def test_an_interaction_that_is_stored_twice_is_hidden_once():
    X = sp.csr_array(([1.0, 2.0, 0.0, 1.0, 3.0], [4, 1, 0, 1, 2], [0, 5]), shape=(1, 5))  # unsorted, a 0, a double
    seen, hidden = hide(np.random.default_rng(0), X, 0.5)
    assert_array_equal(X.indices, [4, 1, 0, 1, 2])  # the argument is left alone
    assert_array_equal((seen + hidden).toarray(), [[0, 3, 3, 0, 1]])
    assert hidden.nnz == 2


@st.composite
def rankings(draw, n_users=4, p=6):
    """Scores with many ties; items seen, hidden or neither; at least one hidden."""
    scores = draw(arrays(float, (n_users, p), elements=GRADES))
    state = draw(arrays(int, (n_users, p), elements=st.integers(0, 2)))
    state[0, 0] = 2
    return scores, (state == 1).astype(float), (state == 2).astype(float)


def best(scores, seen, n):
    """A user's n best unseen items, those of one score in the order of one permutation."""
    order = np.random.default_rng(0).permutation(len(scores))
    unseen = [i for i in range(len(scores)) if not seen[i]]
    return sorted(unseen, key=lambda i: (-scores[i], order[i]))[:n]


def recall_of(hidden, ranked, n):
    return sum(hidden[i] for i in ranked) / min(n, hidden.sum())


def ndcg_of(hidden, ranked, n):
    gain = sum(hidden[i] / math.log2(place + 2) for place, i in enumerate(ranked))
    return gain / sum(1 / math.log2(place + 2) for place in range(min(n, int(hidden.sum()))))


@pytest.mark.parametrize(("measure", "of_user"), [(recall_at, recall_of), (ndcg_at, ndcg_of)])
@given(case=rankings(), n=st.integers(1, 6))
def test_a_measure_is_its_mean_over_users_with_anything_hidden(measure, of_user, case, n):
    users = zip(*case, strict=True)
    values = [of_user(hidden, best(scores, seen, n), n) for scores, seen, hidden in users if hidden.any()]
    assert_allclose(measure(*case, n), np.mean(values))


@pytest.mark.parametrize("measure", [recall_at, ndcg_at])
@given(case=rankings(), n=st.integers(1, 6), seed=SEEDS)
def test_rounding_noise_and_the_kind_of_matrix_do_not_change_a_ranking(measure, case, n, seed):
    scores, seen, hidden = case
    noise = 1e-13 * np.random.default_rng(seed).uniform(-1, 1, scores.shape)
    assert measure(scores + noise, sp.csr_array(7 * seen), sp.coo_array(-hidden), n) == measure(*case, n)


def test_ties_do_not_favor_the_first_items():
    p = 400
    first = (np.arange(p) < 100).astype(float)[None]
    assert abs(recall_at(np.zeros((1, p)), np.zeros((1, p)), first, 100) - 0.25) < 0.15
