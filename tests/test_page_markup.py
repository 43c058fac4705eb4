"""The Sphinx extensions: what make book and make check-site would not notice."""

from types import SimpleNamespace

import bibliography
import page_markup
import pytest
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


def test_a_page_says_its_language():
    for name, language in {"book/what-to-do-zh": "zh-Hans", "book/what-to-do": "en"}.items():
        context = {}
        page_markup.set_language(SimpleNamespace(config=SimpleNamespace(language="en")), name, None, context, None)
        assert context == {"language": language}
