"""Dropout, weight decay, and both, in ReLU and linear autoencoders: 50 data sets; about 25 minutes.

Two readings with 500 users, 20 data sets each, and the default one with 5 000 users, 10 data sets. dropout.csv has a
row for each reading, number of users, seed, number of steps, activation, rate of dropout and strength of decay (both
together: the default reading, 1 000 steps), all trained from the same start by the same draws: what parameters are
chosen by, recall@20 (validation) and cross-entropy (loss) of the validation users, and recall@20 and nDCG@100 of the
test users. Two rows are no networks: popularity, and the oracle, which knows the probabilities by which the test users
took items.
"""

import numpy as np

from experiments.autoencoder import ACTIVATIONS, READINGS, SEEDS, cross_entropy, draw, network, pick, train_all
from experiments.common import baselines, worth

TOLERANCE = 0.02  # of single trainings: rounding grows along the steps; means over data sets differ far less
DROPOUT = [(rate, 0.0) for rate in (0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.98)]
DECAY = [(0.0, decay) for decay in (0.0005, 0.001, 0.002, 0.004, 0.008, 0.016)]
BOTH = [(rate, decay) for rate in (0.1, 0.2, 0.4, 0.6) for decay in (0.0005, 0.001, 0.002, 0.004)]
GRIDS = {1_000: [(0.0, 0.0), (0.02, 0.0), *DROPOUT, *DECAY], 4_000: DROPOUT + DECAY}
SLIGHT = [(0.0, decay) for decay in (0.00005, 0.0001, 0.0002)]
FEWER = DROPOUT[:6] + SLIGHT + DECAY[:5]  # with 5 000 users
TRAINED = {1_000: ACTIVATIONS, 4_000: ACTIVATIONS[:1]}  # the linear networks have arrived after 1 000 steps


def score(net, activation, data):
    """The scores of one network."""
    validation, test = (np.asarray(network(net, users.seen, activation)) for users in (data.validation, data.test))
    loss = cross_entropy(validation, data.validation.hidden)
    return {"loss": float(loss)} | worth(validation, test, data)


def settings(reading, users, steps):
    """The grid of a job."""
    both = BOTH if (reading, steps) == (READINGS[0], 1_000) else []
    return GRIDS[steps] + both if users == 500 else FEWER


def measure(reading, users, seed, steps, grid=None):
    """All rows of one data set and number of steps."""
    data = draw(reading, seed, n_users=users)
    grid = grid or settings(reading, users, steps)
    untrained = {"rate": 0.0, "decay": 0.0, "loss": np.nan}
    rows = [{"activation": name} | untrained | row for name, row in baselines(data).items()]
    for activation in TRAINED[steps] if users == 500 else ACTIVATIONS:
        nets = train_all([seed], [seed], grid, data.X.toarray(), activation, steps)
        for i, (rate, decay) in enumerate(grid):
            row = {"activation": activation, "rate": rate, "decay": decay}
            rows.append(row | score(pick(nets, 0, 0, i), activation, data))
    return rows


def jobs(readings, users, steps, seeds):
    """A job for each seed and reading."""
    return [{"reading": name, "users": users, "seed": seed, "steps": steps} for seed in seeds for name in readings]


JOBS = [job for steps in GRIDS for job in jobs(READINGS, 500, steps, SEEDS)]
JOBS += jobs(READINGS[:1], 5_000, 4_000, SEEDS[:10])
