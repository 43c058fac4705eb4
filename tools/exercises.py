"""Write the page of exercises, book/exercises.md, from the chapters in the order of _toc.yml.

Usage: python tools/exercises.py. An exercise's title ends with how it is done: *(pencil, 10 minutes)*,
*(computer, 15 minutes)*, and *open* in the place of the minutes or after them where no solution is given.
"""

import re

import contents
import nbformat

PAGE = contents.BOOK / "exercises.md"
HEAD = """% Written by tools/exercises.py: change the chapters, then say make exercises.

# Exercises by chapter

For those who teach with this book ([a lesson and homework](teach-it.md)): every exercise, what it takes, and about how
long. *Pencil* needs paper, *computer* a running chapter. Where a solution is given, it is folded below the exercise and
was executed with its chapter; *open* ones have none.

:::{table}
:class: stack
| chapter | exercise | with | minutes | solution |
| --- | --- | --- | --- | --- |
"""
EXERCISE = re.compile(r"^`{3,}\{exercise\} (.*)\n:label: ([\w-]+)$", re.M)
MARK = re.compile(r" \*\(([^()]*)\)\*$")


def exercises(text):
    """What a chapter has: (title, label, pencil or computer, minutes, yes or open) each, None for what is not said."""
    for title, label in EXERCISE.findall(text):
        words = [word.strip() for word in (MARK.search(title) or ["", ""])[1].split(",")]
        means = next((word for word in words if word in ("pencil", "computer")), None)
        minutes = next((word.split()[0] for word in words if re.fullmatch(r"\d+ minutes", word)), None)
        solved = re.search(rf"\{{solution(-start)?\}} {label}$", text, re.M)
        solution = "open" if "open" in words else "yes" if solved else None
        yield MARK.sub("", title), label, means, minutes, solution if (solution == "open") != bool(solved) else None


def page():
    """The whole page."""
    lines = []
    for path in contents.notebooks():
        cells = nbformat.read(path, as_version=4).cells
        text = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
        for title, label, *rest in exercises(text):
            row = [f"[]({contents.name(path)}.ipynb)", f"[{title}]({label})", *(word or "–" for word in rest)]
            lines.append(f"| {' | '.join(row)} |\n")
    return f"{HEAD}{''.join(lines)}:::\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
