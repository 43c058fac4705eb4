"""Reading chapters, for the tests of the book's rules and for the summary that they print."""

import ast
import functools
import pathlib
import re
from itertools import pairwise
from statistics import median

import nbformat

ROOT = pathlib.Path(__file__).parents[1]
CHAPTERS = sorted((ROOT / "book").glob("*.ipynb"))
FOLDED = ("hide-input", "hide-cell", "remove-")
FOLD = r"^(`{3,}|:{3,})\{(?:dropdown\}.*\n|[^}]*\}.*\n(?::.*\n)*?:class: dropdown\n)[\s\S]*?^\1$"  # directives
CHECK = r"check(?:_identity|_that)?\(\s*\"([BC]\d\d)\""
DRAWN = ("image/png", "text/html", "text/latex", "text/markdown")


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


def is_folded(cell):
    return any(tag.startswith(FOLDED) for tag in cell.metadata.get("tags", []))


def is_figure(cell):
    return any("image/png" in output.get("data", {}) for output in cell.outputs)


def is_imports(cell):
    """Whether a cell imports, and beside that sets up a thing or two."""
    first, *rest = ast.parse(cell.source).body
    others = [line for line in rest if not isinstance(line, ast.Import | ast.ImportFrom)]
    simple = all(isinstance(line, ast.Assign | ast.Expr) for line in others)
    return isinstance(first, ast.Import | ast.ImportFrom) and simple and len(others) <= 3


def folds(cells):
    """The folded code cells, imports apart."""
    return [cell for cell in code(cells) if is_folded(cell) and not is_imports(cell)]


def folds_after_folds(cells):
    """The folds that come right after another one."""
    found = [cell.id for cell in folds(cells)]
    return [cell for before, cell in pairwise(cells) if before.id in found and cell.id in found]


def unnamed(cells):
    """The folds whose name does not say what they hold."""
    named = [(cell, cell.metadata.get("mystnb", {}).get("code_prompt_show", "")) for cell in folds(cells)]
    return [cell for cell, name in named if re.fullmatch(r"(show )?(the )?(code)?", name, re.I)]


def printed(cell):
    """The lines of text that a reader sees below a cell."""
    texts = [output.text for output in cell.outputs if output.output_type == "stream"]
    shown = [output.data for output in cell.outputs if "data" in output]
    texts += [data["text/plain"] for data in shown if "text/plain" in data and not set(data) & set(DRAWN)]
    return [line for text in texts for line in text.split("\n")]


def shows(cell):
    """Whether a cell shows a value or a figure: something other than lines with a ✓."""
    drawn = any(set(output.get("data", {})) & set(DRAWN) for output in cell.outputs)
    return drawn or any(line.strip() and "✓" not in line for line in printed(cell))


def longest_run(cells):
    """The largest number of unfolded code cells with no prose between them."""
    longest = run = 0
    for cell in cells:
        run = 0 if cell.cell_type == "markdown" else run + (not is_folded(cell))
        longest = max(longest, run)
    return longest


def main_line(cells):
    """A chapter from its title to the exercises: pairs of a cell and its source up to there."""
    for cell in cells:
        before, exercises, _ = cell.source.partition("## Exercises\n")
        yield cell, before
        if exercises:
            return


def words(text):
    """How many words of Markdown a reader sees before opening a fold; a formula counts as one."""
    text = re.sub(FOLD, "", text, flags=re.M)
    return len(re.sub(r"\$\$[^$]*\$\$|\$[^$\n]+\$", "formula", text).split())


def measure(cells):
    """What a chapter is like: words, word of the first figure, figures per 1 000 and what is shown of its main line;

    lines folded, folds right after a fold and folds without a name of the whole.
    """
    count, first, figures, line = 0, None, 0, list(main_line(cells))
    for cell, source in line:
        count += words(source) if cell.cell_type == "markdown" else 0
        figures += cell.cell_type == "code" and is_figure(cell)
        first = count if first is None and figures else first
    ran = code(cell for cell, _ in line)
    return {
        "words": count,
        "first figure": first,
        "figures": 1000 * figures / max(count, 1),
        "shown": sum(map(shows, ran)) / max(len(ran), 1),
        "folded": sum(cell.source.count("\n") + 1 for cell in folds(cells)),
        "after": len(folds_after_folds(cells)),
        "unnamed": len(unnamed(cells)),
    }


def minutes(cells):
    """How long a student reads: words / 100, and lines of visible code and output / 15, to the nearest 5."""
    ran = code(cell for cell, _ in main_line(cells))
    lines = sum(cell.source.count("\n") + 1 for cell in ran if not is_folded(cell) and not is_imports(cell))
    shown = [cell for cell in ran if "hide-cell" not in cell.metadata.get("tags", [])]
    lines += sum(bool(line.strip()) for cell in shown for line in printed(cell))
    return 5 * round((measure(cells)["words"] / 100 + lines / 15) / 5)


def medians(measured):
    """The medians over chapters of the two ratios."""
    return {key: median(row[key] for row in measured) for key in ("figures", "shown")}


def summary(chapters):
    """Lines of a table of measure's numbers: the chapters, a dict from name to cells, and their medians."""
    measured = {name: measure(cells) for name, cells in chapters.items()}
    form = "{:20}{:>7}{:>14}{:>11}{:>8}{:>14}{:>17}{:>9}".format
    folded = "folded", "after", "unnamed"
    yield form("chapter", "words", "first figure", "per 1 000", "shown", "folded lines", "fold after fold", "unnamed")
    total = {key: sum(row[key] for row in measured.values()) for key in folded}
    for name, row in [*measured.items(), ("medians and sums", medians(measured.values()) | total)]:
        ratios = f"{row['figures']:.1f}", f"{row['shown']:.0%}"
        first = "none" if row.get("first figure", "") is None else row.get("first figure", "")
        yield form(name, row.get("words", ""), first, *ratios, *(row[key] for key in folded))


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
