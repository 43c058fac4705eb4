"""The page that looks at one's own embeddings, in a browser: it shows what cosine_audit finds, and refuses the rest."""

import io
import zipfile

import browser
import check_own
import numpy as np
import own_embeddings
import pytest
from chapters import ROOT
from check_site import traffic_faults
from cosine_audit.verdict import Verdict
from selenium.webdriver.common.by import By

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>
<link rel="icon" href="data:,"></head><body><div class="playground own" data-own><p>What to do without scripts.</p>
<script type="application/json"><!-- what cosine_audit knows --></script></div>
{}</body></html>"""
SCRIPTS = "own-engine.js", "check-own.js"
rng = np.random.default_rng(0)


def put(folder, page, scripts):
    """Write a page and its scripts into a folder."""
    for name, text in scripts.items():
        (folder / f"{page}-{name}").write_text(text, "utf-8")
    tags = "".join(f'<script defer src="{page}-{name}"></script>' for name in scripts)
    (folder / f"{page}.html").write_text(own_embeddings.filled(PAGE.format(tags)), "utf-8")


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    texts = {name: (ROOT / "book/assets" / name).read_text("utf-8") for name in SCRIPTS}
    put(folder, "page", texts)
    for place, (old, new) in enumerate(BROKEN.items()):
        assert sum(text.count(old) for text in texts.values()) == 1
        put(folder, str(place), {name: text.replace(old, new) for name, text in texts.items()})
    return browser.serve(folder)


def model(n=90, p=40, k=6, spread=0.8):
    """Users (n, k) and items (p, k), out of balance."""
    scales = spread ** np.arange(k)
    return rng.normal(size=(n, k)) * scales, rng.normal(size=(p, k)) * scales**2


def balanced(k=5, D=1.0):
    """Users and items of scores at a minimum of a penalty on both, or rescaled by D."""
    U, V = (np.linalg.qr(rng.normal(size=(n, k)))[0] for n in (300, 100))
    root = np.sqrt(np.arange(k, 0, -1.0))
    return U * root * D, V * root / D


def odd():
    """Rows that are zero, parallel and antiparallel, users as float64, items as float32 in Fortran's order."""
    users, items = model()
    items[3], items[5], items[6] = 0, 2 * items[4], -items[4]
    return users, np.asfortranarray(items.astype("f4"))


MODELS = {
    "out of balance": model,
    "odd rows": odd,
    "balanced": balanced,
    "a weak direction rescaled": lambda: balanced(D=np.array([1, 1, 1, 1, 1.2])),
    "one table twice": lambda: (model()[0],) * 2,
    "nonnegative": lambda: tuple(map(np.abs, model())),
    "a bias among the dimensions": lambda: tuple(np.c_[E, np.ones(len(E))] for E in model()),
    "items of low rank": lambda: (model()[0], model()[1] @ np.diag([1, 1, 1, 1, 0, 0])),
    "items that share a mean": lambda: (model()[0], model()[1] / 100 + np.eye(6)[0]),
    "unit rows": lambda: tuple(E / np.linalg.norm(E, axis=1, keepdims=True) for E in model()),
    "five items": lambda: model(9, 5, 2),
}
BROKEN = {
    "x - q * second[i]": "x - second[i]",
    "scaled(back, -0.5)": "scaled(back, -0.4)",
    "share - 1": "share",
    "imbalance <= tolerated + 1e-6": "imbalance > 1",
    "if (excuse)": "if (false)",
}


@pytest.mark.parametrize("name", MODELS)
def test_the_page_shows_what_the_package_finds(chromium, home, tmp_path, name):
    browser.open_page(chromium, home + "page.html")
    users, items = MODELS[name]()
    assert check_own.model_faults(chromium, tmp_path, items, users, rows=(0, 4)) == []
    assert traffic_faults(chromium, home) == []


@pytest.mark.parametrize("place", range(len(BROKEN)))
def test_a_page_that_differs_is_found(chromium, home, tmp_path, place):
    browser.open_page(chromium, f"{home}{place}.html")
    users, items = MODELS["balanced" if place == 3 else "nonnegative" if place == 4 else "out of balance"]()
    assert check_own.model_faults(chromium, tmp_path, items, users)


