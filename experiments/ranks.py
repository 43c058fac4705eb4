"""The main weightings at k = 5, the number of clusters, in two readings: 40 data sets, about 5 minutes.

ranks.csv has the columns of curves.csv and k; every second τ and α of that table.
"""

from experiments import run
from experiments.common import ALPHAS, FEW, TAUS, draw, jobs, scores
from experiments.curves import curves
from helpers import cosine_similarity, truncated_svd

RANKS = (5,)
METHODS = "f = 1", "power", "D = I", "f = g", "projected back", "Eq. 2", "weight decay"


def score_ranks(reading, seed):
    """All rows of one data set."""
    data = draw(reading, seed)
    s, V = truncated_svd(data.X, max(RANKS))
    return [
        {"k": k, "method": method, "setting": setting} | scores(cosine_similarity(V[:, :k] * f), data)
        for k in RANKS
        for method, setting, f in curves(s[:k], ALPHAS[::2], TAUS[::2])
        if method in METHODS
    ]


JOBS = jobs(FEW[::2])

if __name__ == "__main__":
    run("ranks", JOBS, score_ranks)
