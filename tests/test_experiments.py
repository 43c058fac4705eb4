"""The runner of the experiments: it fills, resumes, repeats, compares, and replaces only what agrees."""

import runpy
import sys
from contextlib import nullcontext
from functools import partial

import numpy as np
import pandas as pd
import pytest
from chapters import ROOT

import experiments
from experiments import finished, libraries, read, run

pytestmark = pytest.mark.filterwarnings("ignore:.*fork")  # other tests' threads are not its
JOBS = [{"reading": reading, "seed": seed} for seed in range(3) for reading in ("dense", "sparse")]


def measure(reading, seed, shift=0.0):
    return [{"way": way, "score": seed / 3 + shift} for way in ("a", "b")]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(experiments, "files", lambda name: tmp_path)
    return tmp_path


def test_a_table_is_filled_in_the_order_of_its_jobs(folder):
    run("table", JOBS[::-1], measure, processes=1)
    run("table", [*JOBS, {"reading": "dense", "seed": 3}], measure, processes=1)
    table = read("table")
    assert list(table["seed"]) == [0] * 4 + [1] * 4 + [2] * 4 + [3] * 2
    assert list(table["reading"][:4]) == ["dense", "dense", "sparse", "sparse"]


def test_a_complete_table_is_replaced_if_its_repetition_agrees(folder, capsys):
    for shift in (0, 2e-4):
        run("table", JOBS, partial(measure, shift=shift), processes=1)
    assert read("table")["score"].iloc[-1] == pytest.approx(0.6669)
    assert "table.csv: repeated within 0.001" in capsys.readouterr().out
    assert [path.name for path in folder.iterdir()] == ["table.csv"]


def test_one_that_does_not_agree_is_replaced_only_on_demand(folder, monkeypatch):
    run("table", JOBS, measure, processes=1)
    with pytest.raises(SystemExit, match=r"table.new.csv differs from table.csv \(score by 0.01\); ACCEPT=1"):
        run("table", JOBS, partial(measure, shift=0.01), processes=1)
    old = read("table")
    assert old["score"].iloc[0] == 0
    monkeypatch.setenv("ACCEPT", "1")
    run("table", JOBS, partial(measure, shift=0.01), processes=1)
    assert read("table")["score"].iloc[0] == 0.01
    assert experiments.differences(old, old[:-1], 1) == "(12, 4) rows and columns, now (11, 4)"
    assert experiments.differences(old, old.assign(way="c"), 1) == "way"
    assert experiments.differences(old, old.assign(score=float("nan")), 1) == "score is missing elsewhere"


def test_one_wrong_cell_among_many_is_a_difference():
    table = pd.DataFrame({"seed": range(1_000), "score": 0.5, "size": 200.0, "way": "a"})
    assert experiments.differences(table, table.copy(), 1e-3) == ""
    for column, wrong, said in (("score", 0.6, "score by 0.1"), ("size", np.inf, "size by inf"), ("way", "b", "way")):
        changed = table.copy()
        changed.loc[617, column] = wrong
        assert experiments.differences(table, changed, 1e-3) == experiments.differences(changed, table, 1e-3) == said
    changed.loc[617] = 617, np.nan, 200.1, "a"  # a number is missing; another is off by less than the tolerance
    assert experiments.differences(table, changed, 1e-3) == "score is missing elsewhere"


@pytest.mark.parametrize(("arrays", "agrees"), [({"P": 1e-4}, True), ({"P": 0.01}, False), ({}, False)])
def test_arrays_are_compared_like_a_table(tmp_path, arrays, agrees):
    old, new = tmp_path / "old.npz", tmp_path / "old.new.npz"
    np.savez(old, P=np.zeros((3, 2)), B=np.ones(2))
    np.savez(new, **{name: np.full((3, 2), value) for name, value in arrays.items()}, B=np.ones(2))
    with nullcontext() if agrees else pytest.raises(SystemExit, match="differs from"):
        experiments.accept(old, new, 1e-3)
    assert new.exists() != agrees


def test_a_table_out_of_order_is_not_finished(folder):
    run("table", JOBS, measure, processes=1)
    path, table = folder / "table.csv", read("table")
    for rows in (table, table[:-2], table[::-1], table.iloc[[*range(1, 12), 0]]):
        rows.to_csv(path, index=False)
        assert finished("table", JOBS) == (rows is table)


def test_those_that_are_named_run_one_after_another_until_one_fails(monkeypatch):
    asked = {}

    def run(name, jobs, measure, processes, tolerance):
        asked[name] = len(jobs), measure.__module__, processes, tolerance
        if name == "noise":
            sys.exit("noise.new.csv differs from noise.csv")

    def launch(*names):
        asked.clear()
        monkeypatch.setattr(sys, "argv", ["experiments", *names])
        runpy.run_path(str(ROOT / "experiments/__main__.py"), run_name="__main__")

    monkeypatch.setattr(experiments, "run", run)
    launch("scaling", "ranks", "curves")
    assert list(asked) == ["scaling", "ranks", "curves"]
    assert asked["ranks"] == (24, "experiments.ranks", 2, 1e-3)
    assert asked["scaling"][2] == 1  # what is timed is alone
    with pytest.raises(SystemExit, match="differs"):
        launch("noise", "ranks")
    assert list(asked) == ["noise"]
    trained = []
    monkeypatch.setattr(libraries, "run", lambda: trained.append("libraries"))
    with pytest.raises(SystemExit, match="differs"):
        launch()
    assert {"curves", "noise"} < set(asked)
    assert trained == ["libraries"]
    with pytest.raises(SystemExit, match=r"No experiment is called curve: .*, curves, "):
        launch("curve")
