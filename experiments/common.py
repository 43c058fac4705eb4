"""What the experiments share: the data sets, the grids, each method's weights, and how a similarity is scored."""

from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from helpers import chosen_elsewhere, hide, ndcg_at, readings, recall_at, recovery_scores, simulate_interactions
from helpers.evaluation import recalls
from helpers.movielens import interactions, read_movielens

N_ITEMS, N_USERS, N_HELD_OUT = 1_000, 20_000, 1_000  # the paper's size, and users of whom nothing is learned
SEEDS = range(20)
TAUS = np.round(4 * 2 ** (np.arange(20) / 2), 1)  # 4 … 2 896.3: λ₁ = τ², λ₂ = τ, λ_w = τ²
ALPHAS = np.r_[-1:4:0.25, 4:8.5:0.5]
# 34, 3.6, 2.4 and 1.4 % of cells; of draw_smaller 35, 3.9, 4.4 and 3.0 %
FEW = ["default", "activity to p/10", "activity exponent 1.5", "activity by rank"]
DENSE_AND_SPARSE = ["default", "activity exponent 1.5"]


def likes():
    """MovieLens: X (609, 1 437) CSR, 1 where a rating is 3.5 or more, of films with ten of these; genres (p, 19)."""
    ratings, films = read_movielens()
    X, names = interactions(ratings, least_rating=3.5, least_users=10)
    return X, films.set_index("movieId").loc[names, "genres"].str.get_dummies("|").to_numpy()


class Users(NamedTuple):
    """Held-out users: what a recommender sees of them and what it has to find, (users, p) dense 0/1 each."""

    seen: np.ndarray
    hidden: np.ndarray


def users_from(rng, X, share=0.2):
    """Users X, sparse or dense, of each of whom this share of the items is hidden."""
    return Users(*(part.toarray() for part in hide(rng, X, share)))


def roles(group, i):
    """Who learns, who chooses and who tests, three masks: group i of ten tests, the next two choose, seven learn.

    group (n,) counts modulo 10, so a random permutation of the users divides them.
    """
    after = (group - i) % 10
    return after > 2, np.isin(after, [1, 2]), after == 0


class DataSet(NamedTuple):
    """X (n, p) CSR to learn from, clusters (p,), and users to choose parameters by and to test on."""

    X: object
    clusters: np.ndarray
    validation: Users
    test: Users
    weights: np.ndarray  # of the test users, (users, p): the probabilities by which they took items, up to a factor


def draw(reading, seed, n_items=N_ITEMS, n_users=N_USERS, n_held_out=N_HELD_OUT, n_clusters=5):
    """One data set of a reading; its held-out users are drawn like all others."""
    rng = np.random.default_rng(seed)
    sim = simulate_interactions(rng, n_users + 2 * n_held_out, n_items, n_clusters, **readings(n_items)[reading])
    validation, test = (users_from(rng, X) for X in (sim.X[n_users:-n_held_out], sim.X[-n_held_out:]))
    weights = sim.preferences[-n_held_out:][:, sim.clusters] * sim.popularity
    return DataSet(sim.X[:n_users], sim.clusters, validation, test, weights)


draw_smaller = partial(draw, n_items=300, n_users=4_000, n_held_out=500)  # where a method has to be trained many times


def leading(G, k=20):
    """The k leading singular values and right singular vectors, from a Gram matrix.

    As `helpers.spectrum.spectrum_of_gram`, but with other signs, on which layer_norm.csv and inputs.csv hang.
    """
    values, vectors = np.linalg.eigh(G)
    return np.sqrt(np.maximum(values[: -k - 1 : -1], 0)), vectors[:, : -k - 1 : -1]


def nonzero_spectrum(G):
    """The same of all singular values that are not zero."""
    s, V = leading(G, len(G))
    kept = s**2 > 1e-9 * s[0] ** 2
    return s[kept], V[:, kept]


def spectrum_of_data(Y):
    """The same from the data, dense, by the smaller of their two Gram matrices."""
    if len(Y) >= Y.shape[1]:
        return nonzero_spectrum(Y.T @ Y)
    s, U = nonzero_spectrum(Y @ Y.T)
    return s, Y.T @ U / s


def shrunk(s, tau):
    """g of Eq. 5 at λ₁ = τ²; at τ = ∞ its limit, up to a factor."""
    return s**2 / (s**2 + tau**2) if tau < np.inf else (s / s[0]) ** 2


KEPT = {  # what an objective keeps of each direction: ABᵀ = V diag(kept) Vᵀ, at λ₁ = λ_w = τ² and λ₂ = τ
    "Eq. 1": shrunk,
    "Eq. 2": lambda s, tau: np.maximum(1 - tau / s, 0),
    "weight decay": lambda s, tau: np.maximum(1 - tau**2 / s**2, 0),
}


