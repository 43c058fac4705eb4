"""The Sphinx extensions: what make book and make check-site would not notice."""

from types import SimpleNamespace

import bibliography
import page_markup
import pytest
import shared_links
from docutils import nodes
from pybtex.database import parse_string

REFERENCES = """@misc{one, author = {Bauer, F. L.}, title = {One}, year = {1960}}
@misc{two, author = {Eckart, Carl and Young, Gale}, title = {Two}, year = {1936}}
@misc{three, author = {Hu, Yifan and Koren, Yehuda and van Volinsky, Chris}, title = {Three}, year = {2008}}
@book{edited, editor = {Berry, Michael W.}, title = {Four}, publisher = {SIAM}, year = {2001}}
"""


def test_references_are_labeled_as_the_text_labels_them():
    labels = bibliography.AuthorYear().format_labels(parse_string(REFERENCES, "bibtex").entries.values())
    assert list(labels) == ["Bauer, 1960", "Eckart and Young, 1936", "Hu et al., 2008", "Berry, 2001"]


@pytest.mark.parametrize(("folded", "title"), [(["dropdown"], ["Proof", "First"]), ([], ["Proof. First"])])
def test_a_folded_proof_has_a_title_to_click_on_and_another_has_none(folded, title):
    proof = nodes.admonition("", nodes.paragraph("", "Proof. First"), ids=["proof"], classes=["proof", *folded])
    page = nodes.section("", proof)
    page_markup.finish_proofs(None, page)
    assert [child.astext() for child in proof.children] == title
    assert (proof["ids"], proof["classes"][-1]) == ([], "argument")


def test_a_cell_of_a_table_that_turns_is_named_by_its_column():
    def row(*texts):
        return nodes.row("", *[nodes.entry("", nodes.paragraph("", text)) for text in texts])

    group = nodes.tgroup("", nodes.thead("", row("claim", "found")), nodes.tbody("", row("C1", "yes"), row("C2", "")))
    page = nodes.section("", nodes.table("", group), ids=["summary"])
    page_markup.stack_tables(None, page, "page")
    assert page.next_node(nodes.table)["classes"] == ["stack"]
    assert [label.astext() for label in page.findall(nodes.inline)] == ["claim", "found", "claim"]
    assert [cell.children[0]["classes"] for cell in page.findall(nodes.entry)][2:] == [["label"]] * 3 + [[]]


def test_a_page_says_its_language():
    for name, language in {"book/what-to-do-zh": "zh-Hans", "book/what-to-do": "en"}.items():
        context = {}
        page_markup.set_language(SimpleNamespace(config=SimpleNamespace(language="en")), name, None, context, None)
        assert context == {"language": language}


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        ("対角行列（", "、行列）と", ["（D、"]),
        ("Let (", "), then", ["(D),"]),
        ("by ", "-means. Then", ["D-means."]),
        ("so ", " is", []),
    ],
)
def test_a_formula_keeps_the_marks_around_it(before, after, kept):
    text = nodes.paragraph("", "", nodes.Text(before), nodes.math("", "D"), nodes.Text(after))
    page_markup.keep_punctuation(None, nodes.section("", text), "page")
    assert text.astext() == f"{before}D{after}"
    assert [group.astext() for group in text.findall(nodes.inline)] == kept


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("0.5 ± 0.1", "0.5\u00a0±\u00a00.1"),
        ("of 1 000 000 items", "of 1\u202f000\u202f000 items"),
        ("92 % of 4 000.", "92\u00a0% of 4\u202f000."),
        ("in 2024 300 items", "in 2024 300 items"),
        ("0.5 100 times", "0.5 100 times"),
    ],
)
def test_a_number_stays_on_one_line_but_not_in_code(text, kept):
    page = nodes.section("", nodes.paragraph("", text), nodes.literal("", text))
    page_markup.keep_punctuation(None, page, "page")
    assert [part.astext() for part in page] == [kept, text]


@pytest.mark.parametrize(
    ("slug", "url"),
    [
        ("Someone/some.book", "https://someone.github.io/some.book/"),
        ("someone/someone.github.io", "https://someone.github.io/"),
    ],
)
def test_the_site_is_where_github_publishes_the_repository(monkeypatch, slug, url):
    monkeypatch.setenv("GITHUB_REPOSITORY", slug)
    assert shared_links.site_url() == url


FIRST = nodes.paragraph("", "First.")
MINUTES = nodes.paragraph("", "", nodes.emphasis("", "About 35 minutes."))
BOLD = nodes.paragraph("", "", nodes.Text(""), nodes.strong("", "The answer."), nodes.Text(""))

FORMULAS = nodes.paragraph("", "", nodes.Text("Of Eq. 1 and "), nodes.math("", "", nodes.Text("D")))
FORMULAS += [nodes.Text(". By Eq. 2 "), nodes.math("", "", nodes.Text(r"\sigma"))]


@pytest.mark.parametrize(
    ("paragraphs", "answer"),
    [
        ([MINUTES, FIRST], "First."),
        ([MINUTES, FIRST, BOLD], "The answer."),
        ([FORMULAS], "Of Eq. 1 and D."),
        ([], "Title"),
    ],
)
def test_a_page_is_described_by_its_answer(paragraphs, answer):
    page = nodes.section("", nodes.title("", "Title"), *[paragraph.deepcopy() for paragraph in paragraphs])
    assert shared_links.answer(page) == answer
    page += nodes.meta(name="description", content="Said on purpose.")
    assert shared_links.answer(page) == "Said on purpose."


def test_a_shared_link_shows_a_title_an_answer_and_a_picture_and_each_language_is_named():
    page = nodes.section("", nodes.title("", "The <sheet>"), FIRST.deepcopy(), nodes.image(uri="../_images/one.png"))
    names = ["book/sheet", "book/sheet-ja"]
    env = SimpleNamespace(titles={"book/sheet": nodes.title("", "The <sheet>")}, all_docs=names)
    config = SimpleNamespace(html_baseurl="https://someone.github.io/", html_title="The book", root_doc="book/intro")
    builder = SimpleNamespace(get_target_uri=lambda name: f"{name}.html")
    context = {"metatags": ""}
    app = SimpleNamespace(config=config, env=env, builder=builder)
    shared_links.add_tags(app, "book/sheet", "page.html", context, page)
    for line in [
        '<meta property="og:title" content="The &lt;sheet&gt;"/>',
        '<meta property="og:site_name" content="The book"/>',
        '<meta property="og:description" content="First."/>',
        '<meta name="description" content="First."/>',
        '<meta property="og:image" content="https://someone.github.io/_images/one.png"/>',
        '<link rel="alternate" hreflang="ja" href="https://someone.github.io/book/sheet-ja.html"/>',
    ]:
        assert line in context["metatags"]
    assert "<base" not in context["metatags"]  # which the page that nobody asked for by its address has alone


def test_the_front_door_is_shared_as_the_first_page(tmp_path):
    tags = ['<meta property="og:title" content="Title"/>', '<link rel="canonical" href="https://x/intro.html" />']
    (tmp_path / "intro.html").write_text("\n".join(["<title>Intro</title>", '<meta name="viewport"/>', *tags]))
    (tmp_path / "index.html").write_text("<title>Title</title>")
    config = SimpleNamespace(root_doc="intro")
    shared_links.share_front_door(
        SimpleNamespace(builder=SimpleNamespace(format="html"), outdir=tmp_path, config=config), None
    )
    assert (tmp_path / "index.html").read_text() == "\n".join([*tags, "<title>Title</title>"])
