"""What the tables of remedies say together: each remedy's score, tuned, and its lead over plain cosines, Eq. 1's D = I.

A remedy is a pair: how the data are prepared or the model is trained, and the readout whose cosines are taken.
"""

from functools import cache
from itertools import product

import pandas as pd

from experiments import common, read
from helpers import t_interval

DATA = {"dense": "default", "sparse": "activity exponent 1.5"}
READINGS = DATA | {f"{kind}, 20 clusters": f"{reading}, 20 clusters" for kind, reading in DATA.items()}
BY, BY_ALL = ("scores", "clusters"), ("scores", "cosines", "clusters")
PLAIN, OTHER_D = ("given", "D = I"), ("given", "D = 1/√g")
NAMES = {"f = g": "D = 1/√g", "f = 1": "whitened", "power": "f = σ^α", "f = √(σg)": "even split"}


def untrained():
    """The remedies that need no training: every readout of Eq. 1, Eq. 2 and weight decay, of prepared data."""
    rows = read("remedies").rename(columns={"recall": "cosines"})
    rows["objective"] = rows.readout.where(rows.readout.isin(["Eq. 2", "weight decay"]), "Eq. 1")
    rows = rows.merge(read("by_scores"), "left")
    rows["reading"] = rows.reading.mask(rows.clusters == 20, rows.reading + ", 20 clusters")
    rows["scores"] = rows.recall.where((rows.setting == rows.tau) | (rows.readout == "f = 1"))
    none = rows.recall.isna() | (rows.readout == "columns")  # PMI, columns: no scores
    rows.loc[none, "scores"] = rows.cosines
    groups = {"as": "given", "propensity": "propensities", "PMI": "shifted PMI"}
    group = rows.preparation.str.split("[ ,]", n=1).str[0].replace(groups)
    return rows.assign(readout=rows.readout.replace(NAMES), group=group, first=rows.preparation)


def trained(rows, group, **columns):
    """The trainings of a table, of each setting's starts the one of least loss."""
    rows = rows.rename(columns={"method": "readout", "recall": "cosines"} | columns).assign(group=group)
    rows["scores"] = rows.score if "score" in rows else rows.cosines
    keys = ["reading", "seed", "readout", "first", "setting"]
    return rows.loc[rows.groupby(keys).loss.idxmin()]


@cache
def tables():
    """The rows of each kind of data and remedy: {(reading, preparation or training, readout): DataFrame}."""
    layers = read("layer_norm").query("variant != 'after'").rename(columns={"readout": "where"}).assign(first=0)
    layers["method"] = ("LN with gains: " + layers["where"]).where(layers.variant == "both + gain", "LN, no gain")
    parts = [untrained(), trained(read("popularity"), "while training", second="first")]
    parts += [trained(read("cosine_training"), "for cosines", setting="first", dropped="setting")]
    parts += [trained(layers, "layer norm")]
    return dict(list(pd.concat(parts).groupby(["reading", "group", "readout"], sort=False)))


def remedies():
    """All remedies that were measured with five clusters, but the plain cosines they are compared with."""
    return [key[1:] for key in tables() if key[0] == DATA["dense"] and key[1:] != PLAIN]


def tuned(rows, score, by, keys=("first", "setting")):
    """As common.tuned, by clusters elsewhere or by the recall that has this name."""
    return common.tuned(rows, score, "elsewhere" if by == "clusters" else by, keys)


@cache
def found(kind, remedy, by, score="ap"):
    """A remedy's scores in one kind of data, tuned in one way, and the settings chosen."""
    return tuned(tables()[READINGS[kind], *remedy], score, by)


def ahead(remedy, score="ap", versus=PLAIN, ways=BY, kinds=DATA):
    """A remedy's leads over another, {(kind of data, tuning): mean and 95 % interval}."""
    leads = {}
    for kind, by in product(kinds, ways):
        value, other = (found(kind, each, by, score)[0] for each in (remedy, versus))
        leads[kind, by] = t_interval((value - other).dropna())
    return leads
