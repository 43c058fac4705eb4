"""The notebooks of the book, as _toc.yml lists them: in its order, the evidence of a chapter after the chapter.

A notebook's name is its path below book/, without the suffix: two-models, evidence/two-models. python tools/contents.py
prints a digest of what their outputs depend on.
"""

import hashlib
import os
import pathlib
import sys

import yaml

ROOT = pathlib.Path(__file__).parents[1]
BOOK = ROOT / "book"
SOURCES = ["audit", "book", "experiments", "helpers", "tools", "pyproject.toml", "requirements.txt"]
EXECUTED = pathlib.Path(sys.prefix, "executed")  # where make test keeps what it executes, and from which state of files
EVIDENCE = "evidence/"  # how the names of evidence begin; the rest is the chapter's, or a second one's own


def files(entry):
    """The files that a table of contents, or an entry of one, names: its own, then those below it."""
    own = [entry[key] for key in ("root", "file") if key in entry]
    below = [child for key in ("parts", "chapters", "sections") for child in entry.get(key, [])]
    return own + [file for child in below for file in files(child)]


def notebooks(toc=ROOT / "_toc.yml"):
    """The paths of the notebooks."""
    paths = [toc.parent / f"{file}.ipynb" for file in files(yaml.safe_load(toc.read_text("utf-8")))]
    return [path for path in paths if path.is_file()]


def name(path):
    """The name of the notebook at a path."""
    return pathlib.Path(os.path.relpath(path, BOOK)).with_suffix("").as_posix()


def chapter(name):
    """The chapter that a notebook belongs to, by name; of a chapter's second evidence, the evidence itself."""
    stem = name.removeprefix(EVIDENCE)
    return stem if (BOOK / f"{stem}.ipynb").is_file() else name


def state(root=ROOT):
    """A digest of what the outputs depend on: the files, as they are now, and the version of Python."""
    paths = [path for source in SOURCES for path in [root / source, *(root / source).rglob("*")]]
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted(path for path in paths if path.is_file() and path.suffix != ".pyc"):
        digest.update(path.as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


if __name__ == "__main__":
    print(state())
