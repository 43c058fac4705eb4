"""The tool that reads the built book in a browser: it finds one fault of each kind, and none where there is none."""

import random
import shutil
from base64 import b64encode
from types import SimpleNamespace

import browser
import check_site
import pytest
from chapters import ROOT
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

PICTURE = "data:image/gif;base64,R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs="
PAGE = """<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8"><title>A page</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">
<link rel="stylesheet" href="book.css"></head>
<body style="background: #fff; color: #000; margin: 0"><main class="bd-content"><article class="bd-article">
<h1>A page</h1>{}</article></main><script src="book.js"></script></body></html>"""
FIGURE = f'<figure><div class="cell_output"><img src="{PICTURE}" alt="A dot." width="50"></div></figure>'
SLIDER = """<div data-play="x"><label>α <input type="range" min="0" max="9" style="margin: 9px"></label>
<svg width="9" height="9"></svg><p>0</p><script>
const slider = document.querySelector("input"), show = (part) => document.querySelector(part).append(slider.value);
slider.addEventListener("input", () => (show("svg"), show("div > p")));
</script></div>"""
TABLE = """<table class="stack"><thead><tr><th>first</th><th>last</th></tr></thead>
<tbody><tr><td><span class="label">first</span>a</td><td><span class="label">last</span>b</td></tr></tbody></table>"""
CODE = '<div class="cell"><div class="highlight"><pre style="overflow: auto" tabindex="0">{}</pre></div></div>'
HEALTHY = f"""<p>Words.</p>{FIGURE}{SLIDER}{TABLE}{CODE.format("x" * 79)}
<a href="healthy.html#place" id="place">A link</a><details>{CODE.format("x" * 400)}</details>"""
FOLD = '<section><section id="more"><h2>More</h2><div class="not-printed">Words.</div></section></section>'
FAULTS = {
    "formula in error: $": "<mjx-merror>$</mjx-merror>",
    "formula not rendered: x": '<span class="math">x</span>',
    "formula with unknown TeX: \\foo": "<mjx-container><mjx-assistive-mml>\\foo</mjx-assistive-mml></mjx-container>",
    "formula that is a tab stop: x": '<mjx-container tabindex="0">x</mjx-container>',
    "raw TeX or MyST: See {prf:ref}": "<p>See {prf:ref}</p>",
    "connection to another machine: <link": '<link rel="preconnect" href="https://example.org">',
    "image without alt text: <img": f'<img src="{PICTURE}" alt="">',
    "image not loaded: <img": '<img src="data:," alt="A dot.">',
    "figure that does not open large: <img": FIGURE + "<script>addEventListener('load', () => "
    "document.querySelector('a').replaceWith(document.querySelector('img')))</script>",
    "figure without its sliders: <div": '<div data-play="x"></div>',
    "list of chapters before the page": '<p class="bd-sidebar-primary">a</p>' * 2 + '<p class="bd-main">Words.</p>',
    "page of 50": '<div style="width: 500px">wide</div>',
    "cut off on a phone: wide": '<div style="overflow: hidden; white-space: nowrap">' + "wide " * 100 + "</div>",
    "formula that scrolls without a shadow: xxx": f'<div class="math"><mjx-container display="true">{"x" * 99}'
    "</mjx-container></div><style>.math * { background: none !important; display: block }</style>",
    "cell of a stacked table off the screen: firsta": '<div style="overflow: auto" tabindex="0">'
    f'<div style="width: 900px">{TABLE}</div></div>',
    "cell of a stacked table without its column's name: firsta": TABLE.replace("stack", "stack late")
    + "<style>.late .label { display: none !important }</style>",
    "scrolls sideways at a desk: xxx": CODE.format("x" * 400),
    "figure with other colors in dark mode: <img": f'<img src="{PICTURE}" alt="A dot." style="filter: invert(1)">',
    "light: Elements must have sufficient color contrast": '<p class="pale">pale</p><style>'
    "html[data-theme=light] .pale { color: #ddd }</style>",
    "dark: Elements must have sufficient color contrast": '<p class="pale">pale</p><style>'
    "html[data-theme=dark] .pale { color: #ddd }</style>",
    "light: id attribute value must be unique": '<b id="a"></b><b id="a"></b>',
    "slider without a label": SLIDER.replace("α", ""),
    "slider that does not change its picture: α": SLIDER.replace('show("svg"), ', ""),
    "slider that does not change its text: α": SLIDER.replace(', show("div > p")', ""),
    "slider whose focus is not seen: α": SLIDER.replace("margin: 9px", "outline: none !important"),
    "printed on 2 sheets, not one": '<p>Words.</p><p style="break-before: page">Words.</p>',
    "not printed, and not folded: Words.": FOLD + "<script>addEventListener('load', () => "
    "document.querySelector('section section').append(document.querySelector('.not-printed')))</script>",
    "fold that a link to it does not open: More": FOLD + "<script>addEventListener('toggle', ({ target }) => "
    "(target.open = false), true)</script>",
    "1.2": f"<!--{b64encode(random.Random(0).randbytes(1_200_000)).decode()}-->",  # MB before one scrolls
    "error on the console: ": "<script>nonsense()</script>",
    "request leaves the machine: http://example.org/": "<script>fetch('http://example.org/')</script>",
}
SHEET = "printed", "not printed", "fold"  # on the pages of one sheet
TWICE = "light", "cell", "slider", "error", "request"  # in dark mode, too, or with consequences
BY_COLOR = "light", "dark", "figure with other"  # are looked for where a kind of part is new


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    for name in ("book.js", "book.css"):
        shutil.copy(ROOT / "book/assets" / name, folder)
    (folder / "healthy.html").write_text(PAGE.format(HEALTHY), "utf-8")
    return folder, browser.serve(folder)


