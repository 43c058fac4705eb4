"""Of each experiment one small job: the code that made a table still finds its rows.

A job is made smaller by a shorter grid, never by other data, so that its rows stand in the committed table.
"""

from functools import cache, partial
from importlib import import_module

import missing_data
import numpy as np
import pandas as pd
import pytest
from chapters import ROOT

from experiments import finished, read
from experiments.common import draw
from experiments.people import judgments
from experiments.small_problem import adam
from helpers import read_glosses
from helpers.remedies import symmetric_root
from helpers.spectrum import gram

TABLES = sorted(path.stem for path in (ROOT / "experiments").glob("*.csv") if "." not in path.stem)
SPARSE = {"reading": "activity exponent 1.5", "seed": 3}
TAU = np.array([45.3])


def words_as_given(scored):
    """Vectors of a pair's words that have the dot products of the words' columns."""
    used, judged = judgments()
    first, second, _ = judged[scored]
    E = symmetric_root(gram(read_glosses().X[:, used]))
    return {"no decomposition": (E[first], E[second])}


def every(n, first=0):
    """What makes of a generator one of every n-th of its results."""
    return lambda generator: lambda *given, **named: list(generator(*given, **named))[first::n]


def one_of_each_loss(from_each_start):
    """Trains a model of the squared error without biases, and of the softmax with them, and no others."""

    def trained(data, pair, seed, starts, loss, bias, *how):
        asked = bias == (loss.__name__ == "softmax")
        return from_each_start(data, pair, seed, starts, loss, bias, *how) if asked else []

    return trained


drawn = cache(draw)  # for several jobs


def of_d_i(weights):
    """The weights that belong to D = I, of the three settings that data sets choose."""
    return {place: f for place, f in weights.items() if place[0] == "D = I" and place[1] in (32, 64, 128)}


