"""The running example of *Check your own embeddings*: a shop, and a model of it that one trains twice."""

import numpy as np

from helpers.simulation import simulate_interactions

SHELVES = np.array(["tea", "bread", "cheese", "fruit", "soap", "paper", "pans", "toys"])


def shop():
    """What 2 000 users took of 120 items on eight shelves, from one draw of the paper's simulation.

    Returns: X (2000, 120), 0 or 1; the items' names, numbered within a shelf; their shelves (120,).
    """
    sim = simulate_interactions(np.random.default_rng(8), 2000, 120, 8, max_activity=20)
    place = np.arange(120) - np.searchsorted(sim.clusters, sim.clusters) + 1
    shelves = SHELVES[sim.clusters]
    return sim.X.toarray(), [f"{shelf} {i}" for shelf, i in zip(shelves, place, strict=True)], shelves


def train(X, seed, k=12, lam=100.0):
    """User and item embeddings XA (n, k) and B (p, k) of Eq. 1, by alternating least squares from a random start.

    Each half of a sweep solves for one factor: A = (G + λI)⁻¹GB(BᵀB)⁻¹ and B = GA(Aᵀ(G + λI)A)⁻¹, with G = XᵀX.
    """
    G = X.T @ X
    H = G + lam * np.eye(len(G))
    B = np.random.default_rng(seed).random((len(G), k))
    for _ in range(500):
        A = np.linalg.solve(H, G @ B) @ np.linalg.inv(B.T @ B)
        B = G @ A @ np.linalg.inv(A.T @ H @ A)
    return X @ A, B
