"""The tools: executing chapters, serving the site, which repository and version a page is of."""

import functools
import gzip
import re
import subprocess
import time
import types
from urllib.error import HTTPError
from urllib.request import urlopen

import browser
import contents
import kernels
import nbformat
import no_warnings
import notebooks
import pytest
import repository
from chapters import ROOT
from jupyter_cache import get_cache
from nbclient.exceptions import CellExecutionError
from repository import repository_url

URL = "https://github.com/someone/some.book"
ON_GITHUB = ["https://github.com/", "https://token@github.com/", "git@github.com:", "ssh://git@github.com/"]
ELSEWHERE = ["https://gitlab.com/", "https://notgithub.com/", "https://example.org/github.com/", "../"]


@pytest.mark.parametrize("place", ON_GITHUB + ELSEWHERE)
@pytest.mark.parametrize("end", ["", ".git", "/"])
def test_origin_unless_the_environment_says_another(place, end, monkeypatch, tmp_path):
    monkeypatch.delenv("GITHUB_REPOSITORY", raising=False)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.chdir(tmp_path)
    assert repository_url() is None
    subprocess.run(["git", "init", "--quiet"], check=True)
    subprocess.run(["git", "remote", "add", "origin", f"{place}someone/some.book{end}"], check=True)
    assert repository_url() == (URL if place in ON_GITHUB else None)
    monkeypatch.setenv("GITHUB_REPOSITORY", "another/book")
    assert repository_url() == "https://github.com/another/book"


def test_scripts_of_thebe_are_not_loaded_twice_and_the_color_mode_has_a_name():
    def listener(module):
        return types.SimpleNamespace(handler=types.FunctionType((lambda: 0).__code__, {"__name__": module}))

    one, other, thebe = map(listener, ("one", "other", "sphinx_thebe"))
    events = {"env-before-read-docs": [one, thebe], "doctree-resolved": [thebe, other], "build-finished": [thebe]}
    app = types.SimpleNamespace(events=types.SimpleNamespace(listeners=events))
    config = types.SimpleNamespace(html_context={})
    no_warnings.quiet_console(app, config)
    assert events == {"env-before-read-docs": [one], "doctree-resolved": [other], "build-finished": [thebe]}
    assert config.html_context == {"default_mode": "auto"}


def test_the_footer_says_which_version_a_page_is_of(monkeypatch):
    config = types.SimpleNamespace(html_theme_options={"extra_footer": "Text: CC BY."})
    monkeypatch.chdir(ROOT)
    repository.state_version(None, config)
    version = re.search(r"^version: (\S+)", (ROOT / "CITATION.cff").read_text("utf-8"), re.M)[1]
    said = rf"Version {re.escape(version)}(, \d{{4}}-\d\d-\d\d, commit [0-9a-f]+)?\. Text: CC BY\."
    assert re.fullmatch(said, config.html_theme_options["extra_footer"])


def test_a_site_is_served_as_hosts_do_it(tmp_path):
    for name in ("page.html", "picture.png"):
        (tmp_path / name).write_bytes(b"content")
    home = browser.serve(tmp_path)
    with urlopen(home + "page.html") as page, urlopen(home + "picture.png") as picture:
        assert (page.headers["Content-Encoding"], gzip.decompress(page.read())) == ("gzip", b"content")
        assert (picture.headers["Content-Encoding"], picture.read()) == (None, b"content")
        assert page.headers["Content-Type"] == "text/html"
    for missing in ("none.html", "none.png"):
        with pytest.raises(HTTPError, match="404"):
            urlopen(home + missing)


def chapter():
    cells = [nbformat.v4.new_markdown_cell("# Title"), nbformat.v4.new_code_cell("1 + 1", execution_count=1)]
    return nbformat.v4.new_notebook(cells=cells, metadata={"language_info": {"name": "python"}})


