"""Reading chapters and the ledger, for the tests of the book's rules and for the summary that they print."""

import ast
import pathlib
import re
from statistics import median

import nbformat

ROOT = pathlib.Path(__file__).parents[1]
CHAPTERS = sorted((ROOT / "book").glob("*.ipynb"))
OUTCOMES = ("holds", "holds if", "mixed", "not reproduced here", "open")
VERDICTS = {"proved", "verified", "reproduced", "qualified", "tested"}
FOLDED = ("hide-input", "hide-cell", "remove-")
DRAWN = ("image/png", "text/html", "text/latex", "text/markdown")


def read(path):
    """The cells of a chapter that hold something."""
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.source.strip()]


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


def measure(cells):
    """What a chapter is like: a dict of words, word of the first figure, figures per 1 000 words, and two ratios."""
    words, lines, first, figures = 0, 0, None, 0
    for cell in cells:
        if cell.cell_type == "markdown":
            words += len(cell.source.split())
            continue
        lines += 0 if is_folded(cell) else cell.source.count("\n") + 1
        figures += is_figure(cell)
        first = words if first is None and is_figure(cell) else first
    return {
        "words": words,
        "first figure": first,
        "figures": 1000 * figures / max(words, 1),
        "shown": sum(map(shows, code(cells))) / max(len(code(cells)), 1),
        "words a line": words / max(lines, 1),
    }


def medians(measured):
    """The medians over chapters of the last three numbers."""
    return {key: median(row[key] for row in measured) for key in ("figures", "shown", "words a line")}


def summary(chapters):
    """Lines of a table of measure's numbers: the chapters, a dict from name to cells, and their medians."""
    measured = {name: measure(cells) for name, cells in chapters.items()}
    form = "{:22}{:>8}{:>14}{:>12}{:>10}{:>14}".format
    yield form("chapter", "words", "first figure", "per 1 000", "shown", "words a line")
    for name, row in [*measured.items(), ("median", medians(measured.values()))]:
        ratios = f"{row['figures']:.1f}", f"{row['shown']:.0%}", f"{row['words a line']:.1f}"
        first = "none" if row.get("first figure", "") is None else row.get("first figure", "")
        yield form(name, row.get("words", ""), first, *ratios)


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
                found[target] |= set(re.findall(r"check(?:_identity|_that)?\(\s*\"([BC]\d\d)\"", cell.source))
    return found


def from_summary_on(cells):
    """A chapter's text below the heading of its summary."""
    return "\n".join(cell.source for cell in cells if cell.cell_type == "markdown").partition("\n## Summary")[2]


def links_back(cells):
    """The claims whose rows of the ledger a chapter's summary links to."""
    end = from_summary_on(cells)
    return {claim for claim, row in re.findall(r"\[([BC]\d\d)\]\(claims\.md#(\w+)\)", end) if row == claim.lower()}


def said(cells):
    """What a chapter's summary says of each claim: {id: (verdicts, "holds", "holds if", "mixed", ...)}."""
    ends = re.findall(r"^\| \[([BC]\d\d)\]\(claims\.md.* \| ([^|]+) \|$", from_summary_on(cells), re.M)
    parts = {claim: end.rpartition(": ") for claim, end in ends}
    return {
        claim: (set(re.findall(r"\w+", how)) & VERDICTS, kind(outcome)) for claim, (how, _, outcome) in parts.items()
    }


def kind(outcome):
    """An outcome without its condition or remark."""
    return "holds if" if outcome.startswith("holds if ") else outcome.split(" (")[0]


def rows(text):
    """The rows of the ledger's tables: {id: {column: text}}; the id's cell begins with its anchor."""
    found, columns = {}, []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if not cells:
            columns = []
        elif not columns:
            columns = cells
        elif anchored := re.fullmatch(r'<span id="(\w+)"></span>([BC]\d\d)', cells[0]):
            found[anchored[2]] = dict(zip(columns, cells, strict=True)) | {"anchor": anchored[1]}
        elif not set(cells[0]) <= set("-: "):
            found[cells[0]] = dict(zip(columns, cells, strict=False)) | {"anchor": ""}
    return found


def ledger_faults(text, chapters):
    """What is wrong with the ledger, or with what chapters say about it; chapters, a dict from name to cells."""
    ledger, faults = rows(text), []
    checked = {target: ids for cells in chapters.values() for target, ids in sections(cells).items()}
    home = {target: name for name, cells in chapters.items() for target in sections(cells)}
    back = {name: links_back(cells) for name, cells in chapters.items()}
    summaries = [said(cells) for cells in chapters.values()]
    expected = {f"C{number:02}" for number in range(1, 31)} | set().union(*checked.values())
    faults += [f"{claim}: no row" for claim in sorted(expected - set(ledger))]
    for claim, row in ledger.items():
        verdicts = {verdict.strip() for verdict in row.get("verdict", "").split(",")}
        outcome = row.get("outcome", "").strip("*")
        holds_if = outcome.startswith("holds if ")
        targets = re.findall(r"\]\(([\w-]+)\)", row.get("checked in", ""))
        faults += [f"{claim}: not a claim that is checked"] * (claim not in expected)
        faults += [f"{claim}: anchor {row['anchor']!r}"] * (row["anchor"] != claim.lower())
        faults += [f"{claim}: verdict {row.get('verdict')!r}"] * (not verdicts <= VERDICTS)
        faults += [f"{claim}: outcome {outcome!r}"] * (not holds_if and outcome not in OUTCOMES)
        faults += [f"{claim}: no section"] * (not targets)
        told = [summary[claim] for summary in summaries if claim in summary]
        if verdicts - {"qualified"} != set().union(*(found for found, _ in told)) - {"qualified"}:  # conditions say so
            faults.append(f"{claim}: verdict {row.get('verdict')!r}, not that of the summaries")
        if kind(outcome) not in {found for _, found in told}:
            faults.append(f"{claim}: outcome {outcome!r} in no summary")
        for target in targets:
            if claim not in checked.get(target, ()):
                faults.append(f"{claim}: {target} does not check it")
            elif claim not in back[home[target]]:
                faults.append(f"{claim}: the summary of {home[target]} does not link to its row")
    return faults
