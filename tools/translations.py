"""Sphinx extension: a plain answer for each chapter on the pages in other languages, from book/answers.yml.

A page such as book/what-to-do-ja has ``<!-- answers -->`` where the list of its language belongs.
"""

import contents
import yaml
from page_markup import LANGUAGES

PATH = contents.BOOK / "answers.yml"
PLACE = "<!-- answers -->"


def load():
    """The chapters' answers: {chapter: {language: answer}}, in English (en) as they were translated."""
    return yaml.safe_load(PATH.read_text("utf-8"))


def put_answers(app, name, source):
    """Fill a page in another language as Sphinx reads it."""
    language = name.rpartition("-")[2]
    if language in LANGUAGES and PLACE in source[0]:
        app.env.note_dependency(PATH)
        source[0] = source[0].replace(PLACE, "\n".join(f"- {answer[language]}" for answer in load().values()))


def setup(app):
    """Sphinx calls this to load the extension."""
    app.connect("source-read", put_answers)
    return {"parallel_read_safe": True}
