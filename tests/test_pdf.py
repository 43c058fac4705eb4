"""The tool that prints the built book: one PDF with title page, contents, outline, page numbers and working links."""

import browser
import pdf
import pikepdf
import pypdf
import pytest

PAGE = """<!doctype html><html><head><meta charset="utf-8"><title>{title}</title>
<link rel="stylesheet" href="/book/style.css"></head><body>
<nav class="bd-links"><ul><li class="toctree-l1"><a href="/book/intro.html">The book</a></li></ul>
<p class="caption">A part</p><ul><li class="toctree-l1"><a href="/book/one.html">1. One</a>
<ul><li class="toctree-l2"><a href="/book/evidence/proofs.html">1.2. Proofs</a></li></ul></li>
<li class="toctree-l1"><a href="/book/two.html">2. Two</a></li></ul></nav>
<main><article class="bd-article"><section><h1>{title}</h1>{text}</section></article></main>
<footer class="component-author">By Somebody</footer></body></html>"""
STYLE = """@page { size: A4; margin: 20mm }
@media print { nav, footer, .unprinted, .toggle-hidden > p { display: none } }"""
TEXTS = {
    "intro": '<p>Front. <a href="one.html">first</a> <a href="two.html#c-d">not on paper</a></p>'
    '<p class="pdf" hidden><a href="../book.pdf">PDF</a></p>',
    "one": '<section id="a-b"><h2>1.1. Start<a class="headerlink" href="#a-b">#</a></h2>'
    '<p><a href="two.html#deep">deep</a> <a href="#a-b">up</a> <a href="https://example.org/">out</a> '
    '<a href="one.ipynb">file</a></p>'
    '<div class="toggle-hidden"><p>Folded proof.</p></div><details><summary>Solution</summary>Solved.</details>'
    '<details class="hide"><summary>Code</summary>secret()</details></section>',
    "two": '<section id="a-b"><h2>2.1. Same id</h2><p>Text.</p></section>'
    '<section id="c-d" class="unprinted"><h2>2.2. For the screen</h2></section>'
    '<div style="break-before: page"><p style="margin-top: 80mm" id="deep">Far down.</p></div>',
    "evidence/proofs": "<p>Evidence for one.</p>",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    (folder / "book/evidence").mkdir(parents=True)
    (folder / "book/style.css").write_text(STYLE, "utf-8")
    (folder / "index.html").write_text('<meta http-equiv="Refresh" content="0; url=book/intro.html" />', "utf-8")
    for name, text in TEXTS.items():
        title = {"intro": "The book", "one": "One", "two": "Two", "evidence/proofs": "Proofs"}[name]
        (folder / f"book/{name}.html").write_text(PAGE.format(title=title, text=text), "utf-8")
    return folder


@pytest.fixture(scope="module")
def book(site):
    if not all(browser.find_browser()):
        pytest.skip("needs Chromium or Chrome, and chromedriver")
    pdf.main(site)
    return pypdf.PdfReader(site / "book.pdf")


def page_of(book, link):
    return book.get_destination_page_number(book.named_destinations[link["/Dest"]])


def outline(book, entries):
    return [
        outline(book, entry) if isinstance(entry, list) else (entry.title, book.get_destination_page_number(entry) + 1)
        for entry in entries
    ]


def test_the_pages(book):
    texts = [page.extract_text() for page in book.pages]
    assert len(texts) == 7
    assert texts[0].split("\n")[0] == "The book"
    assert "Somebody" in texts[0]
    lines = [line for line in texts[1].split("\n") if line]
    assert lines == ["Contents", "The book 3", "A part", "1. One 4", "2. Two 5", "Evidence", "1.2. Proofs 7"]
    feet = [text.split("\n")[0] for text in texts[2:]]  # drawn first: the number at the right, the chapter at the left
    assert feet == ["3The book", "41. One", "52. Two", "62. Two", "71.2. Proofs"]


def test_what_is_folded_is_printed_but_code(book):
    text = book.pages[3].extract_text()
    assert [said in text for said in ("Folded proof.", "Solved.", "secret")] == [True, True, False]


def test_the_outline_and_what_else_it_holds(book, site):
    assert outline(book, book.outline) == [
        *(("The book", 3), ("A part", 4)),
        [("1. One", 4), [("1.1. Start", 4)], ("2. Two", 5), [("2.1. Same id", 5)]],
        ("Evidence", 7),
        [("1.2. Proofs", 7)],
    ]
    assert dict(book.metadata) == {"/Title": "The book", "/Author": "Somebody"}  # and no date
    assert '<p class="pdf"><a href="../book.pdf">PDF</a></p>' in (site / "book/intro.html").read_text("utf-8")


def test_links_lead_to_pages(book):
    (contents, front, one) = ([link.get_object() for link in book.pages[i]["/Annots"]] for i in (1, 2, 3))
    assert [page_of(book, link) for link in contents] == [2, 3, 4, 6]
    assert [page_of(book, link) for link in front] == [3, 4]
    deep, up, out = one  # the file, which is not printed, is no link
    assert [page_of(book, deep), page_of(book, up), out["/A"]["/URI"]] == [5, 3, "https://example.org/"]
    assert 400 < book.named_destinations[deep["/Dest"]].top < 620  # 100 mm below the top edge of 842 points


def test_no_book_is_said_plainly(tmp_path):
    with pytest.raises(SystemExit, match="No built book in"):
        pdf.main(tmp_path)


def test_a_book_that_is_large_or_has_no_link_is_a_fault(tmp_path, monkeypatch):
    book, page = pikepdf.new(), tmp_path / "page.html"
    page.write_text("<p>No link.</p>", "utf-8")
    with pytest.raises(SystemExit, match="no page has a link to it"):
        pdf.save(book, tmp_path)
    page.write_text(pdf.HIDDEN, "utf-8")
    pdf.save(book, tmp_path)
    assert [path.name for path in tmp_path.iterdir() if path.suffix != ".pdf"] == ["page.html"]
    monkeypatch.setattr(pdf, "MOST_BYTES", 100)
    with pytest.raises(SystemExit, match=r"book.pdf has \d+ bytes, more than 100"):
        pdf.save(book, tmp_path)