@pytest.fixture(scope="module")
def healthy(chromium, site):
    return check_site.read_page(chromium, site[1], "healthy.html")


def test_a_healthy_page_has_no_fault(healthy, site):
    folder, home = site
    assert healthy["faults"] == []
    assert check_site.link_faults(folder, home, {"healthy.html": healthy}, healthy["links"]) == []


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_found(chromium, site, healthy, fault):
    folder, home = site
    known = () if fault.startswith(BY_COLOR) else healthy["kinds"]
    page = f"{'what-to-do' if fault.startswith(SHEET) else 'faulty'}-{list(FAULTS).index(fault)}.html"
    (folder / page).write_text(PAGE.format(FAULTS[fault]), "utf-8")
    faults = check_site.read_page(chromium, home, page, known)["faults"]
    assert [text for text in faults if text.startswith(fault)], faults
    assert len(faults) == 1 or fault.startswith(TWICE)


def test_a_page_of_known_kinds_is_not_read_by_axe(chromium, site):
    folder, home = site
    (folder / "known.html").write_text(PAGE.format('<p style="color: #eee">pale</p>'), "utf-8")
    assert check_site.read_page(chromium, home, "known.html")["faults"]
    assert check_site.read_page(chromium, home, "known.html", ["h1", "figure"])["faults"] == []


def test_a_figure_opens_by_keyboard_and_esc_leads_back(chromium, site):
    _, home = site
    browser.open_page(chromium, home + "healthy.html")
    link = chromium.find_element(By.CSS_SELECTOR, "a.enlarge")
    link.send_keys(Keys.ENTER)
    picture = check_site.visible(chromium, "dialog.viewer img")
    assert picture.get_attribute("alt") == "A dot."
    assert picture.size["width"] >= 700  # so that 9 points of a figure of 7 inches are 12 pixels or more
    chromium.switch_to.active_element.send_keys(Keys.ESCAPE)
    assert not check_site.visible(chromium, "dialog.viewer")
    assert chromium.switch_to.active_element == link


