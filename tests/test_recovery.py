from itertools import permutations

import numpy as np
import pytest
from conftest import SEEDS
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from sklearn.metrics import average_precision_score, roc_auc_score

from helpers import average_precision, cluster_auc, cosine_similarity, neighbor_purity, recovery_scores

SCORES = [cluster_auc, average_precision, neighbor_purity, recovery_scores]
GRADES = st.sampled_from([-1.0, 0.0, 0.3, 1.0])  # few, so that ties are common


@st.composite
def similarities(draw, m):
    """Similarities with many ties, and clusters that have pairs within and across."""
    S = np.triu(draw(arrays(float, (m, m), elements=GRADES)))
    labels = draw(arrays(int, m, elements=st.integers(0, 2)))
    labels[:3] = [0, 0, 1]
    return S + np.triu(S, 1).T, labels


def split_pairs(S, clusters):
    pairs = [(S[i, j], clusters[i] == clusters[j]) for i in range(len(S)) for j in range(i)]
    return [s for s, same in pairs if same], [s for s, same in pairs if not same]


@given(similarities(7))
def test_auc_is_the_share_of_pairs_in_the_right_order(case):
    within, across = split_pairs(*case)
    wins = [(w > a) + (w == a) / 2 for w in within for a in across]
    assert_allclose(cluster_auc(*case), np.mean(wins))


@given(similarities(7))
def test_average_precision_adds_precision_times_the_recall_gained_at_each_threshold(case):
    within, across = map(np.array, split_pairs(*case))
    total = 0
    for threshold in np.unique(within):
        found, wrong = np.sum(within >= threshold), np.sum(across >= threshold)
        total += found / (found + wrong) * np.sum(within == threshold) / len(within)
    assert_allclose(average_precision(*case), total)


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


@given(similarities(7), st.integers(1, 6))
def test_all_three_at_once_are_the_three(case, n_neighbors):
    expected = cluster_auc(*case), average_precision(*case), neighbor_purity(*case, n_neighbors)
    together = recovery_scores(*case, n_neighbors)
    assert together == expected
    assert together._fields == ("auc", "average_precision", "purity")


@pytest.mark.parametrize("decimals", [1, 3, 12])  # many ties, some, none
@given(seed=SEEDS)
def test_auc_and_precision_are_those_of_scikit_learn_over_the_pairs(decimals, seed):
    rng = np.random.default_rng(seed)
    E, clusters = rng.normal(size=(30, 3)), rng.integers(4, size=30)
    clusters[:3] = [0, 0, 1]
    S = np.round(cosine_similarity(E), decimals)
    pairs = np.triu_indices(30, 1)
    same, similarity = clusters[pairs[0]] == clusters[pairs[1]], np.round(S[pairs], 10)
    auc, precision, _ = recovery_scores(S, clusters)
    assert_allclose(auc, roc_auc_score(same, similarity), atol=1e-12)
    assert_allclose(precision, average_precision_score(same, similarity), atol=1e-12)


@pytest.mark.parametrize(("size", "n_neighbors", "purity"), [(5, 10, 0.4), (2, 10, 0.1), (10, 10, 0.9), (11, 10, 1)])
def test_perfect_similarities_are_pure_only_where_clusters_are_larger_than_the_neighborhood(size, n_neighbors, purity):
    clusters = np.arange(4 * 11) // size
    S = (clusters[:, None] == clusters).astype(float)
    whole = np.bincount(clusters)[clusters] == size
    S, clusters = S[np.ix_(whole, whole)], clusters[whole]
    assert cluster_auc(S, clusters) == average_precision(S, clusters) == 1
    assert_allclose(neighbor_purity(S, clusters, n_neighbors), purity)


def with_pairs(within, across):
    """Three items, the first two of one cluster: their similarity is within, the others' across."""
    return np.array([[1, within, across], [within, 1, across], [across, across, 1]]), [0, 0, 1]


@pytest.mark.parametrize(("gap", "auc"), [(1e-12, 0.5), (-1e-12, 0.5), (1e-9, 1), (-1e-9, 0)])
def test_similarities_are_tied_where_ten_decimals_agree(gap, auc):
    assert cluster_auc(*with_pairs(0.3 + gap, 0.3)) == auc
    S, clusters = with_pairs(0.3 + gap, 0.3)
    assert cluster_auc(1e6 * S, clusters) == auc  # of the largest magnitude, if that is above 1


def test_rounding_decides_only_at_the_edge_between_two_levels():
    below, above = 1.5e-10 * (1 - 1e-6), 1.5e-10 * (1 + 1e-6)
    assert cluster_auc(*with_pairs(above, below)) == 1
    assert cluster_auc(*with_pairs(below, above)) == 0


