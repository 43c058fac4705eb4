"""Audit a reader's own embeddings: run the chapter on their files, and write what it found.

Usage: python -m tools.audit --items items.npy [--users users.npy] [--objective factors] [--counts …] [--labels …]
[--again …] [--no-centering] [--sample 2000] [--out audit]; or make audit ITEMS=items.npy …. A matrix in a file of
several is named after a #, as in model.safetensors#items.weight.

Writes report.html, summary.json (audit.schema.json says what is in it) and, with users, safe-items.npy to the folder
given by --out, all of them or none. Exit status 0 whatever the verdict; 2, and one sentence, for input that is wrong.
"""

import argparse
import contextlib
import json
import logging
import os
import re
import signal
import sys
import tempfile
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

from helpers.files import InputError, file_and_key, read_model  # noqa: E402
from helpers.verdicts import OBJECTIVES  # noqa: E402

FILES = "items", "users", "counts", "labels", "again"
INTERRUPTED = threading.Event()
WRITTEN = "safe-items.npy", "report.html", "summary.json"
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Audit of {title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.55 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }}
img {{ max-width: 100%; height: auto; background: white; }}
table {{ border-collapse: collapse; font-size: 0.9rem; margin: 1rem 0; display: block; overflow-x: auto; }}
th, td {{ border-bottom: 1px solid #8886; padding: 0.3rem 0.7rem; text-align: left; }}
pre {{ overflow-x: auto; font-size: 0.8rem; }}
summary {{ color: #888; font-size: 0.8rem; cursor: pointer; }}
.anchor-link, .prompt {{ display: none; }}
</style>
</head>
<body>
<main>
<h1>Audit of {title}</h1>
{body}
</main>
</body>
</html>
"""
FOLDED = """{%- extends 'basic/index.html.j2' -%}
{% block input_group %}<details><summary>code</summary>{{ super() }}</details>{% endblock input_group %}
"""


class Parser(argparse.ArgumentParser):
    """Reports what is wrong in one sentence."""

    def error(self, message):
        """Exit with status 2."""
        self.exit(2, f"audit: {message}\n")


def arguments(argv):
    """The command line."""
    parser = Parser(prog="audit", description="Which cosines of these item embeddings did training determine?")
    parser.add_argument("--items", required=True, metavar="FILE", help="item embeddings, a row for each")
    parser.add_argument("--users", metavar="FILE", help="the other factor, all rows: scores are users @ items.T")
    parser.add_argument("--objective", choices=OBJECTIVES, default="unknown", help="how the model was trained")
    parser.add_argument("--counts", metavar="FILE", help="how often each item occurs")
    parser.add_argument("--labels", metavar="FILE", help="a category of each item")
    parser.add_argument("--again", metavar="FILE", help="item embeddings of a second training run")
    parser.add_argument("--no-centering", action="store_true", help="project back without centering")
    parser.add_argument("--sample", type=int, default=2000, help="items whose neighbors are looked up")
    parser.add_argument("--out", default="audit", metavar="FOLDER", help="where to write, by default audit")
    given = parser.parse_args(argv)
    if given.sample < 100:
        parser.error(f"--sample: expected at least 100 items, got {given.sample}")
    return given


def writable(out, inputs=()):
    """The folder to write to, and the nearest folder above it that exists.

    InputError if that cannot be written to, or what is written would take the place of a folder or of an input.
    """
    out = Path(out).absolute()
    try:
        if out.exists() and not out.is_dir():
            raise InputError(f"{out}: expected a folder to write to, got a file")
        if out.is_symlink() and not out.exists():
            raise InputError(f"{out}: expected a folder to write to, got a link that leads nowhere")
    except OSError as problem:
        raise InputError(f"{out}: expected a folder to write to, got a name that fails: {problem.strerror}") from None
    above = next(folder for folder in (out, *out.parents) if folder.exists())
    if not above.is_dir() or not os.access(above, os.W_OK):
        raise InputError(f"{above}: expected a folder that can be written to")
    for name in WRITTEN:
        if (out / name).is_dir():
            raise InputError(f"{out / name}: expected a file or nothing, as the audit writes it, got a folder")
        for path in inputs:
            if (out / name).exists() and (out / name).samefile(file_and_key(path)[0]):
                raise InputError(f"{path}: expected an input that the audit does not overwrite; choose another --out")
    return out, above


def report_only(notebook):
    """The chapter without what only its readers need, and with its kernel's usual name."""
    notebook.cells = [cell for cell in notebook.cells if "chapter" not in cell.metadata.get("tags", [])]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return notebook


class Progress(logging.Handler):
    """Shows what the chapter says while it looks up neighbors."""

    def emit(self, record):
        """The last of some lines such as "given: 12%", over the one before if that is a terminal."""
        said = re.search(r"^(\w+: \d+%)\s*\Z", record.getMessage(), re.M)
        if said:
            end = "\r" if sys.stderr.isatty() else "\n"
            print(f"neighbors, {said[1]}   ", end=end, file=sys.stderr, flush=True)


def execute(given, folder):
    """Run the chapter by papermill, in a folder, where it leaves summary.json and safe-items.npy; the notebook."""
    import kernels
    import nbformat
    import papermill

    for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "MPLCONFIGDIR"):
        os.environ[name] = str(folder / "private")
    (folder / "private" / "profile_default").mkdir()  # a kernel that is told to end may say that it was interrupted
    (folder / "private" / "profile_default" / "ipython_kernel_config.py").write_text("c.IPKernelApp.log_level = 50\n")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    kernels.encrypt()
    notebook = nbformat.read(ROOT / "book" / "audit.ipynb", as_version=4)
    nbformat.write(report_only(notebook), folder / "private" / "audit.ipynb")
    parameters = {name: located(getattr(given, name)) for name in FILES}
    parameters |= {"objective": given.objective, "centering": not given.no_centering, "sample": given.sample}
    parameters |= {"out": str(folder), "progress": True}
    logger = logging.getLogger("papermill")
    logger.handlers, logger.propagate = [Progress()], False
    logger.setLevel(logging.INFO)
    return papermill.execute_notebook(
        str(folder / "private" / "audit.ipynb"),
        None,
        parameters,
        cwd=str(folder),
        progress_bar=False,
        log_output=True,
        kernel_name="python3",
    )


def located(path):
    """The absolute path of a file, which may name one of its matrices after a #; nothing for None."""
    if path is None:
        return ""
    file, mark, key = path.partition("#")
    return str(Path(file).absolute()) + mark + key


def captioned(cell):
    """The caption of a cell's figure, if it drew one, as a cell of its own; gives the figure its alternative text."""
    from nbformat.v4 import new_markdown_cell

    layout = cell.metadata.get("mystnb", {})
    figures = [output for output in cell.get("outputs", []) if "image/png" in output.get("data", {})]
    for output in figures:
        output.metadata["image/png"] = {"alt": layout["image"]["alt"]}
    return [new_markdown_cell(f"*{layout['figure']['caption']}*")] if figures else []


def page(notebook, title):
    """The executed chapter as one HTML page that asks nothing of the network."""
    import html

    from jinja2 import DictLoader
    from nbconvert import HTMLExporter
    from repository import repository_url

    cells = []
    for cell in notebook.cells:
        if "injected-parameters" not in cell.metadata.get("tags", []):
            cells += [cell, *captioned(cell)]
    notebook.cells = cells
    exporter = HTMLExporter(extra_loaders=[DictLoader({"folded.html.j2": FOLDED})], template_file="folded.html.j2")
    body = exporter.from_notebook_node(notebook)[0]
    url = repository_url()
    link = rf'<a href="{url}/blob/main/book/\1.ipynb">\2</a>' if url else r"\2"
    body = re.sub(r'<a href="([\w-]+)\.ipynb">(.*?)</a>', link, body)
    return PAGE.format(title=html.escape(title), body=body)


def audit(given):
    """Write report.html, summary.json and safe-items.npy, or nothing; the summary."""
    import jsonschema

    paths = [getattr(given, name) for name in FILES]
    read_model(*paths)
    out, above = writable(given.out, filter(None, paths))
    with tempfile.TemporaryDirectory(prefix=".audit-", dir=above) as folder:
        folder = Path(folder)
        (folder / "private").mkdir()
        try:
            notebook = execute(given, folder)
        finally:
            end_kernels(folder)
        summary = json.loads((folder / "summary.json").read_text("utf-8"))
        jsonschema.validate(summary, json.loads(Path(__file__).with_suffix(".schema.json").read_text("utf-8")))
        (folder / "report.html").write_text(page(notebook, Path(given.items).name), "utf-8")
        if INTERRUPTED.is_set():
            raise KeyboardInterrupt
        out.mkdir(parents=True, exist_ok=True)
        (out / "safe-items.npy").unlink(missing_ok=True)  # of an earlier run
        for name in WRITTEN:
            if (folder / name).exists():
                (folder / name).replace(out / name)
    return summary


def end_kernels(folder):
    """Kill a kernel that an interruption left behind; its command line names a file in the folder."""
    import psutil

    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if str(folder) in " ".join(process.cmdline()):
                process.kill()


def interrupt(*_):
    """Ended by a person, or by another program; noted as well, as a callback may lose the exception."""
    INTERRUPTED.set()
    raise KeyboardInterrupt


def main(argv=None):
    """The exit status: 0 whatever the verdict, 2 for input that is wrong."""
    given = arguments(argv)
    INTERRUPTED.clear()
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, interrupt)
        signal.signal(signal.SIGTERM, interrupt)
    try:
        summary = audit(given)
    except InputError as problem:
        print(f"audit: {problem}", file=sys.stderr)
        return 2
    except (KeyboardInterrupt, Exception) as problem:  # of the chapter: what it raised
        if isinstance(problem, KeyboardInterrupt) or INTERRUPTED.is_set():
            print("audit: interrupted, nothing was written", file=sys.stderr)
            return 130
        if getattr(problem, "ename", "") != "InputError":
            raise
        print(f"audit: {problem.evalue}", file=sys.stderr)
        return 2
    print(f"determined: {summary['determined']} ({summary['reason']})")
    print(f"recommendation: {summary['recommendation']}")
    print(f"written to {Path(given.out).absolute()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
