"""Give every chapter a first code cell that installs the audit and `helpers` in Colab, and does nothing anywhere else.

Usage: python tools/colab.py, in a throw-away checkout: the workflow that publishes the book pushes it as a branch.
"""

import sys

import contents
import nbformat
from repository import LAUNCH_BRANCH, repository_url

SET_UP = """#@title Set up (runs only in Colab)
import sys

if "google.colab" in sys.modules:
    %pip install -q git+{url}@{branch}#subdirectory=audit
    %pip install -q git+{url}@{branch}"""


def add_set_up(notebook, url):
    """Insert the set-up cell, folded away, below the title of a notebook."""
    cell = nbformat.v4.new_code_cell(SET_UP.format(url=url, branch=LAUNCH_BRANCH), id="colab-set-up")
    cell.metadata.update({"cellView": "form", "jupyter": {"source_hidden": True}})
    notebook.cells.insert(1, cell)


if __name__ == "__main__":
    if not (url := repository_url()):
        sys.exit("Colab needs a repository to install from: set GITHUB_REPOSITORY=owner/name, or an origin on GitHub.")
    for path in contents.notebooks():
        notebook = nbformat.read(path, as_version=4)
        add_set_up(notebook, url)
        nbformat.write(notebook, path)
        print(contents.name(path))
