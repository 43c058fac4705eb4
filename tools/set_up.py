"""Give every chapter a first code cell that has it run in Colab and Binder, and does nothing anywhere else.

Colab installs `helpers`, `experiments` and the audit; Binder, where requirements are installed already, is told where
they are. Both install what this chapter alone needs.
Usage: python tools/set_up.py, in a throw-away checkout: the workflow that publishes the book pushes it as a branch.
"""

import os
import sys

import contents
import missing_data
import nbformat
from repository import LAUNCH_BRANCH, repository_url

CELL = """#@title Set up (runs only in Colab and Binder)
import os
import sys

if "google.colab" in sys.modules:
    %pip install -q "cosine-audit @ git+{url}@{branch}#subdirectory=audit"
    %pip install -q "cosine-similarity-companion[experiments] @ git+{url}@{branch}"
elif "BINDER_REPO_URL" in os.environ:
    sys.path[:0] = map(os.path.abspath, ["{root}", "{root}/audit/src"])"""
ITS_OWN = """
if "google.colab" in sys.modules or "BINDER_REPO_URL" in os.environ:
    %pip install -q {packages}"""


def pins(packages):
    """The lines of tests/requirements.txt of these packages."""
    lines = (contents.ROOT / "tests/requirements.txt").read_text("utf-8").splitlines()
    return [line for line in lines if line.partition("==")[0] in packages]


def add_set_up(notebook, chapter, url):
    """Insert the set-up cell of a chapter, named as in contents.py, folded away, below the title of its notebook."""
    root = os.path.relpath(contents.ROOT, (contents.BOOK / chapter).parent)
    source = CELL.format(url=url, branch=LAUNCH_BRANCH, root=root)
    if packages := pins(missing_data.LIBRARIES.get(chapter, [])):
        source += ITS_OWN.format(packages=" ".join(packages))
    cell = nbformat.v4.new_code_cell(source, id="set-up")
    cell.metadata.update({"cellView": "form", "jupyter": {"source_hidden": True}})
    notebook.cells.insert(1, cell)


if __name__ == "__main__":
    if not (url := repository_url()):
        sys.exit("Colab needs a repository to install from: set GITHUB_REPOSITORY=owner/name, or an origin on GitHub.")
    for path in contents.notebooks():
        notebook = nbformat.read(path, as_version=4)
        add_set_up(notebook, contents.name(path), url)
        nbformat.write(notebook, path)
        print(contents.name(path))
