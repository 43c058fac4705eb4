"""The audit as a function and as a command: evidence that contradicts, what is written, and what is refused."""

import json
import os
import signal
import subprocess
import sys
from importlib import resources
from pathlib import Path

import cosine_audit
import jsonschema
import numpy as np
import pytest
from cosine_audit import audit, cli, report
from cosine_audit.objectives import LIBRARIES, OBJECTIVES, what_was_said

from .losses import balanced, nearest, shared, turned, unit

ROOT = Path(__file__).parents[1]
COMMAND = [sys.executable, "-m", "cosine_audit"]
ONE_THREAD = os.environ | {"PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"}


@pytest.fixture
def pair(rng, tmp_path, monkeypatch):
    """Files of a balanced model in the folder where the test runs."""
    monkeypatch.chdir(tmp_path)
    P, B = balanced(rng)
    np.save("users.npy", P)
    np.save("items.npy", B)
    return P, B


def test_one_table_given_twice_shows_nothing(rng):
    B = rng.normal(size=(90, 5))
    for same in (B, B[::-1], 3 * B, B[:50], -B, B.astype(np.float16), np.round(B, 2)):
        report = audit(B, same, objective="factors")
        assert report.verdict == "unknown"
        assert "one table given twice" in report.reason
    for name in ("two towers normalized", "CLIP"):
        report = audit(unit(B), unit(np.round(B, 2)), trained_by=name)
        assert (report.verdict, "one table given twice" in report.reason) == ("unknown", True)


def test_normalized_is_not_taken_on_trust(rng):
    P, B = rng.normal(size=(99, 5)), rng.normal(size=(90, 5))
    for items, users, verdict, reason in (
        (B, P, "unknown", "no side has rows of length one"),
        (unit(B), P, "unknown", "only items have rows of length one"),
        (unit(B), unit(P), "yes", ""),
        (unit(B), None, "unknown", "the users' rows would show"),
    ):
        report = audit(items, users, objective="normalized")
        assert report.verdict == verdict
        assert reason in report.reason


def test_numbers_that_contradict_the_objective_are_said(rng):
    P, B = balanced(rng)
    assert audit(B, P, objective="factors").warnings == []
    said = audit(B, P, objective="ranking")
    assert (said.verdict, said.rests_on) == ("no", "theory alone")
    assert "0.0 % out of balance" in said.warnings[0]
    assert "Then say objective penalized-ranking." in said.warnings[0]
    assert "was it trained on cosines" in audit(unit(B), unit(P), objective="ranking").warnings[0]
    counts = {"user_counts": rng.integers(1, 9, 80), "item_counts": rng.integers(1, 9, 40)}
    P, B = (E / np.sqrt(n)[:, None] for E, n in zip((P, B), counts.values(), strict=True))
    assert "balanced by their counts" in audit(B, P, objective="none", **counts).warnings[0]


@pytest.mark.parametrize("size", [1, 1e78, 1e-85, 1e300])
def test_balance_does_not_depend_on_size(rng, size):
    P, B = balanced(rng)
    assert audit(size * B, P, objective="factors").verdict == "yes"
    users, items = turned(P / size, size * B, np.diag([2.0, 1, 1, 1, 1]))
    off = audit(items, users, objective="factors")
    assert off.verdict == "no"
    assert np.abs(off.safe_items).max() > 0


def test_small_directions_are_looked_at(rng):
    """A strong direction hides what a weak one does: 4 % out of balance, but balancing moves more neighbors."""
    U, V = (np.linalg.qr(rng.normal(size=(n, 5)))[0] for n in (300, 100))
    root, D = np.sqrt([60, 1, 1, 1, 1]), np.array([1, 1, 1, 1, 1.6])
    found = audit(V * root / D, U * root * D, objective="factors")
    assert found.verdict == "no"
    assert "only 3.6 % out of balance" in found.reason


def test_a_direction_that_no_user_sees(rng):
    P, B = unit(rng.normal(size=(99, 5)) * [1, 1, 1, 0, 0]), unit(rng.normal(size=(90, 5)))
    assert "no user has a part in 2 of" in audit(B, P, objective="normalized").reason
    three = audit(np.eye(6), np.array([[1.0, 0, 0, 1, 0, 0]]), objective="none")  # items that no user sees
    assert (three.verdict, len(three.safe_items)) == ("no", 6)
    assert "neighbors kept, back" not in {one.name for one in three.findings}  # two with a direction have one neighbor


