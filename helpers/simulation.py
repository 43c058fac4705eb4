r"""The simulated users and items of Section 4: clusters, popularity, preferences, activity, interactions.

The paper leaves parts of its simulation open. Each is an argument here, and its default is the book's reading.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from helpers.arguments import valid_flag, valid_generator, valid_integer, valid_number, valid_numbers

USERS_AT_ONCE = 250  # with a generator of their own, so that threads share nothing; for 1 000 items, 2 MB of keys


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
    normalize_popularity=False,
    preference_law="dirichlet",
    activity_law="power",
):
    r"""Section 4: user u takes :math:`k_u` items without replacement, with probabilities :math:`\propto p_{u c_i} p_i`.

    The users are drawn in blocks, each with a generator spawned from rng, on all cores: the draws depend on rng alone.
    Parameters: rng, a numpy Generator; item_exponents, the range of the power-law exponents :math:`\beta_c`;
    user_exponent ≥ 0, :math:`\beta^{(user)}`; max_activity, the largest :math:`k_u` (default: n_items); and the
    readings of what the paper leaves open: cluster_law "uniform", "dirichlet"; popularity_law "rank", "pareto";
    normalize_popularity, whether that of each cluster's items sums to 1; preference_law "dirichlet", "uniform",
    "sparse"; activity_law "power", "rank".
    Returns: a Simulation, its items sorted by cluster, then by falling popularity.
    Raises ValueError for a size below 1, a max_activity above n_items, a negative exponent or an unknown law.
    Source: Steck et al. 2024, Section 4.
    """
    rng = valid_generator(rng)
    n_users = valid_integer("n_users", n_users, 1, np.inf)
    n_items = valid_integer("n_items", n_items, 1, np.inf)
    n_clusters = valid_integer("n_clusters", n_clusters, 1, np.inf)
    max_activity = valid_integer("max_activity", n_items if max_activity is None else max_activity, 1, n_items)

    clusters = draw_clusters(rng, n_items, n_clusters, cluster_law)
    popularity = draw_popularity(rng, clusters, n_clusters, item_exponents, popularity_law)
    if valid_flag("normalize_popularity", normalize_popularity):
        popularity = popularity / np.bincount(clusters, popularity)[clusters]
    preferences = draw_preferences(rng, n_users, n_clusters, preference_law)
    activity = draw_activity(rng, n_users, max_activity, user_exponent, activity_law)
    items = np.concatenate(list(draw_items(rng, clusters, popularity, preferences, activity)))
    starts = np.concatenate([[0], np.cumsum(activity)]).astype(np.int32 if len(items) < 2**31 else np.int64)
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
    exponents = valid_numbers("item_exponents", exponents)
    low, high = exponents if exponents.shape == (2,) else (-1, -1)
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
    exponent = valid_number("user_exponent", exponent, low=0)
    sizes = np.arange(1, largest + 1)
    weights = sizes**-exponent
    laws = {
        "power": lambda: rng.choice(sizes, size=n_users, p=weights / weights.sum()),
        "rank": lambda: np.ceil(largest * rng.permutation(np.arange(1, n_users + 1)) ** -exponent).astype(int),
    }
    return chosen("activity_law", law, laws)()


def draw_items(rng, clusters, popularity, preferences, activity):
    r"""Yield the items of USERS_AT_ONCE users after another, int32, each user's ascending: an exponential race.

    Item i arrives at time :math:`E_i/w_i` with :math:`E_i \sim \mathrm{Exp}(1)`, :math:`w_i = p_{u c_i} p_i`, and the
    first :math:`k_u` to arrive are taken: exactly sequential sampling without replacement with probabilities ∝ w.
    Source: Efraimidis and Spirakis 2006.
    """
    starts = range(0, len(preferences), USERS_AT_ONCE)
    users = [slice(start, start + USERS_AT_ONCE) for start in starts]

    def race(generator, users):  # in place: fresh memory would take longer than the arithmetic
        weights = preferences[users][:, clusters]
        weights *= popularity
        arrivals = generator.standard_exponential(weights.shape)
        arrivals /= weights
        last = np.take_along_axis(np.sort(arrivals, axis=1), activity[users][:, None] - 1, axis=1)
        return (np.flatnonzero(arrivals <= last) % len(clusters)).astype(np.int32)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(race, rng.spawn(len(users)), users)


def chosen(name, law, laws):
    """The law of that name; ValueError listing the known ones otherwise."""
    if not isinstance(law, str) or law not in laws:
        raise ValueError(f"{name} must be one of {', '.join(laws)}, got {law}")
    return laws[law]


def readings(n_items):
    """How what the paper leaves open may be read: arguments of simulate_interactions by name, the default first.

    Parameters: n_items ≥ 10, the number of items. Returns: a dict of dicts. Raises ValueError if n_items is below 10.
    """
    n_items = valid_integer("n_items", n_items, 10, np.inf)
    return {
        "default": {},
        "Dirichlet clusters": {"cluster_law": "dirichlet"},
        "Pareto popularity": {"popularity_law": "pareto"},
        "uniform preferences": {"preference_law": "uniform"},
        "sparse preferences": {"preference_law": "sparse"},
        "activity to p/2": {"max_activity": n_items // 2},
        "activity to p/10": {"max_activity": n_items // 10},
        "activity exponent 1.5": {"user_exponent": 1.5},
        "activity by rank": {"activity_law": "rank"},
    }
