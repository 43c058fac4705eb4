"""The audit of one encoder's vectors: every number by another route, and what is refused."""

import json

import numpy as np
import pytest
from cosine_audit import text, text_audit
from cosine_audit.cli import main
from cosine_audit.text import random_pairs

from .losses import cosines

SIZE = 600, 24


@pytest.fixture(autouse=True)
def few_halves(monkeypatch):
    monkeypatch.setattr(text, "SPLITS", 3)


def topics(rng, level=0.0, n=SIZE[0], d=SIZE[1]):
    """Thirty topics of texts of length one, with a constant column that makes the mean cosine at least that level."""
    E = rng.normal(size=(30, d))[np.arange(n) % 30] + 0.5 * rng.normal(size=(n, d))
    E /= np.linalg.norm(E, axis=1, keepdims=True)
    return np.hstack([np.sqrt(1 - level) * E, np.full((n, 1), np.sqrt(level))])


def test_level_threshold_and_percentile_are_those_of_all_pairs(rng):
    E = topics(rng, 0.5)
    report, pairs = text_audit(E), cosines(E)[np.triu_indices(len(E), 1)]
    assert report.level == pytest.approx(pairs.mean(), abs=1e-9)
    assert np.mean(pairs > report.threshold) == pytest.approx(1e-3, abs=3e-4)
    assert report.percentile(0.7) == pytest.approx(100 * np.mean(pairs < 0.7), abs=0.3)
    assert 0 < report.held_out.mean() < 0.01


