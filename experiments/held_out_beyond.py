"""Eq. 1 at λ₁ beyond σ₁², where held_out.csv ends, in the readings that need it: 60 data sets, about 6 minutes.

Eq. 2 and weight decay keep nothing there, but λ₁ has no upper end. held_out_beyond.csv has the columns of held_out.csv;
τ = ∞ is the limit, in which directions are kept in proportion to σ².
"""

import numpy as np

from experiments import run
from experiments.common import FEW, TAUS, draw, jobs
from experiments.held_out import AT_ALL_RANKS, KEPT, RANKS, predict
from helpers import ndcg_at, recall_at
from helpers.spectrum import gram


def kept_beyond(s, tau):
    """What Eq. 1 keeps of each direction, or its limit up to a factor."""
    return KEPT["Eq. 1"](s, tau) if tau < np.inf else (s / s[0]) ** 2


def score_beyond(reading, seed):
    """All rows of one data set."""
    data = draw(reading, seed)
    values, vectors = np.linalg.eigh(gram(data.X))
    s, V = np.sqrt(np.maximum(values[::-1], 0)), vectors[:, ::-1]
    rows = []
    for k in RANKS if reading in AT_ALL_RANKS else (50,):
        for tau in [tau for tau in [*TAUS, np.inf] if tau >= s[0]]:
            kept = kept_beyond(s[:k], tau)
            models = [predict(users, V[:, :k], kept, 0, 1) for users in (data.validation, data.test)]
            row = {"objective": "Eq. 1", "k": k, "tau": tau, "validation": recall_at(models[0], *data.validation)}
            rows.append(row | {"recall": recall_at(models[1], *data.test), "ndcg": ndcg_at(models[1], *data.test)})
    return rows


JOBS = jobs(FEW[1:])

if __name__ == "__main__":
    run("held_out_beyond", JOBS, score_beyond, processes=1)
