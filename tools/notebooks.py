"""Execute chapters from fresh kernels, several at a time, with nothing in their outputs that changes from run to run.

Usage: python tools/notebooks.py [chapter.ipynb …], by default all that _toc.yml lists, and the README's picture: the
outputs are written back into the chapters. With --for-build they go where the build of the book looks for them; what
make test has just executed, and no file has changed since, is not executed again.
"""

import asyncio
import os
import pathlib
import re
import sys

import contents
import kernels
import matplotlib.pyplot as plt
import missing_data
import nbformat
from nbclient import NotebookClient

CACHE = "_build/.jupyter_cache"  # jupyter-book's default
AT_ONCE = 4  # at most, and one more than there are processors, as some wait: chapters take up to a gigabyte each


async def executed(path):
    """One chapter with its outputs: no timestamps, no version of Python; cells keep their ids, so diffs stay small."""
    notebook = nbformat.read(path, as_version=4)
    options = {"timeout": 600, "record_timing": False, "coalesce_streams": True}
    client = NotebookClient(notebook, resources={"metadata": {"path": path.parent}}, **options)
    try:
        await client.async_execute()
    except Exception as problem:
        problem.add_note(f"in {path}")
        raise
    notebook.metadata["language_info"] = {"name": "python"}
    return notebook


def side_by_side(paths):
    """Pairs of path and notebook, with its outputs, of those chapters that can be executed here; says which cannot."""
    for path in paths:
        if reason := missing_data.missing(contents.name(path)):
            print(f"{contents.name(path)}: not executed: {reason}")
    paths = [path for path in paths if not missing_data.missing(contents.name(path))]
    kernels.prepare()
    gate = asyncio.Semaphore(min(AT_ONCE, (os.cpu_count() or 1) + 1))

    async def in_turn(path):
        async with gate:
            notebook = await executed(path)
        print(contents.name(path), flush=True)
        return notebook

    async def together():  # the first that fails ends all
        return await asyncio.gather(*map(in_turn, paths))

    return list(zip(paths, asyncio.run(together()), strict=True))


def for_build():
    """Pairs of path and notebook, executed here, or by make test if all files are as they were; as committed if not."""
    state = contents.EXECUTED / "state"
    if not state.is_file() or state.read_text("utf-8").strip() != contents.state():
        return side_by_side(contents.notebooks())
    print("make test has executed the chapters from these files: it is not done again")
    executed = [contents.EXECUTED / f"{contents.name(path)}.ipynb" for path in contents.notebooks()]
    pairs = zip(contents.notebooks(), executed, strict=True)
    return [(path, nbformat.read(tested, as_version=4)) for path, tested in pairs if tested.is_file()]


def draw_picture():
    """Save the figure of the introduction, drawn by its own code cells, for the README."""
    text = pathlib.Path("book/intro.md").read_text("utf-8")
    cells = re.findall(r"^```{code-cell}\n(?:---\n.*?^---\n)?(.*?)^```$", text, re.M | re.S)
    plt.switch_backend("agg")
    plt.show = lambda: plt.savefig("book/assets/two-answers.png")
    exec("\n".join(cells), {})


def fill_cache(chapters):
    """Put executed chapters where jupyter-book, which executes one after another, finds them done."""
    from jupyter_cache import get_cache
    from jupyter_cache.base import CacheBundleIn

    cache = get_cache(CACHE)
    cache.clear_cache()  # which knows cells, but not the helpers they call
    for path, notebook in chapters:
        cache.cache_notebook_bundle(CacheBundleIn(notebook, str(path)), check_validity=False)
    cache.db.dispose()  # Python 3.13 warns of a database that is left open


def main(arguments):
    """Execute chapters, all or those that are named, and write them, or fill the cache of the build."""
    if arguments == ["--for-build"]:
        fill_cache(for_build())
    else:
        for path, notebook in side_by_side([pathlib.Path(name) for name in arguments] or contents.notebooks()):
            nbformat.write(notebook, path)
        if not arguments:
            draw_picture()


if __name__ == "__main__":
    main(sys.argv[1:])
