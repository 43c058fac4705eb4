"""Execute chapters from a fresh kernel and write their outputs back, with nothing in them that changes from run to run.

Usage: python tools/notebooks.py [chapter.ipynb …], by default every chapter under book/, and the README's picture.
"""

import pathlib
import re
import sys

import kernels
import matplotlib.pyplot as plt
import nbformat
import needs
from nbclient import NotebookClient


def execute(path):
    """Execute one chapter in place: no timestamps, no version of Python; cells keep their ids, so diffs stay small."""
    notebook = nbformat.read(path, as_version=4)
    options = {"timeout": 600, "record_timing": False, "coalesce_streams": True}
    NotebookClient(notebook, resources={"metadata": {"path": path.parent}}, **options).execute()
    notebook.metadata["language_info"] = {"name": "python"}
    nbformat.write(notebook, path)
    print(path)


def draw_picture():
    """Save the figure of the introduction, drawn by its own code cells, for the README."""
    text = pathlib.Path("book/intro.md").read_text("utf-8")
    cells = re.findall(r"^```{code-cell}\n(?:---\n.*?^---\n)?(.*?)^```$", text, re.M | re.S)
    plt.switch_backend("agg")
    plt.show = lambda: plt.savefig("book/assets/two-answers.png")
    exec("\n".join(cells), {})


if __name__ == "__main__":
    kernels.encrypt()
    for path in sys.argv[1:] or sorted(pathlib.Path("book").glob("*.ipynb")):
        path = pathlib.Path(path)
        if reason := needs.missing(path.stem):
            print(f"{path}: not executed: {reason}")
        else:
            execute(path)
    if not sys.argv[1:]:
        draw_picture()
