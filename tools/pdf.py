"""Print the whole built book as one PDF, book.pdf beside its front door, and show the links to it.

Usage: python tools/pdf.py [folder], by default _build/html. Needs Chromium or Chrome, and chromedriver.
"""

import html
import io
import pathlib
import re
import sys
import zlib
from urllib.parse import quote, unquote, urldefrag

import numpy as np
import pikepdf
from browser import find_pages, open_page, print_page, serve, start_browser
from fontTools.ttLib import TTFont
from pypdf import PdfWriter
from pypdf.generic import (
    ArrayObject,
    ByteStringObject,
    DictionaryObject,
    FloatObject,
    NameObject,
    NullObject,
    NumberObject,
    TextStringObject,
)

NAME = "book.pdf"
HIDDEN = '<p class="pdf" hidden>'
SUBTITLE = "An executable companion to <em>Is Cosine-Similarity of Embeddings Really About Similarity?</em>"

# The parts and chapters, as the sidebar lists them: [part or null, title, path]. Evidence, which it lists below its
# chapter, is an appendix.
CONTENTS = """
let part = null;
const find = (selector) => [...document.querySelectorAll(`nav.bd-links ${selector}`)];
const line = (part, link) => [part, link.textContent.trim(), link.pathname.slice(1)];
const chapters = find(":is(p.caption, li.toctree-l1 > a)").flatMap((entry) => {
  if (entry.matches("a")) return [line(part, entry)];
  part = entry.textContent.trim();
  return [];
});
return [...chapters, ...find("li.toctree-l2 > a").map((link) => line("Evidence", link))];
"""
# Open what is folded but code, take away links to pictures, have the browser note where every id is printed, which it
# does for what the page links to, and return the sections.
PREPARE = """
document.documentElement.dataset.theme = "light";
document.querySelectorAll(".toggle-hidden").forEach((folded) => folded.classList.remove("toggle-hidden"));
document.querySelectorAll("details:not(.hide)").forEach((details) => (details.open = true));
document.querySelectorAll("a.enlarge").forEach((link) => link.removeAttribute("href"));
const notes = document.body.appendChild(document.createElement("div"));
notes.hidden = true;
for (const place of document.querySelectorAll(".bd-article [id]"))
  notes.appendChild(document.createElement("a")).href = "#" + encodeURIComponent(place.id);
return [...document.querySelectorAll(".bd-article section > h2")].map((heading) => {
  const text = heading.cloneNode(true);
  text.querySelectorAll(".headerlink, mjx-assistive-mml").forEach((extra) => extra.remove());
  return [text.textContent.trim(), heading.parentElement.id];
});
"""
SHEETS = """<!doctype html><meta charset="utf-8"><style>
@page { margin: 0; size: A4 }
body { font: 8pt sans-serif; margin: 0 }
div { align-items: end; box-sizing: border-box; break-after: page; display: flex; height: 296.9mm;
  justify-content: space-between; padding: 8mm 18mm }
</style>"""
FRONT = """<!doctype html><meta charset="utf-8"><style>
@page { margin: 25mm 18mm; size: A4 }
body { font: 11pt sans-serif }
h1 { font-size: 28pt; margin: 30mm 0 8mm }
section { break-before: page }
a { align-items: end; color: inherit; display: flex; line-height: 1.6; text-decoration: none }
a::before { border-bottom: 1px dotted; content: ""; flex: 1; margin: 0 2mm 1.5mm; order: 1 }
a span + span { order: 2 }
h2 { font-size: 12pt; margin: 4mm 0 1mm }
</style>"""


def print_text(browser, text):
    """A document of HTML as a PDF."""
    browser.get("data:text/html;charset=utf-8," + quote(text))
    return print_page(browser)


def front_matter(browser, home, cover, chapters, numbers):
    """The title page and the contents, given the page number of each chapter."""
    lines, last = [], None
    for (part, name, path), number in zip(chapters, numbers, strict=True):
        if part != last:
            lines.append(f"<h2>{html.escape(part)}</h2>")
        lines.append(f'<a href="{home}{path}"><span>{html.escape(name)}</span><span>{number}</span></a>')
        last = part
    return print_text(browser, f"{FRONT}{cover}<section><h2>Contents</h2>{''.join(lines)}</section>")


