"""The house around the book: the lock, the workflows, the lists of what is there."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib

import pytest
import yaml
from chapters import CHAPTERS, ROOT, code, read
from contents import name
from missing_data import LIBRARIES
from packaging.requirements import Requirement

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def text(path):
    return (ROOT / path).read_text("utf-8")


def requirements(path):
    """The lines that name a package."""
    return [line for line in text(path).splitlines() if re.match(r"[\w-]", line)]


def test_the_lock_pins_every_package_exactly_and_no_index():
    helpers, audit, *pins = requirements("requirements.txt")
    assert (helpers.split()[:2], audit.split()[:2]) == (["-e", "."], ["-e", "./audit"])
    assert len(pins) > 100
    for pin in pins:
        assert re.match(r"[a-z0-9-]+==[\w.]+( ; [^#]+)? +# via ", pin), pin


def names(lines):
    """What packages some requirements name, as imports do."""
    return {Requirement(line.split("  #")[0]).name.replace("-", "_") for line in lines}


def imported(*trees):
    """What the code imports that is neither Python's nor the book's own."""
    nodes = [node for tree in trees for node in ast.walk(tree)]
    modules = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    modules += [node.module for node in nodes if isinstance(node, ast.ImportFrom) and not node.level]
    found = {module.split(".")[0] for module in modules} - sys.stdlib_module_names - {"helpers", "experiments"}
    return {{"sklearn": "scikit_learn", "IPython": "ipython"}.get(module, module) for module in found}


def test_helpers_and_experiments_declare_what_they_import():
    project = tomllib.loads(text("pyproject.toml"))["project"]
    declared = {key: names(lines) for key, lines in project["optional-dependencies"].items()}
    declared["helpers"] = names(project["dependencies"])
    of_helpers, of_experiments = (
        imported(*(ast.parse(path.read_text("utf-8")) for path in (ROOT / folder).glob("*.py")))
        for folder in ("helpers", "experiments")
    )
    assert of_helpers == declared["helpers"], "pyproject.toml: dependencies"
    others = declared["experiments"] | declared["libraries"]
    assert of_experiments - of_helpers == others, "pyproject.toml: optional-dependencies"


@pytest.mark.parametrize("path", CHAPTERS, ids=name)
def test_binder_has_what_a_chapter_imports(path):
    here = names(requirements("binder/requirements.txt")) | {"cosine_audit"}
    own = {package.replace("-", "_").removesuffix("_cpu") for package in LIBRARIES.get(name(path), [])}
    wanted = imported(*(ast.parse(cell.source) for cell in code(read(path))))
    assert wanted - own <= here, "binder/requirements.in, or LIBRARIES in tools/missing_data.py"
    assert own <= wanted or own == {"gensim"}  # which a helper imports


def test_the_locks_were_compiled_from_what_is_asked_for_and_have_the_same_versions():
    asked, binder = (requirements(f"{folder}requirements.in") for folder in ("", "binder/"))
    asked = [line for line in asked if line[0] != "-"]
    locked, at_binder = (
        dict(re.findall(r"^([\w-]+)==(\S+)", text(f"{folder}requirements.txt"), re.M)) for folder in ("", "binder/")
    )
    for line, lock in [(line, locked) for line in asked] + [(line, at_binder) for line in binder]:
        requirement = Requirement(line.split("  #")[0])
        assert lock[requirement.name] in requirement.specifier, "say make lock"
    assert {package for package in at_binder if locked.get(package) != at_binder[package]} == {"nbgitpuller"}


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
echo "$*" >> calls
case "$*" in --version) echo "{version}" ;; "-m venv "*) mkdir -p "$3/bin"; cp "$0" "$3/bin/python" ;; esac
"""


@pytest.mark.parametrize("uv", ["", "./uv"])
@pytest.mark.skipif(os.name == "nt" or not shutil.which("make"), reason="needs make")
def test_only_another_python_has_everything_installed_anew(uv, tmp_path):
    (tmp_path / "audit").mkdir()
    shutil.copy(ROOT / "Makefile", tmp_path)

    def install(version):
        for asked in ("requirements.txt", "pyproject.toml", "audit/pyproject.toml"):
            (tmp_path / asked).write_text("")
        for program in ("python", "uv"):
            (tmp_path / program).write_text(FAKE.format(version=version))
            (tmp_path / program).chmod(0o755)
        command = ["make", "--silent", "PYTHON=./python", f"UV={uv}", ".venv/ready"]
        subprocess.run(command, cwd=tmp_path, check=True)
        os.utime(tmp_path / ".venv/ready", (0, 0))  # so that the next edit is later
        return (tmp_path / "calls").read_text().splitlines()[-1]

    said = install("Python 3.11.7")
    assert said.startswith("pip install" if uv else "-m pip install")
    assert said.endswith("-r requirements.txt")
    (tmp_path / ".venv/own").touch()
    assert install("Python 3.11.7") == said
    assert (tmp_path / ".venv/own").exists()
    install("Python 3.12.1")
    assert not (tmp_path / ".venv/own").exists()
