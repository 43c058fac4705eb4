"""One model, many answers: what the page shows is the model's, and it can be seen, heard and moved."""

import json
import re
import shutil
from itertools import pairwise

import answers
import browser
import check_site
import numpy as np
import pytest
from chapters import CHAPTERS, ROOT, read
from scipy.stats import ttest_rel
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select
from test_check_site import PAGE

from experiments import read as table
from helpers import choices_of_d, product_norm_factors, read_debian, rescale, truncated_svd
from helpers.plots import METHODS

DATA = json.loads(answers.FILE.read_text("utf-8").removeprefix(answers.BEFORE).removesuffix(";\n"))
NAMES = np.array(DATA["packages"])
THEME = """<style>html { --pst-color-background: #fff; --pst-color-text-muted: #48566b }
html[data-theme=dark] { --pst-color-background: #121212; --pst-color-text-muted: #9ca4af }
body { background: var(--pst-color-background) !important }
html[data-theme=dark] body { color: #ced6dd !important }</style>"""
LOOK = """return [document.querySelector(".columns p[aria-live]").textContent,
  document.querySelectorAll("li.new").length, document.querySelector("input").getAttribute("aria-valuetext")]"""
SCRIPTS = "playground.js", "answers-data.js", "answers.js"


@pytest.fixture(scope="module")
def model():
    """X, packages, σ, V and λ₁ by the route of the chapter."""
    X, packages, _ = read_debian()
    often = X.sum(axis=0) >= 20
    X = X[:, often]
    X = X[X.sum(axis=1) >= 2]
    k, tau = answers.chosen()
    return X, list(packages[often]), *truncated_svd(X, k=k), float(tau**2)


@pytest.fixture(scope="module")
def ridge(model):
    """The scores that a row of X gets by ridge regression on the span of V: a function."""
    X, _, _, V, lam = model
    inner = V.T @ (X.T @ (X @ V))
    W = np.linalg.solve(inner + lam * np.eye(len(inner)), inner)
    return lambda row: (row @ V) @ W @ V.T


def cosines_with(B, i):
    """Of all others with item i, in descending order, and of each."""
    S = B @ B[i] / np.linalg.norm(B, axis=1) / np.linalg.norm(B[i])
    return np.sort(np.delete(S, i))[::-1], S


