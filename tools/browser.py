"""A browser that reads the built book: for the tools that check it and print it."""

import base64
import functools
import gzip
import http.server
import io
import pathlib
import shutil
import sys
import threading

import pikepdf
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.support.ui import WebDriverWait

BROWSERS = [
    "google-chrome",
    "chromium",
    "chromium-browser",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
]
# Wait until the page is there, which a busy machine says too early, then until formulas are typeset, and fonts and
# pictures, all of these out of sight too, are there or have failed.
SETTLED = """
new Promise((go) => (document.readyState === "complete" ? go() : addEventListener("load", go)))
  .then(() => {
    for (const image of document.images) image.loading = "eager";
    const pictures = [...document.images].map((image) => image.decode().catch(() => null));
    const typeset = window.MathJax?.startup?.promise.then(() => MathJax.startup.document.lazyTypesetAll?.());
    return Promise.all([typeset, document.fonts.ready, ...pictures]);
  })
  .catch(() => null)
  .then(() => requestAnimationFrame(() => requestAnimationFrame(() => arguments[0]())));
"""


def find_pages(site):
    """The book's pages, relative to the site; the front door, which only sends readers on, is not one."""
    files = [path for path in site.rglob("*.html") if not path.relative_to(site).parts[0].startswith("_")]
    pages = [path for path in files if 'http-equiv="refresh"' not in path.read_text(encoding="utf-8").lower()]
    if not pages:
        sys.exit(f"No built book in {site}: run `make book` first.")
    return sorted(path.relative_to(site).as_posix() for path in pages)


def serve(site):
    """Serve a folder on a free loopback port, from a thread, compressed as hosts do it, and return its address."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def send_head(self):
            path = pathlib.Path(self.translate_path(self.path))
            if path.suffix not in {".html", ".css", ".js", ".svg"} or not path.is_file():
                return super().send_head()
            body = gzip.compress(path.read_bytes())
            self.send_response(200)
            self.send_header("Content-Type", self.guess_type(path.name))
            self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            return io.BytesIO(body)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site))
    server.handle_error = lambda *_: None  # the browser may hang up before a file is complete
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


def find_browser():
    """Where the browser and its driver are, None each if there is none."""
    return next(filter(None, map(shutil.which, BROWSERS)), None), shutil.which("chromedriver")


def start_browser():
    """A browser without a window and without a network: it knows this machine's address and no other."""
    browser, driver = find_browser()
    if not (browser and driver):
        missing = "a browser" if driver else "chromedriver" if browser else "a browser and chromedriver"
        sys.exit(f"This needs {missing}: install Debian's packages chromium and chromium-driver.")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    flags = "headless no-sandbox disable-gpu disable-quic disable-dev-shm-usage no-first-run disable-sync"
    flags += " disable-background-networking disable-component-update window-size=1300,1000"
    for flag in [*flags.split(), "host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]:
        options.add_argument(f"--{flag}")
    try:
        started = webdriver.Chrome(options, webdriver.ChromeService(driver))
        started.set_page_load_timeout(60)  # seconds
        started.set_script_timeout(300)
        started.command_executor.client_config.timeout = 900  # a busy machine prints the whole book for minutes
        return started
    except WebDriverException as problem:
        sys.exit(f"Could not start {browser} with {driver}: {problem.msg.splitlines()[0]}")


def open_page(browser, url):
    """Open a page and wait until it has settled."""
    browser.get(url)
    settle(browser)


def settle(browser):
    """Wait until the open page is whole: formulas, fonts and pictures, those out of sight, too."""
    browser.execute_async_script(SETTLED)


def wait(browser, seconds=60, excused=()):
    """What waits until something is so: it looks every 20 ms, where Selenium looks twice a second."""
    return WebDriverWait(browser, seconds, 0.02, excused)


def print_page(browser):
    """The open page as a PDF on A4 sheets; its style sheet has the margins."""
    sheet = {"paperWidth": 21.0 / 2.54, "paperHeight": 29.7 / 2.54, "printBackground": True}  # inches
    sheet["generateTaggedPDF"] = False  # joining PDFs loses the tags
    sheet |= {f"margin{side}": 0 for side in ("Top", "Bottom", "Left", "Right")}
    printed = browser.execute_cdp_cmd("Page.printToPDF", sheet)  # Selenium's own command gives up after 10 s
    return pikepdf.open(io.BytesIO(base64.b64decode(printed["data"])))
