import hashlib
from itertools import permutations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from helpers import simulate_interactions, simulation

WEIGHTS = np.array([1.0, 0.6, 0.4, 0.25, 0.1])  # of a small urn
LAWS = {
    "cluster_law": ["uniform", "dirichlet"],
    "popularity_law": ["rank", "pareto"],
    "preference_law": ["dirichlet", "uniform", "sparse"],
    "activity_law": ["power", "rank"],
}


def simulate(seed=0, n_users=60, n_items=30, n_clusters=3, **laws):
    return simulate_interactions(np.random.default_rng(seed), n_users, n_items, n_clusters, **laws)


@pytest.mark.parametrize(("name", "law"), [(name, law) for name, laws in LAWS.items() for law in laws])
def test_every_reading_gives_sorted_items_and_0_1_interactions(name, law):
    sim, again = (simulate(max_activity=20, **{name: law}) for _ in range(2))
    assert_array_equal(sim.X.toarray(), again.X.toarray())
    assert isinstance(sim.X, sp.csr_array)
    assert sim.X.indices.dtype == np.int32
    assert (sim.X.shape, sim.clusters.shape, sim.popularity.shape) == ((60, 30), (30,), (30,))
    assert sim.X.has_canonical_format
    assert_array_equal(sim.X.data, 1)
    assert set(sim.X.sum(axis=1)) <= set(range(1, 21))
    assert_array_equal(np.lexsort((-sim.popularity, sim.clusters)), np.arange(30))
    assert set(sim.clusters) <= {0, 1, 2}
    assert np.all(sim.popularity > 0)
    assert np.all(sim.preferences >= 0)
    assert_allclose(sim.preferences.sum(axis=1), np.ones(60))


@pytest.mark.parametrize("n_threads", [1, 2, 7, None])
def test_the_draws_do_not_depend_on_the_number_of_threads(n_threads, monkeypatch):
    sizes = {"n_users": 4 * simulation.USERS_AT_ONCE + 10, "n_items": 40}
    expected = simulate(**sizes).X.toarray()
    monkeypatch.setattr(simulation.os, "cpu_count", lambda: n_threads)
    assert_array_equal(simulate(**sizes).X.toarray(), expected)


def test_the_draws_of_a_seed_stay_what_the_tables_of_the_experiments_were_computed_from():
    sim = simulate_interactions(np.random.default_rng(0), n_users=600, n_items=50)
    assert sim.X.nnz == 10_888
    assert hashlib.sha256(sim.X.indices.astype("<i4")).hexdigest().startswith("ec05bb2213a0525d")


def test_normalized_popularity_gives_every_cluster_the_same_mass_and_keeps_the_order_within():
    plain, normalized = (simulate(n_items=200, normalize_popularity=flag) for flag in (False, True))
    assert_array_equal(plain.clusters, normalized.clusters)
    masses = np.bincount(plain.clusters, plain.popularity)
    assert_allclose(normalized.popularity * masses[plain.clusters], plain.popularity)


def draw(rng, weights, k, preferences, clusters=None):
    """The 0/1 choices of users with these preferences, (n, p)."""
    n, clusters = len(preferences), np.zeros(len(weights), dtype=int) if clusters is None else clusters
    items = simulation.draw_items(rng, clusters, weights, preferences, np.full(n, k))
    X = np.zeros((n, len(weights)), dtype=int)
    X[np.repeat(np.arange(n), k), np.concatenate(list(items))] = 1
    return X


def inclusion_probabilities(weights, k):
    """Exact: the probability of every ordered sequence of k draws, added to each of its items."""
    total = np.zeros(len(weights))
    for sequence in permutations(range(len(weights)), k):
        probability, left = 1.0, weights.sum()
        for item in sequence:
            probability *= weights[item] / left
            left -= weights[item]
        total[list(sequence)] += probability
    return total


