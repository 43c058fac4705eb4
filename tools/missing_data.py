"""What a chapter needs beside the lock, and whether it is here; where it is not, its committed outputs stand.

Also the Sphinx extension that leaves such chapters unexecuted. The tests skip them, and say why.
"""

import functools
from importlib.util import find_spec

from sphinx.util import logging

from helpers.movielens import MissingDataError, movielens_files


def no_movielens():
    """Why MovieLens' data cannot be had, None if they can."""
    try:
        movielens_files()
    except MissingDataError as problem:
        return str(problem)


JUDGMENTS = ["gensim"]  # which has WordSim-353 and SimLex-999 as test data
STORES = ["apsw", "faiss", "lancedb", "pyarrow", "qdrant_client", "sqlite_vec", "usearch"]


def not_installed(names):
    """Which of these packages are not installed, None if all are."""
    if away := [name for name in names if find_spec(name) is None]:
        return f"not installed: {', '.join(away)}; pip install -r tests/requirements.txt"


CHAPTERS = {
    "in-a-vector-store": lambda: not_installed(STORES),
    "movielens": no_movielens,
    "what-people-say": lambda: not_installed(JUDGMENTS),
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
