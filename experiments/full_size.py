"""The readouts of curves.csv of centered and of standardized data, at the paper's size: two data sets, two minutes.

20 000 users, 1 000 items, k = 50. full_size.csv has a row for each reading, seed, preparation, readout and τ, in the
units of the prepared data, as in held_out.csv: the scores of curves.csv, which has data as given.
"""

from experiments.common import DENSE_AND_SPARSE, TAUS, draw, from_dots, jobs, leading, scores
from experiments.curves import curves
from experiments.remedies import preparations
from helpers import cosine_similarity
from helpers.spectrum import gram


def measure(reading, seed, taus=TAUS[4:-3]):  # 16, 22.6 … 1 024
    """All rows of one data set."""
    data = draw(reading, seed)
    G, rows = gram(data.X), []
    for preparation, H, _ in preparations(data.X, G, powers=[]):
        if preparation == "as given":
            continue  # in curves.csv
        s, V = leading(H, 50)
        S = {("columns", 0): from_dots(H)}
        S |= {(readout, tau): cosine_similarity(V * f) for readout, tau, f in curves(s, [], taus)}
        for (readout, tau), each in S.items():
            row = {"preparation": preparation, "readout": readout, "setting": tau}
            rows.append(row | scores(each, data))
    return rows


JOBS = jobs(DENSE_AND_SPARSE, range(3))
