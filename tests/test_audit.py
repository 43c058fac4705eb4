"""The audit as a command, and on models that other people's libraries trained."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import audit
import jsonschema
import numpy as np
import pytest
from conftest import until
from numpy.testing import assert_allclose
from test_files import bad_models, put
from test_what_to_do import ENGLISH, recipe

from experiments import libraries
from helpers import cosine_similarity
from helpers import gauges as g
from helpers.verdicts import evidence, verdict

ROOT = Path(audit.__file__).parents[1]
SCHEMA = json.loads((ROOT / "tools" / "audit.schema.json").read_text("utf-8"))
NEEDS = {"implicit ALS, defaults": "implicit", "implicit ALS, converged": "implicit", "implicit BPR": "implicit"}
NEEDS |= {"gensim skip-gram": "gensim", "two towers, normalized": "jax"}
each_model = pytest.mark.parametrize("name", libraries.MODELS)


def examined(users, items, objective):
    """Evidence, verdict and the cosines of the cure."""
    about = g.moments(items)
    gauges = g.canonical_gauges(g.moments(users), about, objective == "ranking" or g.has_constant(about))
    every = np.arange(len(items))
    near = [g.nearest(g.directions(items, gauges[name]), every, 10).rows for name in ("given", "balanced")]
    seen = evidence(items, users, 1 - g.overlap(*near).mean())
    return seen, verdict(objective, seen), cosine_similarity(g.in_gauge(items, gauges["centered"]))


# Models of other people's libraries


@pytest.fixture(scope="module")
def shop():
    return libraries.shop()


@each_model
def test_verdicts_on_models_trained_by_other_libraries(shop, name):
    pytest.importorskip(NEEDS[name], reason=f"{NEEDS[name]} is installed by tests/requirements.txt only")
    train, objective, theory = libraries.MODELS[name]
    seen, found, _ = examined(*train(shop), objective)
    assert found.determined == theory
    assert seen.biases == (["users:8"] if "BPR" in name else [])


@each_model
def test_the_models_that_the_chapter_reads(name):
    seen, found, _ = examined(*libraries.read()[name], libraries.MODELS[name][1])
    assert found.determined == libraries.MODELS[name][2]
    assert seen.unit == (["items", "users"] if "towers" in name else [])


@each_model
def test_the_cure_is_the_same_from_every_m(rng, name):
    users, items = (np.float64(E) for E in libraries.read()[name])
    objective = libraries.MODELS[name][1]
    cured = examined(users, items, objective)[2]
    for _ in range(3):
        M = rng.normal(size=(users.shape[1],) * 2)
        assert_allclose(examined(users @ M, items @ np.linalg.inv(M).T, objective)[2], cured, atol=1e-6)


# The command


def save(folder, **arrays):
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*argv, **options):
    environment = {key: value for key, value in os.environ.items() if key != "DISPLAY"}
    command = [sys.executable, "-m", "tools.audit", *argv]
    return subprocess.run(
        command, cwd=ROOT, env=environment | options, capture_output=True, text=True, encoding="utf-8", check=False
    )


@pytest.mark.parametrize(("files", "given", "sentence"), [pytest.param(*rest, id=name) for name, *rest in bad_models()])
def test_bad_input_writes_nothing(folder, capsys, files, given, sentence):
    put(folder, files)
    before = sorted(folder.rglob("*"))
    status = audit.main([*(word for role, path in given.items() for word in (f"--{role}", path)), "--out", "new/out"])
    captured = capsys.readouterr()
    assert status == 2
    assert captured.out == ""
    assert captured.err.startswith(f"audit: {sentence}")
    assert captured.err.count("\n") == 1
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        ([], "audit: the following arguments are required: --items"),
        (["--items", "i.npy", "--objective", "bpr"], "audit: argument --objective: invalid choice: 'bpr'"),
        (["--items", "i.npy", "--sample", "3"], "audit: --sample: expected at least 100 items, got 3"),
        (["--items", "i.npy", "--sample", "many"], "audit: argument --sample: invalid int value: 'many'"),
    ],
)
def test_a_command_that_is_wrong(capsys, argv, sentence):
    with pytest.raises(SystemExit) as raised:
        audit.main(argv)
    assert raised.value.code == 2
    assert capsys.readouterr().err.startswith(sentence)


def test_a_folder_that_is_a_file(folder, capsys, rng):
    save(folder, items=rng.normal(size=(9, 2)), out=np.ones(2))
    assert audit.main(["--items", "items.npy", "--out", "out.npy"]) == 2
    assert "expected a folder to write to, got a file" in capsys.readouterr().err


def test_an_input_is_not_overwritten(folder, capsys, rng):
    """Who audits the safe items of an earlier run, into the same folder, keeps them."""
    (folder / "audit").mkdir()
    save(folder / "audit", **{"safe-items": rng.normal(size=(30, 4))})
    for path in ("audit/safe-items.npy", "audit/../audit/safe-items.npy"):
        assert audit.main(["--items", path]) == 2
        assert "expected an input that the audit does not overwrite" in capsys.readouterr().err
    assert [path.name for path in (folder / "audit").iterdir()] == ["safe-items.npy"]


@pytest.mark.parametrize("name", audit.WRITTEN)
def test_a_folder_in_the_place_of_what_is_written(folder, capsys, rng, name):
    save(folder, items=rng.normal(size=(30, 4)))
    (folder / "out" / name).mkdir(parents=True)
    assert audit.main(["--items", "items.npy", "--out", "out"]) == 2
    assert "expected a file or nothing, as the audit writes it, got a folder" in capsys.readouterr().err
    assert [path.name for path in (folder / "out").iterdir()] == [name]


def test_names_that_no_file_can_have(folder, capsys, rng):
    save(folder, items=rng.normal(size=(30, 4)))
    assert audit.main(["--items", "x" * 300 + ".npy"]) == 2
    assert capsys.readouterr().err.endswith(".npy: expected a file, there is none\n")
    assert audit.main(["--items", "items.npy", "--out", "x" * 300]) == 2
    assert "expected a folder to write to, got a name that fails" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="Windows asks for rights to make a link")
def test_a_link_that_leads_nowhere(folder, capsys, rng):
    save(folder, items=rng.normal(size=(30, 4)))
    (folder / "out").symlink_to("nowhere/else")
    assert audit.main(["--items", "items.npy", "--out", "out"]) == 2
    assert "got a link that leads nowhere" in capsys.readouterr().err


def test_items_that_all_point_one_way(folder, rng):
    save(folder, items=np.outer(rng.uniform(1, 2, 30), np.ones(3)))
    done = run("--items", str(folder / "items.npy"), "--out", str(folder / "out"))
    assert done.returncode == 2
    assert done.stderr.endswith("items.npy: expected at least 4 directions, got fewer\n")
    assert not (folder / "out").exists()


def test_everything_is_written(folder, rng):
    users, items = libraries.read()["implicit BPR"]
    items = np.vstack([items, items[:2], np.zeros((1, 9))]).astype(np.float32)
    names = ["<script>alert(1)</script>", "a|b *c* $d$", *(f"item {i}" for i in range(len(items) - 2))]
    np.savez(folder / "model.npz", items=items, names=np.array(names), users=users)
    (folder / "labels.csv").write_text(
        "name,label\n" + "".join(f'"{name}",{i % 4}\n' for i, name in enumerate(names)), encoding="utf-8"
    )
    save(folder, counts=rng.integers(1, 99, len(items)), again=rng.normal(size=(len(items), 5)))
    words = ["--items", f"{folder}/model.npz#items", "--users", f"{folder}/model.npz#users", "--objective", "ranking"]
    words += ["--counts", f"{folder}/counts.npy", "--labels", f"{folder}/labels.csv", "--again", f"{folder}/again.npy"]
    done = run(*words, "--out", f"{folder}/a/b")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("determined: no (a ranking loss without a penalty sees only the scores")
    out = folder / "a" / "b"
    assert sorted(path.name for path in out.iterdir()) == ["report.html", "safe-items.npy", "summary.json"]
    assert sorted(path.name for path in (folder / "a").iterdir()) == ["b"]
    summary = json.loads((out / "summary.json").read_text("utf-8"))
    jsonschema.validate(summary, SCHEMA)
    n = len(items)
    assert summary["zero_rows"] == [n - 1]
    assert summary["duplicate_rows"] == [n - 3, n - 2]
    assert summary["bias_columns"] == ["users:8"]
    assert set(summary["neighbor_overlap"]) == {"given", "balanced", "whitened", "back", "centered"}
    assert summary["rerun_overlap"] < 0.3
    assert set(summary["overlap_by_popularity"]) == {"rarest third", "middle third", "most popular third"}
    for key in SCHEMA["required"]:  # everything was given
        assert summary[key] is not None, key
    safe = np.load(out / "safe-items.npy")
    assert safe.dtype == np.float32
    assert not safe[-1].any()
    scores = users.astype(float) @ items[:-1].T.astype(float)
    scores -= scores.mean(axis=0)
    mean = scores[:, : n - 1].mean(axis=1, keepdims=True)
    assert_allclose(cosine_similarity(safe[:-1]), cosine_similarity((scores - mean).T), atol=1e-4)
    report = (out / "report.html").read_text("utf-8")
    assert "<script" not in report
    assert "http" not in report.replace("http-equiv", "").replace("https://github.com", "")
    assert "No, the cosines of these items are not determined" in report
    assert report.count("<img") == 4


def test_items_alone(folder, rng):
    save(folder, items=rng.normal(size=(3_000, 8)))
    done = run("--items", f"{folder}/items.npy", "--out", f"{folder}/out", "--sample", "200", "--no-centering")
    assert done.returncode == 0, done.stderr
    summary = json.loads((folder / "out" / "summary.json").read_text("utf-8"))
    jsonschema.validate(summary, SCHEMA)
    assert summary["determined"] == "unknown"
    assert summary["recommendation"] == "say how it was trained"
    assert summary["users"] is summary["rerun_overlap"] is summary["label_purity"] is None
    assert summary["items_looked_up"] == 200
    assert summary["neighbor_overlap"] == {"given": 1}
    assert not (folder / "out" / "safe-items.npy").exists()
    assert "neighbors, given: 100%" in done.stderr


def test_what_is_given_may_say_nothing(folder, rng):
    """Labels that no two items share, counts that are all alike, a second run that is nearly empty, few items."""
    users, items = rng.normal(size=(90, 5)), rng.normal(size=(9, 5))
    users[:, 4], items[7, :4] = 1, 0  # an item that is a bias and nothing else
    again = rng.normal(size=(9, 5))
    again[4:] = 0
    labels = np.array([f"label {row}" for row in range(9)])
    save(folder, items=items, users=users, labels=labels, counts=np.ones(9), again=again)
    words = [word for name in audit.FILES for word in (f"--{name}", str(folder / f"{name}.npy"))]
    done = run(*words, "--out", f"{folder}/out", "--objective", "factors")
    assert done.returncode == 0, done.stderr
    summary = json.loads((folder / "out" / "summary.json").read_text("utf-8"))
    assert summary["rerun_overlap"] is summary["length_frequency"] is None
    assert set(summary["average_precision"].values()) == {None}
    assert set(summary["label_purity"].values()) == {0}
    assert summary["neighbor_overlap"]["back"] < 1  # four of eight others: all eight would always stay
    assert summary["items_looked_up"] == 8
    assert summary["warnings"] == [
        "centered: no direction, left out: 1 of 9 items looked up",
        "again: zero rows, left out: 4",
    ]
    assert summary["recommendation"] == "project back, centered"
    safe = np.load(folder / "out" / "safe-items.npy")
    assert safe.any(axis=1).tolist() == [True] * 7 + [False, True]


def test_mostly_zeros_have_a_threshold(folder):
    save(folder, items=np.vstack([sign * size * np.eye(4) for sign in (1, -1) for size in (1, 2)]))
    done = run("--items", f"{folder}/items.npy", "--out", f"{folder}/out")
    assert done.returncode == 0, done.stderr
    assert np.isfinite(json.loads((folder / "out" / "summary.json").read_text("utf-8"))["null_threshold"])


@pytest.mark.parametrize("ranking", [False, True])
@pytest.mark.parametrize("name", libraries.MODELS)
def test_the_recipe_of_the_page_and_the_safe_items_have_the_same_cosines(name, ranking):
    """What should I do? prints ten lines; the audit writes a file. Zero rows are left out, as the page says to do."""
    names = {}
    exec(recipe(ENGLISH), names)
    users, items = (np.float64(E) for E in libraries.read()[name])
    gauges = g.canonical_gauges(g.moments(users), g.moments(items), ranking)
    for gauge, centered in (("centered", True), ("back", False)):
        written = g.in_gauge(items, gauges[gauge])
        cold = np.vstack([users, np.zeros((200, users.shape[1]))])
        among_cold = g.canonical_gauges(g.moments(cold), g.moments(items), ranking)[gauge]
        assert_allclose(g.in_gauge(items, among_cold), written, atol=1e-8 * np.abs(written).max())
        told = names["safe_items"](users, items, center=centered, ranking=ranking and centered)
        assert_allclose(cosine_similarity(written), cosine_similarity(told), atol=1e-8)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals for one process")
@pytest.mark.parametrize("end", ["SIGINT", "SIGTERM"])
def test_interrupted_it_leaves_nothing(folder, rng, end):
    save(folder, items=rng.normal(size=(60_000, 32)), users=rng.normal(size=(9_000, 32)))
    command = [sys.executable, "-m", "tools.audit", "--items", f"{folder}/items.npy", "--users", f"{folder}/users.npy"]
    command += ["--out", f"{folder}/out"]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True)
    for line in process.stderr:  # until it is in the middle of its work
        if line.startswith("neighbors"):
            break
    private = next(folder.glob(".audit-*"))
    if end == "SIGINT":  # from a terminal, to all of its processes
        os.killpg(process.pid, signal.SIGINT)
    else:  # from a scheduler, to one
        process.terminate()
    assert process.wait(60) == 130
    assert "interrupted, nothing was written" in process.stderr.read()
    process.stderr.close()
    assert sorted(path.name for path in folder.iterdir()) == ["items.npy", "users.npy"]
    until(lambda: not any(str(private) in command for command in commands()), 10)


def test_an_interruption_that_got_lost_writes_nothing(folder, rng, monkeypatch, capsys):
    save(folder, items=rng.normal(size=(50, 4)))
    monkeypatch.setattr(audit, "page", lambda *_: audit.INTERRUPTED.set() or "")
    assert audit.main(["--items", f"{folder}/items.npy", "--out", f"{folder}/out"]) == 130
    assert "interrupted, nothing was written" in capsys.readouterr().err
    assert [path.name for path in folder.iterdir()] == ["items.npy"]


def commands():
    """The command lines of the running processes."""
    import psutil

    for process in psutil.process_iter():
        try:
            yield " ".join(process.cmdline())
        except psutil.Error:
            continue


def test_the_report_links_into_the_book_where_there_is_one(monkeypatch):
    import repository
    from nbformat.v4 import new_markdown_cell, new_notebook

    link = new_notebook(cells=[new_markdown_cell("The proof: [Counting](counting.ipynb).")])
    monkeypatch.setattr(repository, "repository_url", lambda: None)
    assert "The proof: Counting." in audit.page(link, "x")
    monkeypatch.setattr(repository, "repository_url", lambda: "https://github.com/a/b")
    assert '<a href="https://github.com/a/b/blob/main/book/counting.ipynb">Counting</a>' in audit.page(link, "x")