def annotations(page):
    """The links of a page."""
    links = [link.get_object() for link in page.get("/Annots", [])]
    return [link for link in links if link.get("/Subtype") == "/Link"]


def link_by_address(reader, address):
    """Turn links inside a chapter into links to its address, as links to other chapters are."""
    for page in reader.pages:
        for link in annotations(page):
            name = link.pop("/Dest", None) or (link.get("/A", {}).get("/D") if "/A" in link else None)
            if isinstance(name, str):
                uri = TextStringObject(f"{address}#{name.lstrip('/')}")
                link[NameObject("/A")] = DictionaryObject(
                    {NameObject("/S"): NameObject("/URI"), NameObject("/URI"): uri}
                )


def link_by_page(writer, home, places):
    """Turn links to the book's addresses into links to pages, and drop those that lead to nothing that is printed."""
    for page in writer.pages:
        for link in annotations(page):
            uri = str(link.get("/A", {}).get("/URI", ""))
            if uri.startswith(home):
                address, anchor = urldefrag(uri)
                number, left, top = places.get((address, unquote(anchor)), places.get((address, ""), (None, 0, 0)))
                del link["/A"]
                if number is None:
                    link[NameObject("/Rect")] = ArrayObject([FloatObject(0)] * 4)
                    continue
                where = [NameObject("/XYZ"), FloatObject(left), FloatObject(top), NullObject()]
                link[NameObject("/Dest")] = ArrayObject([writer.pages[number].indirect_reference, *where])


def print_book(browser, home, page):
    """The whole book, as any page lists it: title page, contents, chapters; with outline, links and page numbers."""
    open_page(browser, home + page)
    chapters, author = browser.execute_script(CONTENTS), foot(browser, "component-author")
    printed = []
    for _, name, path in chapters:
        print(name, flush=True)
        open_page(browser, home + path)
        sections = browser.execute_script(PREPARE)
        printed.append((print_page(browser), sections))
    title, version = chapters[0][1], foot(browser, "extra_footer")
    cover = f"<h1>{html.escape(title)}</h1><p>{SUBTITLE}</p><p>{html.escape(author)}</p><p>{html.escape(version)}</p>"
    sizes = [len(reader.pages) for reader, _ in printed]
    first = len(front_matter(browser, home, cover, chapters, [0] * len(chapters)).pages)
    starts = [first + sum(sizes[:i]) for i in range(len(sizes))]
    front = front_matter(browser, home, cover, chapters, [start + 1 for start in starts])

    writer, places = PdfWriter(), {}
    writer.append(front, import_outline=False)
    parts = {None: None}
    for (part, name, path), (reader, sections), start in zip(chapters, printed, starts, strict=True):
        link_by_address(reader, home + path)
        places[home + path, ""] = start, 0, 842
        for anchor, place in reader.named_destinations.items():
            number = start + reader.get_destination_page_number(place)
            places[home + path, unquote(anchor.lstrip("/"))] = number, place.left or 0, place.top or 842
        writer.append(reader, import_outline=False)
        if part not in parts:
            parts[part] = writer.add_outline_item(title=part, page_number=start)
        chapter = writer.add_outline_item(title=name, page_number=start, parent=parts[part])
        for text, anchor in sections:
            if (home + path, anchor) in places:  # else it is not printed
                number = places[home + path, anchor][0]
                writer.add_outline_item(title=text, page_number=number, parent=chapter)
    link_by_page(writer, home, places)
    names = [name for (_, name, _), size in zip(chapters, sizes, strict=True) for _ in range(size)]
    number_pages(browser, writer, first, names)
    use_palettes(writer)
    share_fonts(writer)
    writer.compress_identical_objects()
    writer.add_metadata({"/Title": title, "/Author": author})
    writer.page_mode = "/UseOutlines"
    return writer


