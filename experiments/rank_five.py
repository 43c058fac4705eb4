"""The table of ranks.py at k = 5, the number of clusters: 40 data sets, about 10 minutes in one process."""

from experiments import run
from experiments.common import FEW, jobs
from experiments.ranks import score_ranks


def score_five(reading, seed):
    """All rows of one data set."""
    return score_ranks(reading, seed, ranks=(5,))


JOBS = jobs(FEW[::2])

if __name__ == "__main__":
    run("rank_five", JOBS, score_five, processes=1)
