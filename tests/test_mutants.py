"""The tool that breaks the code: what it breaks, which tests it runs, and what it reports."""

import ast

import mutants
import pytest
from chapters import ROOT

BROKEN = {
    "a + b": "a - b",
    "a ** b": "a * b",
    "a / b": "a * b",
    "a < b": "a <= b",
    "a == b": "a != b",
    "a and b": "a or b",
    "not a": "not not a",
    "-a": "+a",
    "0": "1",
    "1": "0",
    "0.25": "0.5",
}


@pytest.mark.parametrize("code", BROKEN)
def test_what_is_broken(code):
    node = ast.parse(code, mode="eval").body
    assert mutants.change(node)
    assert ast.unparse(node) == BROKEN[code]


@pytest.mark.parametrize("code", ["a", "'word'", "True", "f(a)", "a @ b"])
def test_what_is_left_alone(code):
    node = ast.parse(code, mode="eval").body
    assert not mutants.change(node)
    assert ast.unparse(node) == code


@pytest.mark.parametrize("folder", mutants.FOLDERS)
def test_files_take_turns(folder, tmp_path, monkeypatch):
    code = "audit/src/cosine_audit" if folder == "audit" else folder
    assert list((ROOT / code).glob("*.py"))
    (tmp_path / code).mkdir(parents=True)
    for name, text in {"one": "1 + a\nb - c\n-d", "three": "a < b", "two": "a and b", "none": "a"}.items():
        (tmp_path / code / f"{name}.py").write_text(text)
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    first = mutants.drawn(9, folder)
    assert [path.stem for _, path, *_ in first[3:]] == ["one"] * 3
    assert {path.stem for _, path, *_ in first[:3]} == {"one", "two", "three"}
    assert mutants.drawn(2, folder) == first[:2]


def test_a_module_is_tested_by_the_tests_that_name_it():
    assert mutants.tests(ROOT / "helpers/evaluation.py")[0] == "tests/test_evaluation.py"
    assert mutants.tests(ROOT / "tools/ledger.py") == ["tests/test_ledger.py"]
    assert "tests/test_protocol.py" in mutants.tests(ROOT / "experiments/common.py")
    *files, option, only = mutants.tests(ROOT / "experiments/ndcg.py")
    assert "tests/test_small_jobs.py" in files
    assert (option, only) == ("-k", "not small_job or [ndcg]")
    assert {file.partition("/")[0] for file in mutants.tests(ROOT / "audit/src/cosine_audit/verdict.py")} == {"audit"}


def test_what_no_test_notices_is_named_and_the_rest_is_counted(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    for folder in ("helpers", "tests"):
        (tmp_path / folder).mkdir()
    (tmp_path / "helpers/__init__.py").touch()
    module, test = tmp_path / "helpers/shop.py", tmp_path / "tests/test_shop.py"
    module.write_text("def price(n):\n    return 3 * n\n\n\ndef unused(n):\n    return -n\n")
    test.write_text("from helpers.shop import price\n\n\ndef test_price():\n    assert price(2) == 6\n")
    mutants.main(9, ["helpers"])
    printed = capsys.readouterr().out.splitlines()
    assert printed == ["no test noticed: helpers/shop.py:6: -n became +n", "helpers: 2 of 3 were caught"]
    test.write_text("from helpers.shop import price\n\n\ndef test_price():\n    assert price(2) == 5\n")
    with pytest.raises(SystemExit, match="before anything is broken"):
        mutants.main(9, ["helpers"])
