"""The ledger of claims: from book/claims.yml to its page, to claims.json, and to the chapters' summaries.

Usage: python tools/ledger.py [chapter.ipynb …] writes the table of claims in the summary of each chapter, by default of
all. As a Sphinx extension it puts the rows where book/claims.md says ``<!-- index -->``, ``<!-- rows C -->`` and
``<!-- rows B -->``, and writes claims.json beside the page.
"""

import functools
import json
import pathlib
import re
import sys

import contents
import nbformat
import yaml
from shared_links import site_url

BOOK = contents.BOOK
KEYS = "id section claim finding verdict outcome condition data score numbers theorems sections command minutes".split()  # noqa: SIM905
ANSWERS = {"Yes: ": "yes", "Yes, if ": "if", "It depends: ": "depends", "No": "no"}
NEEDED = ("id", "claim", "finding", "verdict", "outcome", "sections")
HEAD = "| claim | what it says | what was found | verdict: outcome |\n| --- | --- | --- | --- |\n"
SUMMARY = re.compile(r"^## Summary$", re.M)
TABLE = re.compile(r"^\| (?:claim|result) \|.*\n(?:\|.*(?:\n|$))*", re.M)


@functools.cache
def homes():
    """The notebook that each label of a section stands in: {label: name}."""
    texts = {contents.name(path): path.read_text("utf-8") for path in contents.notebooks()}
    return {label: name for name, text in texts.items() for label in re.findall(r'"\((sec-[\w-]+)\)=\\n"', text)}


def load(path=BOOK / "claims.yml"):
    """The rows, each with all keys of KEYS; where the file names no command, the chapters' test.

    Raises ValueError that names file, row and what to do, for a row that lacks one of NEEDED or names a section that
    no notebook has.
    """
    rows = yaml.safe_load(path.read_text("utf-8"))
    for number, row in enumerate(rows, 1):
        at = f"book/{path.name}, {row.get('id') or f'row {number}'}"
        if lacking := [key for key in NEEDED if not row.get(key)]:
            raise ValueError(f"{at} has no {' and no '.join(lacking)}: add what CONTRIBUTING.md shows")
        if not isinstance(row["sections"], list):
            raise ValueError(f"{at}: sections must be a list, write [{row['sections']}]")
        for label in set(row["sections"]) - set(homes()):
            raise ValueError(f"{at}: no notebook of _toc.yml has a section ({label})=: write it, or name another")
        chapters = dict.fromkeys(contents.chapter(homes()[label]) for label in row["sections"])
        names = " ".join(chapters)
        command = f'make test ONLY="{names}"' if len(chapters) > 1 else f"make test ONLY={names}"
        usual = dict.fromkeys(KEYS) | {"theorems": [], "command": command, "minutes": len(chapters)}
        row |= usual | row
    return rows


@functools.cache
def edition():
    """The book's title and version, as CITATION.cff has them, and the address of the ledger: on the web, if known."""
    about = yaml.safe_load((BOOK.parent / "CITATION.cff").read_text("utf-8"))
    return about["title"], about["version"], f"{site_url() or ''}book/claims.html"


def citation(row, form="{}"):
    """How to cite a row, in one line; form is put around the title."""
    title, version, address = edition()
    return f"Claim {row['id']}, {form.format(title)}, version {version}, {address}#{row['id'].lower()}"


def card(row):
    """A row as Markdown, with an address of its own: how it came out, what is claimed and where, then the prose."""
    where = [f"[]({label})" for label in row["sections"]] + [f"{{prf:ref}}`{label}`" for label in row["theorems"]]
    color = next(color for start, color in ANSWERS.items() if row["finding"].startswith(start))
    chips = [outcome(row), row["verdict"], *([f"paper: {row['section']}"] if row["section"] else [])]
    lines = [
        f'<p class="chips {color}"><b><span id="{row["id"].lower()}"></span>{row["id"]}</b>',
        *(f"<span>{chip}</span>" for chip in chips),
        "</p>",
        "",
        f"**{row['claim'].strip()}**",
        "",
        f"Checked in {', '.join(where)}.",
        "",
        row["finding"].strip().rstrip(".") + ".",
        "",
    ]
    if row["numbers"]:
        lines += [":::{dropdown} In detail", row["numbers"].strip(), ":::", ""]
    lines += [f"{name.capitalize()}: {row[name]}. " for name in ("data", "score") if row[name]]
    lines += [f"Repeat: `{row['command']}` ({row['minutes']} min).", ""]
    cited = citation(row, "<i>{}</i>")
    lines += [f'<details class="cite"><summary>Cite this</summary><span>{cited}</span></details>']
    return "::::{div} claim\n" + "\n".join(lines) + "\n::::\n"


