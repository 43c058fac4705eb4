"""Every preparation of the data with every readout, at every λ, in two readings: 40 data sets, about 15 minutes.

remedies.csv has a row for each reading, seed, preparation, readout and setting: τ in the units of X, matched to
the size of the prepared data; for PMI the exponent α of its singular values. The scores are those of curves.csv.
"""

import numpy as np

from experiments import run
from experiments.common import FEW, TAUS, draw, jobs, scores
from experiments.curves import curves
from helpers import centered_gram, cosine_similarity, propensity_scaled, shifted_ppmi, standardized_gram
from helpers.spectrum import gram

POWERS = [(a, b) for b in (0, 0.5) for a in (0, 0.5, 1) if a or b]
READOUTS = "f = 1", "D = I", "projected back", "Eq. 2", "weight decay"


def leading(G, k=50):
    """The k leading singular values and right singular vectors, from a Gram matrix."""
    values, vectors = np.linalg.eigh(G)
    return np.sqrt(np.maximum(values[: -k - 1 : -1], 0)), vectors[:, : -k - 1 : -1]


def preparations(X, G):
    """(name, Gram matrix of the prepared data, its grid of τ)."""
    means, n = G.diagonal() / X.shape[0], X.shape[0]
    yield "centered", centered_gram(G, means, n), TAUS[::2]
    yield "standardized", standardized_gram(G, means, n), TAUS[::2]
    for a, b in POWERS:
        yield f"propensity {a:g}, users {b:g}", gram(propensity_scaled(X, a, b)), TAUS[::2]


def score_remedies(reading, seed):
    """All rows of one data set."""
    data = draw(reading, seed)
    G = gram(data.X)
    rows = []
    for preparation, H, taus in preparations(data.X, G):
        s, V = leading(H)
        unit = np.sqrt(np.trace(H) / np.trace(G))
        for readout, tau, f in curves(s / unit, [], taus):
            if readout in READOUTS:
                row = {"preparation": preparation, "readout": readout, "setting": tau}
                rows.append(row | scores(cosine_similarity(V * f), data))
    counts = G - np.diag(G.diagonal())
    for exponent in (0.75, 1):
        for n_negatives in (0.5, 1, 2):
            M = shifted_ppmi(counts, exponent, n_negatives)
            s, V = leading(M @ M.T)
            for alpha in np.arange(0, 2.01, 0.25):
                row = {
                    "preparation": f"PMI, β = {exponent:g}, κ = {n_negatives:g}",
                    "readout": "power",
                    "setting": alpha,
                }
                rows.append(row | scores(cosine_similarity(V * (s / s[0]) ** alpha), data))
    return rows


JOBS = jobs(FEW[:3:2])

if __name__ == "__main__":
    run("remedies", JOBS, score_remedies)