def use_palettes(writer):
    """Store the pictures by their palettes again, which the browser spelled out pixel by pixel."""
    for page in writer.pages:
        for reference in page["/Resources"].get("/XObject", {}).values():
            picture = reference.get_object()
            if picture["/Subtype"] != "/Image" or picture.get("/Filter") != "/FlateDecode":
                continue
            pixels = np.frombuffer(picture.get_data(), np.uint8)
            if pixels.size != 3 * picture["/Width"] * picture["/Height"]:
                continue
            colors, places = np.unique(pixels.reshape(-1, 3) @ np.array([65536, 256, 1]), return_inverse=True)
            if len(colors) <= 256:
                picture._data = zlib.compress(places.astype(np.uint8).tobytes(), 9)  # set_data compresses less
                palette = ByteStringObject(b"".join(int(color).to_bytes(3) for color in colors))
                space = [NameObject("/Indexed"), picture["/ColorSpace"], NumberObject(len(colors) - 1), palette]
                picture[NameObject("/ColorSpace")] = ArrayObject(space)


def share_fonts(writer):
    """Embed each font once: the browser embeds for each chapter the glyphs it prints, which keep their numbers."""
    found = {}
    for thing in writer._objects:
        if isinstance(thing, DictionaryObject) and "/FontFile2" in thing:
            file = io.BytesIO(thing["/FontFile2"].get_data())
            font = TTFont(file, recalcBBoxes=False, recalcTimestamp=False)
            # By number: the names that fontTools finds depend on which letters a chapter has.
            font.setGlyphOrder([f"glyph{number}" for number in range(font["maxp"].numGlyphs)])
            name = thing["/FontName"].partition("+")[2], font["head"].modified
            found.setdefault(name, []).append((font, thing))
    for same in found.values():
        whole, kept = max(same, key=lambda pair: pair[0]["maxp"].numGlyphs)
        for font, descriptor in same:
            for name in font.getGlyphOrder():
                if font["glyf"][name].numberOfContours:
                    whole["glyf"][name], whole["hmtx"][name] = font["glyf"][name], font["hmtx"][name]
            descriptor[NameObject("/FontFile2")] = kept.raw_get("/FontFile2")
        file = io.BytesIO()
        whole.save(file)
        kept["/FontFile2"].set_data(file.getvalue())
        kept["/FontFile2"][NameObject("/Length1")] = NumberObject(file.tell())


def foot(browser, part):
    """What every page's foot says: of the class component-author, who wrote the book; extra_footer, which version."""
    found = browser.execute_script("return document.querySelector(arguments[0])?.textContent.trim()", f".{part}")
    return (found or "").removeprefix("By ")


def number_pages(browser, writer, first, names):
    """Write under every page but the first ones its chapter's name and its number."""
    feet = [f"<div><span>{html.escape(name)}</span><span>{first + i + 1}</span></div>" for i, name in enumerate(names)]
    stamps = print_text(browser, SHEETS + "".join(feet))
    for page, stamp in zip(writer.pages[first:], stamps.pages[: len(names)], strict=True):
        page.merge_page(stamp)
        drawn = page.get_contents()
        drawn.set_data(re.sub(rb"(\.\d{3})\d+(?= 0 Td)", rb"\1", drawn.get_data()))  # letters' widths to 0.001 pixels
        page.replace_contents(drawn)
        page.compress_content_streams(level=9)


def show_link(site):
    """Show what pages hide until there is a PDF: <p class="pdf" hidden>."""
    for page in find_pages(site):
        text = (site / page).read_text(encoding="utf-8")
        if HIDDEN in text:
            (site / page).write_text(text.replace(HIDDEN, HIDDEN.replace(" hidden", "")), encoding="utf-8")


def main(site):
    """Print the book, and show the links to it."""
    page, browser, home = find_pages(site)[0], start_browser(), serve(site)
    try:
        writer = print_book(browser, home, page)
    finally:
        browser.quit()
    joined = io.BytesIO()
    writer.write(joined)
    with pikepdf.open(joined) as book:
        book.save(site / NAME, object_stream_mode=pikepdf.ObjectStreamMode.generate)
    show_link(site)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if sys.argv[1:] else "_build/html").resolve())