@pytest.mark.parametrize("shown", DATA["items"], ids=lambda shown: NAMES[shown["item"]])
def test_the_nearest_are_those_of_the_model_but_for_ties(model, shown):
    _, packages, s, V, lam = model
    A, B = product_norm_factors(s, V, lam)
    rescaled = {name: rescale(A, B, d)[1] for name, d in choices_of_d(s, lam).items()}
    none, half, whole, even, back = list(rescaled.values())[:5]
    middle = V * np.sqrt(np.linalg.norm(none, axis=0) * np.linalg.norm(half, axis=0))  # halfway on a log scale
    steps = DATA["steps"]
    at = {0: none, steps // 2: middle, steps: half, 2 * steps: whole, 3 * steps: even, 4 * steps: back}
    assert [stop["name"] for stop in DATA["stops"]] == ["none", "half", "all", "even", "projected back"]
    for position, items in at.items():
        ranked, S = cosines_with(items, packages.index(NAMES[shown["item"]]))
        listed = S[[packages.index(name) for name in NAMES[shown["near"][position]]]]
        np.testing.assert_allclose(listed, ranked[:10], atol=1e-9)
        np.testing.assert_allclose(shown["cosines"][position], ranked[:10], atol=0.0051)


@pytest.mark.parametrize("shown", DATA["items"], ids=lambda shown: NAMES[shown["item"]])
def test_a_source_that_there_is_gets_the_best_scores_of_ridge_regression(model, ridge, shown):
    X, packages, *_ = model
    row = np.isin(packages, NAMES[shown["needs"]])
    assert row.sum() == len(shown["needs"])
    assert row[packages.index(NAMES[shown["item"]])]
    assert np.any((X @ row == row.sum()) & (X.sum(axis=1) == row.sum()))
    scores = ridge(row)
    scores[row] = -np.inf
    listed = scores[[packages.index(name) for name in NAMES[shown["gets"]]]]
    np.testing.assert_allclose(listed, np.sort(scores)[::-1][:10], atol=1e-9)
    np.testing.assert_allclose(shown["scores"], listed, atol=5.1e-4)
    assert (shown["changed"], shown["moved"] < 1e-14) == (0, True)


def test_what_was_measured_is_in_the_tables():
    judged = DATA["measured"]
    assert judged == json.loads(json.dumps(answers.measured(), default=lambda array: array.tolist()))
    rows = table("answers").set_index(["solution", "split"])["recall"].unstack()
    names = [solution for solution, *_ in answers.STOPS.values()]
    assert judged["hidden"]["values"] == pytest.approx(100 * rows.loc[names].mean(axis=1), abs=0.51)
    best, runner_up = (names[judged["hidden"][place]] for place in ("best", "next"))
    assert rows.mean(axis=1).nlargest(2).index.tolist() == [best, runner_up]
    ends = ttest_rel(rows.loc[best], rows.loc[runner_up]).confidence_interval()
    assert judged["hidden"]["lead"][1:] == pytest.approx([100 * end for end in ends], abs=0.051)


def test_the_stops_have_the_colors_of_the_figures():
    assert {stop["method"] for stop in DATA["stops"]} <= set(METHODS)


def cell():
    """What the chapter says in place of the lists: the cell with the figure."""
    (path,) = (path for path in CHAPTERS if path.stem == "real-data" and path.parent.name == "book")
    (found,) = (cell.source for cell in read(path) if 'data-play="answers"' in cell.source)
    return found


def test_without_scripts_there_are_three_of_the_lists():
    rows = [row.strip("| ").split(" | ") for row in re.findall(r"^\|.*\|$", cell(), re.M)][2:]
    git = next(shown for shown in DATA["items"] if NAMES[shown["item"]] == "git")
    stops = 0, DATA["start"], len(DATA["stops"]) - 1
    assert [list(column) for column in zip(*rows, strict=True)] == [
        list(NAMES[git["near"][stop * DATA["steps"]]]) for stop in stops
    ]
    assert re.findall(r'src="\.\./_static/([\w.-]+)"', cell()) == list(SCRIPTS)


@pytest.fixture
def page(chromium, tmp_path):
    for name in ("book.js", "book.css", *SCRIPTS):
        shutil.copy(ROOT / "book/assets" / name, tmp_path)
    scripts = "".join(f'<script defer src="{name}"></script>' for name in SCRIPTS)
    figure = f'<div class="playground" data-play="answers"><p>Without scripts.</p></div>{scripts}'
    (tmp_path / "page.html").write_text(PAGE.format(THEME + figure), "utf-8")
    yield browser.serve(tmp_path)
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def lists(chromium):
    """What both lists say, without the numbers."""
    return chromium.execute_script(
        "return [...document.querySelectorAll('.columns ol')].map((list) =>"
        "[...list.querySelectorAll('li span')].map((name) => name.textContent))"
    )


def test_the_page_has_no_fault(chromium, page):
    assert check_site.read_page(chromium, page, "page.html")["faults"] == []


def test_keys_move_the_left_list_and_the_right_one_stands_still(chromium, page):
    browser.open_page(chromium, page + "page.html")
    git = DATA["items"][0]
    slider = chromium.find_element(By.CSS_SELECTOR, "input[type=range]")
    standing = chromium.find_elements(By.CSS_SELECTOR, ".columns ol:last-of-type")[1].find_elements(
        By.CSS_SELECTOR, "li"
    )
    start = set(git["near"][DATA["start"] * DATA["steps"]])
    names = [each["name"] for each in DATA["stops"]]
    slider.send_keys(Keys.HOME)
    for position, near in enumerate(git["near"]):
        assert lists(chromium) == [list(NAMES[near]), list(NAMES[git["gets"]])]
        counter, marked, said = chromium.execute_script(LOOK)
        assert counter == f"{len(set(near) - start)} of ten differ from half"
        assert marked == len(set(near) - start)
        stop, between = divmod(position, DATA["steps"])
        assert said.startswith(f"between {names[stop]} and {names[stop + 1]}" if between else f"{names[stop]}, f = ")
        slider.send_keys(Keys.ARROW_RIGHT)
    assert [line.is_displayed() for line in standing] == [True] * 10  # the same elements, not new ones of the same text


def test_a_stop_and_a_package_are_chosen_by_a_press(chromium, page):
    browser.open_page(chromium, page + "page.html")
    chromium.find_elements(By.CSS_SELECTOR, ".stops button")[-1].click()
    Select(chromium.find_element(By.CSS_SELECTOR, "select")).select_by_visible_text("nginx")
    nginx = next(shown for shown in DATA["items"] if NAMES[shown["item"]] == "nginx")
    assert lists(chromium) == [list(NAMES[nginx["near"][-1]]), list(NAMES[nginx["gets"]])]
    assert "needs nginx, " in chromium.find_elements(By.CSS_SELECTOR, ".note")[1].text
    assert chromium.find_element(By.CSS_SELECTOR, ".stops [aria-pressed=true]").text.split("\n") == [
        "projected back",
        "f = σg",
    ]


def test_rows_of_both_lists_stand_side_by_side(chromium, page):
    """Where a name takes two lines, too."""
    check_site.set_width(chromium, 600)
    browser.open_page(chromium, page + "page.html")
    tops = (
        "return [...document.querySelectorAll('.columns ol')].map((list) => [...list.children].map((e) => e.offsetTop))"
    )
    chromium.execute_script(
        "document.querySelectorAll('.columns li span')[2].textContent += ' '.padEnd(60, 'a long name ')"
    )
    left, right = chromium.execute_script(tops)
    assert left == right
    assert len({after - before for before, after in pairwise(left)}) > 1
    check_site.set_width(chromium, check_site.DESK)


@pytest.mark.parametrize("reduced", [False, True])
def test_rows_move_unless_readers_ask_for_less(chromium, page, reduced):
    wish = [{"name": "prefers-reduced-motion", "value": "reduce" if reduced else "no-preference"}]
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": wish})
    browser.open_page(chromium, page + "page.html")
    moving = chromium.execute_script(
        "const slider = document.querySelector('input'); slider.value = 40;"
        "slider.dispatchEvent(new Event('input')); return document.getAnimations().length"
    )
    assert (moving == 0) == reduced


def test_what_was_measured_is_shown_after_a_vote(chromium, page):
    browser.open_page(chromium, page + "page.html")
    result = chromium.find_element(By.CSS_SELECTOR, "fieldset [aria-live]")
    assert result.text == ""
    chromium.find_elements(By.CSS_SELECTOR, "fieldset button")[1].send_keys(Keys.ENTER)
    rows = [row.text for row in result.find_elements(By.CSS_SELECTOR, "tbody tr")]
    judged = [DATA["measured"][judge]["values"] for judge in ("section", "hidden")]
    for row, stop, section, hidden in zip(rows, DATA["stops"], *judged, strict=True):
        vote = " (your vote)" if stop["name"] == "half" else ""
        assert row == f"{stop['name']}{vote} {section:.1f} {hidden:.0f}"
    best = [f"{judged[1][3]:.0f}", f"{judged[0][4]:.1f}"]  # two judges, two winners
    assert [cell.text for cell in result.find_elements(By.CSS_SELECTOR, "strong")] == best