def test_names_of_libraries():
    for name in ("implicit ALS", "IMPLICIT-als", "implicit_ALS", "als"):
        assert what_was_said(name) == ("implicit ALS", "factors", False)
    assert {one.objective for one in LIBRARIES.values()} <= set(OBJECTIVES)
    assert cli.main(["x.npy", "--trained-by", "magic"]) == 2


class Tensor:
    """A parameter of PyTorch, as NumPy meets it."""

    detach = None

    def __array__(self, *_, **__):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad.")


WRONG = [
    ({"items": np.ones(3)}, ValueError, "items must be a matrix"),
    ({"items": np.ma.masked_less(np.ones((5, 2)), 2)}, TypeError, "items must have no masked numbers, got 10"),
    ({"item_counts": np.ma.masked_less(np.ones(40), 2)}, TypeError, "item_counts must have no masked numbers, got 40"),
    ({"items": Tensor()}, TypeError, r"items must be an array, got Tensor: .* pass items\.detach\(\)\.cpu\(\)"),
    ({"items": [[1.0, 2.0], [3.0]]}, TypeError, "items must be an array, got list: "),
    ({"items": np.ones((5, 2)) * 1j}, TypeError, "items must be real numbers, got complex128"),
    ({"users": np.ones((9, 3))}, ValueError, "users must have 5 columns, as items have, got 3"),
    ({"users": np.zeros((9, 5))}, ValueError, "users must have a row other than zero"),
    ({"item_counts": [1, 2]}, ValueError, r"item_counts must have shape \(40,\), got shape \(2,\)"),
    ({"item_counts": np.full(40, -1)}, ValueError, "item_counts must be finite and at least 0, got -1"),
    ({"item_counts": np.full(40, np.inf)}, ValueError, "item_counts must be .*, got inf"),
    ({"item_counts": np.zeros(40)}, ValueError, "item_counts must not all be 0, got 40 zeros"),
    ({"item_counts": ["x"] * 40}, TypeError, "item_counts must be numbers"),
    ({"user_counts": np.ones(9)}, ValueError, "user_counts must have users, which were not given"),
    ({"labels": "ab"}, ValueError, r"labels must have shape \(40,\)"),
    ({"names": ["a"]}, ValueError, r"names must have shape \(40,\)"),
    ({"again": np.ones((3, 3))}, ValueError, "again must have 40 rows, as items have, got 3"),
    ({"again": np.eye(40)[:, :9]}, ValueError, "again must have a row other than zero for half of .* got 9 of 40"),
    ({"sample": 3}, ValueError, "sample must be an integer >= 100, got 3"),
    ({"objective": "bpr"}, ValueError, "objective must be one of product, .* got 'bpr'"),
    ({"objective": ["none"]}, ValueError, r"objective must be one of product, .* got \['none'\]"),
    ({"objective": "none", "trained_by": "ALS"}, ValueError, "give trained_by or objective, not both"),
]


@pytest.mark.parametrize(("arguments", "error", "message"), WRONG, ids=lambda x: str(x)[:20])
def test_errors_name_argument_and_value(rng, arguments, error, message):
    with pytest.raises(error, match=message):
        audit(**({"items": rng.normal(size=(40, 5))} | arguments))