def test_no_answer_that_is_built_in_is_yes(monkeypatch):
    held = own_embeddings.knowledge()["objectives"].values()
    said = [one[key]["headline"] for one in held for key in ("alone", "unbalanced") if one[key]]
    assert {text.split()[0] for text in said} == {"No:", "Unknown:", "By"}
    monkeypatch.setattr(own_embeddings, "decide", lambda *_: Verdict("yes", ""))
    with pytest.raises(ValueError, match="factors: expected no yes"):
        own_embeddings.implied("factors")


def npy(array, **how):
    """The bytes that np.save writes."""
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asarray(array), **how)
    return stream.getvalue()


def archive():
    """The bytes of an archive."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as made:
        made.writestr("items.npy", npy(np.ones((5, 2))))
    return stream.getvalue()


def with_entry(value, column=0):
    """A matrix with a value in row 2."""
    E = rng.normal(size=(9, 3))
    E[2, column] = value
    return npy(E)


OTHER = "expected one array, as np.save writes it, got other bytes: an archive, a model, a pickle?"
WRONG = {
    "nan": (with_entry(np.nan), "expected numbers below 1e+30, got NaN in row 2, column 0"),
    "infinite": (with_entry(-np.inf, 1), "expected numbers below 1e+30, got -Infinity in row 2, column 1"),
    "objects": (
        npy(np.array([[{}]]), allow_pickle=True),
        "expected float32 or float64, got |O",
    ),
    "fields": (
        npy(np.zeros(5, dtype=[("a", "O")]), allow_pickle=True),
        "expected float32 or float64, got several types",
    ),
    "pickle": (b"\x80\x04\x95" + bytes(40), OTHER),
    "empty": (b"", OTHER),
    "archive": (archive(), OTHER),
    "cut off": (npy(np.ones((5, 2)))[:-8], "expected 80 bytes after the header, got 72"),
    "whole": (npy(np.ones((5, 2), int)), "expected float32 or float64, got <i8: np.save it .astype('float32')"),
    "half": (npy(np.ones((5, 2), "f2")), "expected float32 or float64, got <f2"),
    "fields of numbers": (npy(np.zeros(5, dtype=[("a", "f4")])), "expected float32 or float64, got several types"),
    "vector": (npy(np.ones(5)), "expected a matrix of 2 to 256 columns, got shape (5,)"),
    "no rows": (npy(np.ones((0, 5))), "expected a matrix of 2 to 256 columns, got shape (0, 5)"),
    "wide": (npy(np.ones((5, 257))), "expected a matrix of 2 to 256 columns, got shape (5, 257)"),
    "zeros": (npy(np.zeros((5, 2))), "expected a row other than zero, got only zeros"),
    "collapsed": (npy(np.outer(np.arange(1, 9.5), [0.5, 1.5])), "expected at least 4 different directions, got 1"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_file_is_refused_by_name(chromium, home, tmp_path, name):
    browser.open_page(chromium, home + "page.html")
    contents, sentence = WRONG[name]
    path = tmp_path / "mine.npy"
    path.write_bytes(contents)
    shown = check_own.choose(chromium, items=path)
    assert shown["status"].startswith(f"mine.npy: {sentence}")
    assert not shown["seen"]


def test_files_that_do_not_fit_each_other(chromium, home, tmp_path):
    browser.open_page(chromium, home + "page.html")
    np.save(tmp_path / "other.npy", rng.normal(size=(9, 3)))
    (tmp_path / "names.txt").write_text("a\nb\n")
    shown = check_own.give(chromium, tmp_path, *reversed(model()))
    assert shown["seen"]
    shown = check_own.choose(chromium, users=tmp_path / "other.npy")
    assert (shown["status"], shown["seen"]) == ("other.npy: expected 6 columns, as items.npy has, got 3.", False)
    shown = check_own.choose(chromium, users=tmp_path / "users.npy", names=tmp_path / "names.txt")
    assert shown["status"] == "names.txt: expected 40 lines, a name for each item, got 2."


def test_items_alone_with_their_names(chromium, home, tmp_path):
    browser.open_page(chromium, home + "page.html")
    (tmp_path / "items.npy").write_bytes(npy(model()[1]))
    (tmp_path / "names.csv").write_text("".join(f'"item, {i}"\r\n' for i in range(40)))
    shown = check_own.choose(chromium, items=tmp_path / "items.npy", names=tmp_path / "names.csv")
    assert list(shown["lists"]) == ["given"]
    assert "Users are missing" in shown["status"]
    assert "Nearest to item, 0: as given item, " in chromium.find_element(By.CSS_SELECTOR, "[data-own]").text


def drop(chromium, place, path):
    """Drop a file on the middle of an element, as from the desktop."""
    chromium.execute_script("arguments[0].scrollIntoView({block: 'center'})", place)
    box = place.rect
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2 - chromium.execute_script("return scrollY")
    held = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
    for moment in ("dragEnter", "dragOver", "drop"):
        chromium.execute_cdp_cmd("Input.dispatchDragEvent", {"type": moment, "x": x, "y": y, "data": held})


def test_files_are_dropped_on_their_fields_and_beside_them_ignored(chromium, home, tmp_path):
    browser.open_page(chromium, home + "page.html")
    (tmp_path / "factors.npy").write_bytes(npy(model()[1]))
    chromium.execute_script("addEventListener('drop', (event) => (window.kept = event.defaultPrevented))")
    for field in chromium.find_elements(By.CSS_SELECTOR, "[data-own] input[type=file]")[:2]:
        drop(chromium, field, tmp_path / "factors.npy")
        shown = check_own.look(chromium)
    assert shown["status"] == "Items: 40 × 6 from factors.npy. Users: 40 × 6 from factors.npy."
    assert not chromium.execute_script("return window.kept")
    drop(chromium, chromium.find_element(By.CSS_SELECTOR, "[data-own] [role=status]"), tmp_path / "factors.npy")
    assert chromium.execute_script("return window.kept")


def test_the_example_does_not_mix_with_own_files(chromium, home, tmp_path):
    browser.open_page(chromium, home + "page.html")
    chromium.find_element(By.CSS_SELECTOR, "[data-own] button").click()
    shown = check_own.look(chromium)
    rows = {name: [row for row, _ in near] for name, near in shown["lists"].items()}
    assert rows == {"given": [0, 1], "balanced": [3, 4], "back": [3, 4]}
    assert shown["headline"] == "No: training did not determine these cosines."
    np.save(tmp_path / "items.npy", rng.normal(size=(5, 2)))
    shown = check_own.choose(chromium, items=tmp_path / "items.npy")
    assert list(shown["lists"]) == ["given"]


def test_of_many_items_a_part_is_looked_through(chromium, home, tmp_path):
    browser.open_page(chromium, home + "page.html")
    items = rng.normal(size=(5002, 2))
    np.save(tmp_path / "items.npy", items)
    shown = check_own.choose(chromium, items=tmp_path / "items.npy")
    assert "one item in 2" in shown["status"]
    cosines = items[::2] @ items[0] / np.linalg.norm(items[::2], axis=1)
    assert [row for row, _ in shown["lists"]["given"]] == (2 * np.argsort(-cosines)[1:11]).tolist()


CHOOSE = """
document.querySelectorAll("[data-own] input[type=file]").forEach((input, i) => {
  const held = new DataTransfer();
  if (arguments[i]) held.items.add(new File([Uint8Array.from(arguments[i])], ["items.npy", "users.npy"][i]));
  input.files = held.files;
  input.dispatchEvent(new Event("change"));
});
"""


def test_of_two_choices_in_a_row_the_second_counts(chromium, home):
    browser.open_page(chromium, home + "page.html")
    items, other = (list(npy(rng.normal(size=(40, k)))) for k in (6, 5))
    chromium.execute_script(CHOOSE, items, other)
    shown = check_own.look(chromium)
    assert (shown["status"], shown["seen"]) == ("users.npy: expected 6 columns, as items.npy has, got 5.", False)


def test_safe_items_of_a_ranking_loss(chromium, home, tmp_path):
    """They lose the mean item, which such a loss does not see."""
    browser.open_page(chromium, home + "page.html")
    users, items = model()
    items += 0.3
    check_own.give(chromium, tmp_path, items, users)
    chromium.execute_script("document.querySelector('select').value = 'trained-by implicit BPR'")
    assert check_own.safe_faults(chromium, items, users, ranking=True) == []
    assert check_own.safe_faults(chromium, items, users) != []
