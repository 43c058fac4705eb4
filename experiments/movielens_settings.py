"""Which k and λ find most hidden films of the users who choose, in ten groups of MovieLens' users; two minutes.

movielens_settings.csv has a row for each group, judge, method, k and τ (of f = σ^α: α). By "scores": recall@20 and
nDCG@100 of a fifth of a user's films. By "cosines": recall@20 of one hidden film, by its cosines with the others.
"""

from itertools import product

import numpy as np

from experiments.common import likes, recommended, spectrum_of_data
from experiments.documentation_cosines import WEIGHTS
from experiments.judges import hidden_from
from experiments.movielens_divisions import METRICS, SETTING, divided, parts, scores_at_all_settings

GRIDS = {"D = I": (13, 25, 50, 100), "D = 1/(σ√g)": (0, 5, 13)}
GRIDS |= {"D = 1/√g": (0, 13, 25, 50, 100), "D = 1/√σ": (0, 5, 13, 25, 50)}
GRIDS |= {"Eq. 2": (0, 2, 4, 7, 11), "weight decay": (0, 4, 7, 11, 16, 22)}
GRIDS |= {"D = √g": (0,), "f = σ^α": (0.25, 0.5, 0.75, 1)}
RANKS = 10, 20, 50, 200, 600  # the last: all there are
TOLERANCE = 3e-3  # as in movielens_divisions.py


def embed(name, s, V, k, tau):
    """The items' embeddings."""
    return V[:, :k] * WEIGHTS[name][0](s[:k], tau)


def measure(group):
    """All rows of one group."""
    X = likes()[0].toarray()
    train, choose, _ = parts(X, divided(len(X), 0), group)
    basis, users = spectrum_of_data(train), hidden_from(np.random.default_rng(group), choose, 0.2)
    rows = [("scores", *row) for row in scores_at_all_settings(users, *basis)]
    users = hidden_from(np.random.default_rng(100 + group), choose, 1e-6)
    for name, k, tau in [(name, *at) for name, grid in GRIDS.items() for at in product(RANKS, grid)]:
        rows.append(("cosines", name, k, tau, recommended(embed(name, *basis, k, tau), *users).mean(), np.nan))
    return [dict(zip(("judge", *SETTING, *METRICS), row, strict=True)) for row in rows]


JOBS = [{"group": group} for group in range(10)]