SMALL = {  # a job, and what is shorter: arguments of the function that computes it, and names of its module
    "answers": ({"split": 3}, {}, {}),
    "by_scores": (
        {"clusters": 20} | SPARSE,
        {},
        {"preparations": lambda preparations: partial(preparations, powers=[(1, 0), (0.5, 1)])},
    ),
    "centering": (SPARSE, {}, {}),
    "choices": (SPARSE, {}, {}),
    "convergence": ({"seed": 10, "multiple": 1.3}, {}, {}),
    "cosine_or_dot": (SPARSE | {"clusters": 20, "k": 100}, {"taus": np.array([8.0])}, {}),
    "cosine_training": (
        SPARSE,
        {},
        {
            "GAMMAS": {"squared": (0,), "softmax": (1,)},
            "DROPPED": {"squared": (0.3,), "softmax": (0.3,)},
            "BEYOND": {"squared": [], "softmax": []},
            "STARTS": ["Eq. 1"],
            "from_each_start": one_of_each_loss,
        },
    ),
    "curves": (SPARSE, {}, {"curves": lambda curves: every(3, 1)(partial(curves, alphas=[1.5], taus=TAU))}),
    "density": ({"reading": "activity to p/50", "seed": 0}, {}, {}),
    "documentation_cosines": (
        {"method": "Eq. 2"},
        {"ranks": (50,)},
        {"WEIGHTS": lambda all_weights: {"Eq. 2": (all_weights["Eq. 2"][0], (5,))}},
    ),
    "documentation_held_out": ({"split": 0}, {"ranks": (50,)}, {"TAUS": {"Eq. 1": (7,), "Eq. 2": (3,)}}),
    "documentation_lengths": (
        {"split": 0},
        {"ranks": (100,), "taus": (10,)},
        {"weights": every(3, 1)},  # D = I and projected back
    ),
    "documentation_remedies": (
        {"split": 0},
        {},
        {"by_scores": lambda by_scores: partial(by_scores, taus=np.array([4, 6, 11]), objectives=["Eq. 2"])},
    ),
    "dropout": (
        {"reading": "default", "users": 500, "seed": 0, "steps": 1_000},
        {"grid": [(0.1, 0.0)]},
        {"TRAINED": {1_000: ["ReLU"]}},
    ),
    "encoders": (
        {"encoder": "4-bit e5-small", "judge": "definitions"},
        {},
        {"GRIDS": lambda grids: {method: grids[method] for method in ("cosine", "centered", "whitened")}},
    ),
    "exponents": ({"clusters": 20, "reading": "activity by rank", "k": 10}, {}, {"SEEDS": [4]}),
    "forged": ({"k": 50, "scored": "wordsim", "condition": 1.5}, {}, {}),
    "full_size": (
        SPARSE | {"seed": 2},
        {"taus": TAU},
        {"preparations": every(3, 2), "curves": every(3)},
    ),
    "held_out": (SPARSE, {"ranks": (5,)}, {"TAUS": TAU, "preparations": every(2)}),
    "inputs": (
        {"reading": "default", "seed": 2, "clusters": 20},
        {},
        {"versions": every(5)},  # D = I and an M drawn
    ),
    "judged": ({"k": 50, "judge": "people", "scored": "simlex", "split": 1, "n": 80}, {}, {}),
    "judges": (
        {"judge": "documentation", "repetition": 5},
        {},
        {"predicting": lambda predicting: partial(predicting, taus=np.array([8, 11, 16]))},
    ),
    "layer_norm": (SPARSE | {"seed": 2}, {"taus": np.array([16.0])}, {"VARIANTS": ["both"], "DROPPED": [0.3]}),
    "lengths": (SPARSE, {"taus": np.array([64.0])}, {}),
    "movielens_divisions": (
        {"division": 2, "group": 3},
        {},
        {
            "TAUS": {"Eq. 1": (9, 13), "Eq. 2": (4.5, 6), "weight decay": (5, 7)},
            "by_scores": lambda by_scores: partial(by_scores, taus=np.array([3, 4, 6, 8])),
        },
    ),
    "movielens_settings": (
        {"group": 3},
        {},
        {"GRIDS": {"Eq. 2": (4,), "D = I": (25,)}, "scores_at_all_settings": lambda of: lambda *data: []},
    ),
    "ndcg": (SPARSE, {}, {"RANKS": (10, 20, 50), "TAUS": np.array([45.3, 181, 256, 362, 724.1])}),
    "neighbors": (
        {"data": "documentation", "split": 0},
        {},
        {"TAUS": np.array([4.5, 6, 11]), "halves": lambda _: lambda *_: {}},
    ),
    "networks": (
        {"reading": "default", "users": 5_000, "steps": 2_000, "seed": 0},
        {"grid": [(0.0, 0.002)]},
        {"TRAINED": {2_000: ["ReLU"]}},
    ),
    "noise": ({"seed": 0}, {}, {"STARTS": (5.0,)}),
    "noise_size": ({"seed": 0, "begun": "none"}, {}, {"STEPS": (2_000,)}),
    "optimizers": ({"seed": 0}, {"rules": [("Adam", adam, 0.01, 10_000), ("ALS", None, 0, 500)]}, {}),
    "people": (
        {"name": "0/1"},
        {},
        {"RANKS": (50,), "TAUS": (6,), "WEIGHTS": lambda all_weights: {"D = I": all_weights["D = I"]}},
    ),
    "people_gaps": ({"scored": "simlex"}, {}, {"similarities": lambda _: words_as_given, "TIMES": 1_000}),
    "people_held_out": ({"split": 0}, {"ranks": (50,)}, {"TAUS": {"Eq. 1": (12,), "Eq. 2": (6,)}, "ALPHAS": (0.5,)}),
    "popularity": (
        SPARSE,
        {},
        {
            "POWERS": [1],
            "PATHS": lambda paths: [paths[1][:1]],
            "SAMPLES": [1],
            "EXPONENTS": [1],
            "PENALTIES": [0.01],
        },
    ),
    "ranks": (
        {"clusters": 5, "reading": "default", "k": 10},
        {},
        {"METHODS": ["D = I"], "settings": lambda settings: lambda *given: of_d_i(settings(*given))},
    ),
    "real_lists": ({"model": "ALS"}, {}, {}),
    "real_models": (
        {"data": "Debian", "model": "ALS", "seed": 1},
        {},
        {"SHARES": (0.5,), "picks": lambda _: lambda *_: ()},
    ),
    "real_models_tuned": (
        {"data": "Debian", "model": "ALS"},
        {},
        {"GRID": {"ALS": {"regularization": (300,), "alpha": (160,)}}},
    ),
    "recipe": (SPARSE | {"exponents": "0.25 to 1.5", "normalized": False}, {}, {}),
    "remedies": ({"clusters": 20} | SPARSE, {"taus": np.array([8.0])}, {"negative_sampling": every(7)}),
    "score_rows": (
        {"data": "default", "seed": 0},
        {},
        {"SIMULATED_TAUS": {"Eq. 1": (0, 4, 16, 64, np.inf), "Eq. 2": (0, 16)}},
    ),
    "shares": ({"data": "Debian", "model": "ALS"}, {}, {"PAIRS": (50,), "TIMES": 1}),
    "stability": (SPARSE, {"taus": TAU}, {"functions_of_sigma": every(2)}),
}
ELSEWHERE = {"scaling", "skipgram", "cosine_or_dot_films"}  # test_beyond_one_machine.py, test_protocol.py; no data
LIBRARY = dict.fromkeys(["forged", "judged", "people", "people_gaps"], "gensim")  # which has the judgments
LIBRARY |= dict.fromkeys(["real_lists", "real_models", "real_models_tuned", "shares"], "implicit")
FILMS = {"movielens_divisions", "movielens_settings"}  # whose data may be missing