def test_a_theorem_is_shown_where_a_link_to_it_is_reached(chromium, site):
    folder, home = site
    theorem = '<div class="proof admonition" id="thm-one">Every D is as good.</div>'
    (folder / "theorem.html").write_text(PAGE.format(theorem), "utf-8")
    link = '<a class="internal" href="theorem.html#thm-one">Theorem 1</a>'
    (folder / "link.html").write_text(PAGE.format(link), "utf-8")
    browser.open_page(chromium, home + "link.html")
    chromium.switch_to.active_element.send_keys(Keys.TAB)
    shown = browser.wait(chromium).until(lambda _: check_site.visible(chromium, ".preview"))
    assert shown.text == "Every D is as good."
    chromium.switch_to.active_element.send_keys(Keys.ESCAPE)
    assert not shown.is_displayed()


def test_what_is_found_between_pages(chromium, site, capsys):
    """Links that lead nowhere, a search without a box, and the sum of all faults."""
    folder, home = site
    found = {"healthy.html": {"ids": ["place"]}}
    links = ["https://example.org/x", home + "none.html", home + "healthy.html#other", home + "healthy.html#place"]
    faults = check_site.link_faults(folder, home, found, links)
    assert faults == ["broken anchor: healthy.html#other", "broken link: none.html"]
    (folder / "index.html").write_text(PAGE.format(""), "utf-8")
    (fault,) = check_site.search_faults(chromium, home, "healthy.html", "words", seconds=1)
    assert fault == "search: for “words”, a word of healthy.html: there is no search box"
    assert check_site.report({"a.html": {"faults": ["raw", "cut"]}}, [fault]) == 3
    assert f"a.html: cut\n{fault}\n1 pages and the search read: 3 faults\n" in capsys.readouterr().out


@pytest.mark.parametrize(("weight", "soon"), [(1_000, True), (600_000, False)])
def test_a_slider_has_to_answer_soon_through_a_slow_line(chromium, tmp_path, weight, soon):
    parts = SLIDER.partition("<script>")
    script = parts[2].removesuffix("</script></div>") + "//" + random.Random(0).randbytes(weight // 2).hex()
    (tmp_path / "move.js").write_text(script)
    (tmp_path / "page.html").write_text(PAGE.format(parts[0] + '</div><script defer src="move.js"></script>'))
    for name in ("book.js", "book.css"):
        shutil.copy(ROOT / "book/assets" / name, tmp_path)
    faults = check_site.wait_faults(chromium, browser.serve(tmp_path) + "page.html")
    assert (faults == []) == soon


def test_the_page_that_answers_has_to_be_among_the_first_two(chromium, tmp_path, monkeypatch):
    results = "".join(f'<li><a href="book/{page}.html">{page}</a></li>' for page in "abc")
    page = f'<p class="search-summary">found 3 pages</p><ul id="search-results">{results}</ul>'
    (tmp_path / "search.html").write_text(page, "utf-8")
    pages = [f"book/{page}.html" for page in "abc"]
    monkeypatch.setattr(check_site, "ASKED", {"one": pages[1], "two": pages[2], "three": "book/not-built.html"})
    faults = check_site.order_faults(chromium, browser.serve(tmp_path), pages, seconds=1)
    assert faults == ["search: for “two”, book/c.html is not among the first two"]


@pytest.mark.parametrize(
    ("page", "sheets", "said"),
    [
        ("what-to-do.html", 1, []),
        ("what-to-do.html", 2, ["printed on 2 sheets, not one"]),
        ("what-to-do-ja.html", 2, []),
        ("what-to-do-ja.html", 3, ["printed on 3 sheets, not two"]),
        ("rescaling.html", 9, []),
    ],
)
def test_a_page_for_a_wall_is_one_sheet_and_a_translated_one_has_a_second(page, sheets, said, monkeypatch):
    monkeypatch.setattr(check_site, "print_page", lambda _: SimpleNamespace(pages=range(sheets)))
    assert check_site.sheet_faults(None, page) == said
