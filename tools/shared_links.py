"""Sphinx extension: what others show of a page: its answer and a picture under a shared link, its address in a search.

Addresses are known where the book's repository is, whose pages GitHub publishes; elsewhere they are left out.
"""

import re
from html import escape
from urllib.parse import urljoin

from docutils import nodes
from page_markup import LANGUAGES
from repository import repository_url

PICTURE = "_static/two-answers.png"  # of a page that has none
SHARED = re.compile(r'<(?:meta (?:property|name)="(?:og|twitter|description)|link rel="canonical")[^>]*>')
TEX = re.compile(r"[\\^_]")  # a formula without it, such as D, is itself
SENTENCE = re.compile(r"(?<!\bEq)[.?!] ")  # its end
NOT_FOUND = """<h1>No such page</h1>
<p>It may have another name now. Search for it, or begin with <a href="book/intro.html">the first page</a>.</p>
<form action="search.html"><input type="search" name="q" aria-label="Search this book"/> <button>Search</button></form>
"""


def site_url():
    """Where GitHub publishes the repository's pages, None without a repository."""
    if not (url := repository_url()):
        return None
    owner, name = url.split("/")[-2:]
    host = f"{owner.lower()}.github.io"
    return f"https://{host}/" if name.lower() == host else f"https://{host}/{name}/"


def set_address(app, config):
    """Tell Sphinx where the site will be, for its canonical links."""
    config.html_baseurl = site_url() or ""


def is_only(paragraph, kind):
    """Whether all that a paragraph says is in one piece of this kind."""
    said = [child for child in paragraph if child.astext().strip()]
    return len(said) == 1 and isinstance(said[0], kind)


def before_formulas(paragraph):
    """What a paragraph says before its first sentence with a formula, of which a preview would show the TeX."""
    said = ""
    for part in paragraph.findall(nodes.Text):
        if isinstance(part.parent, nodes.math) and TEX.search(part):
            ends = [end.end() for end in SENTENCE.finditer(said)]
            return said[: ends[-1]].strip() if ends else ""
        said += part.replace("\n", " ")
    return said.strip()


def answer(doctree):
    """What a page says in a sentence: its description, else its paragraph in bold, its first one, or its title."""
    if described := [meta["content"] for meta in doctree.findall(nodes.meta) if meta.get("name") == "description"]:
        return described[0]
    paragraphs = [found for found in doctree.findall(nodes.paragraph) if isinstance(found.parent, nodes.section)]
    bold = [found for found in paragraphs if is_only(found, nodes.strong)]
    plain = [found for found in paragraphs if not is_only(found, nodes.emphasis)]  # such as the minutes it takes
    said = [before_formulas(found) for found in bold or plain]
    return next(filter(None, said), doctree.next_node(nodes.title).astext())


def translations(name, names):
    """The page in each language, if it is in more than one: its language, its name."""
    start, _, end = name.rpartition("-")
    page = start if end in LANGUAGES else name
    found = {language: f"{page}-{end}" for end, language in LANGUAGES.items() if f"{page}-{end}" in names}
    return {"en": page} | found if found else {}


def nothing_found(app):
    """The page that GitHub shows, at any address, where there is none: a search, and the way to the first page."""
    yield "404", {"title": "No such page", "body": NOT_FOUND}, "page.html"


def add_tags(app, name, template, context, doctree):
    """Write the page's tags for link previews and searches into its head."""
    if name == "404" and app.config.html_baseurl:
        context["metatags"] = f'<base href="{app.config.html_baseurl}"/>'
    if doctree is None:
        return
    if name == app.config.root_doc:
        context["docstitle"] = None  # which is the page's own, and need not be said twice
    pictures = [image["uri"] for image in doctree.findall(nodes.image) if image["uri"].endswith(".png")]
    title, said = app.env.titles[name].astext(), answer(doctree)
    tags = {"og:type": "article", "og:site_name": app.config.html_title, "og:title": title, "og:description": said}
    lines = ['<meta name="twitter:card" content="summary_large_image"/>']
    if 'name="description"' not in context["metatags"]:
        lines.append(f'<meta name="description" content="{escape(said)}"/>')
    if base := app.config.html_baseurl:
        address = {page: urljoin(base, app.builder.get_target_uri(page)) for page in app.env.all_docs}
        picture = urljoin(address[name], pictures[0]) if pictures else base + PICTURE
        tags |= {"og:url": address[name], "og:image": picture}
        for language, page in translations(name, app.env.all_docs).items():
            lines.append(f'<link rel="alternate" hreflang="{language}" href="{address[page]}"/>')
    lines += [f'<meta property="{tag}" content="{escape(content)}"/>' for tag, content in tags.items()]
    context["metatags"] += "\n" + "\n".join(lines)


def share_front_door(app, problem):
    """Give the front door, which sends one on to the first page, what that page's links show when they are shared."""
    front = app.outdir / "index.html"
    if problem or app.builder.format != "html" or not front.is_file():
        return
    tags = SHARED.findall((app.outdir / f"{app.config.root_doc}.html").read_text("utf-8"))
    front.write_text(front.read_text("utf-8").replace("<title>", "\n".join([*tags, "<title>"])), "utf-8")


def list_pages(app, problem):
    """Write the list of pages that search engines read, and say where it is."""
    if problem or app.builder.format != "html" or not (base := app.config.html_baseurl):
        return
    pages = "".join(f"<url><loc>{urljoin(base, app.builder.get_target_uri(p))}</loc></url>" for p in app.env.all_docs)
    sitemap = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{pages}</urlset>'
    (app.outdir / "sitemap.xml").write_text(f'<?xml version="1.0" encoding="utf-8"?>{sitemap}', "utf-8")
    (app.outdir / "robots.txt").write_text(f"User-agent: *\nSitemap: {urljoin(base, 'sitemap.xml')}\n", "utf-8")


def setup(app):
    """Sphinx calls this to load the extension."""
    app.connect("config-inited", set_address)
    app.connect("html-collect-pages", nothing_found)
    app.connect("html-page-context", add_tags)
    app.connect("build-finished", share_front_door)
    app.connect("build-finished", list_pages)
    return {"parallel_read_safe": True}
