"""Every readout of data as given and centered, on the documentation, tuned inside each of ten splits: three minutes.

documentation_remedies.csv has a row for each split, preparation, readout, score and module: purity of the ten nearest
and average precision. The splits are those of documentation_held_out.csv; the model is that of
the training words, at the k and τ whose scores find most of what is hidden (recall@20) of the words that choose.
"""

from experiments.common import cosines, spectrum_of_data
from experiments.documentation_cosines import by_module
from experiments.documentation_held_out import divide
from experiments.judges import by_scores, embeddings
from helpers import read_documentation


def measure(split):
    """All rows of one split."""
    X, _, _, module_of = read_documentation()
    train, choose, _ = divide(X, split)
    rows = []
    for preparation, origin in (("given", 0 * train[0]), ("centered", train.mean(axis=0))):
        s, V = spectrum_of_data(train - origin)
        best = by_scores(choose, s, V, origin)
        for readout, k, tau, E in embeddings(train - origin, s, V, best):
            row = {"preparation": preparation, "readout": readout, "k": k, "tau": tau}
            found = by_module(cosines(E), module_of).stack()
            rows += [row | {"score": score, "module": name, "value": value} for (score, name), value in found.items()]
    return rows


TOLERANCE = 0.05  # a tie in k or τ may fall either way
JOBS = [{"split": split} for split in range(10)]