def weightings(s, tau):
    """{method: item weights f}: B = V diag(f) of Eq. 1 under five D, of Eq. 2 and of weight decay, as in KEPT."""
    g = shrunk(s, tau)
    return {
        "D = √g": np.ones_like(s),
        "D = I": np.sqrt(g),
        "D = 1/√g": g,
        "D = 1/√σ": np.sqrt(s * g),
        "projected back": s * g,
        "Eq. 2": np.sqrt(np.maximum(s - tau, 0)),
        "weight decay": np.sqrt(KEPT["weight decay"](s, tau)),
    }


def unit(E):
    """Rows of length one; rows that are zero stay zero."""
    return E / np.maximum(np.linalg.norm(E, axis=1, keepdims=True), 1e-12)


def cosines(E):
    """Cosines of the rows of E; 0 where a row is zero."""
    U = unit(E)
    return U @ U.T


def cosines_of_pairs(E, first, second):
    """Cosines of these rows of E with those."""
    U = unit(E)
    return np.sum(U[first] * U[second], axis=1)


def from_dots(G):
    """Cosines from dot products (p, p); 0 where a length is."""
    lengths = np.sqrt(np.maximum(G.diagonal(), 1e-12 * G.diagonal().max()))
    return G / lengths[:, None] / lengths


def recommended(E, seen, hidden):
    """recall@20 of each user of whom something is hidden, by the sums of the cosines of the rows of E."""
    U = unit(E)
    return recalls(seen @ U @ U.T, seen, hidden)


def recall_of_items(S, users):
    """recall@20 of the recommender by similar items: the sums of the similarities to a user's items."""
    return recall_at(users.seen @ (S - np.diag(S.diagonal())), *users)


def scores(S, data):
    """Recovery of the clusters by S, and the recall of its recommender for the validation users."""
    auc, average_precision, purity = recovery_scores(S, data.clusters)
    return {"auc": auc, "ap": average_precision, "purity": purity, "recall": recall_of_items(S, data.validation)}


def worth(validation, test, data):
    """What scores (users, p) for validation users, if any, and for test users are worth."""
    row = {"validation": np.nan if validation is None else recall_at(validation, *data.validation)}
    return row | {"recall": recall_at(test, *data.test), "ndcg": ndcg_at(test, *data.test)}


def baselines(data):
    """{name: row} of recommending what most users took, and of knowing by which probabilities the test users took."""
    popularity = np.broadcast_to(data.X.sum(axis=0), data.test.seen.shape)
    return {"popularity": worth(popularity, popularity, data), "oracle": worth(None, data.weights, data)}


def tuned(rows, score, by, keys=("setting",)):
    """Each data set's score at the setting chosen for it, and that setting: two Series by seed.

    Parameters: rows, a DataFrame with a row for each seed and setting, which the columns in keys name; by, "elsewhere"
    for the setting that is best on average in all other data sets, the column that is largest in this one, or the
    settings themselves, a Series by seed.
    """
    (seeds, i), *parts = (np.unique(rows[key], return_inverse=True) for key in ("seed", *keys))
    shape = [len(values) for values, _ in parts]
    cells, j = np.unique(np.ravel_multi_index([at for _, at in parts], shape), return_inverse=True)
    columns = [values[at].tolist() for (values, _), at in zip(parts, np.unravel_index(cells, shape), strict=True)]
    settings = [*zip(*columns, strict=True)] if len(keys) > 1 else columns[0]
    seeds = pd.Index(seeds, name="seed")

    def grid(column):  # far faster than a pivot
        table = np.full((len(seeds), len(settings)), np.nan)
        table[i, j] = rows[column]
        return table

    found = grid(score)
    if isinstance(by, pd.Series):
        chosen = pd.Index(settings).get_indexer(by[seeds])
    elif by == "elsewhere":
        whole = np.flatnonzero(~np.isnan(found).any(axis=0))  # settings that all data sets have
        chosen = whole[chosen_elsewhere(found[:, whole])]
    else:
        chosen = np.nanargmax(grid(by), axis=1)
    return pd.Series(found[range(len(seeds)), chosen], seeds), pd.Series([settings[each] for each in chosen], seeds)


def likeness(labels, i, j):
    """How like items i are to items j: 1 if they share a label, else 0; of genres the share of either's that both have.

    Parameters: labels (p,), or (p, genres) of 0 and 1; i and j, arrays of items.
    """
    if labels.ndim == 1:
        return (labels[i] == labels[j]).astype(float)
    both, either = (op(labels[i], labels[j]).sum(axis=-1) for op in (np.minimum, np.maximum))
    return both / either


def holm(p):
    """p-values (a Series) times how many comparisons are left, the least first, and never falling (Holm 1979)."""
    p = p.sort_values()
    return (p * np.arange(len(p), 0, -1)).cummax()


def jobs(names, seeds=SEEDS):
    """A job for each seed and reading, so that a table half done has all readings."""
    return [{"reading": reading, "seed": seed} for seed in seeds for reading in names]
