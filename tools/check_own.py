"""What the page that looks at one's own embeddings shows in a browser, compared with cosine_audit."""

import pathlib
import tempfile

import numpy as np
from browser import open_page, wait
from cosine_audit import audit, gauges, safe_items
from cosine_audit.evidence import look_at, summaries
from cosine_audit.objectives import OBJECTIVES, ByTheory, what_was_said
from cosine_audit.space import gauges_of, look_up
from cosine_audit.verdict import decide
from selenium.webdriver.common.by import By

from experiments import libraries

AGREE = 1e-6  # of imbalance and cosines
SCREEN = 844  # px, the height of a phone's
SHARES = {0.5: "share ½", 1.0: "share 1"}  # and how the buttons say them
LOOK = """
const own = document.querySelector("[data-own]"), rows = (e) => [...e.querySelectorAll("li data")];
const list = (e) => rows(e).map((d) => [Number(d.dataset.row), Number(d.value)]);
return {
  status: own.querySelector("[role=status]").textContent,
  seen: !own.querySelector("datalist").parentElement.hidden,
  headline: own.querySelector("strong")?.textContent ?? "",
  imbalance: Number(own.querySelector("data:not([data-row])")?.value),
  lists: Object.fromEntries([...own.querySelectorAll("[data-gauge]")].map((e) => [e.dataset.gauge, list(e)])),
};
"""
ANSWERS = """
const own = document.querySelector("[data-own]"), select = own.querySelector("select");
return [...select.options].slice(1).map(({ value }) => {
  select.value = value;
  select.dispatchEvent(new Event("change"));
  return [value, own.querySelector("strong").textContent];
});
"""
SAVED = """
const link = document.querySelector("[data-own] a[download]"), done = arguments[0];
fetch(link.href).then((got) => got.arrayBuffer()).then((all) => done([...new Uint8Array(all)]));
"""


def look(browser):
    """What the page shows, once it has read and computed, and neighbors are there if anything is seen."""

    def told(_):
        shown = browser.execute_script(LOOK)
        computed = shown["status"] and not shown["status"].endswith("…")
        return shown if computed and (shown["lists"] or not shown["seen"]) else None

    return wait(browser).until(told)


def choose(browser, **files):
    """Give the page files, each a path; what it shows then."""
    for role, path in files.items():
        place = ("items", "users", "names").index(role)
        browser.find_elements(By.CSS_SELECTOR, "[data-own] input[type=file]")[place].send_keys(str(path))
        look(browser)
    return look(browser)


def give(browser, folder, items, users):
    """Give the page two arrays; what it shows then."""
    paths = {"items": folder / "items.npy", "users": folder / "users.npy"}
    np.save(paths["items"], items)
    np.save(paths["users"], users)
    return choose(browser, **paths)


def neighbors(browser, row):
    """The page's lists of neighbors of an item."""
    box = browser.find_element(By.CSS_SELECTOR, "[data-own] input[type=text]")
    box.clear()
    box.send_keys(str(row))
    shown = box.find_element(By.XPATH, "../following-sibling::p")
    wait(browser).until(lambda _: f"row {row}:" in shown.text)
    return look(browser)["lists"]  # the sentence may be from before, when the lists are not yet there


def saved(browser, share):
    """The safe items that the page saves, as an array."""
    (button,) = browser.find_elements(By.XPATH, f"//*[@data-own]//button[contains(., 'Save {share}')]")
    browser.execute_script("document.querySelector('[data-own] a[download]')?.remove()")
    button.click()
    wait(browser).until(lambda _: browser.find_elements(By.CSS_SELECTOR, "[data-own] a[download]"))
    with tempfile.TemporaryFile() as file:
        file.write(bytes(browser.execute_async_script(SAVED)))
        file.seek(0)
        return np.load(file)


def answer_faults(browser, items, users):
    """The answers to every choice that are not the command's; "unknown here" is none, unless theory alone answers."""
    B, P = gauges.valid_pair(items, users)
    about = summaries(B, P)
    seen = look_at(B, P, about, look_up(B, gauges_of(about, False)))
    faults = []
    for value, headline in browser.execute_script(ANSWERS):
        option, _, name = value.partition(" ")
        objective = what_was_said(**{option.replace("-", "_"): name}).objective
        wanted = decide(objective, seen).headline
        fine = headline.startswith("Unknown here") and not isinstance(OBJECTIVES[objective].rule, ByTheory)
        fine |= headline.split(",")[0].split(":")[0] == wanted.split(",")[0].split(":")[0]
        faults += [] if fine else [f"{name}: {headline!r}, where the command says {wanted!r}"]
    return faults


def list_faults(browser, report, rows):
    """Neighbors of some items that are others than the command's, or have other cosines."""
    faults = []
    for row in rows:
        shown, (place,) = neighbors(browser, row), np.flatnonzero(report.space.queries == row)
        for name in ("given", "balanced", "back"):
            near = report.space.found[name]
            wanted = list(zip(near.rows[place].tolist(), near.cosines[place].tolist(), strict=True))
            wanted = [] if wanted[0][0] < 0 else wanted
            fine = [place for place, _ in shown[name]] == [place for place, _ in wanted]
            fine = fine and all(abs(x - y) < AGREE for (_, x), (_, y) in zip(shown[name], wanted, strict=True))
            faults += [] if fine else [f"neighbors of {row}, {name}: {shown[name]}, not {wanted}"]
    return faults


def safe_faults(browser, items, users, ranking=False):
    """Safe items that differ from the package's."""
    faults = []
    for share, label in SHARES.items():
        E, wanted = saved(browser, label), safe_items(items=items, users=users, ranking=ranking, share=share)
        fine = E.shape == wanted.shape and E.dtype == wanted.dtype
        fine = fine and np.abs(E - wanted).max() < AGREE * np.abs(wanted).max()
        faults += [] if fine else [f"safe items, share {share}: not those of the package"]
    return faults


def model_faults(browser, folder, items, users, rows=(0, 7)):
    """Give the page a model: what differs from cosine_audit?"""
    shown, report = give(browser, folder, items, users), audit(items, users)
    if not shown["seen"]:
        return [f"nothing shown: {shown['status']}"]
    wanted = next(one.value for one in report.findings if one.name == "imbalance")
    fine = abs(shown["imbalance"] - wanted) < AGREE
    faults = [] if fine else [f"imbalance {shown['imbalance']}, not {wanted}"]
    faults += list_faults(browser, report, rows) + safe_faults(browser, items, users)
    return faults + answer_faults(browser, items, users)


def own_faults(browser, url):
    """Open the page, try its example and give it libraries' models; what differs from cosine_audit?"""
    open_page(browser, url)
    browser.find_element(By.CSS_SELECTOR, "[data-own] button").click()
    faults = [] if len(look(browser)["lists"]) == 3 else ["own embeddings: the example shows no three lists"]
    seen = browser.execute_script("return document.querySelector('[data-own] strong').getBoundingClientRect().bottom")
    faults += ["own embeddings: the example's answer is out of sight"] if seen > SCREEN else []
    for name, (users, items) in libraries.read().items():
        with tempfile.TemporaryDirectory() as folder:
            found = model_faults(browser, pathlib.Path(folder), items, users)
            faults += [f"own embeddings, {name}: {fault}" for fault in found]
    return faults
