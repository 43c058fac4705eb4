"""Sphinx extension: what the directives leave undone.

A proof can be folded, and one page can hold several. A page whose name ends with a language is in it. A raw
``<span id="c17"></span>``, such as a row of the ledger has, is a place that other pages may link to, as
``[C17](claims.md#c17)``. On a phone a table can be a card for each row. Next and Previous pass over evidence and
translations, to which their chapter leads.
"""

import re

from docutils import nodes

THOUSANDS = re.compile(r"(?<![\w.,–-])\d{1,3}(?: \d{3})+(?!\w)")  # written with spaces, 20 000
LANGUAGES = {"ja": "ja", "zh": "zh-Hans", "vi": "vi"}


def finish_proofs(app, doctree):
    """Take away the id that all proofs share, and give one that is folded a title to click on."""
    for proof in doctree.findall(nodes.admonition):
        if proof["ids"] == ["proof"]:
            proof["ids"], folded = [], "dropdown" in proof["classes"]
            proof["classes"].append("argument")
            start = next(proof.findall(nodes.Text))
            if folded:
                start.parent.replace(start, nodes.Text(start.removeprefix("Proof. ")))
                proof.insert(0, nodes.title("", "Proof"))


def forget_shared_ids(app, doctree, name):
    """Take away the id that the insides of all theorems, or of all exercises, of a page share."""
    for inside in doctree.findall(nodes.section):
        if inside["ids"] in (["proof-content"], ["exercise-content"], ["solution-content"]):
            inside["ids"] = []


def find_anchors(app, doctree):
    """Tell MyST which ids the raw HTML of a page has: it knows those of headings."""
    known = app.env.metadata[app.env.docname].setdefault("myst_slugs", {})
    for raw in doctree.findall(nodes.raw):
        for name in re.findall(r'<span id="([\w-]+)">', raw.astext()):
            known[name] = (raw.line, name, name)


def keep_punctuation(app, doctree, name):
    """Keep formulas on one line with the marks around them, and so the parts of a number."""
    for math in list(doctree.findall(nodes.math)):
        parent, place = math.parent, math.parent.index(math)
        around = [None, *parent, None][place : place + 3 : 2]
        before, after = (piece if isinstance(piece, nodes.Text) else nodes.Text("") for piece in around)
        opening = re.search(r"[(（「“\[]*$", before)[0]
        closing = re.match(r"(?:[-–’][A-Za-z]+)?[、。，；：？）」”’),.;:?!\]]*", after)[0]
        if opening:
            parent[place - 1] = nodes.Text(before.removesuffix(opening))
        if closing:
            parent[place + 1] = nodes.Text(after.removeprefix(closing))
        if opening or closing:
            together = nodes.inline("", opening, classes=["together"])
            parent[place] = together
            together += [math, nodes.Text(closing)]
    for text in list(doctree.findall(nodes.Text)):
        code = isinstance(text.parent, (nodes.literal, nodes.literal_block, nodes.raw, nodes.math, nodes.math_block))
        if not code and (number := keep_number(text)) != text:
            text.parent.replace(text, nodes.Text(number))


def keep_number(text):
    """A text whose numbers do not break: thousands stand apart by narrow spaces, ± and % stay with what they are of."""
    text = THOUSANDS.sub(lambda number: number[0].replace(" ", "\u202f"), text)
    return re.sub(r"(?<=\d) %", "\u00a0%", text.replace(" ± ", "\u00a0±\u00a0"))


def stack_tables(app, doctree, name):
    """Name each cell of a table of the class "stack", and of summaries, by its column, as book.css shows on a phone."""
    for table in doctree.findall(nodes.table):
        if "summary" in table.parent["ids"]:
            table["classes"].append("stack")
        if "stack" in table["classes"]:
            headings = list(table.next_node(nodes.thead).findall(nodes.entry))
            for row in table.next_node(nodes.tbody):
                for heading, cell in zip(headings, row, strict=True):
                    if cell.astext().strip():
                        said = [part.deepcopy() for paragraph in heading for part in paragraph]
                        cell.insert(0, nodes.inline("", "", *said, classes=["label"]))


def set_language(app, name, template, context, doctree):
    """Say in which language a page such as what-to-do-ja is: to readers' voices, hyphenation, choice of fonts."""
    context["language"] = LANGUAGES.get(name.rpartition("-")[2], app.config.language)


def is_aside(page):
    """Whether a page is evidence or a translation."""
    return page.startswith("book/evidence/") or page.rpartition("-")[2] in LANGUAGES


def pass_over_asides(app, name, template, context, doctree):
    """Have a page's links to the previous and to the next page lead to a chapter, or nowhere if none follows."""
    for side, place in {"prev": 1, "next": 2}.items():
        beyond = beside = app.builder.relations[name][place] if context.get(side) else None
        while beyond and is_aside(beyond):
            beyond = app.builder.relations[beyond][place]
        if beyond != beside:
            title = beyond and app.builder.render_partial(app.env.titles[beyond])["title"]
            context[side] = beyond and {"link": app.builder.get_relative_uri(name, beyond), "title": title}


def setup(app):
    """Sphinx calls this to load the extension."""
    app.connect("doctree-read", finish_proofs)
    app.connect("doctree-read", find_anchors)
    app.connect("doctree-resolved", forget_shared_ids)
    app.connect("doctree-resolved", keep_punctuation)
    app.connect("doctree-resolved", stack_tables, priority=600)  # after search_sections, which reads a heading once
    app.connect("html-page-context", set_language)
    app.connect("html-page-context", pass_over_asides)
    return {"parallel_read_safe": True}
