"""Reading chapters, for the tests."""

import functools
import re

import contents
import nbformat

ROOT = contents.ROOT
CHAPTERS = contents.notebooks()
CHECK = r"check(?:_identity|_that)?\(\s*\"([BC]\d\d)\""


@functools.cache
def read(path):
    """The cells of a chapter that hold something."""
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.source.strip()]


def prose(path):
    """The Markdown of a chapter or a page, or the text of the ledger."""
    if path.suffix != ".ipynb":
        return path.read_text("utf-8")
    return "\n\n".join(cell.source for cell in read(path) if cell.cell_type == "markdown")


def code(cells):
    return [cell for cell in cells if cell.cell_type == "code"]


def is_figure(cell):
    return any("image/png" in output.get("data", {}) for output in cell.outputs)


def sections(cells):
    """Which claims the code below each (target)= checks, up to the next section: {target: {ids}}."""
    found, targets = {}, []
    for cell in cells:
        if cell.cell_type == "markdown":
            targets = [] if re.search(r"^## ", cell.source, re.M) else targets
            targets = targets + re.findall(r"^\((sec-[\w-]+)\)=$", cell.source, re.M)
        for target in targets:
            found.setdefault(target, set())
            if cell.cell_type == "code":
                found[target] |= set(re.findall(CHECK, cell.source))
    return found
