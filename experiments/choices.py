"""How far apart the paper's own choices of D are, 20 data sets in two settings; about a minute.

choices.csv has a row for each setting (reading) and seed of the simulation at the paper's size, k = 50 and
λ₁ = 10 000: the condition numbers of the M that leads from D = I to either case of Section 2.2 (g^½ and g^−½, the same
number), from g^½ to σ^−½, the two that are farthest apart, and between the two of the four that are nearest to each
other. λ₁ is the paper's, not tuned.
"""

from itertools import combinations

import numpy as np

from experiments.common import DENSE_AND_SPARSE, draw, jobs
from helpers import shrinkage, truncated_svd

K, LAM1, READINGS = 50, 10_000, DENSE_AND_SPARSE
TOLERANCE = 1e-3  # exact algebra, four digits


def spreads(s):
    """The condition numbers, from the singular values: each choice turns the weights of V_k into others."""
    g = shrinkage(s, LAM1)
    choices = np.log([g**0, g**0.5, g, (s * g) ** 0.5])
    numbers = np.exp([np.ptp(one - other) for one, other in combinations(choices, 2)])
    return {"case": numbers[0], "ends": numbers.max(), "nearest": numbers.min()}


def measure(reading, seed):
    """The row of one data set."""
    s, _ = truncated_svd(draw(reading, seed).X, K)
    return [spreads(s)]


JOBS = jobs(READINGS)