def test_known_pairs_come_from_a_file_too(rng, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    np.save("v.npy", topics(rng, n=120))
    np.save("p.npy", np.arange(60).reshape(30, 2))
    np.savetxt("p.csv", np.arange(60).reshape(30, 2), fmt="%d", delimiter=",")
    wanted = text_audit(np.load("v.npy"), np.load("p.npy")).alike
    for file in ("p.npy", "p.csv"):
        assert main(["text", "v.npy", "--pairs", file, "--json"]) == 0
        said = json.loads(capsys.readouterr().out)
        assert (said["texts"], said["known pairs above the threshold"]) == (120, wanted)
    np.save("half.npy", np.full((3, 2), 0.5))
    assert main(["text", "v.npy", "--pairs", "half.npy"]) == 2
    assert "pairs must be integers" in capsys.readouterr().err
    assert main(["text", "v.npy", "--columns", "0:99"]) == 2
    assert capsys.readouterr().err == "cosine-audit: --columns: expected columns that a file has, got '0:99'\n"


def test_a_constant_column_moves_the_level_and_no_neighbor(rng):
    flat, high = (text_audit(topics(np.random.default_rng(0), level)) for level in (0, 0.8))
    assert high.level == pytest.approx(0.8 + 0.2 * flat.level)
    assert high.threshold == pytest.approx(0.8 + 0.2 * flat.threshold, abs=1e-9)
    assert high.kept["centering"] == pytest.approx(flat.kept["centering"], abs=1e-9)
    assert high.hubs == flat.hubs


def test_random_vectors_are_near_nothing_and_topics_are_near(rng):
    E = rng.normal(size=SIZE) * np.linspace(0.2, 2, SIZE[1]) + 1
    report = text_audit(E)
    assert report.verdict == "nothing is near anything"
    assert text_audit(topics(rng, 0.85)).verdict != "nothing is near anything"
    assert "Not looked at" in str(report)


def test_nothing_is_near_is_said_of_many_rows_without_copies_alone(rng):
    E, copy = rng.normal(size=SIZE), 3 * rng.normal(size=24)
    assert text_audit(np.vstack([E, copy + 0.3 * rng.normal(size=(40, 24))])).verdict.startswith("a cosine")
    assert text_audit(np.vstack([E, E[:5]])).verdict.startswith("remove near duplicates")
    assert text_audit(np.ones((60, 4))).verdict.startswith("remove near duplicates")
    assert text_audit(rng.normal(size=(90, 24))).verdict.startswith("too few rows")
    assert text_audit(np.eye(200)).verdict.startswith("too few rows")


def test_vectors_with_the_same_covariance_are_a_fair_comparison(rng):
    assert abs(text_audit(rng.normal(size=(300, 60))).near) < 5


def test_few_rows_ties_and_equal_cosines_are_said(rng):
    said = " ".join(str(text_audit(np.eye(60))).split())
    assert "rest on 1770 pairs, the threshold on 1.8" in said
    assert "Neighbors tie: for 100.0% of the texts" in said
    assert "Equal cosines: 1000.0 pairs in a thousand" in said
    said = str(text_audit(topics(rng)))
    assert not any(words in said for words in ("Few texts", "Neighbors tie", "Equal cosines"))


def test_two_columns_are_enough(rng):
    """Directions in a plane: the cosine of two has the distribution of cos of a uniform angle."""
    report = text_audit(rng.normal(size=(400, 2)))
    assert report.percentile(0) == pytest.approx(50, abs=3)
    assert report.percentile(0.5) == pytest.approx(100 * 2 / 3, abs=3)


def test_the_size_of_the_numbers_changes_nothing(rng):
    E = topics(rng)
    large, ordinary, small = (text_audit(E * size).threshold for size in (1e300, 1, 1e-300))
    assert large == pytest.approx(ordinary, abs=1e-9)
    assert small == pytest.approx(ordinary, abs=1e-9)


def test_duplicates_hubs_and_pairs(rng):
    E = topics(rng)
    E[550:] = E[:50]
    report = text_audit(E, pairs=np.column_stack([np.arange(50), np.arange(550, 600)]))
    assert report.duplicates == pytest.approx(100 / 600)
    assert report.alike == {"as given": 1, "centered": 1}
    assert report.hubs[0] >= 10
    unrelated = text_audit(topics(rng), pairs=np.column_stack([np.arange(0, 300), np.arange(1, 301)]))
    assert max(unrelated.alike.values()) < 0.05


def test_scaling_rows_and_turning_all_changes_nothing(rng):
    E = topics(rng, 0.3)
    Q = np.linalg.qr(rng.normal(size=(25, 25)))[0]
    one, two = text_audit(E), text_audit(E * rng.uniform(0.1, 9, (600, 1)) @ Q)
    assert two.threshold == pytest.approx(one.threshold, abs=1e-9)
    assert two.kept["centering"] == pytest.approx(one.kept["centering"], abs=1e-3)


def test_random_pairs_are_of_different_rows(rng):
    assert random_pairs(np.eye(50), np.arange(50), rng).max() == 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda E: {"vectors": E[:1]}, r"vectors must have at least 50 rows and 2 columns, got shape \(1, 25\)"),
        (lambda E: {"vectors": np.vstack([E, 0 * E[:1]])}, "vectors must have no row of zeros, got row 600"),
        (lambda E: {"vectors": np.vstack([E, np.nan * E[:1]])}, "vectors must be finite, got nan in row 600"),
        (lambda E: {"vectors": E[0]}, r"vectors must be a matrix .*, got shape \(25,\)"),
        (lambda E: {"vectors": E.astype(str)}, "vectors must be real numbers"),
        (lambda E: {"vectors": E, "pairs": [[0, 600]]}, "pairs must be row numbers from 0 to 599, got 0 to 600"),
        (lambda E: {"vectors": E, "pairs": [[4, 4]]}, "pairs must be two different rows, got row 4 twice"),
        (lambda E: {"vectors": E, "pairs": [[0.5, 1]]}, "pairs must be integers of shape"),
        (lambda E: {"vectors": E, "sample": 7}, "sample must be an integer >= 50, got 7"),
    ],
)
def test_what_is_wrong_is_named(rng, change, words):
    with pytest.raises((ValueError, TypeError), match=words):
        text_audit(**change(topics(rng)))


def test_the_command(rng, tmp_path, capsys):
    file = tmp_path / "vectors.npy"
    np.save(file, topics(rng, 0.85).astype(np.float32))
    assert main(["text", str(file)]) == 0
    said = capsys.readouterr().out
    assert "A cosine of 0.70 is above 0.0 % of them" in " ".join(said.split())
    assert all(len(line) <= 79 for line in said.splitlines())


@pytest.mark.parametrize("content", [b"", b"words, not vectors", None])
def test_the_command_refuses_a_wrong_file_in_one_sentence(tmp_path, capsys, content):
    file = tmp_path / "vectors.npy"
    if content is not None:
        file.write_bytes(content)
    assert main(["text", str(file)]) == 2
    said = capsys.readouterr().err
    assert str(file) in said
    assert said.count("\n") == 1