def test_everything_is_written(pair, capsys):
    P, B = pair
    B = np.vstack([B, 2 * B[:2], np.zeros((1, 5))])
    names = ["<script>alert(1)</script>", "日本 {{ 7*7 }}", "a\ud800b", *(f"item {i}" for i in range(40))]
    np.savez("model.npz", item_factors=B, user_factors=P, names=np.array(names[:43]))
    np.save("labels.npy", np.arange(43) % 4)
    np.save("counts.npy", np.arange(43) % 2 + 1)
    np.save("again.npy", np.random.default_rng(5).normal(size=(43, 3)))
    words = ["--labels", "labels.npy", "--item-counts", "counts.npy", "--again", "again.npy", "--report", "a/b"]
    assert cli.main(["model.npz", "--trained-by", "ALS", *words, "--json", "--safe-items", "s.npy"]) == 0
    said = json.loads(capsys.readouterr().out)
    schema = json.loads(resources.files("cosine_audit").joinpath("schema.json").read_text("utf-8"))
    jsonschema.validate(said, schema)
    assert said == json.loads(Path("a/b/summary.json").read_text("utf-8"))
    assert said["verdict"] == "no"  # two items twice are out of balance
    assert schema["properties"]["objective"]["enum"] == list(OBJECTIVES)
    value, sentences = ({one["name"]: one[key] for one in said["findings"]} for key in ("value", "sentence"))
    assert (value["zero rows"], value["parallel rows"]) == (1, 2)
    assert {"same label, back", "length and frequency", "certified, c = 1.5"} <= set(value)
    again, rarest = (f"{100 * value[f'neighbors kept, {name}']:.0f} %" for name in ("other run", "rarest third"))
    assert sentences["neighbors kept, other run"].startswith(f"{again} of the")
    assert sentences["neighbors kept, other run"].endswith("by chance 26 %.")
    assert f"stay {rarest}, " in sentences["neighbors kept, rarest third"]
    assert "certain under every M of condition 1.5 or less" in sentences["certified, c = 1.5"]
    assert sorted(path.name for path in Path("a/b").iterdir()) == ["report.html", "safe-items.npy", "summary.json"]
    np.testing.assert_array_equal(np.load("s.npy"), np.load("a/b/safe-items.npy"))
    page = Path("a/b/report.html").read_text("utf-8")
    assert "<script" not in page
    assert "http" not in page
    assert page.index("<h2>Advice") < page.index("<h2>Findings") < 5_000
    assert page.count("<img") == 2
    assert "{{ 7*7 }}" in page or "49" not in page


def test_what_looks_swapped_or_untrained_is_said(pair, capsys):
    np.save("counts.npy", np.arange(80))
    assert cli.main(["users.npy", "items.npy", "--item-counts", "counts.npy"]) == 0
    said = capsys.readouterr().out.replace("\n    ", "")
    assert "were users.npy and items.npy swapped?" in said.replace("\n", " ")
    assert "  !   1 items with a count of 0 are not zero" in said


