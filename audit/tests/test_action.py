"""The action for workflows: it takes what the command takes, and hands it on."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from cosine_audit.cli import main, parser

HERE = Path(__file__).parents[1]
OPTIONS = {action.dest.replace("_", "-"): action for action in parser()._actions}


def action():
    return pytest.importorskip("yaml", reason="pyyaml reads the action").safe_load((HERE / "action.yml").read_text())


def run(folder, command, **inputs):
    """Status, what was printed, and the job's summary, of the action's script with these inputs and another command."""
    if shutil.which("bash") is None:
        pytest.skip("the action runs in bash")
    said = action()
    values = {name: str(one.get("default", "")) for name, one in said["inputs"].items()} | inputs
    (step,) = said["runs"]["steps"]
    env = {name: re.sub(r"\$\{\{ inputs\.(\S+) \}\}", lambda m: values[m[1]], v) for name, v in step["env"].items()}
    for name, body in (("cosine-audit", command), ("python", "exit 0")):  # it installs nothing here
        (folder / name).write_text(f"#!/bin/bash\n{body}\n")
        (folder / name).chmod(0o755)
    summary = folder / "summary.md"
    env |= {"PATH": f"{folder}:{os.environ['PATH']}", "GITHUB_STEP_SUMMARY": str(summary)}
    env |= {"PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]  # as a workflow calls it
    done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True)
    return done.returncode, done.stdout, summary.read_text("utf-8")


def test_its_inputs_are_the_commands_options():
    assert set(action()["inputs"]) == set(OPTIONS) - {"help", "version"}
    env = action()["runs"]["steps"][0]["env"]
    wanted = {f"INPUT_{name.upper().replace('-', '_')}": f"${{{{ inputs.{name} }}}}" for name in action()["inputs"]}
    assert {name: value for name, value in env.items() if name != "HERE"} == wanted


def test_every_input_reaches_the_command(tmp_path):
    echo = f"exec {sys.executable} -c 'import json, sys; print(json.dumps(sys.argv[1:]))' \"$@\""
    given = {name: f"a {name}" for name in action()["inputs"]}
    given |= {"columns": "f0:f3\ng0:g3", "id": "product name\ncustomer", "sample": "200", "share": "0.5"}
    given |= {"json": "true", "fail-on": "unknown", "items": "-odd name.npy"}
    status, out, _ = run(tmp_path, echo, **given)
    read = vars(parser().parse_args(json.loads(out)))
    wanted = {name.replace("-", "_"): value for name, value in given.items()}
    wanted |= {"columns": ["f0:f3", "g0:g3"], "id": ["product name", "customer"], "sample": 200, "share": 0.5}
    assert (status, read) == (0, wanted | {"json": True})


def test_what_is_not_given_is_left_to_the_command(tmp_path):
    echo = "printf '%s\\n' \"$@\""
    assert run(tmp_path, echo, items="items.npy")[1].split("\n") == ["--fail-on=no", "--", "items.npy", ""]
    assert "--fail-on" not in run(tmp_path, echo, items="items.npy", **{"fail-on": ""})[1]


@pytest.mark.parametrize("status", [0, 1, 2])
def test_the_summary_holds_what_was_said_and_the_status_stays(tmp_path, status):
    got, out, summary = run(tmp_path, f"echo 'No: <b>'; exit {status}", items="items.npy")
    assert (got, out, summary) == (status, "No: <b>\n", "### cosine-audit\n\n    No: <b>\n")


def test_it_runs(tmp_path, rng, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    np.savez("model.npz", items=rng.normal(size=(40, 5)), users=rng.normal(size=(80, 5)))
    status, out, summary = run(
        tmp_path, f'exec {sys.executable} -m cosine_audit "$@"', items="model.npz", **{"trained-by": "word2vec"}
    )
    assert main(["model.npz", "--trained-by", "word2vec"]) == 0
    assert (status, out) == (1, capsys.readouterr().out)
    assert "    No: training did not determine these cosines." in summary
