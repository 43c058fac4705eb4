"""The book's own rules: what every chapter, the table of contents and the ledger of claims must satisfy."""

import json
import re

import chapters as c
import pytest
from chapters import CHAPTERS, ROOT, prose, read

LONGEST_CELL, LONGEST_FOLDED, LONGEST_LINE, LONGEST_RUN = 12, 30, 79, 2
PAGES = sorted((ROOT / "book").glob("*.md"))

each_chapter = pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
each_page = pytest.mark.parametrize("path", PAGES + CHAPTERS, ids=lambda path: path.stem)


def test_every_chapter_is_in_the_table_of_contents():
    files = re.findall(r"^[ -]*(?:root|file): (\S+)$", (ROOT / "_toc.yml").read_text("utf-8"), re.M)
    assert len(CHAPTERS) >= 5
    left_out = {f"book/{path.stem}" for path in CHAPTERS} - set(files)
    assert not left_out, f"_toc.yml does not list {', '.join(sorted(left_out))}: add it"
    assert all(list(ROOT.glob(f"{file}.*")) for file in files)


@each_chapter
def test_every_cell_was_executed_in_order_and_the_chapter_stays_under_one_megabyte(path):
    counts = [cell.execution_count for cell in c.code(read(path))]
    assert counts == list(range(1, len(counts) + 1)), f"say .venv/bin/python tools/notebooks.py book/{path.name}"
    assert path.stat().st_size < 1_000_000


@each_chapter
def test_cells_are_short_enough_to_read_and_lines_fit_the_page(path):
    for cell in c.code(read(path)):
        most = LONGEST_FOLDED if c.is_folded(cell) else LONGEST_CELL
        assert c.is_imports(cell) or cell.source.count("\n") < most, cell.source
        assert not [line for line in cell.source.split("\n") + c.printed(cell) if len(line) > LONGEST_LINE]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_code_on_pages_without_a_kernel_fits_too(path):
    blocks = re.findall(
        r"^```(?:\{code-cell\}|python|sh)[^\n]*\n(?:---\n.*?^---\n)?(.*?)^```", prose(path), re.M | re.S
    )
    assert not [line for block in blocks for line in block.split("\n") if len(line) > LONGEST_LINE]


@each_chapter
def test_prose_comes_between_cells_and_folds_and_folds_are_named(path):
    assert c.longest_run(read(path)) <= LONGEST_RUN
    after, unnamed = ([cell.source for cell in found(read(path))] for found in (c.folds_after_folds, c.unnamed))
    assert not after, f"{path.name}: make these folds one with those before, or write the sentence that reads those"
    assert not unnamed, f"{path.name}: name these folds in their cells' metadata, see CONTRIBUTING.md"


@each_chapter
def test_every_figure_has_a_name_a_caption_and_alt_text(path):
    for cell in filter(c.is_figure, c.code(read(path))):
        layout = cell.metadata.get("mystnb", {})
        assert layout.get("figure", {}).get("name"), cell.source
        assert layout["figure"].get("caption"), cell.source
        assert layout.get("image", {}).get("alt"), cell.source


@each_chapter
def test_a_figure_comes_early(path):
    first = c.measure(read(path))["first figure"]
    assert first is not None, f"{path.name} has no figure: add one within 250 words, see CONTRIBUTING.md"
    assert first <= 250, f"{path.name}: the first figure comes after {first} words, at most 250: move it up"


@each_chapter
def test_a_stated_reading_time_is_the_computed_one(path):
    stated = re.findall(r"^\*About (\d+) minutes\.\*$", prose(path), re.M)
    assert stated in ([], [str(c.minutes(read(path)))])


def reading_time(page):
    path = ROOT / "book" / page
    return c.minutes(read(path)) if path.suffix == ".ipynb" else c.words(prose(path)) / 100


def test_the_paths_on_the_front_page_take_the_minutes_that_they_state():
    cards = re.findall(r":::\{grid-item-card\} You ([\s\S]*?)\*About (\d+) minutes\.\*", prose(ROOT / "book/intro.md"))
    assert len(cards) == 3
    for card, stated in cards:
        pages = [page for page in re.findall(r"\]\(([\w-]+\.\w+)\)", card) if not page.startswith("what-to-do-")]
        pages = ["claims.yml" if page == "claims.md" else page for page in pages]  # that has the rows
        assert sum(map(reading_time, pages)) == pytest.approx(int(stated), abs=15), card


def test_the_book_shows_and_explains():
    middle = c.medians([c.measure(read(path)) for path in CHAPTERS])
    for what, least in {"figures": 2.5, "shown": 0.5}.items():
        rule = "add some where the table of chapters below has fewest, see CONTRIBUTING.md"
        assert middle[what] >= least, f"{what}: the median chapter has {middle[what]:.2f}, at least {least}: {rule}"


@each_chapter
def test_no_output_is_an_error_a_warning_a_path_or_an_address(path):
    outputs = [output for cell in c.code(read(path)) for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error" or output.get("name") == "stderr"]
    outputs = json.dumps([cell.outputs for cell in c.code(read(path)) if not c.is_figure(cell)])
    assert not re.search(r"0x[0-9a-f]{6}|/home/|/tmp/|site-packages", outputs)


@each_page
def test_norms_in_tables_print_as_norms_and_chapters_are_never_numbered_by_hand(path):
    assert not re.findall(r"^\|.*\\\|.*", prose(path), re.M), r"a table reads \| as |: write \lVert and \rVert"
    text = re.sub(r"^```.*?^```$|<!--.*?-->", "", prose(path), flags=re.M | re.S)
    assert not re.findall(r"Chapters? \d+|\[\d+\]\([\w-]+\.(?:ipynb|md)\)", text)
