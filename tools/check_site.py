"""Read every page of the built book in a real browser, as a reader on a phone would, and list what is wrong.

Usage: python tools/check_site.py [folder], by default _build/html. Needs Chromium or Chrome, and chromedriver.
"""

import functools
import http.server
import json
import pathlib
import shutil
import sys
import threading
from urllib.parse import unquote, urlsplit

from selenium import webdriver
from selenium.common.exceptions import TimeoutException, WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

ASK = pathlib.Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
WIDTH = 390
BROWSERS = [
    "google-chrome",
    "chromium",
    "chromium-browser",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
]


def find_pages(site):
    """The book's pages, relative to the site; the front door, which only sends readers on, is not one."""
    files = [path for path in site.rglob("*.html") if not path.relative_to(site).parts[0].startswith("_")]
    pages = [path for path in files if 'http-equiv="refresh"' not in path.read_text(encoding="utf-8").lower()]
    if not pages:
        sys.exit(f"No built book in {site}: run `make book` first.")
    return sorted(path.relative_to(site).as_posix() for path in pages)


def serve(site):
    """Serve a folder on a free loopback port, from a thread, and return its address."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site))
    server.handle_error = lambda *_: None  # the browser may hang up before a file is complete
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


def start_browser():
    """A browser without a window and without a network: it knows this machine's address and no other."""
    browser, driver = next(filter(None, map(shutil.which, BROWSERS)), None), shutil.which("chromedriver")
    if not (browser and driver):
        missing = "a browser" if driver else "chromedriver" if browser else "a browser and chromedriver"
        sys.exit(f"check-site needs {missing}: install Debian's packages chromium and chromium-driver.")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    flags = "headless no-sandbox disable-gpu disable-quic disable-dev-shm-usage no-first-run disable-sync"
    flags += " disable-background-networking disable-component-update window-size=1300,1000"
    for flag in [*flags.split(), "host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]:
        options.add_argument(f"--{flag}")
    try:
        return webdriver.Chrome(options, webdriver.ChromeService(driver))
    except WebDriverException as problem:
        sys.exit(f"check-site could not start {browser} with {driver}: {problem.msg.splitlines()[0]}")


def traffic_faults(browser, home):
    """Errors on the browser's console, and requests that would leave the machine, since the last call."""
    console = [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sent = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
    sent += [e["params"]["url"] for e in events if e["method"] == "Network.webSocketCreated"]
    away = [url for url in sent if not url.startswith((home, "data:", "blob:", "about:"))]
    return [f"error on the console: {text}" for text in console] + [f"request leaves the machine: {u}" for u in away]


def read_page(browser, home, page):
    """Open a page on a phone, wait until it has settled, and return what is in it and what is wrong with it."""
    phone = {"width": WIDTH, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    browser.get(home + page)
    browser.execute_async_script(ASK + "settled(arguments[0]);")
    found = browser.execute_script(ASK + "return facts(arguments[0]);", WIDTH)
    found["faults"] += slider_faults(browser) + traffic_faults(browser, home)
    return found


def slider_faults(browser):
    """Move every slider of the open page to both ends by keyboard, and list what does not change, or has no label."""
    faults = []
    for slider in browser.find_elements(By.CSS_SELECTOR, "input[type=range]"):
        seen = []
        for key in (Keys.HOME, Keys.END):
            slider.send_keys(key)
            seen.append(browser.execute_script(ASK + "return looks(arguments[0]);", slider))
        name = slider.accessible_name or "one without a label"
        same = [part for part, low, high in zip(("picture", "text"), *seen, strict=True) if low == high]
        faults += [f"slider that does not change its {part}: {name}" for part in same]
        faults += [] if slider.accessible_name else ["slider without a label"]
    return faults


def link_faults(site, home, found, links):
    """The internal links that lead to no file, or to no such place in a page."""
    faults = []
    for link in sorted({link for link in links if link.startswith(home)}):
        target, anchor = unquote(urlsplit(link).path).lstrip("/") or "index.html", unquote(urlsplit(link).fragment)
        if not (site / target).is_file():
            faults.append(f"broken link: {target}")
        elif anchor and target in found and anchor not in found[target]["ids"]:
            faults.append(f"broken anchor: {target}#{anchor}")
    return faults


def visible(browser, selector):
    """The first element that a reader can see, or None."""
    return next((e for e in browser.find_elements(By.CSS_SELECTOR, selector) if e.is_displayed()), None)


def search_faults(browser, home, page, word):
    """Come in by the front door, type a word of a page into the search box, and follow the result to that page."""
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.get(home)
    wait = WebDriverWait(browser, 20, ignored_exceptions=[WebDriverException, AttributeError])
    try:
        step = "there is no search box"
        wait.until(lambda _: visible(browser, "button.search-button__button").click() or True)
        wait.until(lambda _: visible(browser, "input[type=search]").send_keys(word + "\n") or True)
        step = "it is not found"
        wait.until(lambda _: visible(browser, f"#search-results a[href*='{page}']").click() or True)
        step = "its result does not lead there"
        wait.until(lambda _: page in browser.current_url and word in visible(browser, "article").text.lower())
    except TimeoutException:
        return [f"search for “{word}”, a word of {page}: {step}"]
    return []


def report(found, searched):
    """Print a line for each page, every fault, and a summary; return the number of faults."""
    for page, facts in found.items():
        count = f"{facts['formulas']} formulas, {facts['images']} images, {len(facts['links'])} links"
        print(f"{page}: {count}, {len(facts['faults'])} faults")
    faults = [f"{page}: {fault}" for page, facts in found.items() for fault in facts["faults"]]
    faults += [f"search: {fault}" for fault in searched]
    print("", *faults, f"{len(found)} pages and the search read: {len(faults)} faults", sep="\n")
    return len(faults)


def main(site):
    """Read every page, then look where the links lead, then search for the longest word of the wordiest page."""
    pages, browser, home = find_pages(site), start_browser(), serve(site)
    try:
        found = {page: read_page(browser, home, page) for page in pages}
        for facts in found.values():
            facts["faults"] += link_faults(site, home, found, facts["links"])
        wordiest = max(pages, key=lambda page: len(found[page]["words"]))
        word = max(sorted(found[wordiest]["words"]), key=len, default="cosine")
        searched = search_faults(browser, home, wordiest, word) + traffic_faults(browser, home)
    finally:
        browser.quit()
    sys.exit(report(found, searched) > 0)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if sys.argv[1:] else "_build/html").resolve())