def test_the_terminal_says_what_was_read(pair, capsys):
    assert cli.main(["items.npy", "users.npy", "--trained-by", "implicit als"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("items: 40 × 5 from items.npy, no names\nusers: 80 × 5")
    headline = "Yes, if it was trained as you say: models with the same predictions have the same cosines."
    assert headline in " ".join(said.out.split())
    assert said.err == ""
    with pytest.raises(SystemExit, match="2"):
        cli.main(["items.npy", "--sample", "many"])
    assert capsys.readouterr().err == "cosine-audit: argument --sample: invalid int value: 'many'\n"


@pytest.mark.parametrize(("fail_on", "fails"), [("no", ["none"]), ("unknown", ["none", "unknown"]), (None, [])])
def test_exit_status(pair, fail_on, fails):
    words = ["--fail-on", fail_on] if fail_on else []
    for objective in ("none", "unknown", "factors", "convention"):
        status = cli.main(["items.npy", "users.npy", "--objective", objective, *words])
        assert status == (objective in fails), objective


@pytest.mark.skipif(os.name == "nt", reason="links, pipes and /proc are of other systems")
def test_what_cannot_be_written_is_one_sentence(pair, capsys):
    Path("file").write_text("x")
    Path("taken/report.html").mkdir(parents=True)
    os.symlink("nowhere/else", "link")
    Path("piped").mkdir()
    os.mkfifo("pipe")  # what is no file is never replaced
    os.mkfifo("piped/summary.json")
    os.symlink("pipe", "to-pipe")
    before = sorted((path, path.lstat().st_mode) for path in Path().rglob("*"))
    reports = ["file", "taken", "piped", "new/" + "x" * 300, "link", "file/below"]
    reports += ["/proc/x"] * os.path.isdir("/proc")
    places = ["pipe", "to-pipe", "link", "taken", "no/such.npy", "file/below.npy", "x" * 300]
    for words in [["--report", place] for place in reports] + [["--safe-items", place] for place in places]:
        assert cli.main(["items.npy", "users.npy", *words]) == 2
        said = capsys.readouterr()
        assert said.err.count("\n") == 1
        assert said.out == ""
        assert sorted((path, path.lstat().st_mode) for path in Path().rglob("*")) == before
    assert cli.main(["items.npy", "--safe-items", "s.npy"]) == 2
    assert "--safe-items: expected users" in capsys.readouterr().err.splitlines()[-1]


def test_an_input_is_not_overwritten(pair, capsys):
    """Who audits the safe items of an earlier run, into the same folder, keeps them."""
    Path("out").mkdir()
    Path("items.npy").rename("out/safe-items.npy")
    for words in (["--report", "out"], ["--safe-items", "out/../out/safe-items.npy"], ["--safe-items", "users.npy"]):
        assert cli.main(["out/safe-items.npy", "users.npy", *words]) == 2
        assert "expected an input that is not overwritten" in capsys.readouterr().err
    assert [path.name for path in Path("out").iterdir()] == ["safe-items.npy"]


def test_a_full_disk_leaves_nothing(pair, monkeypatch, capsys):
    def full(*_):
        raise OSError(28, "No space left on device")

    for place, name in ((cli, "say"), (report.np, "save")):  # the disk of stdout, and that of the files
        monkeypatch.setattr(place, name, full)
        assert cli.main(["items.npy", "users.npy", "--report", "new/er", "--safe-items", "s.npy"]) == 2
        assert "No space left" in capsys.readouterr().err
        assert sorted(path.name for path in Path().iterdir()) == ["items.npy", "users.npy"]


@pytest.mark.skipif(os.name == "nt", reason="limits of files and /dev/full are of other systems")
def test_a_disk_that_is_really_full_names_the_file(pair, capsys):
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (512, before[1]))
    try:
        done = [cli.main(["items.npy", "users.npy", place, "out.npy"]) for place in ("--safe-items", "--report")]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    said = capsys.readouterr().err.splitlines()
    assert (done, [line[:21] for line in said]) == ([2, 2], ["cosine-audit: out.npy"] * 2)
    assert sorted(path.name for path in Path().iterdir()) == ["items.npy", "users.npy"]
    if os.path.exists("/dev/full"):
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [*COMMAND, "items.npy"], env=ONE_THREAD, stdout=full, stderr=subprocess.PIPE, text=True
            )
        assert (done.returncode, done.stderr) == (2, "cosine-audit: stdout: No space left on device\n")


@pytest.mark.skipif(os.name == "nt", reason="links are of other systems")
def test_what_an_earlier_run_left_is_replaced(pair):
    """A link to a file stays a link; safe items of an earlier run do not stay beside a report without users."""
    os.symlink("real.npy", "link.npy")
    Path("real.npy").write_bytes(b"old")
    assert cli.main(["items.npy", "users.npy", "--report", "out", "--safe-items", "link.npy"]) == 0
    assert Path("link.npy").is_symlink()
    np.testing.assert_array_equal(np.load("real.npy"), np.load("out/safe-items.npy"))
    assert cli.main(["items.npy", "--report", "out"]) == 0
    assert sorted(path.name for path in Path("out").iterdir()) == ["report.html", "summary.json"]


