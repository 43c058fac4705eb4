"""What tests share: a shop, models of it by descent on the losses that libraries minimize, and other routes."""

import numpy as np
from scipy.optimize import minimize

USERS, ITEMS, K = 240, 60, 6


def shop():
    """Interactions of 0 and 1, (240, 60), in four tastes; every user and every item has some."""
    rng = np.random.default_rng(1)
    taste, kind = rng.integers(4, size=USERS), rng.integers(4, size=ITEMS)
    popular = rng.permutation(np.linspace(0.3, 1, ITEMS))
    X = (rng.random((USERS, ITEMS)) < np.where(taste[:, None] == kind, 0.6, 0.1) * popular).astype(float)
    X[np.arange(USERS), rng.integers(ITEMS, size=USERS)] = 1
    return X


def rotation(rng, k):
    return np.linalg.qr(rng.normal(size=(k, k)))[0]


def ill(rng, k=5, cond=1_000):
    """An M of that condition number."""
    return rotation(rng, k) * np.geomspace(1, cond, k) @ rotation(rng, k)


def turned(P, B, M):
    """Another model with the same scores."""
    return P @ M, B @ np.linalg.inv(M).T


def split(scores, k):
    """The balanced factors of scores of rank k, or of their best approximation."""
    U, s, Vt = np.linalg.svd(scores, full_matrices=False)
    return U[:, :k] * np.sqrt(s[:k]), Vt[:k].T * np.sqrt(s[:k])


def start(seed, scale=0.3, n=USERS, p=ITEMS, k=K):
    rng = np.random.default_rng(seed)
    return scale * rng.normal(size=(n, k)), scale * rng.normal(size=(p, k))


def descend(loss, P, B, iterations=3_000):
    """P and B at a minimum of a loss that returns its value and both gradients."""

    def flat(x):
        value, dP, dB = loss(x[: P.size].reshape(P.shape), x[P.size :].reshape(B.shape))
        return value, np.concatenate([dP.ravel(), dB.ravel()])

    options = {"maxiter": iterations, "maxfun": 10**6, "ftol": 1e-15, "gtol": 1e-9, "maxcor": 30}
    x = minimize(flat, np.concatenate([P.ravel(), B.ravel()]), jac=True, method="L-BFGS-B", options=options).x
    return x[: P.size].reshape(P.shape), x[P.size :].reshape(B.shape)


def softmax(X, penalty=0.0):
    """A softmax over items, with penalty (‖P‖² + ‖B‖²)."""

    def loss(P, B):
        Z = P @ B.T
        Z -= Z.max(axis=1, keepdims=True)
        log = Z - np.log(np.exp(Z).sum(axis=1, keepdims=True))
        G = np.exp(log) * X.sum(axis=1, keepdims=True) - X
        value = -np.sum(X * log) + penalty * (np.sum(P**2) + np.sum(B**2))
        return value, G @ B + 2 * penalty * P, G.T @ P + 2 * penalty * B

    return loss


def on_spheres(loss, temperature=0.2):
    """The same loss of rows at length one, at a fixed temperature."""

    def normalized(P, B):
        lengths = [np.linalg.norm(E, axis=1, keepdims=True) for E in (P, B)]
        U, V = P / lengths[0], B / lengths[1]
        value, dU, dV = loss(U / temperature, V)
        dU = dU / temperature
        dP, dB = (
            (D - E * np.sum(D * E, axis=1, keepdims=True)) / size
            for D, E, size in zip((dU, dV), (U, V), lengths, strict=True)
        )
        return value, dP, dB

    return normalized


def balanced(rng, n=80, p=40, k=5):
    """Balanced factors of k strengths, turned."""
    P, B = split(rng.normal(size=(n, k)) * np.arange(1, k + 1) @ rng.normal(size=(p, k)).T, k)
    turn = rotation(rng, k)
    return P @ turn, B @ turn


def unit(E):
    lengths = np.linalg.norm(E, axis=1, keepdims=True)
    return np.divide(E, lengths, out=np.zeros(E.shape), where=lengths > 0)


def cosines(E):
    return unit(E) @ unit(E).T


def nearest(E, n=10):
    """The n nearest others of each row, (m, n), by a sort."""
    S = cosines(E)
    np.fill_diagonal(S, -2)
    return np.argsort(-S, axis=1)[:, :n]


def shared(one, other):
    """The mean share of a row's neighbors that another list has, too."""
    return np.mean([np.isin(*pair).mean() for pair in zip(one, other, strict=True)])


def weighted_als(X, lam=0.3, sweeps=300):
    """ALS whose penalty on a row is multiplied by its number of interactions, as Spark's is."""
    P, B = start(3)
    n_u, n_i = X.sum(axis=1), X.sum(axis=0)
    for _ in range(sweeps):
        for E, F, Y, n in ((P, B, X, n_u), (B, P, X.T, n_i)):
            G = F.T @ F
            E[:] = np.linalg.solve(G + lam * n[:, None, None] * np.eye(K), (Y @ F)[:, :, None])[:, :, 0]
    return P, B


def bpr(X, penalty, steps=5_000, rate=0.05):
    """Stochastic steps on pairs of a taken and another item."""
    rng = np.random.default_rng(4)
    P, B = start(5)
    taken = np.argwhere(X)
    for u, i in taken[rng.integers(len(taken), size=steps)]:
        j = rng.integers(ITEMS)
        if not X[u, j]:
            p, d = P[u].copy(), B[i] - B[j]
            slope = 1 / (1 + np.exp(p @ d))
            P[u] += rate * (slope * d - penalty * p)
            B[i] += rate * (slope * p - penalty * B[i])
            B[j] += rate * (-slope * p - penalty * B[j])
    return P, B


def on_both_spheres(rng, m, w):
    """Rows e of length one with Σ w e² = 1, so that e √w have length one, too: mixtures of pairs of axes."""
    k = len(w)
    low, high = (rng.choice(np.flatnonzero(some), (m, k)) for some in (w < 1, w > 1))
    share = (w[high] - 1) / (w[high] - w[low])
    weights = rng.dirichlet(np.ones(k), m)
    squares = np.zeros((m, k))
    for axes, part in ((low, share), (high, 1 - share)):
        np.add.at(squares, (np.arange(m)[:, None], axes), weights * part)
    return np.sqrt(squares) * rng.choice([-1, 1], (m, k))


def steps(X, seed=0, penalty=0.02, rate=0.04, epochs=6):
    """Stochastic steps on the squared error from a small start, each shrinking the two rows of a rating."""
    rng = np.random.default_rng(seed)
    P, B = start(seed, 0.03)
    for _ in range(epochs):
        for u, i in rng.permutation(np.argwhere(rng.random(X.shape) < 0.4)):
            p, error = P[u].copy(), 4 * X[u, i] - 1 - P[u] @ B[i]
            P[u] += rate * (error * B[i] - penalty * p)
            B[i] += rate * (error * p - penalty * B[i])
    return P, B


def on_a_sphere(rng, F, m, k=4):
    """m unit rows where F is 0: between two random ones at which it has two signs, by halving."""
    found = np.empty((0, k))
    while len(found) < m:
        low, high = unit(rng.normal(size=(4 * m, k))), unit(rng.normal(size=(4 * m, k)))
        kept = (F(low) < 0) & (F(high) > 0)
        low, high = low[kept], high[kept]
        for _ in range(60):
            middle = unit(low + high)
            below = (F(middle) < 0)[:, None]
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        found = np.vstack([found, low])
    return found[:m]


def values(report):
    """What was found, by name."""
    return {one.name: one.value for one in report.findings}
