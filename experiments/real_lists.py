"""Whom two libraries' own models find nearest to git, one of Debian's packages: as given, and as safe items.

real_lists.csv has a row for each model and readout of real_models.csv that SHOWN names: the five nearest of that
model's first training, and how many of the ten nearest as given stay. It needs implicit 0.7 (tests/requirements.txt).
About 20 seconds.
"""

import numpy as np

from experiments.real_models import neighbors, readouts, trained
from experiments.real_models_tuned import divided
from helpers import read_debian

ITEM, SHOWN = "git", ("as given", "safe 0.5")


def measure(model):
    """All rows of one model."""
    data = divided("Debian")
    names = read_debian().packages[data.items]
    tables = readouts(trained("Debian", model, 1))
    found = {name: neighbors(*tables[name], np.flatnonzero(names == ITEM))[0] for name in SHOWN}
    stay = {name: len(set(found["as given"]) & set(rows)) for name, rows in found.items()}
    return [{"readout": name, "stay": stay[name], "nearest": ", ".join(names[found[name][:5]])} for name in SHOWN]


PROCESSES = 1
JOBS = [{"model": model} for model in ("ALS", "BPR")]
