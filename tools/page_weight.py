"""Sphinx extension: pages that come fast through a slow line.

A picture is fetched when it is scrolled to, and its page knows beforehand how much room it takes, and how it turns dark
with the page: as lines on white do, or as a map of colors. Pictures have a palette, and the fonts of icons have only
those that a page uses. MathJax comes in the parts that _config.yml names, and after the scripts of what a reader can
move.
templates/layout.html drops what the theme loads and no page needs.
"""

import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from fontTools import subset
from PIL import Image

MOST, FEW = 16, 100  # of 255, by which a color may move; pixels in which it may move by more
ICON = re.compile(r"\bfa-[\w-]+")


def fetch_late(app, name, template, context, doctree):
    """Give each picture of a page its size, and have it fetched when it is about to be seen; a page's scripts early."""
    sources = {copied: path for path, copied in app.builder.images.items()}

    def add(tag):
        with Image.open(app.srcdir / sources[tag[2]]) as picture:
            ink = "lines" if on_white(picture) else "map"  # book.css
            return '<img loading="lazy" width="{}" height="{}" data-ink="{}" {}'.format(*picture.size, ink, tag[1])

    body = re.sub(r'<img ([^>]*src="[^"]*_images/([^"]+\.png)")', add, context.get("body", ""))
    context["body"] = body.replace("<script defer src=", '<script defer fetchpriority="high" src=')


def on_white(picture):
    """Whether most of a picture is white: lines, bars and points, not a map of colors."""
    return np.mean(np.asarray(picture.convert("L")) == 255) > 0.72


def reduced(picture):
    """A picture with 256 colors, spread over all that it has; as it is where these would falsify an area."""
    whole = picture.convert("RGB")
    few = whole.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    moved = np.abs(np.subtract(few.convert("RGB"), whole, dtype=int)).max(axis=2)
    return whole if np.sum(moved > MOST) > FEW else few


def reduce_file(path):
    """Replace a picture that has no palette yet by the one with few colors."""
    with Image.open(path) as picture:
        if picture.mode != "P":
            reduced(picture).save(path, optimize=True)


def shrink(app, problem):
    """Reduce pictures to few colors, and the fonts of icons to those that some page uses."""
    if problem or app.builder.format != "html":
        return
    with ThreadPoolExecutor() as pool:
        list(pool.map(reduce_file, (app.outdir / "_images").glob("*.png")))
    used = {icon for page in app.outdir.rglob("*.html") for icon in ICON.findall(page.read_text("utf-8"))}
    sheet = app.outdir / "_static/styles/pydata-sphinx-theme.css"
    style = sheet.read_text("utf-8")
    icons = re.findall(r'([^{}]+){content:"\\(\w+)"}', style)
    codes = ",".join(code for names, code in icons if used & set(ICON.findall(names)))
    for font in (app.outdir / "_static/vendor/fontawesome/webfonts").glob("*.ttf"):
        subset.main([str(font), f"--unicodes={codes}", f"--output-file={font}", "--ignore-missing-unicodes"])
    sheet.write_text(re.sub(r'url\([^)]*\.woff2\) format\("woff2"\),', "", style), "utf-8")


def load_parts(app, config):
    """Have MathJax load the parts that _config.yml names, not all in one file, and let the template know them."""
    config.mathjax_path = "mathjax/startup.js"
    config.html_context["mathjax_parts"] = config.mathjax3_config["loader"]["load"]


def setup(app):
    """Sphinx calls this to load the extension."""
    app.connect("config-inited", load_parts)
    app.connect("html-page-context", fetch_late)
    app.connect("build-finished", shrink)
    return {"parallel_read_safe": True}