def found(row, columns, tolerance):
    """Whether a table, its columns as arrays, has this row, its numbers within the tolerance."""
    same = np.True_
    for name, value in row.items():
        column = columns[name]
        equal = (column == value) | ((column != column) & (value != value))  # missing in both
        if isinstance(value, int | float | np.number) and not isinstance(value, bool | np.bool):
            equal |= np.abs(column - value) <= tolerance * np.clip(np.abs(column), 1, 1e9)  # less than ∞
        same = same & equal
    return same.any()


@pytest.mark.parametrize("name", SMALL)
def test_the_rows_of_a_small_job_stand_in_the_table(name, monkeypatch):
    pytest.importorskip(LIBRARY.get(name, "numpy"))
    if name in FILMS and (reason := missing_data.missing("evidence/movielens")):
        pytest.skip(reason)
    script, (job, arguments, shorter) = import_module(f"experiments.{name}"), SMALL[name]
    if getattr(script, "draw", None) is draw:
        monkeypatch.setattr(script, "draw", drawn)
    for what, value in shorter.items():
        monkeypatch.setattr(script, what, value(getattr(script, what)) if callable(value) else value)
    rows = [job | row for row in script.measure(**job, **arguments)]
    table = read(name)
    table = table.fillna(dict.fromkeys(table.select_dtypes(exclude="number"), ""))
    table = table[np.all([table[column] == value for column, value in job.items()], axis=0)]
    columns, tolerance = {name: table[name].to_numpy() for name in table}, getattr(script, "TOLERANCE", 1e-3)
    with np.errstate(invalid="ignore"):  # ∞ - ∞
        lacking = [row for row in rows if not found(row, columns, tolerance)]
    assert rows
    advice = f"not in experiments/{name}.csv: take a job of it, or say make experiments ONLY={name}"
    assert not lacking, f"{pd.DataFrame(lacking).to_string()}\n{advice}"


@pytest.mark.parametrize("name", TABLES)
def test_every_table_is_complete_and_in_the_order_of_its_jobs(name):
    jobs = import_module(f"experiments.{name}").JOBS
    assert finished(name, jobs), f"experiments/{name}.csv lacks jobs: say make experiments ONLY={name}"


def test_every_table_has_a_small_job():
    lacking = set(TABLES) - SMALL.keys() - ELSEWHERE
    assert not lacking, f"tests/test_small_jobs.py: SMALL has no line for {', '.join(sorted(lacking))}: add one"
    assert SMALL.keys() | ELSEWHERE == set(TABLES), "tests/test_small_jobs.py names an experiment without a table"