def test_execution_keeps_ids_and_writes_nothing_that_changes_from_run_to_run(tmp_path, capfd):
    path, notebook = tmp_path / "one.ipynb", chapter()
    notebook.cells.insert(1, nbformat.v4.new_code_cell("print(1, flush=True)\nprint(2)", id="mine"))
    ids = [cell.id for cell in notebook.cells]
    nbformat.write(notebook, path)
    (_, after), (_, again) = (notebooks.side_by_side([path])[0] for _ in range(2))
    assert nbformat.writes(again) == nbformat.writes(after)
    assert [cell.id for cell in after.cells] == ids
    assert [cell.get("execution_count") for cell in after.cells] == [None, 1, 2]
    assert [output.text for output in after.cells[1].outputs] == ["1\n2\n"]
    assert capfd.readouterr().err == ""
    assert after.metadata == {"language_info": {"name": "python"}}
    assert not any(cell.metadata for cell in after.cells)


def test_kernels_have_one_parent_and_know_nothing_of_each_other(tmp_path):
    path = tmp_path / "one.ipynb"
    source = "import os, helpers\nprint(os.getppid(), hasattr(helpers, 'mine'))\nhelpers.mine = 1"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)]), path)
    said = [notebook.cells[0].outputs[0].text.split() for _, notebook in notebooks.side_by_side([path, path])]
    assert said == [[str(kernels.server().pid), "False"]] * 2


def test_what_is_executed_for_the_build_is_what_the_build_finds(tmp_path, monkeypatch):
    paths = [tmp_path / f"{number}.ipynb" for number in range(2)]
    for number, path in enumerate(paths):
        nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(f"print({number})")]), path)
    monkeypatch.setattr(notebooks, "CACHE", str(tmp_path / "cache"))
    executed = notebooks.side_by_side(paths)
    for _ in range(2):  # the second time they are there already
        notebooks.fill_cache(executed)
    cache = get_cache(notebooks.CACHE)
    for number, path in enumerate(paths):
        _, found = cache.merge_match_into_notebook(nbformat.read(path, as_version=4))
        assert found.cells[0].outputs[0].text == f"{number}\n"
    cache.db.dispose()


def test_a_build_executes_chapters_unless_the_tests_have_done_so_from_the_same_files(tmp_path, monkeypatch):
    path, kept = contents.BOOK / "two-models.ipynb", tmp_path / "executed/two-models.ipynb"
    kept.parent.mkdir()
    nbformat.write(chapter(), kept)
    monkeypatch.setattr(contents, "EXECUTED", kept.parent)
    monkeypatch.setattr(contents, "state", functools.partial(contents.state, tmp_path))
    monkeypatch.setattr(notebooks, "side_by_side", lambda paths: "executed")
    assert notebooks.for_build() == "executed"
    (kept.parent / "state").write_text(contents.state() + "\n", "utf-8")
    assert notebooks.for_build() == [(path, nbformat.read(kept, as_version=4))]
    (tmp_path / "book").mkdir()
    (tmp_path / "book/data.csv").touch()
    assert notebooks.for_build() == "executed"


def test_the_picture_of_the_readme_is_drawn_when_all_chapters_are_executed_and_at_no_other_time(tmp_path, monkeypatch):
    path, done = tmp_path / "one.ipynb", []
    monkeypatch.setattr(contents, "notebooks", lambda: [path])
    monkeypatch.setattr(notebooks, "side_by_side", lambda paths: [(each, chapter()) for each in paths])
    monkeypatch.setattr(notebooks, "draw_picture", lambda: done.append("picture"))
    monkeypatch.setattr(notebooks, "fill_cache", lambda chapters: done.append("cache"))
    monkeypatch.setattr(contents, "EXECUTED", tmp_path)
    for arguments, expected, written in (
        ([], ["picture"], True),
        ([str(path)], [], True),
        (["--for-build"], ["cache"], False),
    ):
        notebooks.main(arguments)
        assert (done, path.exists()) == (expected, written)
        path.unlink(missing_ok=True)
        done.clear()


def test_a_chapter_that_fails_is_named_and_ends_the_others(tmp_path, monkeypatch):
    paths = [tmp_path / name for name in ("long.ipynb", "wrong.ipynb")]
    for path, source in zip(paths, ("import time; time.sleep(60)", "1 / 0"), strict=True):
        nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)]), path)
    start = time.monotonic()
    monkeypatch.setattr(notebooks.os, "cpu_count", lambda: 2)
    with pytest.raises(CellExecutionError, match="ZeroDivisionError") as caught:
        notebooks.side_by_side(paths)
    assert caught.value.__notes__ == [f"in {paths[1]}"]
    assert time.monotonic() - start < 40
