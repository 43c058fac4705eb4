r"""The simulated users and items of Section 4: clusters, popularity, preferences, activity, interactions.

The paper leaves parts of its simulation open. Each is an argument here, and its default is the book's reading.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from helpers import checks

USERS_AT_ONCE = 250  # their keys for 1 000 items are 2 MB and stay in cache; the draws do not depend on it


@dataclass(frozen=True)
class Simulation:
    """Interactions and the truth behind them.

    X (n, p) scipy CSR of 0/1, users × items; clusters (p,) cluster of each item, ascending; popularity (p,) baseline
    popularity p_i, falling within each cluster, dimensionless; preferences (n, C) of each user for each cluster, rows
    summing to 1.
    """

    X: sp.csr_array
    clusters: np.ndarray
    popularity: np.ndarray
    preferences: np.ndarray


def simulate_interactions(
    rng,
    n_users=20_000,
    n_items=1_000,
    n_clusters=5,
    *,
    item_exponents=(0.25, 1.5),
    user_exponent=0.5,
    max_activity=None,
    cluster_law="uniform",
    popularity_law="rank",
    preference_law="dirichlet",
    activity_law="power",
):
    r"""Section 4: user u takes :math:`k_u` items without replacement, with probabilities :math:`\propto p_{u c_i} p_i`.

    Parameters: rng, a numpy Generator; item_exponents, the range of the power-law exponents :math:`\beta_c`;
    user_exponent ≥ 0, :math:`\beta^{(user)}`; max_activity, the largest :math:`k_u` (default: n_items); and the
    readings of what the paper leaves open: cluster_law "uniform", "dirichlet"; popularity_law "rank", "pareto";
    preference_law "dirichlet", "uniform", "sparse"; activity_law "power", "rank".
    Returns: a Simulation, its items sorted by cluster, then by falling popularity.
    Raises ValueError for a size below 1, a max_activity above n_items, a negative exponent or an unknown law.
    Source: Steck et al. 2024, Section 4.
    """
    n_users = checks.integer("n_users", n_users, 1, np.inf)
    n_items = checks.integer("n_items", n_items, 1, np.inf)
    n_clusters = checks.integer("n_clusters", n_clusters, 1, np.inf)
    max_activity = checks.integer("max_activity", n_items if max_activity is None else max_activity, 1, n_items)

    clusters = draw_clusters(rng, n_items, n_clusters, cluster_law)
    popularity = draw_popularity(rng, clusters, n_clusters, item_exponents, popularity_law)
    preferences = draw_preferences(rng, n_users, n_clusters, preference_law)
    activity = draw_activity(rng, n_users, max_activity, user_exponent, activity_law)
    items = np.concatenate(list(draw_items(rng, clusters, popularity, preferences, activity)))
    starts = np.concatenate([[0], np.cumsum(activity)])
    X = sp.csr_array((np.ones(len(items)), items, starts), shape=(n_users, n_items))
    return Simulation(X, clusters, popularity, preferences)


def draw_clusters(rng, n_items, n_clusters, law):
    """The cluster of each item, (p,), ascending; p_c is uniform, or drawn from Dirichlet(1)."""
    laws = {
        "uniform": lambda: np.full(n_clusters, 1 / n_clusters),
        "dirichlet": lambda: rng.dirichlet(np.ones(n_clusters)),
    }
    return np.sort(rng.choice(n_clusters, size=n_items, p=chosen("cluster_law", law, laws)()))


def draw_popularity(rng, clusters, n_clusters, exponents, law):
    r"""Popularity of each item, (p,): :math:`\mathrm{rank}^{-\beta_c}` or Pareto, with uniform :math:`\beta_c`."""
    low, high = checks.finite("item_exponents", exponents)
    if not 0 <= low <= high:
        raise ValueError(f"item_exponents must be 0 <= low <= high, got {exponents}")
    laws = {
        "rank": lambda size: np.arange(1.0, size + 1),
        "pareto": lambda size: np.sort(rng.random(size)),
    }
    base = chosen("popularity_law", law, laws)
    sizes = np.bincount(clusters, minlength=n_clusters)
    betas = rng.uniform(low, high, n_clusters)
    return np.concatenate([base(size) ** -beta for size, beta in zip(sizes, betas, strict=True)])


def draw_preferences(rng, n_users, n_clusters, law):
    """Each user's preference for each cluster, (n, C): Dirichlet(1), normalized uniform or Dirichlet(0.2)."""
    laws = {
        "dirichlet": lambda: rng.dirichlet(np.ones(n_clusters), n_users),
        "uniform": lambda: rng.random((n_users, n_clusters)),
        "sparse": lambda: rng.dirichlet(np.full(n_clusters, 0.2), n_users),
    }
    weights = chosen("preference_law", law, laws)()
    return weights / weights.sum(axis=1, keepdims=True)


def draw_activity(rng, n_users, largest, exponent, law):
    r"""How many items each user takes, (n,): :math:`P(k) \propto k^{-\beta}` on 1 … largest, or largest·rank^(−β)."""
    if not 0 <= exponent < np.inf:
        raise ValueError(f"user_exponent must be a finite number >= 0, got {exponent}")
    sizes = np.arange(1, largest + 1)
    weights = sizes ** -float(exponent)
    laws = {
        "power": lambda: rng.choice(sizes, size=n_users, p=weights / weights.sum()),
        "rank": lambda: np.ceil(largest * rng.permutation(np.arange(1, n_users + 1)) ** -float(exponent)).astype(int),
    }
    return chosen("activity_law", law, laws)()


def draw_items(rng, clusters, popularity, preferences, activity):
    r"""Yield the items of USERS_AT_ONCE users after another, int32, each user's ascending: an exponential race.

    Item i arrives at time :math:`E_i/w_i` with :math:`E_i \sim \mathrm{Exp}(1)`, :math:`w_i = p_{u c_i} p_i`, and the
    first :math:`k_u` to arrive are taken: exactly sequential sampling without replacement with probabilities ∝ w.
    Source: Efraimidis and Spirakis 2006. Keys are float64: float32 keys tie, and a tie takes an item too many.
    """
    n_items, n_clusters = len(clusters), preferences.shape[1]
    weights = np.zeros((n_clusters, n_items))
    weights[clusters, np.arange(n_items)] = popularity
    columns = np.tile(np.arange(n_items, dtype=np.int32), USERS_AT_ONCE)
    for start in range(0, len(preferences), USERS_AT_ONCE):
        users = slice(start, start + USERS_AT_ONCE)
        arrivals = rng.standard_exponential((len(activity[users]), n_items))
        arrivals /= preferences[users] @ weights
        last = np.take_along_axis(np.sort(arrivals, axis=1), activity[users, None] - 1, axis=1)
        yield np.compress((arrivals <= last).ravel(), columns)  # a boolean index would take twice the time


def chosen(name, law, laws):
    """The law of that name; ValueError listing the known ones otherwise."""
    if law not in laws:
        raise ValueError(f"{name} must be one of {', '.join(laws)}, got {law}")
    return laws[law]
