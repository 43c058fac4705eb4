"""The book's own rules: what every chapter, the table of contents and the ledger of claims must satisfy."""

import json
import re

import chapters as c
import pytest
import yaml
from chapters import CHAPTERS, ROOT, prose, read
from contents import BOOK, EVIDENCE, chapter, files, name
from page_markup import LANGUAGES

PAGES = sorted(BOOK.glob("*.md"))

each_chapter = pytest.mark.parametrize("path", CHAPTERS, ids=name)
each_page = pytest.mark.parametrize("path", PAGES + CHAPTERS, ids=name)


def test_every_chapter_is_in_the_table_of_contents():
    assert len(CHAPTERS) >= 5
    left_out = {path for path in BOOK.rglob("*.ipynb") if path.parent.name[0] != "."} - set(CHAPTERS)
    assert not left_out, f"_toc.yml does not list {', '.join(sorted(map(name, left_out)))}: add it"
    listed = files(yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8")))
    gone = [file for file in listed if not list(ROOT.glob(f"{file}.*"))]
    assert not gone, f"_toc.yml lists {', '.join(gone)}, which is no file: name what is there"


def test_a_page_has_one_name_which_is_its_heading():
    renamed = re.findall(r"file: (\S+)\n +title:", (ROOT / "_toc.yml").read_text("utf-8"))
    assert all(page.rpartition("-")[2] in LANGUAGES for page in renamed), "say it in the heading instead of _toc.yml"


def test_evidence_is_nested_under_its_chapter():
    names = list(map(name, CHAPTERS))
    for place, found in enumerate(names):
        if found.startswith(EVIDENCE):
            own = chapter(found)  # or, of a chapter's second evidence, its own name
            assert own in (found, names[place - 1]), (
                f"_toc.yml: list {found} as sections: of book/{own}, directly below it"
            )


@pytest.mark.parametrize(
    "path", [path for path in CHAPTERS if path.parent == BOOK and (BOOK / EVIDENCE / path.name).exists()], ids=name
)
def test_a_chapter_with_evidence_has_one_answer_which_links_and_searches_show(path):
    answers = re.findall(r"^\*\*(.+)\*\*$", prose(path), re.M)
    assert len(answers) == 1, f"book/{name(path)}.ipynb: say the answer in one paragraph in bold; it has {len(answers)}"


@each_chapter
def test_every_cell_was_executed_in_order_and_the_chapter_stays_under_one_megabyte(path):
    counts = [cell.execution_count for cell in c.code(read(path))]
    assert counts == list(range(1, len(counts) + 1)), f"say .venv/bin/python tools/notebooks.py book/{name(path)}.ipynb"
    assert path.stat().st_size < 1_000_000


@each_chapter
def test_every_figure_has_a_name_a_caption_and_alt_text(path):
    for cell in filter(c.is_figure, c.code(read(path))):
        layout = cell.metadata.get("mystnb", {})
        said = [layout.get("figure", {}).get("name"), layout.get("figure", {}).get("caption")]
        said += [layout.get("image", {}).get("alt")]
        what = f"book/{name(path)}.ipynb, cell {cell.id}: a name, a caption and alt text, as CONTRIBUTING.md shows"
        assert all(said), f"{what}; it has {said}"


@each_chapter
def test_no_output_is_an_error_a_warning_a_path_or_an_address(path):
    for cell in c.code(read(path)):
        at = f"book/{name(path)}.ipynb, cell {cell.id}: change what it prints"
        assert not any(output.output_type == "error" or output.get("name") == "stderr" for output in cell.outputs), at
        text = "" if c.is_figure(cell) else json.dumps(cell.outputs)
        assert not re.search(r"0x[0-9a-f]{6}|/home/|/tmp/|site-packages", text), at


@each_page
def test_norms_in_tables_print_as_norms_and_chapters_are_never_numbered_by_hand(path):
    assert not re.findall(r"^\|.*\\\|.*", prose(path), re.M), r"a table reads \| as |: write \lVert and \rVert"
    text = re.sub(r"^```.*?^```$|<!--.*?-->", "", prose(path), flags=re.M | re.S)
    assert not re.findall(r"Chapters? \d+|\[\d+\]\([\w-]+\.(?:ipynb|md)\)", text)
