"""The other contestants: the obvious code, and the best-known library. They need no helpers."""

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.neighbors import NearestNeighbors


def simulate_by_choice(rng):
    """Section 4 by a loop of Generator.choice: clusters (p,), and the items of each user.

    All but the choice is drawn as simulate_interactions draws it: users and items of one seed are the same.
    """
    n_users, n_items, n_clusters = 20_000, 1_000, 5
    clusters = np.sort(rng.choice(n_clusters, size=n_items, p=np.full(n_clusters, 1 / n_clusters)))
    exponents = rng.uniform(0.25, 1.5, n_clusters)
    rank = np.arange(n_items) - np.searchsorted(clusters, clusters) + 1.0
    popularity = rank ** -exponents[clusters]
    preferences = rng.dirichlet(np.ones(n_clusters), n_users)
    sizes = np.arange(1, n_items + 1)
    activity = rng.choice(sizes, size=n_users, p=sizes**-0.5 / np.sum(sizes**-0.5))

    rng = rng.spawn(1)[0]
    items = []
    for k, preference in zip(activity, preferences, strict=True):
        weights = preference[clusters] * popularity
        items.append(rng.choice(n_items, size=k, replace=False, p=weights / weights.sum()))
    return clusters, items


def dense(items, n_items=1_000):
    """X (n, p) of 0/1 from the items of each user."""
    X = np.zeros((len(items), n_items))
    for row, taken in zip(X, items, strict=True):
        row[taken] = 1
    return X


def svd_of_dense(X, k):
    """s (k,) and V (p, k) by numpy.linalg.svd."""
    _, s, Vt = np.linalg.svd(X, full_matrices=False)
    return s[:k], Vt[:k].T


def closed_forms(s, V, lam_product=10_000, lam_factor=100):
    """B (p, k) of Eq. 5 and of Eq. 6."""
    return V * np.sqrt(1 / (1 + lam_product / s**2)), V * np.sqrt(np.maximum(s - lam_factor, 0))


def figure():
    """Figure 1's five similarity matrices: the truth, three rescalings of Eq. 1's model, and Eq. 2's model."""
    clusters, items = simulate_by_choice(np.random.default_rng(0))
    s, V = svd_of_dense(dense(items), 50)
    B, B_factor = closed_forms(s, V)
    root_g = np.sqrt(1 / (1 + 10_000 / s**2))
    embeddings = (B / root_g, B, B * root_g, B_factor)
    return [clusters[:, None] == clusters, *map(cosine_similarity, embeddings)]


def alternating_least_squares(X, k, lam, iterations, losses=None):
    """P (n, k) and Q (p, k) of Eq. 2 by implicit, conjugate gradient, all cores.

    alpha = 1 on 0/1 data makes every confidence 1, so it minimizes ‖X − PQᵀ‖² + λ(‖P‖² + ‖Q‖²). Its own loss after
    each iteration, per entry of X, is appended to losses. It asks for one BLAS thread beside its own, and gets it.
    """
    from implicit.cpu.als import AlternatingLeastSquares
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, user_api="blas"):
        model = AlternatingLeastSquares(
            factors=k,
            regularization=lam,
            alpha=1.0,
            use_cg=True,
            iterations=iterations,
            random_state=0,
            calculate_training_loss=losses is not None,
        )
        record = None if losses is None else lambda iteration, seconds, loss: losses.append(loss)
        model.fit(X, show_progress=False, callback=record)
    return model.user_factors, model.item_factors


def moments_of_stack(B, scales):
    """Mean and standard deviation of every cosine of B D⁻¹, from a stack of all the cosine matrices."""
    S = np.stack([cosine_similarity(B / d) for d in scales])
    return S.mean(axis=0), S.std(axis=0)


def recovery_by_sklearn(S, clusters):
    """AUC, average precision over the pairs and purity of ten neighbors, of S (p, p) rounded as helpers rounds it."""
    pairs = np.triu_indices(len(S), 1)
    S = np.round(S, 10)
    same = clusters[pairs[0]] == clusters[pairs[1]]
    distances = np.clip(1 - S, 0, None)
    nearest = NearestNeighbors(n_neighbors=10, metric="precomputed").fit(distances)
    others = nearest.kneighbors(return_distance=False)  # none is its own neighbor
    purity = np.mean(clusters[others] == clusters[:, None])
    return roc_auc_score(same, S[pairs]), average_precision_score(same, S[pairs]), purity


def readers_data(rng, n_users, n_items, mean, n_clusters=20):
    """X (n, p) CSR of 0/1 as readers have it: some mean items a user, log-normal; popularity a power of the rank.

    Half of what a user takes is of one cluster, those items whose number is the cluster's modulo n_clusters.
    """
    activity = np.clip(rng.lognormal(-0.5, 1, n_users) * 1.35 * mean, 1, n_items // 2).astype(int)
    users = np.repeat(np.arange(n_users), activity)
    weights = np.cumsum(np.arange(1.0, n_items + 1) ** -0.7)
    items = np.searchsorted(weights / weights[-1], rng.random(len(users)))
    own = np.minimum(items - items % n_clusters + rng.integers(n_clusters, size=n_users)[users], n_items - 1)
    items = np.where(rng.random(len(users)) < 0.5, items, own)
    X = sp.csr_array((np.ones(len(users)), (users, items)), shape=(n_users, n_items))
    X.sum_duplicates()
    X.data[:] = 1
    return X


def svds_of_sparse(X, k):
    """s (k,), descending, and V (p, k) by Lanczos iterations."""
    from scipy.sparse.linalg import svds

    _, s, Vt = svds(X, k=k, random_state=0)
    order = np.argsort(-s)
    return s[order], Vt[order].T
