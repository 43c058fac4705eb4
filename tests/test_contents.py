"""The table of contents: which notebooks it lists, how they are named, which pages are next to each other."""

from types import SimpleNamespace

import contents
import page_markup
import pytest

TOC = """
root: book/intro
parts:
  - chapters:
      - file: book/one
        sections: [{file: book/evidence/one}]
      - file: book/two
"""


def test_notebooks_come_in_the_order_of_the_table_and_evidence_after_its_chapter(tmp_path):
    (tmp_path / "_toc.yml").write_text(TOC, "utf-8")
    (tmp_path / "book/evidence").mkdir(parents=True)
    for file in ("intro.md", "two.ipynb", "evidence/one.ipynb", "one.ipynb", "draft.ipynb"):
        (tmp_path / "book" / file).touch()
    found = [path.relative_to(tmp_path / "book").as_posix() for path in contents.notebooks(tmp_path / "_toc.yml")]
    assert found == ["one.ipynb", "evidence/one.ipynb", "two.ipynb"]


def test_a_chapter_and_its_evidence_have_two_names(monkeypatch):
    assert contents.name(contents.BOOK / "one.ipynb") == "one"
    assert contents.name(contents.BOOK / "evidence/one.ipynb") == "evidence/one"
    monkeypatch.chdir(contents.ROOT)
    assert contents.name("book/evidence/one.ipynb") == "evidence/one"


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("book/one", "intro", "two"),
        ("book/one-ja", "one", "two"),
        ("book/evidence/one", "one", "two"),
        ("book/two", "one", None),  # only its evidence follows
        ("book/evidence/two", "two", None),
    ],
)
def test_next_and_previous_pass_over_evidence_and_translations(name, before, after):
    pages = [None, "book/intro", "book/one", "book/one-ja", "book/evidence/one", "book/two", "book/evidence/two", None]
    beside = {page: (None, pages[i - 1], pages[i + 1]) for i, page in enumerate(pages) if page}
    builder = SimpleNamespace(
        relations=beside, render_partial=lambda title: {"title": title}, get_relative_uri=lambda page, to: f"{to}.html"
    )
    app = SimpleNamespace(builder=builder, env=SimpleNamespace(titles={page: page for page in pages}))
    _, last, following = beside[name]
    context = {side: page and {"link": f"{page}.html"} for side, page in (("prev", last), ("next", following))}
    page_markup.pass_over_asides(app, name, None, context, None)
    assert context["prev"]["link"] == f"book/{before}.html"
    assert (context["next"] or {}).get("link") == (after and f"book/{after}.html")
