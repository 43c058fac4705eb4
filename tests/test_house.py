"""The house around the book: the lock, the workflows, the lists of what is there."""

import pathlib
import re

import pdf

ROOT = pathlib.Path(__file__).parents[1]


def text(path):
    return (ROOT / path).read_text("utf-8")


def requirements(path):
    """The lines that name a package."""
    return [line for line in text(path).splitlines() if re.match(r"[\w-]", line)]


def test_the_lock_pins_every_package_exactly_and_no_index():
    first, *pins = requirements("requirements.txt")
    assert re.fullmatch(r"-e \. +# via -r requirements\.in", first)
    assert len(pins) > 100
    for pin in pins:
        assert re.match(r"[a-z0-9-]+==[\w.]+( ; [^#]+)? +# via ", pin), pin


def test_the_lock_was_compiled_from_what_is_asked_for():
    asked = [re.match(r"[\w-]+", line)[0] for line in requirements("requirements.in")]
    direct = [line for line in requirements("requirements.txt") if "-r requirements.in" in line]
    assert [re.match(r"[\w-]+", line)[0] for line in direct] == sorted(asked)
    for line in requirements("requirements.in"):
        limit, pin = re.search(r"<(\d+)", line), re.escape(re.match(r"[\w-]+", line)[0])
        assert not limit or int(re.search(rf"^{pin}==(\d+)", text("requirements.txt"), re.M)[1]) < int(limit[1])


def test_the_front_page_waits_for_the_pdf():
    assert f'{pdf.HIDDEN}<a href="../{pdf.NAME}">' in text("book/intro.md")
