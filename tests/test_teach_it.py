"""The homework: its starting cells, its marks, its answers."""

from contextlib import redirect_stdout
from io import StringIO

import matplotlib.pyplot as plt
from chapters import ROOT, read

CELLS = {cell.id: cell.source for cell in read(ROOT / "book/homework.ipynb")}
TASKS = [name[:6] for name in CELLS if name.endswith("-start")]


def marks(*asked, answered=TASKS):
    """What the marks of tasks say if answers stand in the place of these starting cells: {task: line}."""
    names, said = {}, {}
    for name, source in CELLS.items():
        task, _, part = name.rpartition("-")
        if name in ("hw-imports", "hw-data", "hw-figure", "hw-mark") or part == "start":
            exec(CELLS[f"{task}-answer"] if task in answered else source, names)
        elif part == "mark" and task in asked:
            with redirect_stdout(StringIO()) as text:
                exec(source, names)
            said[task] = text.getvalue().splitlines()[-1]
    plt.close("all")
    return said


def test_every_answer_solves_its_task_and_a_wrong_one_is_not_marked_as_solved(monkeypatch):
    assert marks(*TASKS) == {task: f"task {task[-1]}: ✓ solved" for task in TASKS}
    for task, right, wrong in (
        ("task-1", "1 / 2", "2"),
        ("task-2", "B / d", "B * d"),
        ("task-3", "1e-6", "0.1"),
        ("task-4", "+ sizes", "+ sizes**2"),
        ("task-4", "+ np.sum((A @ B.T) ** 2)", "- np.sum((A @ B.T) ** 2)"),
        ("task-5", "s[0] ** -0.5", "s[0] ** -1"),
        ("task-6", 'mode="r").T', 'mode="r")'),
        ("task-6", 'B @ np.linalg.qr(P, mode="r").T', "(P @ B.T).T"),
    ):
        answer = CELLS[f"{task}-answer"]
        assert right in answer
        with monkeypatch.context() as wrongly:
            wrongly.setitem(CELLS, f"{task}-answer", answer.replace(right, wrong))
            assert marks(task)[task].startswith(f"task {task[-1]}: off by")