def test_a_missing_extra_names_its_command(pair, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert cli.main(["items.npy", "users.npy", "--report", "new"]) == 2
    assert "pip install 'cosine-audit[report]'" in capsys.readouterr().err
    assert audit(pair[1])._repr_html_() is None
    monkeypatch.setitem(sys.modules, "pandas", None)
    Path("i.csv").write_text("id,a,b\n1,2,3\n")
    assert cli.main(["i.csv"]) == 2
    assert "pip install 'cosine-audit[files]'" in capsys.readouterr().err
    assert cli.main(["items.npy", "users.npy", "--json"]) == 0


def test_what_nothing_decided_is_said_of_the_lists(rng):
    """The witness is a model with the same scores and white users, made here."""
    P, B = rng.normal(size=(80, 5)) * [1, 2, 3, 4, 5], rng.normal(size=(40, 5))
    white = turned(P, B, np.linalg.inv(np.linalg.qr(P)[1]))[1]
    share = 1 - shared(nearest(B), nearest(white))
    for objective in ("none", "ranking", "product"):
        first = audit(B, P, objective=objective).findings[0]
        assert first.value == pytest.approx(share)
        assert first.sentence.startswith(f"{100 * share:.0f} % of the items in your similar-items lists, or more, are")
    name = lambda *arguments, **said: audit(*arguments, **said).findings[0].name  # noqa: E731
    assert name(B, P, objective="none") == "decided by nothing"
    for objective in ("factors", "nonnegative", "summed", "unknown"):
        assert name(B, P, objective=objective) != "decided by nothing"
    biased = np.hstack([B, rng.normal(size=(40, 1))]), np.hstack([P, np.ones((80, 1))])
    assert name(*biased, objective="none") != "decided by nothing"
    assert name(B, objective="none") != "decided by nothing"


def test_the_page_shows_lists_side_by_side(rng):
    P, B = rng.normal(size=(80, 5)) * [1, 2, 3, 4, 5], rng.normal(size=(40, 5))
    found = audit(B, P, objective="none", names=[f"item {i}" for i in range(40)])
    rows = found.changed()
    assert len(rows) == 5
    item, lists, _ = rows[0]
    i = int(item.split()[1])
    assert list(lists) == ["given", "balanced", "safe"]
    for way, E in (("given", B), ("safe", found.safe_items)):
        assert lists[way] == [f"item {j}" for j in nearest(E, 5)[i]]
    for way in ("given", "safe"):
        assert f"    {way:7}{', '.join(lists[way])}" in str(found)
    page = found.to_html()
    assert all(f"<td>{', '.join(near)}</td>" in page for near in lists.values())
    assert "<th>given</th><th>balanced</th><th>safe</th>" in page


def test_in_a_notebook_it_shows_itself(pair):
    found = audit(pair[1], pair[0], trained_by="ALS", names=[f"<b>{i}" for i in range(40)])
    kept = [share for *_, share in found.changed()]
    assert kept == sorted(kept)
    assert 0 <= kept[0] < 1
    assert [report.plain("x" * n)[-1] for n in (40, 41)] == ["x", "…"]
    page = found._repr_html_()
    assert "<h1>Yes, if it was trained as you say: models with the same" in page
    assert ("&lt;b&gt;" in page, "<b>" in page) == (True, False)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals, nor such names")
def test_interrupted_it_leaves_nothing(tmp_path, rng):
    np.save(tmp_path / "i\udcff.npy", rng.normal(size=(150_000, 32)))
    words = [str(tmp_path / "i\udcff.npy"), "--report", str(tmp_path / "out")]
    process = subprocess.Popen([*COMMAND, *words], stderr=subprocess.PIPE, env=ONE_THREAD)
    assert process.stderr.readline().startswith(b"examining")
    assert process.stderr.readline().startswith(b"moments of items")
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 130
    assert b"interrupted, nothing was written" in process.stderr.read()
    process.stderr.close()
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize("command", [["-m", "cosine_audit"], ["-c", "from cosine_audit.__main__ import main; main()"]])
def test_interrupted_while_it_imports_it_says_so(tmp_path, command):
    (tmp_path / "numpy.py").write_text("import time\nprint('importing', flush=True)\ntime.sleep(60)\n")
    env = ONE_THREAD | {"PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT / "src")))}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, *command], env=env, **pipes) as process:
        assert process.stdout.readline() == b"importing\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 130
        assert process.stderr.read() == b"cosine-audit: interrupted, nothing was written\n"


def test_a_thousand_items_are_looked_up(rng):
    items = rng.normal(size=(2_100, 5))
    assert audit(items).to_dict()["looked_up"] == cli.parser().parse_args(["items.npy"]).sample == 1_000


def test_the_readme_says_what_the_command_does():
    text = (ROOT / "README.md").read_text("utf-8")
    for word in ("--fail-on no", "--json", "--report", "pip install", "exit status", "5 %", *LIBRARIES):
        assert word in text
    assert cosine_audit.__version__ in (ROOT / "CHANGELOG.md").read_text("utf-8")
