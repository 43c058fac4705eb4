"""The book's own rules: what every chapter, the table of contents and the ledger of claims must satisfy."""

import json
import pathlib
import re

import nbformat
import pytest
import yaml

ROOT = pathlib.Path(__file__).parents[1]
CHAPTERS = sorted((ROOT / "book").glob("*.ipynb"))
LONGEST_CELL, LONGEST_LINE = 12, 96
VERDICTS = {"proved", "verified", "reproduced", "qualified", "tested"}

each_chapter = pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)


def code_cells(path):
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def listed(toc):
    files = [toc["root"]] if "root" in toc else []
    files += [toc["file"]] if "file" in toc else []
    return files + [file for key in ("parts", "chapters") for child in toc.get(key, []) for file in listed(child)]


def ledger():
    """The rows of claims.md: {id: (verdict, link target)}."""
    text = (ROOT / "book/claims.md").read_text("utf-8")
    rows = re.findall(r"^\| ([BC]\d\d) \|.*\| ([^|]+) \| ([^|]+) \|$", text, re.M)
    return {claim: (verdict.strip(), re.findall(r"\]\(([\w-]+)\)", link)) for claim, verdict, link in rows}


def checked_sections():
    """Which claims the code below each (target)= of a chapter checks, up to the next section: {target: {ids}}."""
    found = {}
    for path in CHAPTERS:
        targets = []
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "markdown" and re.search(r"^## ", cell.source, re.M):
                targets = []
            if cell.cell_type == "markdown":
                targets = targets + re.findall(r"^\((sec-[\w-]+)\)=$", cell.source, re.M)
            for target in targets:
                found.setdefault(target, set())
                if cell.cell_type == "code":
                    found[target] |= set(re.findall(r"check(?:_identity|_that)?\(\s*\"([BC]\d\d)\"", cell.source))
    return found


def test_every_chapter_is_in_the_table_of_contents():
    files = listed(yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8")))
    assert len(CHAPTERS) >= 5
    assert {f"book/{path.stem}" for path in CHAPTERS} <= set(files)
    assert all(list(ROOT.glob(f"{file}.*")) for file in files)


@each_chapter
def test_every_cell_was_executed_in_order(path):
    assert [cell.execution_count for cell in code_cells(path)] == list(range(1, len(code_cells(path)) + 1))


@each_chapter
def test_no_output_is_an_error_or_a_warning(path):
    outputs = [output for cell in code_cells(path) for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error" or output.get("name") == "stderr"]


@each_chapter
def test_cells_are_short_enough_to_read(path):
    for cell in code_cells(path):
        lines = cell.source.split("\n")
        assert len(lines) <= LONGEST_CELL, lines[0]
        assert max(map(len, lines)) <= LONGEST_LINE, max(lines, key=len)


@each_chapter
def test_printed_lines_fit_the_page(path):
    printed = [output.text for cell in code_cells(path) for output in cell.outputs if output.output_type == "stream"]
    assert max((len(line) for text in printed for line in text.split("\n")), default=0) <= LONGEST_LINE


@each_chapter
def test_every_figure_has_a_name_a_caption_and_alt_text(path):
    for cell in code_cells(path):
        if any("image/png" in output.get("data", {}) for output in cell.outputs):
            layout = cell.metadata.mystnb
            assert layout.figure.name
            assert layout.figure.caption
            assert layout.image.alt


@each_chapter
def test_outputs_hold_no_path_address_or_version(path):
    outputs = json.dumps([cell.outputs for cell in code_cells(path) if "image/png" not in str(cell.outputs)])
    assert not re.search(r"0x[0-9a-f]{6}|/home/|/tmp/|site-packages", outputs)


@each_chapter
def test_a_chapter_stays_under_one_megabyte(path):
    assert path.stat().st_size < 1_000_000


def test_the_ledger_lists_every_claim_of_the_paper_and_every_result_of_the_book_with_a_verdict():
    paper = {f"C{number:02}" for number in range(1, 29)}
    assert set(ledger()) == paper | {claim for ids in checked_sections().values() for claim in ids}
    for claim, (verdict, _) in ledger().items():
        assert set(verdict.split(", ")) <= VERDICTS, claim


@pytest.mark.parametrize("claim", ledger())
def test_the_section_that_the_ledger_links_to_checks_the_claim(claim):
    _, targets = ledger()[claim]
    assert targets
    for target in targets:
        assert claim in checked_sections().get(target, set()), f"{target} does not check {claim}"