def test_average_precision_of_ties_is_the_share_and_not_the_mean_over_their_orders():
    assert_allclose(average_precision(*with_pairs(0.5, 0.5)), 1 / 3)
    assert_allclose(np.mean([1, 1 / 2, 1 / 3]), 0.61, atol=0.002)  # of one good pair in first, second or third place


def test_perfect_similarities_score_one_and_opposite_ones_zero():
    clusters = np.repeat([0, 1, 2], 4)
    S = (clusters[:, None] == clusters).astype(float)
    assert cluster_auc(S, clusters) == average_precision(S, clusters) == neighbor_purity(S, clusters, 3) == 1
    assert cluster_auc(-S, clusters) == neighbor_purity(-S, clusters, 3) == 0


def test_constant_similarities_score_what_guessing_does():
    clusters = np.repeat([0, 1, 2], 4)
    S = np.ones((12, 12))
    chance = 3 / 11  # of the 11 others, three are of one's cluster
    assert cluster_auc(S, clusters) == 0.5
    assert_allclose(average_precision(S, clusters), chance)
    assert_allclose(neighbor_purity(S, clusters, 10), chance)


@pytest.mark.parametrize("score", [cluster_auc, average_precision, lambda S, c: neighbor_purity(S, c, 3)])
@given(case=similarities(7), seed=SEEDS)
def test_rounding_noise_does_not_change_a_score(score, case, seed):
    S, clusters = case
    np.fill_diagonal(S, 1)
    noise = 1e-13 * np.random.default_rng(seed).uniform(-1, 1, S.shape)
    assert score(S + noise, clusters) == score(S, clusters)


@pytest.mark.parametrize("score", [cluster_auc, average_precision, lambda S, c: neighbor_purity(S, c, 3)])
@given(case=similarities(7), order=st.permutations(range(7)))
def test_the_order_of_the_items_and_the_names_of_the_clusters_do_not_matter(score, case, order):
    S, clusters = case
    names = np.array(["z", "x", "y"])[clusters]
    assert_allclose(score(S[np.ix_(order, order)], names[order]), score(S, clusters))


@given(similarities(7))
def test_an_item_s_similarity_to_itself_does_not_count(case):
    S, clusters = case
    for score in (cluster_auc, average_precision, lambda S, c: neighbor_purity(S, c, 3)):
        assert score(S - 100 * np.diag(np.diag(S) + 1), clusters) == score(S, clusters)


@pytest.mark.parametrize("score", SCORES)
def test_similarities_are_left_alone(score):
    S = np.ones((12, 12)) / 3
    score(S, np.arange(12) // 6)
    assert np.all(S == 1 / 3)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize(
    ("S", "clusters", "message"),
    [
        (np.where(np.eye(3), 1, np.nan), [0, 0, 1], "S must be finite, got nan"),
        (np.full((3, 3), np.inf), [0, 0, 1], "S must be finite, got inf"),
        (np.eye(4), [0, 0, 1], r"S must be a non-empty matrix with 3 columns, got shape \(4, 4\)"),
        (np.ones((2, 3)), [0, 0, 1], r"S must be a symmetric 3×3 matrix, got shape \(2, 3\)"),
        (np.ones(3), [0, 0, 1], r"S must be a non-empty matrix with 3 columns, got shape \(3,\)"),
    ],
)
def test_bad_similarities_are_an_error(score, S, clusters, message):
    with pytest.raises(ValueError, match=message):
        score(S, clusters)


@pytest.mark.parametrize("score", [cluster_auc, average_precision, recovery_scores])
@pytest.mark.parametrize(("clusters", "n_clusters"), [([4, 4, 4], 1), ([0, 1, 2], 3), (["a", "b", "c"], 3)])
def test_clusters_without_both_kinds_of_pairs_are_an_error(score, clusters, n_clusters):
    with pytest.raises(ValueError, match=f"must have pairs within and across clusters, got {n_clusters} clusters"):
        score(np.eye(3), clusters)


@pytest.mark.parametrize("score", [neighbor_purity, recovery_scores])
@pytest.mark.parametrize("n_neighbors", [0, -1, 3, 1.0, np.nan])
def test_a_bad_number_of_neighbors_is_an_error(score, n_neighbors):
    with pytest.raises(ValueError, match=f"n_neighbors must be an integer between 1 and 2, got {n_neighbors}"):
        score(np.eye(3), [0, 0, 1], n_neighbors)