def index(rows):
    """Which rows have which answer, as a picture of links: the paper's claims, then what this book found."""
    for kind, title in (("C", "The paper"), ("B", "This book")):
        yield f'<div class="outcomes"><p class="of">{title}</p>\n'
        for answer, colors in ANSWERS.items():
            own = [row for row in rows if row["id"][0] == kind and row["finding"].startswith(answer)]
            links = " ".join(f'<a class="internal" href="#{row["id"].lower()}">{row["id"]}</a>' for row in own)
            if own:
                yield f'<p class="{colors}"><b>{answer.strip(": ").rstrip(",")}</b> {links}</p>\n'
        yield "</div>\n\n"


def fill(text, rows):
    """The page with its rows."""
    for kind in "CB":
        text = text.replace(f"<!-- rows {kind} -->", "\n".join(card(row) for row in rows if row["id"][0] == kind))
    return text.replace("<!-- index -->", "".join(index(rows)))


def outcome(row):
    """How a claim came out, for a table: the condition stands in the finding."""
    return row["outcome"].replace(" if", " if …")


def table(name, rows):
    """The claims that a chapter checks, as its summary lists them."""
    for row in rows:
        if name in {homes()[label] for label in row["sections"]}:
            ledger = "../" * name.count("/") + "claims.md"
            link, found = f"[{row['id']}]({ledger}#{row['id'].lower()})", row["finding"].strip().partition("\n")[0]
            yield f"| {link} | {row['claim'].strip()} | {found} | {row['verdict']}: {outcome(row)} |\n"


def summarized(text, name, rows):
    """A chapter's Markdown with the table below the heading of its summary as the ledger has it."""
    if any(table(name, rows)) and not TABLE.search(text):
        text = SUMMARY.sub("## Summary\n\n| claim |", text)
    return TABLE.sub(lambda _: HEAD + "".join(table(name, rows)), f"{text}\n").rstrip("\n")


def summarize(path, rows):
    """Write the table of claims into a chapter's summary. ValueError if it has claims but no summary."""
    notebook, name = nbformat.read(path, as_version=4), contents.name(path)
    summaries = [cell for cell in notebook.cells if cell.cell_type == "markdown" and SUMMARY.search(cell.source)]
    if any(table(name, rows)) and not summaries:
        raise ValueError(f"book/{name}.ipynb checks claims: write the heading ## Summary, below which their table goes")
    for cell in summaries:
        cell.source = summarized(cell.source, name, rows)
    nbformat.write(notebook, path)


def put_rows(app, name, source):
    """Fill the page as Sphinx reads it."""
    if name == "book/claims":
        app.env.note_dependency(BOOK / "claims.yml")
        source[0] = fill(source[0], load())


def write_json(app, exception):
    """claims.json, for those who would rather read it by a program."""
    if app.builder.name == "html" and not exception:
        rows = [{key: row[key] for key in KEYS} | {"cite": citation(row)} for row in load()]
        path = pathlib.Path(app.outdir) / "book/claims.json"
        path.write_text(json.dumps(rows, ensure_ascii=False, indent=1), "utf-8")


def setup(app):
    """Sphinx calls this to load the extension."""
    app.connect("source-read", put_rows)
    app.connect("build-finished", write_json)
    return {"parallel_read_safe": True}


if __name__ == "__main__":
    try:
        for path in [pathlib.Path(name) for name in sys.argv[1:]] or contents.notebooks():
            summarize(path, load())
    except ValueError as fault:
        sys.exit(str(fault))
