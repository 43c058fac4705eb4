"""Which of one model's five answers finds what a source needs? Debian's packages, Eq. 1.

answers.csv has a row for each split and named solution: recall@20 of what is hidden of sources that test, by the sum of
the cosines with what is seen of them. Packages, splits and each split's k and τ are those of neighbors.csv. About two
minutes.
"""

from experiments import read
from experiments.common import nonzero_spectrum, recommended
from experiments.neighbors import divide, packages, solutions
from helpers.spectrum import gram

DATA = "Debian 20"
TOLERANCE = 0.01  # as of neighbors


def measure(split):
    """All rows of one split."""
    train, _, test = divide(packages()[0], split)
    row = read("neighbors").query(f"data == {DATA!r} and split == {split} and readout == 'Eq. 1'").iloc[0]
    k, tau = int(row["k"]), row["tau"]
    s, V = nonzero_spectrum(gram(train))
    found = solutions(s[:k], V[:, :k], tau)
    return [{"k": k, "tau": tau, "solution": name, "recall": recommended(E, *test).mean()} for name, E in found.items()]


PROCESSES = 1
JOBS = [{"split": split} for split in range(10)]
