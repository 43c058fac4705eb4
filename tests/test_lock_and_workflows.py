"""The house around the book: the lock, the workflows, the lists of what is there."""

import os
import re
import shutil
import subprocess

import pytest
import yaml
from chapters import ROOT
from packaging.requirements import Requirement

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def text(path):
    return (ROOT / path).read_text("utf-8")


def requirements(path):
    """The lines that name a package."""
    return [line for line in text(path).splitlines() if re.match(r"[\w-]", line)]


def test_the_lock_pins_every_package_exactly_and_no_index():
    helpers, audit, *pins = requirements("requirements.txt")
    assert re.fullmatch(r"-e \./audit +# via -r requirements\.in", audit)
    assert re.fullmatch(r"-e \. +# via -r requirements\.in", helpers)
    assert len(pins) > 100
    for pin in pins:
        assert re.match(r"[a-z0-9-]+==[\w.]+( ; [^#]+)? +# via ", pin), pin


def test_the_lock_was_compiled_from_what_is_asked_for():
    asked = [Requirement(line.split("  #")[0]) for line in requirements("requirements.in") if line[0] != "-"]
    lines = [line for line in requirements("requirements.txt") if "-r requirements.in" in line and line[0] != "-"]
    direct = dict(re.match(r"([\w-]+)==([\w.]+)", line).groups() for line in lines)
    assert sorted(direct) == sorted(requirement.name for requirement in asked)
    assert all(direct[requirement.name] in requirement.specifier for requirement in asked)


def test_workflows_use_actions_by_commit():
    assert len(WORKFLOWS) >= 2
    assert "github-actions" in text(".github/dependabot.yml")  # which keeps the pins fresh
    for path in WORKFLOWS:
        assert yaml.safe_load(path.read_text("utf-8"))["jobs"]
        for line in re.findall(r"uses: .*", path.read_text("utf-8")):
            assert re.fullmatch(r"uses: [\w-]+/[\w-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", line), line


def test_publishing_waits_for_the_tests_and_publishes_what_they_tested():
    workflows = {path.stem: yaml.safe_load(path.read_text("utf-8")) for path in WORKFLOWS}
    jobs = workflows["test"]["jobs"]
    publishing = {name for name, workflow in workflows.items() if "deploy-pages" in str(workflow)}
    assert publishing == {"test"}
    assert set(jobs["deploy"]["needs"]) == {"linux", "elsewhere"}
    steps = [step.get("run", step.get("uses", "")).partition("@")[0] for step in jobs["linux"]["steps"]]
    assert steps.index(".ci/run") < steps.index("actions/upload-pages-artifact")
    every_night = workflows["nightly"]["jobs"]["tests"]["strategy"]["matrix"]
    assert len(every_night["os"]) * len(every_night["python"]) == 9


def test_the_readme_lists_every_command_and_every_folder():
    commands = set(re.findall(r"^([a-z-]+):.*## ", text("Makefile"), re.M)) - {"clean"}
    assert commands == set(re.findall(r"`?make ([a-z-]+)\b", text("README.md"))) - {"and"}
    folders = {path.parent.name for path in ROOT.glob("*/*.py")} | {"book"}
    assert folders <= set(re.findall(r"^\| `(\w+)/` \|", text("README.md"), re.M))


FAKE = """#!/bin/sh
case "$*" in --version) echo "{version}" ;; "-m venv "*) mkdir -p "$3/bin"; cp "$0" "$3/bin/python" ;; esac
"""


@pytest.mark.skipif(os.name == "nt" or not shutil.which("make"), reason="needs make")
def test_only_another_python_has_everything_installed_anew(tmp_path):
    (tmp_path / "audit").mkdir()
    shutil.copy(ROOT / "Makefile", tmp_path)

    def install(version):
        for name in ("requirements.txt", "pyproject.toml", "audit/pyproject.toml"):
            (tmp_path / name).write_text("")
        (tmp_path / "python").write_text(FAKE.format(version=version))
        (tmp_path / "python").chmod(0o755)
        subprocess.run(["make", "--silent", "PYTHON=./python", ".venv/ready"], cwd=tmp_path, check=True)
        os.utime(tmp_path / ".venv/ready", (0, 0))  # so that the next edit is later

    install("Python 3.11.7")
    (tmp_path / ".venv/own").touch()
    install("Python 3.11.7")
    assert (tmp_path / ".venv/own").exists()
    install("Python 3.12.1")
    assert not (tmp_path / ".venv/own").exists()
