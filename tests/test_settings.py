"""The settings in a table are those that its script sweeps, whichever of them a small job takes."""

import pandas as pd
import pytest

from experiments import documentation_cosines, encoders, networks, read


def swept(rows, *columns):
    """The settings in some rows of a table, each once, in their order."""
    return list(dict.fromkeys(rows[list(columns)].itertuples(index=False, name=None)))


def test_weightings_of_the_documentation():
    for method, rows in read("documentation_cosines").groupby("method"):
        if method != "TF-IDF":  # which has neither k nor setting
            grid = documentation_cosines.WEIGHTS[method][1]
            wanted = [(k, setting) for k in documentation_cosines.RANKS for setting in grid]
            assert swept(rows, "k", "setting") == wanted, method


@pytest.mark.parametrize("steps", networks.GRIDS)
def test_decay_and_dropout_of_networks(steps):
    rows = read("networks").query("steps == @steps")
    wanted = [(name, *pair) for name in networks.TRAINED[steps] for pair in networks.GRIDS[steps]]
    assert swept(rows, "activation", "rate", "decay") == wanted


def test_what_is_done_to_vectors_of_encoders():
    rows = read("encoders").query("kind == 'grid'")
    for (encoder, judge), some in rows.groupby(["encoder", "judge"]):
        wanted = [(method, setting) for method in pd.unique(some["method"]) for setting in encoders.GRIDS[method]]
        assert swept(some, "method", "setting") == wanted, (encoder, judge)
    assert set(rows["method"]) == set(encoders.GRIDS)
