"""Execute chapters from a fresh kernel and write their outputs back, with nothing in them that changes from run to run.

Usage: python tools/notebooks.py [chapter.ipynb …], by default every chapter under book/.
"""

import pathlib
import sys

import nbformat
from nbclient import NotebookClient


def execute(path):
    """Execute one chapter in place: no timestamps, no version of Python, cells numbered 1 … n."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=300, record_timing=False, resources={"metadata": {"path": path.parent}}).execute()
    notebook.metadata["language_info"] = {"name": "python"}
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number:03d}"
    nbformat.write(notebook, path)
    print(path)


if __name__ == "__main__":
    for path in map(pathlib.Path, sys.argv[1:]) if sys.argv[1:] else sorted(pathlib.Path("book").glob("*.ipynb")):
        execute(path)
