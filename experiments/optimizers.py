"""Start × optimizer × rate, crossed, for Eq. 1 on 20 small data sets: 2 160 trainings, four minutes.

optimizers.csv has a row for each data set, random draw, scale of the start, imbalance (A is multiplied
by it, B divided), optimizer and rate, with the three watched cosines and the largest error of the product at the end.
Each data set has 400 users and nine items, k = 3; larger models, mini-batches and other losses are not measured.
"""

import numpy as np

from experiments.small_problem import LAM1, N_ITEMS, SEEDS, K, adam, descent, momentum, slopes, small, train, watched

DRAWS, SCALES, RATIOS, SWEEPS = (0, 1), (0.01, 0.1, 0.3), (2 / 3, 1.0, 1.5), 500
RULES = [
    ("descent", descent, 0.01, 80_000),
    ("descent", descent, 0.005, 160_000),
    ("momentum", momentum, 0.001, 80_000),
    ("Adam", adam, 0.01, 10_000),
    ("Adam", adam, 0.001, 40_000),
    ("ALS", None, 0, SWEEPS),
]


def starts(seed):
    """All starts of a data set: what they are called, and the pairs, (2, starts, p, k)."""
    rng = np.random.default_rng([seed, 1])
    draws = rng.normal(size=(len(DRAWS), 2, N_ITEMS, K))
    names = [(draw, scale, ratio) for draw in DRAWS for scale in SCALES for ratio in RATIOS]
    pairs = [scale * draws[draw] * np.array([ratio, 1 / ratio])[:, None, None] for draw, scale, ratio in names]
    return names, np.stack(pairs, axis=1)


def als(problem, pairs):
    """Alternating least squares for Eq. 1; it uses only the start of B, and needs no rate."""
    G, B = problem.X.T @ problem.X, pairs[1]
    H = G + LAM1 * np.eye(len(G))
    for _ in range(SWEEPS):
        A = np.linalg.solve(H, G) @ B @ np.linalg.inv(B.mT @ B)
        B = G @ A @ np.linalg.inv(A.mT @ H @ A)
    return A, B


def measure(seed, rules=RULES):
    """All rows of one data set."""
    problem = small(seed)
    names, pairs = starts(seed)
    rows = []
    for optimizer, rule, rate, n_steps in rules:
        if rule:
            A, B = train(rule(rate, n_steps), slopes(problem.X), pairs, [n_steps])[0]
        else:
            A, B = als(problem, pairs)
        errors = np.abs(A @ B.mT - problem.A @ problem.B.T).max(axis=(1, 2))
        for (draw, scale, ratio), B_end, error in zip(names, B, errors, strict=True):
            row = {"draw": draw, "scale": scale, "ratio": ratio, "optimizer": optimizer, "rate": rate, "error": error}
            rows.append(row | dict(zip(("c12", "c13", "c23"), watched(B_end, problem.heads), strict=True)))
    return rows


TOLERANCE = 0.02  # trainings of up to 160 000 steps: Adam divides by small gradients, so the last digits differ
JOBS = [{"seed": seed} for seed in SEEDS]