def assert_frequencies(counts, probabilities, n):
    deviation = np.abs(counts - n * probabilities)
    assert np.all(deviation <= 4.5 * np.sqrt(n * probabilities * (1 - probabilities)) + 1e-9)


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_items_are_taken_with_their_exact_inclusion_probabilities(k, rng):
    n = 40_000
    X = draw(rng, WEIGHTS, k, np.ones((n, 1)))
    assert_array_equal(X.sum(axis=1), k)
    assert_frequencies(X.sum(axis=0), inclusion_probabilities(WEIGHTS, k), n)


def test_a_user_s_weights_are_preference_times_popularity(rng):
    n, clusters = 40_000, np.array([0, 0, 1, 1, 1])
    preferences = np.array([[0.9, 0.1], [0.3, 0.7]])
    X = draw(rng, WEIGHTS, 2, np.repeat(preferences, n, axis=0), clusters)
    for user in (0, 1):
        expected = inclusion_probabilities(WEIGHTS * preferences[user, clusters], 2)
        assert_frequencies(X[user * n : (user + 1) * n].sum(axis=0), expected, n)


def test_dirichlet_clusters_have_any_probabilities_and_pareto_popularity_a_power_law_tail(rng):
    shares = [np.mean(simulation.draw_clusters(rng, 2_000, 2, "dirichlet") == 0) for _ in range(300)]
    assert stats.kstest(shares, "uniform").pvalue > 1e-3
    popularity = simulation.draw_popularity(rng, np.zeros(2_000, dtype=int), 1, (0.5, 0.5), "pareto")
    assert stats.kstest(popularity, stats.pareto(2).cdf).pvalue > 1e-3


def test_rank_popularity_is_a_power_of_the_rank_within_the_cluster(rng):
    clusters = np.repeat([0, 2], [50, 30])  # cluster 1 is empty
    popularity = simulation.draw_popularity(rng, clusters, 3, (0.25, 1.5), "rank")
    exponents = []
    for c in (0, 2):
        within = popularity[clusters == c]
        exponents.append(-np.log2(within[1]))
        assert_allclose(within, np.arange(1, len(within) + 1) ** -exponents[-1])
    assert 0.25 <= min(exponents) < max(exponents) <= 1.5


def test_preferences_follow_their_law(rng):
    for law, cdf in {
        "dirichlet": stats.uniform.cdf,
        "uniform": lambda x: np.where(x < 0.5, x / (2 - 2 * x), 1 - (1 - x) / (2 * x)),  # of u/(u + v)
        "sparse": stats.beta(0.2, 0.2).cdf,
    }.items():
        preferences = simulation.draw_preferences(rng, 3_000, 2, law)
        assert stats.kstest(preferences[:, 0], cdf).pvalue > 1e-3


@pytest.mark.parametrize("exponent", [0, 0.5, 2])
def test_power_law_activity(exponent, rng):
    activity = simulation.draw_activity(rng, 20_000, 6, exponent, "power")
    weights = np.arange(1, 7) ** -float(exponent)
    assert stats.chisquare(np.bincount(activity)[1:], 20_000 * weights / weights.sum()).pvalue > 1e-3


def test_rank_law_activity_falls_from_the_largest_with_the_rank(rng):
    activity = simulation.draw_activity(rng, 100, 40, 0.5, "rank")
    expected = np.ceil(40 / np.sqrt(np.arange(1, 101)))
    assert np.any(activity != expected)
    assert_array_equal(np.sort(activity)[::-1], expected)


@pytest.mark.parametrize("reading", simulation.readings(30))
def test_every_reading_but_the_default_differs_from_it(reading):
    options = simulation.readings(30)[reading]
    assert np.any(simulate(**options).X.toarray() != simulate().X.toarray()) == bool(options)


@pytest.mark.parametrize(("reading", "largest"), [("default", 1), ("activity to p/2", 2), ("activity to p/10", 10)])
def test_readings_limit_activity_to_a_share_of_the_items(reading, largest):
    taken = simulate(n_users=600, n_items=50, user_exponent=0, **simulation.readings(50)[reading]).X.sum(axis=1)
    assert taken.max() == 50 // largest
