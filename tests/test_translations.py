"""The pages in other languages: their answers are of what each chapter says now, their slider is the front page's."""

import json
import re
from types import SimpleNamespace

import pytest
import translations
from chapters import CHAPTERS, ROOT, prose
from contents import BOOK, name
from markdown_it import MarkdownIt
from page_markup import LANGUAGES

TRANSLATED = translations.load()
NUMBER = r"\d+(?:\.\d+)?|[λσ²₁₂]+|\b(?:artanh|tanh|ln)\b"

each_chapter = pytest.mark.parametrize("chapter", TRANSLATED)
each_language = pytest.mark.parametrize("language", LANGUAGES)


def page(language):
    return (BOOK / f"what-to-do-{language}.md").read_text("utf-8")


def said():
    """The bold paragraph of each chapter that has one: {name: answer}."""
    found = {name(path): re.search(r"^\*\*(.+)\*\*$", prose(path), re.M) for path in CHAPTERS if path.parent == BOOK}
    return {chapter: bold[1] for chapter, bold in found.items() if bold}


def numbers(text):
    """The numbers and symbols of an answer, sorted; a comma between digits is a decimal point."""
    shown = re.sub(r"(?<=\d),(?=\d)", ".", re.sub(r"\]\(.*?\)", "]", text))
    return sorted(re.findall(NUMBER, shown, re.ASCII))


def test_every_chapter_that_has_an_answer_is_translated_in_the_books_order():
    chapters = list(said())
    for place, chapter in enumerate(chapters):
        assert list(TRANSLATED)[place : place + 1] == [chapter], (
            f"book/answers.yml: list {chapter} after {chapters[place - 1]}, with en, ja, zh and vi as its head says"
        )
    assert len(TRANSLATED) == len(chapters), f"book/answers.yml: delete {list(TRANSLATED)[len(chapters) :]}"


@each_chapter
def test_what_was_translated_is_what_the_chapter_says_now(chapter):
    now = said().get(chapter)
    assert TRANSLATED[chapter]["en"] == now, (
        f"book/answers.yml, {chapter}: copy to en:, and translate at {', '.join(LANGUAGES)}, what it says now: {now}"
    )


@each_language
@each_chapter
def test_a_translation_leads_to_its_chapter_and_has_its_numbers(chapter, language):
    row, at = TRANSLATED[chapter], f"book/answers.yml, {chapter}, {language}:"
    link = rf"\[[^\]]+\]\({chapter}\.ipynb\)[：:]"
    assert re.match(link, row[language]), f"{at} begin with [title]({chapter}.ipynb) and a colon"
    assert numbers(row[language]) == numbers(row["en"]), f"{at} give the numbers and symbols of en:, and no others"


@each_language
def test_a_page_lists_the_answers(language):
    source, read = [page(language)], []
    at = f"what-to-do-{language}.md: {translations.PLACE} once, where the answers belong"
    assert source[0].count(translations.PLACE) == 1, at
    app = SimpleNamespace(env=SimpleNamespace(note_dependency=read.append))
    translations.put_answers(app, f"book/what-to-do-{language}", source)
    assert "\n".join(f"- {row[language]}" for row in TRANSLATED.values()) in source[0]
    assert read == [translations.PATH]


@each_language
def test_what_is_marked_as_bold_is_bold(language):
    """Markdown leaves the marks as they are between a closing bracket and a letter: **異方性（anisotropy）**とは."""
    inline = [token for token in MarkdownIt().enable("table").parse(page(language)) if token.children]
    said = [part.content for token in inline for part in token.children if part.type == "text"]
    assert [text for text in said if "**" in text] == [], f"what-to-do-{language}.md: end the bold before the bracket"


@each_language
def test_the_slider_is_that_of_the_front_page_and_says_everything_in_its_language(language):
    cell = re.search(r"^```{code-cell}\n---.*?^---\n(.*?)^```$", (BOOK / "intro.md").read_text("utf-8"), re.M | re.S)
    front = {}
    exec(cell[1], front)
    found = json.loads(re.search(r'<script type="application/json">(.*?)</script>', page(language), re.S)[1])
    words = found.pop("words")
    assert found == {key: front["data"][key] for key in ("names", "items", "pick", "user")}
    script = (ROOT / "book/assets/playground.js").read_text("utf-8")
    english = dict(re.findall(r'^  (\w+): "(.*)",$', script.partition("const SAID = {")[2].partition("};")[0], re.M))
    assert list(words) == list(english), f"what-to-do-{language}.md: words must have the keys of SAID in playground.js"
    for key, text in english.items():
        places = sorted(re.findall(r"\{\w+\}", text))
        assert sorted(re.findall(r"\{\w+\}", words[key])) == places, f"what-to-do-{language}.md: words, {key}"
