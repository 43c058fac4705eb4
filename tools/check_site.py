"""Read every page of the built book in a real browser, as readers on a phone and at a desk would; list what is wrong.

Usage: python tools/check_site.py [folder], by default _build/html. Needs Chromium or Chrome, and chromedriver.
"""

import json
import pathlib
import sys
from urllib.parse import unquote, urlsplit

from browser import find_pages, open_page, print_page, serve, start_browser
from selenium.common.exceptions import TimeoutException, WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

ASK = pathlib.Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
PHONE, DESK = 390, 1300
MOST_TABS = 60
LEGIBLE = 700  # a figure of 7 inches, opened, is this many pixels wide or more: 9 points are then 12 pixels or more
SLOW = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 200_000}  # 1.6 Mbit/s
FAST = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
MOST_BYTES = 1_000_000  # that a page fetches before one scrolls
MOST_PDF = 10_000_000  # bytes of book.pdf
# Wait until the formulas in sight are typeset, in their fonts, and return the milliseconds since the click.
TYPESET = """
const inSight = (marker) => {
  const { top, bottom, left, right } = marker.getBoundingClientRect();
  return marker.checkVisibility() && bottom >= 0 && top < innerHeight && right >= 0 && left < innerWidth;
};
const wait = () => [...document.querySelectorAll("mjx-lazy")].some(inSight) ? setTimeout(wait, 20) : done();
const [report] = arguments, done = () => document.fonts.ready.then(() => report(performance.now()));
Promise.resolve(window.MathJax?.startup?.promise).then(wait);
"""
ONE_SHEET = "what-to-do"  # these pages are printed on one sheet


def traffic_faults(browser, home):
    """Errors on the browser's console, and requests that would leave the machine, since the last call."""
    console = [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sent = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
    sent += [e["params"]["url"] for e in events if e["method"] == "Network.webSocketCreated"]
    away = [url for url in sent if not url.startswith((home, "data:", "blob:", "about:"))]
    return [f"error on the console: {text}" for text in console] + [f"request leaves the machine: {u}" for u in away]


def first_visit(browser, url):
    """Open a page through a slow line, nothing in store: bytes fetched, seconds until the formulas in sight are set."""
    browser.get("about:blank")
    browser.get_log("performance")
    browser.execute_cdp_cmd("Network.clearBrowserCache", {})
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", SLOW)
    try:
        browser.get(url)
    except TimeoutException:  # the slow line falls silent once in a hundred visits
        browser.get(url)
    seconds = browser.execute_async_script(TYPESET) / 1000
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", FAST)
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sizes = [e["params"]["encodedDataLength"] for e in events if e["method"] == "Network.loadingFinished"]
    return sum(sizes), seconds


def set_width(browser, width):
    """Make the window as wide as a phone or a desk's."""
    screen = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width == PHONE}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)


def ask(browser, call, *arguments):
    """The value of a JavaScript expression in terms of the functions of check_site.js."""
    return browser.execute_script(f"{ASK}return {call};", *arguments)


def read_page(browser, home, page):
    """Open a page on a phone, then at a desk, and return what is in it and what is wrong with it."""
    set_width(browser, PHONE)
    weight, seconds = first_visit(browser, home + page)
    open_page(browser, home + page)
    found = ask(browser, "facts(arguments[0])", PHONE)
    found |= {"weight": weight, "seconds": seconds}
    found["faults"] += [f"{weight / 1e6:.2f} MB before one scrolls"] if weight > MOST_BYTES else []
    found["faults"] += slider_faults(browser) + viewer_faults(browser)
    set_width(browser, DESK)
    open_page(browser, home + page)
    found["faults"] += ask(browser, "scrollFaults(arguments[0])", DESK)
    found["faults"] += tab_faults(browser) + sheet_faults(browser, page) + traffic_faults(browser, home)
    return found


def slider_faults(browser):
    """Move every slider of the open page to both ends by keyboard: what does not change, or is not to be seen?"""
    faults = []
    for slider in browser.find_elements(By.CSS_SELECTOR, "input[type=range]"):
        seen = []
        for key in (Keys.HOME, Keys.END):
            slider.send_keys(key)
            seen.append(ask(browser, "looks(arguments[0])", slider))
        name = slider.accessible_name or "one without a label"
        same = [part for part, low, high in zip(("picture", "text"), *seen, strict=True) if low == high]
        faults += [f"slider that does not change its {part}: {name}" for part in same]
        faults += [] if slider.accessible_name else ["slider without a label"]
        faults += [] if ask(browser, "ringSeen(arguments[0])", slider) else [f"slider whose focus is not seen: {name}"]
    return faults


