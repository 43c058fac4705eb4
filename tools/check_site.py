"""Read every page of the built book in a real browser, as readers on a phone and at a desk would; list what is wrong.

Usage: python tools/check_site.py [--every-page] [folder], by default _build/html. Needs Chromium or Chrome, and
chromedriver. A page of a kind that was read before is left out by axe-core, which takes seconds, but with --every-page.
"""

import json
import pathlib
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from urllib.parse import quote, unquote, urlsplit

from axe_core_python.base import AXE_SCRIPT
from browser import find_pages, open_page, print_page, serve, settle, start_browser, wait
from check_own import SCREEN, own_faults
from page_markup import LANGUAGES
from selenium.common.exceptions import TimeoutException, WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

ASK = pathlib.Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
AT_ONCE = 2  # browsers, one for each processor of most machines that run this
PHONE, DESK = 390, 1300
MOST_BYTES = 600_000  # that a page fetches before one scrolls
SLOW = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 200_000,
    "uploadThroughput": 90_000,
}  # ms, bytes a second
FAST = SLOW | {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
SOON = 1.0  # second after the first paint, through the slow line: a slider answers
# Move the first slider until its figure says something else; when that was, in seconds after the first paint.
MOVED = """
window.moved = new Promise(function look(done) {
  const slider = document.querySelector("[data-play] input[type=range]"), figure = slider?.closest("[data-play]");
  const before = figure?.textContent;
  if (slider) slider.value = slider.value === slider.max ? slider.min : slider.max;
  slider?.dispatchEvent(new Event("input"));
  if (figure?.textContent === before) setTimeout(look, 10, done);
  else done(performance.now());
});
"""
WAITED = """
const [done] = arguments, painted = () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
window.moved.then(function tell(at) {
  if (painted()) done((at - painted()) / 1000);
  else setTimeout(tell, 10, at);
});
"""
# Wait until the formulas in sight are typeset, and the fonts are there.
IN_SIGHT = """
Promise.resolve(window.MathJax?.startup?.promise).then(() => document.fonts.ready).then(() => arguments[0]());
"""
ONE_SHEET = "what-to-do"  # these pages are printed on one sheet
TRANSLATED = tuple(f"-{language}" for language in LANGUAGES)  # except these, which have a second one
NO_TRANSITIONS = """
const style = document.head.appendChild(document.createElement("style"));
style.textContent = "*, ::before, ::after {transition: none !important}";
"""  # colors are not on their way to the other theme's
RUN_AXE = AXE_SCRIPT + "axe.run({exclude: [['.citation-list']]}, arguments[0]).then(arguments[1]);"  # docutils' roles
THEIRS = "region", "aria-allowed-role"  # of the theme's logo, which is in no landmark, and of docutils' references
OWN = "book/audit.html"  # where one's own embeddings are looked at
PAINTED = "book/how-arbitrary.html"  # where a picture is painted
MOVING = ["book/intro.html", "book/real-data.html", PAINTED]  # whose sliders have to answer soon
ASKED = {  # what people type: the page that answers
    "cosine similarity vs dot product": "book/cosine-or-dot.html",
    "why are all similarities high": "book/questions.html",
    "normalize embeddings": "book/rescaling.html",
    "inner product vector database": "book/in-a-vector-store.html",
    "LLM embeddings": "book/text-encoders.html",
    "anisotropy": "book/questions.html",
    "RAG threshold": "book/questions.html",
    "qr decomposition safe items": "book/what-to-do.html",
    "faiss inner product or l2": "book/in-a-vector-store.html",
    "embedding normalization necessary": "book/rescaling.html",
    "ALS cosine": "book/what-to-do.html",
    "error bar of a cosine": "book/how-arbitrary.html",
    "word similarity human judgement": "book/what-people-say.html",
    "batch norm embeddings": "book/beyond-linear.html",
    "word2vec cosine magnitude": "book/questions.html",
    "dropout autoencoder": "book/first-objective.html",
    "how to evaluate item embeddings": "book/audit.html",
    "Rendle": "book/replies.html",
    "do tuong dong cosine": "book/what-to-do-vi.html",
    "コサイン類似度": "book/what-to-do-ja.html",
    "余弦相似度": "book/what-to-do-zh.html",
}
CONTRAST = {"runOnly": ["color-contrast", "link-in-text-block"]}  # which differ in the dark
AXE = {"resultTypes": ["violations"], "rules": {rule: {"enabled": False} for rule in THEIRS}}


def events(browser):
    """What the browser's network did since the last call: (method, parameters)."""
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return [(message["method"], message["params"]) for message in messages]


def traffic_faults(browser, home, earlier=()):
    """Errors on the browser's console since the last call, and requests that would leave the machine.

    `earlier` are events that were read since then.
    """
    happened = [*earlier, *events(browser)]
    console = [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    sent = [what["request"]["url"] for method, what in happened if method == "Network.requestWillBeSent"]
    sent += [what["url"] for method, what in happened if method == "Network.webSocketCreated"]
    away = [url for url in sent if not url.startswith((home, "data:", "blob:", "about:"))]
    return [f"error on the console: {text}" for text in console] + [f"request leaves the machine: {u}" for u in away]


def first_fetched(browser, url):
    """Open a page with nothing in store: what the network did for it before one scrolls."""
    browser.execute_cdp_cmd("Network.clearBrowserCache", {})
    events(browser)
    browser.get(url)
    browser.execute_async_script(IN_SIGHT)
    return events(browser)


def weight_faults(fetched):
    """Does a page fetch much before one scrolls?"""
    weight = sum(what["encodedDataLength"] for method, what in fetched if method == "Network.loadingFinished")
    return [f"{weight / 1e6:.2f} MB before one scrolls"] if weight > MOST_BYTES else []


def wait_faults(browser, url):
    """Through a slow line: does a page's first slider answer soon? The better of two times, as machines are busy."""
    waited = min(seconds_waited(browser, url) for _ in range(2))
    return [f"slider that answers {waited:.1f} s after the first paint"] if waited > SOON else []


def seconds_waited(browser, url):
    """Open a page with nothing in store, through a slow line: when its first slider answers, in s after first paint."""
    browser.get("about:blank")
    browser.execute_cdp_cmd("Network.clearBrowserCache", {})
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", SLOW)
    script = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": MOVED})
    browser.get(url)
    waited = browser.execute_async_script(WAITED)
    browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", FAST)
    return waited


def set_width(browser, width):
    """Make the window as wide as a phone or a desk's."""
    screen = {"width": width, "height": SCREEN, "deviceScaleFactor": 1, "mobile": width == PHONE}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)


def ask(browser, call, *arguments):
    """The value of a JavaScript expression in terms of the functions of check_site.js."""
    return browser.execute_script(f"{ASK}return {call};", *arguments)


def read_page(browser, home, page, known=()):
    """Open a page on a phone, widen it to a desk's window, and return what is in it and what is wrong with it.

    Parts of the kinds that are known were read before; a page that has others is read by axe, too.
    """
    browser.get("about:blank")  # and not the last page is laid out anew
    set_width(browser, PHONE)
    fetched = first_fetched(browser, home + page)
    settle(browser)
    faults = weight_faults(fetched) + ask(browser, "[...faults(), ...phoneFaults()]") + slider_faults(browser)
    set_width(browser, DESK)
    settle(browser)
    found = ask(browser, "facts()")
    faults += ask(browser, "deskFaults()") + ask(browser, "foldFaults()") + sheet_faults(browser, page)
    if not set(found["kinds"]) <= set(known):
        faults += axe_faults(browser)
    return found | {"faults": faults + traffic_faults(browser, home, fetched)}


def axe_faults(browser):
    """What axe-core finds on the open page, in light and in dark mode: contrast, names, roles, ids, headings."""
    faults = []
    browser.execute_script(NO_TRANSITIONS)
    for theme, rules in (("light", AXE), ("dark", AXE | CONTRAST)):
        browser.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
        for rule in browser.execute_async_script(RUN_AXE, rules)["violations"]:
            faults += [f"{theme}: {rule['help']} ({rule['id']}): {part['html'][:90]}" for part in rule["nodes"]]
    return faults + ask(browser, "hueFaults()")


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


def sheet_faults(browser, page):
    """Print a page that is meant to be pinned to a wall."""
    if not pathlib.PurePath(page).name.startswith(ONE_SHEET):
        return []
    sheets, most = len(print_page(browser).pages), 2 if pathlib.PurePath(page).stem.endswith(TRANSLATED) else 1
    return [f"printed on {sheets} sheets, not {['one', 'two'][most - 1]}"] if sheets > most else []


def finger_faults(browser, url):
    """On a phone, draw a line down the picture that one paints: is it painted, and does the page stay where it is?"""
    set_width(browser, PHONE)
    open_page(browser, url)
    left, top, side = ask(browser, "canvasToPaint()")
    before = ask(browser, "[scrollY, paintedPairs()]")
    for step in range(12):
        point = {"x": left + 0.1 * side, "y": top + (0.3 + 0.05 * step) * side}
        touch = {"type": "touchMove" if step else "touchStart", "touchPoints": [point]}
        browser.execute_cdp_cmd("Input.dispatchTouchEvent", touch)
    browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    after = ask(browser, "[scrollY, paintedPairs()]")
    faults = [] if after[0] == before[0] else ["page that scrolls while a finger paints"]
    return faults if after[1] >= before[1] + 12 else [*faults, f"finger that paints {after[1] - before[1]} of 14 pairs"]


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


def search_faults(browser, home, page, word, seconds=20):
    """Come in by the front door, type a word of a page into the search box, and follow the result to that page."""
    browser.get(home)
    until = wait(browser, seconds, [WebDriverException, AttributeError]).until
    try:
        step = "there is no search box"
        until(lambda _: visible(browser, "button.search-button__button").click() or True)
        until(lambda _: visible(browser, "input[type=search]").send_keys(word + "\n") or True)
        step = "it is not found"
        until(lambda _: visible(browser, f"#search-results a[href*='{page}']"))
        if "\\(" in visible(browser, "#search-results").text:
            return ["search: raw TeX among the results"]
        step = "its result does not lead there"
        until(lambda _: visible(browser, f"#search-results a[href*='{page}']").click() or True)
        until(lambda _: page in browser.current_url and word in visible(browser, "article").text.lower())
    except TimeoutException:
        return [f"search: for “{word}”, a word of {page}: {step}"]
    return []


def order_faults(browser, home, pages, seconds=20):
    """Type what people type: the page that answers has to be among the first two."""
    faults = []
    for query, page in ASKED.items():
        if page in pages:
            browser.get(f"{home}search.html?q={quote(query)}")
            first = f"#search-results li:nth-child(-n+2) a[href*='{page}']"
            try:
                wait(browser, seconds).until(lambda _, first=first: visible(browser, first))
            except TimeoutException:
                faults.append(f"search: for “{query}”, {page} is not among the first two")
    return faults


def report(found, others):
    """Print every fault and how many there are; return their number."""
    faults = [f"{page}: {fault}" for page, facts in found.items() for fault in facts["faults"]] + others
    print("", *faults, f"{len(found)} pages and the search read: {len(faults)} faults", sep="\n")
    return len(faults)


def read_pages(browser, pages, home, known, every_page):
    """What is in each page and what is wrong with it; kinds of parts that were read are known from then on."""
    found = {}
    for page in pages:
        found[page] = read_page(browser, home, page, known)
        print(f"{page}: {len(found[page]['faults'])} faults", flush=True)
        known.update([] if every_page else found[page]["kinds"])
    return found


def typed_faults(browser, home, found):
    """Search for the longest word of the wordiest page, then for what people type."""
    wordiest = max(found, key=lambda page: len(found[page]["words"]))
    word = max(sorted(found[wordiest]["words"]), key=len, default="cosine")
    return search_faults(browser, home, wordiest, word) + order_faults(browser, home, found)


def used_faults(browser, home, found):
    """Give embeddings to the page that looks at them, and paint by finger where one can."""
    faults = own_faults(browser, home + OWN) if OWN in found else []
    painted = finger_faults(browser, home + PAINTED) if PAINTED in found else []
    return faults + [f"{PAINTED}: {fault}" for fault in painted]


def main(site, every_page):
    """Read every page, then look where the links lead, search, and use what moves."""
    pages = sorted(find_pages(site), key=lambda page: (site / page).stat().st_size)  # axe-core takes longer than that
    browsers, home = [start_browser() for _ in range(AT_ONCE)], serve(site)
    found, shares = {}, [pages[i::AT_ONCE] for i in range(AT_ONCE)]
    try:
        with ThreadPoolExecutor() as pool:
            read = partial(read_pages, home=home, known=set(), every_page=every_page)
            for part in pool.map(read, browsers, shares):
                found |= part
            typed = pool.submit(typed_faults, browsers[1], home, found)
            others = used_faults(browsers[0], home, found) + typed.result()
        for page in [page for page in MOVING if page in found]:
            found[page]["faults"] += wait_faults(browsers[0], home + page)
        for facts in found.values():
            facts["faults"] += link_faults(site, home, found, facts["links"])
        others += [fault for browser in browsers for fault in traffic_faults(browser, home)]
    finally:
        for browser in browsers:
            browser.quit()
    sys.exit(report(found, others) > 0)


if __name__ == "__main__":
    named = [argument for argument in sys.argv[1:] if argument != "--every-page"]
    main(pathlib.Path(named[0] if named else "_build/html").resolve(), "--every-page" in sys.argv[1:])
