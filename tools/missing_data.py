"""What a chapter needs beside the lock, and whether it is here; where it is not, its committed outputs stand.

Also the Sphinx extension that leaves such chapters unexecuted. The tests skip them, and say why.
"""

import functools
from importlib.metadata import PackageNotFoundError, version

from sphinx.util import logging

from helpers.files import MissingDataError
from helpers.movielens import movielens_files


def no_movielens():
    """Why MovieLens' data cannot be had, None if they can."""
    try:
        movielens_files()
    except MissingDataError as problem:
        return str(problem)


LIBRARIES = {  # packages that tests/requirements.txt pins, by chapter
    "in-a-vector-store": ["faiss-cpu", "usearch"],
    "evidence/in-a-vector-store": ["apsw", "faiss-cpu", "lancedb", "pyarrow", "qdrant-client", "sqlite-vec", "usearch"],
    "evidence/text-encoders": ["gensim"],  # which has WordSim-353 and SimLex-999 as test data
    "evidence/what-people-say": ["gensim"],
}


def installed(package):
    """Whether a package is."""
    try:
        return bool(version(package))
    except PackageNotFoundError:
        return False


def not_installed(packages):
    """Which of these are not installed, None if all are."""
    if away := [package for package in packages if not installed(package)]:
        return f"not installed: {', '.join(away)}; pip install -r tests/requirements.txt"


CHAPTERS = {
    "evidence/movielens": no_movielens,
    **{chapter: functools.partial(not_installed, packages) for chapter, packages in LIBRARIES.items()},
}


@functools.cache
def missing(chapter):
    """Why a chapter, named as in contents.py, cannot be executed here; None if it can."""
    return CHAPTERS[chapter]() if chapter in CHAPTERS else None


def leave_as_they_are(app, config):
    """Show the committed outputs of chapters that cannot be executed here, and say so."""
    for chapter in CHAPTERS:
        if reason := missing(chapter):
            config.nb_execution_excludepatterns = [*config.nb_execution_excludepatterns, f"book/{chapter}.ipynb"]
            logging.getLogger(__name__).info("%s: shown with its committed outputs: %s", chapter, reason)


def setup(app):
    """Sphinx calls this to load the extension."""
    app.connect("config-inited", leave_as_they_are)
    return {"parallel_read_safe": True}
