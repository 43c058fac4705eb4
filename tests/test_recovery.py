from itertools import permutations

import numpy as np
import pytest
from conftest import GRADES, SEEDS
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from sklearn.metrics import average_precision_score, roc_auc_score

from helpers import average_precision, cluster_auc, cosine_similarity, neighbor_purity, recovery_scores


@st.composite
def similarities(draw, m):
    """Similarities with many ties, and clusters that have pairs within and across."""
    S = np.triu(draw(arrays(float, (m, m), elements=GRADES)))
    labels = draw(arrays(int, m, elements=st.integers(0, 2)))
    labels[:3] = [0, 0, 1]
    return S + np.triu(S, 1).T, labels


@given(similarities(5), st.integers(1, 4))
def test_purity_is_its_mean_over_every_order_of_the_ties(case, n_neighbors):
    S, clusters = case
    purities = []
    for i in range(5):
        others = [j for j in range(5) if j != i]
        for order in permutations(others):
            nearest = sorted(order, key=lambda j: -S[i, j])[:n_neighbors]  # stable: ties stay in this order
            purities.append(np.mean(clusters[nearest] == clusters[i]))
    assert_allclose(neighbor_purity(S, clusters, n_neighbors), np.mean(purities))


@pytest.mark.parametrize("decimals", [1, 3, 12])  # many ties, some, none
@given(seed=SEEDS)
def test_auc_and_precision_are_those_of_scikit_learn_over_the_pairs(decimals, seed):
    rng = np.random.default_rng(seed)
    E, clusters = rng.normal(size=(30, 3)), rng.integers(4, size=30)
    clusters[:3] = [0, 0, 1]
    S = np.round(cosine_similarity(E), decimals)
    pairs = np.triu_indices(30, 1)
    same, similarity = clusters[pairs[0]] == clusters[pairs[1]], np.round(S[pairs], 10)
    scores = recovery_scores(S, clusters, 6)
    assert_allclose(scores.auc, roc_auc_score(same, similarity), atol=1e-12)
    assert_allclose(scores.average_precision, average_precision_score(same, similarity), atol=1e-12)
    assert scores == (cluster_auc(S, clusters), average_precision(S, clusters), neighbor_purity(S, clusters, 6))


@pytest.mark.parametrize(("gap", "auc"), [(1e-12, 0.5), (-1e-12, 0.5), (1e-9, 1), (-1e-9, 0)])
def test_similarities_are_tied_where_ten_decimals_agree(gap, auc):
    within, across = 0.3 + gap, 0.3
    S = np.array([[1, within, across], [within, 1, across], [across, across, 1]])
    assert cluster_auc(S, [0, 0, 1]) == auc
    assert cluster_auc(1e6 * S, [0, 0, 1]) == auc  # of the largest magnitude, if that is above 1


@pytest.mark.parametrize("score", [cluster_auc, average_precision, lambda S, c: neighbor_purity(S, c, 3)])
@given(case=similarities(7), seed=SEEDS)
def test_rounding_noise_and_an_item_s_similarity_to_itself_do_not_change_a_score(score, case, seed):
    S, clusters = case
    np.fill_diagonal(S, 1)
    noise = 1e-13 * np.random.default_rng(seed).uniform(-1, 1, S.shape)
    assert score(S + noise - 100 * np.eye(7), clusters) == score(S, clusters)


def test_a_purity_is_that_of_ten_neighbors_unless_another_number_is_asked_for(rng):
    S, clusters = cosine_similarity(rng.normal(size=(30, 3))), np.arange(30) % 3
    ten = neighbor_purity(S, clusters, 10)
    assert neighbor_purity(S, clusters) == recovery_scores(S, clusters).purity == ten != neighbor_purity(S, clusters, 9)
