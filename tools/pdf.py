"""Print the whole built book as one PDF, book.pdf beside its front door, and show the links to it.

Usage: python tools/pdf.py [folder], by default _build/html. Needs Chromium or Chrome, 131 or later, and chromedriver.
The browser reads one chapter after another, and prints all of them as one page (pdf.html).
"""

import pathlib
import re
import sys
import zlib

import jinja2
import numpy as np
import pandas as pd
import pikepdf
from browser import find_pages, open_page, print_page, serve, start_browser

HERE = pathlib.Path(__file__)
ASK = HERE.with_suffix(".js").read_text("utf-8")
TEMPLATE = jinja2.Template(HERE.with_suffix(".html").read_text("utf-8"), autoescape=True)
WHOLE = "_whole-book.html"  # is printed, then deleted; a page is called otherwise
MOST_BYTES = 10_000_000  # of book.pdf
SHOWN, HIDDEN = '<p class="pdf">', '<p class="pdf" hidden>'
PLACE = re.compile(rb"-?\d*\.\d{2,}(?= [-\d. ]*(?:Td|Tm|re|l|m|c)\b)")  # a number of a letter's, box's or line's place
OUTLINE = re.compile(rb"-?\d*\.\d+(?= [-\d. ]*(?:l|m|c)\b)")  # a number of a letter's drawing


def ask(browser, call, *arguments):
    """The value of a JavaScript expression in terms of the functions of pdf.js."""
    return browser.execute_script(f"{ASK}return {call};", *arguments)


def read_book(browser, home, page):
    """What pdf.html needs: the chapters that the sidebar of a page lists, each with its HTML and its sections."""
    open_page(browser, home + page)
    chapters, frame = ask(browser, "contents()"), ask(browser, "frame()")
    paths = [chapter["path"] for chapter in chapters]
    for chapter in chapters:
        print(chapter["name"], flush=True)
        open_page(browser, home + chapter["path"].lstrip("/"))
        chapter |= ask(browser, "chapter(arguments[0])", paths)
    rules = dict.fromkeys(rule for chapter in chapters for rule in chapter["rules"])
    return frame | {"title": chapters[0]["name"], "chapters": chapters, "rules": rules}


def print_book(browser, site, home, told):
    """The book as a PDF with links and outline; its contents are printed again when their page numbers are known."""
    (site / WHOLE).write_text(TEMPLATE.render(told), "utf-8")
    open_page(browser, home + WHOLE)
    (site / WHOLE).unlink()
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    ask(browser, "leadToChapters()")
    book = print_page(browser)
    numbers = {page.objgen: number for number, page in enumerate(book.pages)}
    places = {str(name)[1:]: numbers[place[0].objgen] for name, place in book.Root.Dests.items()}
    ask(browser, "numberContents(arguments[0])", [places[chapter["path"]] + 1 for chapter in told["chapters"]])
    replace_pages(book, print_page(browser))
    add_outline(book, told["chapters"], places)
    return book


def replace_pages(book, front):
    """Show on the first pages of a book what is on those of another, with the book's links."""
    for page, new in zip(book.pages, front.pages, strict=False):
        for key in ("/Contents", "/Resources"):
            page[key] = book.copy_foreign(front.make_indirect(new[key]))


def add_outline(book, chapters, places):
    """Parts, chapters and those of their sections that are printed, which PDF readers list beside the pages."""
    with book.open_outline() as outline:
        lists = {"": outline.root}
        for chapter in chapters:
            part, start = chapter["part"], places[chapter["path"]]
            if part not in lists:
                outline.root.append(pikepdf.OutlineItem(part, start))
                lists[part] = outline.root[-1].children
            lists[part].append(pikepdf.OutlineItem(chapter["name"], start))
            sections = [(name, places[place]) for name, place in chapter["sections"] if place in places]
            lists[part][-1].children.extend(pikepdf.OutlineItem(name, place) for name, place in sections)


def deflate(stream, content):
    """Replace what a stream holds."""
    stream.write(zlib.compress(content), filter=pikepdf.Name.FlateDecode)


def use_palettes(book):
    """Store the pictures by their palettes again, which the browser spelled out pixel by pixel."""
    for picture in book.objects:
        if isinstance(picture, pikepdf.Stream) and picture.get("/Subtype") == "/Image":
            pixels = np.frombuffer(picture.read_bytes(), np.uint8)
            if pixels.size != 3 * picture.Width * picture.Height:
                continue
            places, colors = pd.factorize(pixels.reshape(-1, 3) @ np.array([65536, 256, 1]))
            if len(colors) <= 256:
                palette = b"".join(int(color).to_bytes(3, "big") for color in colors)
                deflate(picture, places.astype(np.uint8))
                space = [pikepdf.Name.Indexed, picture.ColorSpace, len(colors) - 1, palette]
                picture.ColorSpace = pikepdf.Array(space)


def round_places(book):
    """Write places to a tenth of a pixel, which nobody sees, where the browser wrote seven digits."""
    for page in book.pages:
        page.contents_coalesce()
        deflate(page.Contents, PLACE.sub(lambda number: b"%.1f" % float(number[0]), page.Contents.read_bytes()))


def round_letters(book):
    """Write the letters that are drawn to whole units, of which an em has a thousand or more."""
    for font in book.objects:
        if isinstance(font, pikepdf.Dictionary) and font.get("/Subtype") == "/Type3":
            for letter in font.CharProcs.values():
                deflate(letter, OUTLINE.sub(lambda number: b"%.0f" % float(number[0]), letter.read_bytes()))


def show_link(site):
    """Show what pages hide until there is a PDF, while others may read them; return the pages that show it."""
    texts = {page: (site / page).read_text("utf-8").replace(HIDDEN, SHOWN) for page in find_pages(site)}
    linked = [page for page, text in texts.items() if SHOWN in text]
    for page in linked:
        (site / f"{page}.new").write_text(texts[page], "utf-8")
        (site / f"{page}.new").replace(site / page)
    return linked


def save(book, site):
    """Write book.pdf, and show the links to it; exits if it is large, or no page has a link."""
    book.save(site / "book.pdf", object_stream_mode=pikepdf.ObjectStreamMode.generate, recompress_flate=True)
    if (size := (site / "book.pdf").stat().st_size) > MOST_BYTES:
        sys.exit(f"book.pdf has {size:,} bytes, more than {MOST_BYTES:,}")
    if not show_link(site):
        sys.exit(f"book.pdf is there, and no page has a link to it, {HIDDEN}")


def main(site):
    """Print the book, without a date, and show the links to it."""
    page, browser, home = find_pages(site)[0], start_browser(), serve(site)
    try:
        told = read_book(browser, home, page)
        book = print_book(browser, site, home, told)
    finally:
        browser.quit()
    use_palettes(book)
    round_places(book)
    round_letters(book)
    del book.docinfo
    book.docinfo["/Title"], book.docinfo["/Author"] = told["title"], told["author"]
    book.Root.PageMode = pikepdf.Name.UseOutlines
    save(book, site)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if sys.argv[1:] else "_build/html").resolve())
