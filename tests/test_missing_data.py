"""Chapters whose data or libraries are not here: skipped by the tests, shown as they are by the book."""

import types

import chapters
import contents
import missing_data
import pytest
import yaml

ROOT = chapters.ROOT


@pytest.fixture(autouse=True)
def nowhere(monkeypatch, tmp_path):
    monkeypatch.setenv("MOVIELENS", str(tmp_path / "nowhere"))
    monkeypatch.setattr(missing_data, "missing", missing_data.missing.__wrapped__)  # asked anew


def test_data_and_libraries_that_are_not_there_are_a_reason(monkeypatch):
    assert missing_data.missing("real-data") is None
    assert missing_data.missing("evidence/movielens").startswith("MOVIELENS must name a folder that holds ratings.csv")
    reason = "not installed: no-such-store; pip install -r tests/requirements.txt"
    assert missing_data.not_installed(["numpy", "no-such-store"]) == reason
    for chapter, packages in missing_data.LIBRARIES.items():
        monkeypatch.setattr(missing_data, "installed", lambda package, last=packages[-1]: package != last)
        assert missing_data.missing(chapter) == reason.replace("no-such-store", packages[-1])


def test_the_book_shows_them_as_they_are():
    config = types.SimpleNamespace(nb_execution_excludepatterns=["old.ipynb"])
    missing_data.leave_as_they_are(None, config)
    assert config.nb_execution_excludepatterns[0] == "old.ipynb"
    assert "book/evidence/movielens.ipynb" in config.nb_execution_excludepatterns
    shown = {f"book/{name}.ipynb" for name in missing_data.CHAPTERS}
    assert (
        set(config.nb_execution_excludepatterns[1:])
        <= shown
        <= {f"book/{contents.name(path)}.ipynb" for path in chapters.CHAPTERS}
    )
    extensions = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))["sphinx"]["local_extensions"]
    assert extensions["missing_data"] == "tools"


def test_the_tests_skip_them_and_say_why(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    options = ["--nbval", "--nbval-current-env", "-rs", "-p", "no:cacheprovider"]
    assert pytest.main([*options, "book/evidence/movielens.ipynb", "tests/conftest.py"]) == 0
    said = capsys.readouterr().out
    assert "MOVIELENS must name a folder" in said
    assert " passed" not in said
