"""The ledger of claims: each row is whole, is checked where it says, and stands in the summaries."""

import json
import re
from types import SimpleNamespace

import ledger
import nbformat
import pytest
import yaml
from chapters import CHAPTERS, CHECK, ROOT, prose, read, sections
from contents import name

VERDICTS = {"proved", "verified", "reproduced", "tested"}
OUTCOMES = {"holds", "holds if", "mixed", "does not hold", "not reproduced here", "open"}
ANSWERS = r"(Yes: |Yes, if |No: |No, |It depends: )"
FILE = "book/claims.yml"
ROWS = ledger.load()


def known():
    """What the chapters have: {section: ids checked in it}, ids checked anywhere, and the labels of theorems."""
    checked = {label: ids for path in CHAPTERS for label, ids in sections(read(path)).items()}
    text = "\n".join(cell.source for path in CHAPTERS for cell in read(path))
    return checked, set(re.findall(CHECK, text)), set(re.findall(r"^:label: ([\w-]+)$", text, re.M))


def repeats(command):
    """Whether a command names chapters or an experiment that exist."""
    names = re.fullmatch(r'make (test|experiments) ONLY="?([\w /-]+)"?', command)
    kinds = {"test": "book/{}.ipynb", "experiments": "experiments/{}.py"}
    return bool(names) and all((ROOT / kinds[names[1]].format(name)).is_file() for name in names[2].split())


def faults(rows, checked, anywhere, labels):
    """What is wrong with the rows, and what to do."""
    expected = {f"C{number:02}" for number in range(1, 35)} | anywhere
    ids = [row["id"] for row in rows]
    yield from (f"{FILE}: no row {missing}, which a chapter checks: add one" for missing in sorted(expected - set(ids)))
    for row in rows:
        at = f"{FILE}, {row['id']}: "
        rules = {
            "the id stands twice": ids.count(row["id"]) == 1,
            f'no chapter has check("{row["id"]}", …): write one': row["id"] in expected,
            f"verdict must be of {sorted(VERDICTS)}": set(row["verdict"].split(", ")) <= VERDICTS,
            f"outcome must be one of {sorted(OUTCOMES)}": row["outcome"] in OUTCOMES,
            "condition goes with holds if": bool(row["condition"]) == (row["outcome"] == "holds if"),
            "finding must start with Yes:, Yes, if, No: or It depends:": re.match(ANSWERS, row["finding"]),
            "a claim or finding must have no | outside a table": "|"
            not in row["claim"] + row["finding"].split("\n")[0],
            f"keys must be of {ledger.KEYS}": set(row) <= set(ledger.KEYS),
            "what was tested names data and score": "tested" not in row["verdict"] or (row["data"] and row["score"]),
            f"{row['command']} names no chapter or experiment": repeats(row["command"]),
        }
        rules |= {f"no theorem is labeled {name}": name in labels for name in row["theorems"]}
        rules |= {
            f'{name} has no check("{row["id"]}", …): write one, or name another section': row["id"] in checked[name]
            for name in row["sections"]
            if name in checked
        }
        yield from (at + what for what, kept in rules.items() if not kept)


def test_every_row_is_whole_and_checked_where_it_says():
    found = list(faults(ROWS, *known()))
    assert not found, "\n".join(found)


def test_a_row_that_is_not_whole_is_refused_by_name(tmp_path):
    file = tmp_path / "claims.yml"
    for more, fault in (
        ("", "has no verdict and no sections: add"),
        ("verdict: x, sections: y", "sections must be a"),
        ("verdict: x, sections: [sec-wieghts]", r"no notebook of _toc.yml has a section \(sec-wieghts\)="),
    ):
        file.write_text(f"- {{id: B99, claim: x, finding: x, outcome: holds, {more}}}\n", "utf-8")
        with pytest.raises(ValueError, match=f"^book/claims.yml, B99:? {fault}"):
            ledger.load(file)


@pytest.mark.parametrize("path", CHAPTERS, ids=name)
def test_summaries_are_made_from_the_ledger(path):
    for cell in read(path):
        if cell.cell_type == "markdown":
            assert cell.source.rstrip("\n") == ledger.summarized(cell.source, name(path), ROWS), (
                f"book/{name(path)}.ipynb: say make claims"
            )
    ids = set(re.findall(r"^\| \[([BC]\d\d)\]", prose(path), re.M))
    own = {row["id"] for row in ROWS if name(path) in map(ledger.homes().get, row["sections"])}
    assert ids == own, f"book/{name(path)}.ipynb: say make claims; its summary has to list {sorted(own)}"


