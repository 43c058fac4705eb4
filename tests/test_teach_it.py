"""The homework: its starting cells, its marks, its answers."""

from contextlib import redirect_stdout
from io import StringIO
from types import SimpleNamespace

import matplotlib.pyplot as plt
import pytest
from chapters import ROOT, read

CELLS = {cell.id: cell.source for cell in read(ROOT / "book/homework.ipynb")}
TASKS = [name.removesuffix("-start") for name in CELLS if name.endswith("-start")]


def said(names, *sources):
    """The last line that cells print, executed one after another."""
    with redirect_stdout(StringIO()) as text:
        for source in sources:
            exec(source, names)
    return text.getvalue().splitlines()[-1]


@pytest.fixture(scope="module")
def solved():
    """All names, after the answers stood in the place of the starting cells."""
    names = {}
    for name in ("hw-imports", "hw-data", "hw-figure", "hw-mark"):
        exec(CELLS[name], names)
    plt.close("all")
    for task in TASKS:
        line = said(names, CELLS[f"{task}-answer"], CELLS[f"{task}-mark"])
        assert line == f"task {task[-1]}: ✓ solved"
    return names


@pytest.mark.parametrize(
    ("task", "right", "wrong"),
    [
        ("task-1", "1 / 2", "2"),
        ("task-2", "B / d", "B * d"),
        ("task-3", "1e-6", "0.1"),
        ("task-4", "+ sizes", "+ sizes**2"),
        ("task-4", "+ np.sum((A @ B.T) ** 2)", "- np.sum((A @ B.T) ** 2)"),
        ("task-5", "s[0] ** -0.5", "s[0] ** -1"),
        ("task-6", 'mode="r").T', 'mode="r")'),
        ("task-6", 'B @ np.linalg.qr(P, mode="r").T', "(P @ B.T).T"),
    ],
)
def test_every_answer_solves_its_task_and_a_wrong_one_is_not_marked_as_solved(solved, task, right, wrong):
    answer = CELLS[f"{task}-answer"]
    assert right in answer
    names = solved | {"minimize": lambda loss, z: SimpleNamespace(x=z)}  # what it finds is no part of the mark
    line = said(names, answer.replace(right, wrong), CELLS[f"{task}-mark"])
    assert line.startswith(f"task {task[-1]}: off by")


@pytest.mark.parametrize("task", TASKS)
def test_a_starting_cell_runs_and_solves_nothing(solved, task):
    line = said(dict(solved), CELLS[f"{task}-start"], CELLS[f"{task}-mark"])
    assert line.startswith(f"task {task[-1]}: off by")
