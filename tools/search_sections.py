"""Sphinx extension: what the search looks in, book/assets/search.js: the words of every section, without its code.

Sphinx's own index knows which page has a word, not in which section, nor how often, and takes a line of Chinese or of
Japanese for one word. Here such a line is every two characters that stand side by side. book/keywords.yml says what
else people call what a page or a section is about.
"""

import functools
import json
import pathlib
import re
import unicodedata
from collections import Counter

import yaml
from docutils import nodes
from sphinx.search.en import SearchEnglish

WORD = re.compile(r"[^\W_]+")
CHINESE = re.compile(r"[\u3005-\u30ff\u3400-\u9fff]+")  # and Japanese
KEYWORDS = "book/keywords.yml"
ENGLISH = SearchEnglish({})
stem = functools.cache(ENGLISH.stem)
NOT_READ = nodes.literal_block, nodes.math, nodes.math_block, nodes.raw, nodes.comment, nodes.title


def plain(text):
    """A text in small letters without their marks, as many type Vietnamese and names."""
    apart = unicodedata.normalize("NFD", text.lower().replace("đ", "d"))
    return unicodedata.normalize("NFC", re.sub("[\u0300-\u036f]", "", apart))


def words(text):
    """The words of a text as the search compares them; search.js does the same to what is typed."""
    typed = WORD.findall(CHINESE.sub(" ", plain(text)))
    found = [stem(word) for word in typed if word not in ENGLISH.stopwords]
    return [word for word in found if word] + [
        line[i : i + 2] for line in CHINESE.findall(text) for i in range(max(1, len(line) - 1))
    ]


def is_section(node):
    """Whether a node is what a heading of the page begins; theorems and exercises have sections inside them."""
    ids = node["ids"] if isinstance(node, nodes.section) else []
    return bool(ids) and not ids[0].endswith("-content")


def prose(node):
    """The texts of a section that stand in none of the sections in it, and are neither code nor formulas."""
    for child in node.children:
        if isinstance(child, nodes.Text):
            yield str(child)
        elif not isinstance(child, NOT_READ) and not is_section(child):
            yield from prose(child)


def sections(page, doctree):
    """Of each section of a page its place, its heading, its text, and the names that keywords may be given for."""
    for section in filter(is_section, doctree.findall(nodes.section)):
        heading = section.next_node(nodes.title).astext()
        labels = section["ids"] if isinstance(section.parent, nodes.section) else [page.removeprefix("book/")]
        yield section["ids"][0], heading, " ".join(prose(section)), labels


def index(pages, keywords):
    """Pages, their sections with keywords, and of each word in which sections it is, and how often."""
    places, found, unused = [], {}, dict(keywords)
    for number, page in enumerate(pages):
        for place, heading, text, labels in pages[page]:
            for word, count in Counter(words(text)).items():
                found.setdefault(word, []).extend([len(places), count])
            places.append([number, place, heading, "".join(unused.pop(label, "") for label in labels)])
    if unused:
        raise ValueError(f"{KEYWORDS}: no such page or label: {', '.join(unused)}")
    return {"pages": list(pages), "sections": places, "words": found}


def read(app, doctree, page):
    """Keep the sections of a page that is about to be written: now it has the names of what it links to and cites."""
    app.builder.sections = getattr(app.builder, "sections", {}) | {page: list(sections(page, doctree))}


def write(app, problem):
    """Write the index where the page of the search reads it."""
    if problem or app.builder.format != "html":
        return
    kept = {
        page: list(sections(page, app.env.get_doctree(page))) for page in app.env.found_docs - set(app.builder.sections)
    }
    keywords = yaml.safe_load((pathlib.Path(app.srcdir) / KEYWORDS).read_text("utf-8"))
    pages = dict(sorted((kept | app.builder.sections).items()))
    held = json.dumps(index(pages, keywords), ensure_ascii=False, separators=(",", ":"))
    (app.outdir / "_static/search-sections.js").write_text(f"const SECTIONS = {held};\n", "utf-8")


def load(app, name, template, context, doctree):
    """Have the page of the search load the index, and what reads it."""
    if name == "search":
        app.add_js_file("search-sections.js", loading_method="defer")
        app.add_js_file("search.js", loading_method="defer")


def leave_out(app):
    """Have Sphinx make no index of its own, which no page reads; they do read its stemmer."""
    app.builder.index_page = app.builder.dump_search_index = lambda *_: None


def setup(app):
    """Sphinx calls this to load the extension."""
    app.connect("builder-inited", leave_out)
    app.connect("html-page-context", load)
    app.connect("doctree-resolved", read)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True}