def test_a_new_chapter_gets_its_table_below_the_heading_of_its_summary(tmp_path, monkeypatch):
    path = tmp_path / "new.ipynb"
    monkeypatch.setattr(ledger.contents, "BOOK", tmp_path)
    row = {"id": "B99", "claim": "x", "finding": "Yes: y", "verdict": "proved", "outcome": "holds"}
    monkeypatch.setattr(ledger, "homes", lambda: {"sec-new": "new"})
    for limits in ("", "## What this does not show\n\nMuch.\n\n"):
        for source in (f"{limits}## Summary", f"{limits}## Summary\n\nWhat was found.\n"):
            notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(source)])
            nbformat.write(notebook, path)
            for _ in range(2):
                ledger.summarize(path, [row | {"sections": ["sec-new"]}])
            written = nbformat.read(path, as_version=4).cells[0].source
            before, table, after = re.fullmatch(r"([^|]*)(\|.*\|\n?)([^|]*)", written, re.S).groups()
            assert before + after.lstrip() == f"{limits}## Summary\n\n{source.partition('Summary')[2].strip()}"
            assert table.rstrip() == ledger.HEAD + "| [B99](claims.md#b99) | x | Yes: y | proved: holds |"
    nbformat.write(nbformat.v4.new_notebook(), path)
    with pytest.raises(ValueError, match=r"^book/new\.ipynb checks claims: write the heading ## Summary"):
        ledger.summarize(path, [row | {"sections": ["sec-new"]}])
    ledger.summarize(path, [])  # a chapter without claims needs none


def test_a_row_can_be_cited_and_its_line_has_the_version(monkeypatch):
    row = next(row for row in ROWS if row["id"] == "C17")
    about = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert f'version = "{about["version"]}"' in (ROOT / "pyproject.toml").read_text("utf-8")
    monkeypatch.setenv("GITHUB_REPOSITORY", "Owner/the-book")
    ledger.edition.cache_clear()
    said = f"Claim C17, {about['title']}, version {about['version']}, https://owner.github.io/the-book/book/claims.html#c17"
    assert ledger.citation(row) == said
    assert re.sub("</?i>", "", ledger.card(row)).count(f"<span>{said}</span>") == 1
    ledger.edition.cache_clear()


def test_the_page():
    text = ledger.fill("<!-- index -->\n<!-- rows C -->", [next(row for row in ROWS if row["id"] == "C01")])
    assert '<p class="yes"><b>Yes</b> <a class="internal" href="#c01">C01</a></p>' in text
    chips, claim, where, prose = re.search(
        r"::::{div} claim\n(.*?)\n\n(.*?)\n\n(.*?)\n\n(.*?)\n\n", text, re.S
    ).groups()
    assert chips.split("\n")[1:] == [
        "<span>holds</span>",
        "<span>proved, verified</span>",
        "<span>paper: 1</span>",
        "</p>",
    ]
    assert (claim[:2], where[:11], prose[:4]) == ("**", "Checked in ", "Yes:")


def test_every_row_stands_once_in_the_picture_with_its_answer():
    links = re.findall(r'href="#(\w+)"', "".join(ledger.index(ROWS)))
    assert sorted(links) == sorted(row["id"].lower() for row in ROWS)


def test_numbers_are_folded_below_the_answer():
    row = ROWS[0] | {"numbers": "| a table |"}
    assert ":::{dropdown} In detail\n| a table |\n:::" in ledger.card(row)


def test_a_built_site_has_the_rows_for_programs(tmp_path):
    (tmp_path / "book").mkdir()
    app = SimpleNamespace(builder=SimpleNamespace(name="html"), outdir=tmp_path)
    ledger.write_json(app, RuntimeError("the build failed"))
    ledger.write_json(SimpleNamespace(builder=SimpleNamespace(name="linkcheck"), outdir=tmp_path), None)
    assert not list(tmp_path.glob("book/*"))
    ledger.write_json(app, None)
    rows = json.loads((tmp_path / "book/claims.json").read_text("utf-8"))
    assert [list(row) for row in rows] == [[*ledger.KEYS, "cite"]] * len(ROWS)
    assert [row["finding"] for row in rows] == [row["finding"] for row in ROWS]
