"""The picture that one paints with cosines: by keys and by pointer, with a scale, and with what is spoken."""

import re
import shutil

import browser
import pytest
from chapters import CHAPTERS, ROOT, read
from page_markup import LANGUAGES
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from test_check_site import FIGURE, PAGE


@pytest.fixture
def page(chromium, tmp_path):
    """The painting of the chapter, as its notebook has it."""
    (path,) = (path for path in CHAPTERS if path.stem == "how-arbitrary" and path.parent.name == "book")
    (cell,) = (cell for cell in read(path) if cell.id == "ha-draw")
    figure = cell.outputs[0]["data"]["text/html"].replace("../_static/", "")
    for name in ("book.js", "book.css", "playground.js", "paint.js"):
        shutil.copy(ROOT / "book/assets" / name, tmp_path)
    (tmp_path / "page.html").write_text(PAGE.format(figure), "utf-8")
    browser.open_page(chromium, browser.serve(tmp_path) + "page.html")
    return chromium


def canvas(page):
    return page.find_element(By.CSS_SELECTOR, "canvas[tabindex]")


def drawn(page):
    return page.execute_script("return document.querySelector('canvas[tabindex]').toDataURL()")


def said(page):
    """What is spoken: of the cell, and of the picture."""
    return [part.get_property("textContent") for part in page.find_elements(By.CSS_SELECTOR, "p[aria-live]")]


def test_keys_move_and_paint_and_are_heard(page):
    before, untouched = said(page)[1], drawn(page)
    canvas(page).send_keys(Keys.ARROW_DOWN)
    assert said(page) == ["Row 3, column 1: not painted.", before]
    assert drawn(page) != untouched  # a frame shows where
    canvas(page).send_keys(" ")
    cell, verdict = said(page)
    assert cell == "Row 3, column 1: painted."
    count = lambda text: int(text.split()[0])  # noqa: E731
    assert count(verdict) == count(before) + 1
    address = page.execute_script("return location.href")
    page.get("about:blank")
    browser.open_page(page, address)
    assert said(page)[1] == verdict


def test_the_pointer_has_a_frame_and_paints(page):
    before, untouched = said(page)[1], drawn(page)
    pointer = ActionChains(page)
    pointer.move_to_element_with_offset(canvas(page), -60, 0).perform()
    assert drawn(page) != untouched
    assert said(page)[1] == before
    pointer.click().perform()
    assert said(page)[1] != before


def test_the_scale_says_which_cosine_is_darkest(page):
    key = page.find_element(By.CSS_SELECTOR, ".key").text.split()
    (cosine,) = re.findall(r"have the cosine (\S+),", said(page)[1])
    assert [number for number in key if re.fullmatch(r"−?[\d.]+", number)] == [f"−{cosine}", "0", cosine]


@pytest.mark.parametrize("language", LANGUAGES.values())
def test_a_page_in_another_language_has_no_english_of_ours(chromium, tmp_path, language):
    for name in ("book.js", "book.css", "playground.js"):
        shutil.copy(ROOT / "book/assets" / name, tmp_path)
    skip = '<div class="skip-link"></div><div data-play="error-bar"></div><script defer src="playground.js"></script>'
    (tmp_path / "page.html").write_text(PAGE.format(FIGURE + skip).replace('lang="en"', f'lang="{language}"'), "utf-8")
    browser.open_page(chromium, browser.serve(tmp_path) + "page.html")
    figure = chromium.find_element(By.CSS_SELECTOR, "a.enlarge")
    figure.click()
    said = [figure.get_attribute("title"), chromium.find_element(By.CSS_SELECTOR, ".viewer button").accessible_name]
    said.append(chromium.find_element(By.CSS_SELECTOR, ".skip-link a").get_property("textContent"))
    assert all(said)
    assert not any(re.search("figure|slider", text, re.IGNORECASE) for text in said)
