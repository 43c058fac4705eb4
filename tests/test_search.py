"""The search: what tools/search_sections.py stores of a page, and which section book/assets/search.js finds first."""

import json
import shutil

import browser
import pytest
import search_sections
from chapters import ROOT
from docutils import nodes
from sphinx.search.en import SearchEnglish

ABOUT = {
    "book/stores": (
        "In a store",
        {"Which metric": "Normalize vectors. A cosine is a dot product.", "Read back": "tables"},
    ),
    "book/noise": (
        "Who chooses",
        {"Noise": "Its noise: batches are drawn, so a cosine moves.", "Start": "random numbers"},
    ),
    "book/evidence/noise": ("Evidence: Who chooses", {"Noise": "Noise, in detail, batches."}),
    "book/page-vi": ("Dùng thế nào", {"Tương đồng": "Một số."}),
    "book/page-ja": ("使い方", {"長さ": "コサイン類似度は定まりません。", "Noise": "noise"}),
}
KEYWORDS = {"noise": "Adam, <SGD>", "stores-metric": "faiss"}


def page(title, sections):
    """A page's doctree: a title, and sections, the first of which has a label and holds code and a formula."""
    top = nodes.section("", nodes.title("", title), ids=["top"])
    for number, (heading, text) in enumerate(sections.items()):
        paragraph = nodes.paragraph("", "", nodes.Text(text), nodes.math("", "unread"))
        section = nodes.section("", nodes.title("", heading), paragraph, ids=[f"part-{number}"])
        section += nodes.literal_block("", "unread")
        top += section
    top[1]["ids"].append("stores-metric")
    return nodes.document(None, None, "", top)


def pages():
    """The sections of the pages that are searched here."""
    return {name: list(search_sections.sections(name, page(*about))) for name, about in ABOUT.items()}


def test_a_section_has_its_own_words_and_no_code():
    found = search_sections.index(pages(), KEYWORDS)
    stores = [place for place in found["sections"] if place[0] == 0]
    assert stores == [
        [0, "top", "In a store", ""],
        [0, "part-0", "Which metric", "faiss"],
        [0, "part-1", "Read back", ""],
    ]
    assert found["words"]["vector"] == [1, 1]  # in section 1, once
    assert "unread" not in found["words"]
    assert "類似" in found["words"]


def test_keywords_of_what_is_not_there_are_an_error():
    with pytest.raises(ValueError, match="no such page or label: nowhere"):
        search_sections.index(pages(), KEYWORDS | {"nowhere": "x"})


@pytest.fixture(scope="module")
def search(chromium, tmp_path_factory):
    """Type something, and get what is found, best first: page, title, place."""
    folder = tmp_path_factory.mktemp("search")
    for name in ("book.js", "search.js"):
        shutil.copy(ROOT / "book/assets" / name, folder)
    index = json.dumps(search_sections.index(pages(), KEYWORDS))
    sphinx = f"const Search = {{setIndex() {{}}}}; {SearchEnglish.js_stemmer_code}"
    scripts = (
        f'<meta charset="utf-8"><script>{sphinx}; const SECTIONS = {index};</script><script src="book.js"></script>'
    )
    (folder / "search.html").write_text(f'{scripts}<script src="search.js"></script>', "utf-8")
    browser.open_page(chromium, browser.serve(folder) + "search.html")
    call = "return Search._performSearch(arguments[0]).reverse().map((found) => found.slice(0, 3));"
    return lambda typed: chromium.execute_script(call, typed)


@pytest.mark.parametrize(
    ("typed", "page", "title", "place"),
    [
        ("which metric", "book/stores", "In a store › Which metric", "#part-0"),
        ("should I normalise?", "book/stores", "In a store › Which metric", "#part-0"),
        ("vectros", "book/stores", "In a store › Which metric", "#part-0"),
        ("inner product", "book/stores", "In a store › Which metric", "#part-0"),
        ("faiss", "book/stores", "In a store › Which metric", "#part-0"),
        ("noise of batches", "book/noise", "Who chooses › Noise", "#part-0"),
        ("adam", "book/noise", "Who chooses", ""),
        ("tuong dong", "book/page-vi", "Dùng thế nào › Tương đồng", "#part-0"),
        ("độ tương đồng", "book/page-vi", "Dùng thế nào › Tương đồng", "#part-0"),
        ("類似度", "book/page-ja", "使い方 › 長さ", "#part-0"),
    ],
)
def test_what_is_typed_finds_its_section(search, typed, page, title, place):
    assert search(typed)[0] == [page, title, place]


@pytest.mark.parametrize("typed", ["", "what is it", "zebra"])
def test_what_the_book_does_not_have_finds_nothing(search, typed):
    assert search(typed) == []


def test_a_snippet_is_sentences_with_formulas_as_text(search, chromium):
    said = r"<article><p><em>About 5 minutes.</em></p><table><td><p>As \(\tau_2 \to \infty\), \(\frac{1}{2}\|x\|^2\)"
    html = json.dumps(said + '</p></td></table><div class="cell_input"><p>code</p></div></article>')
    search("")
    assert chromium.execute_script(f"return Search.htmlToText({html}, '')") == "As τ₂ → ∞, 1/2‖x‖²"