def viewer_faults(browser):
    """Open the first figure by keyboard, as the others open: the same picture, legible, and Esc leads back."""
    if not (links := browser.find_elements(By.CSS_SELECTOR, "a.enlarge")):
        return []
    links[0].send_keys(Keys.ENTER)
    if not (picture := ask(browser, "opened()")):
        return ["figure that Enter does not open"]
    (alt, width), faults = picture, []
    if alt != links[0].find_element(By.TAG_NAME, "img").get_attribute("alt"):
        faults.append("figure that loses its alt text when opened")
    if width < LEGIBLE:
        faults.append(f"figure that opens only {width:.0f} px wide")
    browser.switch_to.active_element.send_keys(Keys.ESCAPE)
    if ask(browser, "opened()") or browser.switch_to.active_element != links[0]:
        faults.append("figure from which Esc does not lead back")
    return faults


def tab_faults(browser):
    """From the top of a page with sliders that was just opened, press Tab until one has the focus."""
    if not browser.find_elements(By.CSS_SELECTOR, "input[type=range]"):
        return []
    for _ in range(MOST_TABS - 1):
        browser.switch_to.active_element.send_keys(Keys.TAB)
        if browser.switch_to.active_element.get_attribute("type") == "range":
            return []
    return [f"slider that {MOST_TABS - 1} tabs do not reach"]


def sheet_faults(browser, page):
    """Print a page that is meant to be pinned to a wall."""
    if not pathlib.PurePath(page).name.startswith(ONE_SHEET):
        return []
    sheets = len(print_page(browser).pages)
    return [f"printed on {sheets} sheets, not one"] if sheets > 1 else []


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


def pdf_faults(site, home, found):
    """A PDF that no page shows a link to, or that is large; a link without a PDF is a broken link."""
    if not (site / "book.pdf").is_file():
        return []
    linked = any(home + "book.pdf" in facts["links"] for facts in found.values())
    size = (site / "book.pdf").stat().st_size
    faults = [] if linked else ["book.pdf is there, and no page links to it"]
    return faults if size <= MOST_PDF else [*faults, f"book.pdf of {size / 1e6:.1f} MB"]


def visible(browser, selector):
    """The first element that a reader can see, or None."""
    return next((e for e in browser.find_elements(By.CSS_SELECTOR, selector) if e.is_displayed()), None)


def search_faults(browser, home, page, word, seconds=20):
    """Come in by the front door, type a word of a page into the search box, and follow the result to that page."""
    browser.get(home)
    wait = WebDriverWait(browser, seconds, ignored_exceptions=[WebDriverException, AttributeError])
    try:
        step = "there is no search box"
        wait.until(lambda _: visible(browser, "button.search-button__button").click() or True)
        wait.until(lambda _: visible(browser, "input[type=search]").send_keys(word + "\n") or True)
        step = "it is not found"
        wait.until(lambda _: visible(browser, f"#search-results a[href*='{page}']"))
        if "\\(" in visible(browser, "#search-results").text:
            return ["search: raw TeX among the results"]
        step = "its result does not lead there"
        wait.until(lambda _: visible(browser, f"#search-results a[href*='{page}']").click() or True)
        wait.until(lambda _: page in browser.current_url and word in visible(browser, "article").text.lower())
    except TimeoutException:
        return [f"search: for “{word}”, a word of {page}: {step}"]
    return []


def report(found, others):
    """Print a line for each page, every fault, and a summary; return the number of faults."""
    for page, facts in found.items():
        count = f"{facts['formulas']} formulas, {facts['images']} images, {len(facts['links'])} links, "
        count += f"{facts['weight'] / 1e6:.2f} MB, formulas in sight after {facts['seconds']:.1f} s at 1.6 Mbit/s"
        print(f"{page}: {count}, {len(facts['faults'])} faults")
    faults = [f"{page}: {fault}" for page, facts in found.items() for fault in facts["faults"]]
    faults += others
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
        others = search_faults(browser, home, wordiest, word) + traffic_faults(browser, home)
    finally:
        browser.quit()
    sys.exit(report(found, others + pdf_faults(site, home, found)) > 0)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if sys.argv[1:] else "_build/html").resolve())
