"""How far apart the paper's own choices of D are, 20 data sets in two settings; about a minute.

choices.csv has a row for each setting (reading) and seed of the simulation at the paper's size, k = 50 and
λ₁ = 10 000: the condition numbers of the M that leads from D = I to either case of Section 2.2 (g^½ and g^−½, the same
number), and from g^½ to σ^−½, the two that are farthest apart. λ₁ is the paper's, not tuned.
"""

import numpy as np

from experiments.common import DENSE_AND_SPARSE, draw, jobs
from helpers import shrinkage, truncated_svd

K, LAM1, READINGS = 50, 10_000, DENSE_AND_SPARSE
TOLERANCE = 1e-3  # exact algebra, four digits


def spreads(s):
    """Both condition numbers, from the singular values: each choice turns the weights of V_k into others."""
    g = shrinkage(s, LAM1)
    return {"case": np.exp(np.ptp(np.log(g)) / 2), "ends": np.exp(np.ptp(np.log(s * g)) / 2)}


def measure(reading, seed):
    """The row of one data set."""
    s, _ = truncated_svd(draw(reading, seed).X, K)
    return [spreads(s)]


JOBS = jobs(READINGS)
