"""The buttons that open a chapter in Binder or Colab, and what they find there."""

import copy
import os
import shlex
import shutil
import subprocess
import sys
import types
from urllib.parse import parse_qs, urlsplit

import missing_data
import nbformat
import pytest
import repository
import set_up
import yaml
from chapters import CHAPTERS, ROOT
from contents import name
from IPython.core.inputtransformer2 import TransformerManager
from sphinx_book_theme.header_buttons.launch import add_launch_buttons

URL = "https://github.com/someone/some.book"
STEPS = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text("utf-8"))["jobs"]["launch"]["steps"]


class Config(dict):
    """Sphinx's, of which options are read both ways."""

    __getattr__ = dict.__getitem__


@pytest.fixture
def config(monkeypatch):
    """The options of the theme that _config.yml leads to, in a repository on GitHub."""
    monkeypatch.setenv("GITHUB_REPOSITORY", "someone/some.book")
    buttons = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))["launch_buttons"]
    config = Config(html_theme_options={"launch_buttons": buttons})
    repository.point_buttons(None, config)
    return config


def links(config, path):
    """The launch buttons of a page: {text: address}."""
    page = path.relative_to(ROOT).with_suffix("").as_posix()
    env = types.SimpleNamespace(doc2path=lambda page: str(path), metadata={page: {"kernelspec": "python3"}})
    app = types.SimpleNamespace(env=env, outdir="", config=config)
    context = {"header_buttons": [{"label": "source-buttons"}], "pagename": page, "sourcename": page + ".ipynb.txt"}
    context |= {"github_url": "https://github.com", "github_user": "someone", "github_repo": "some.book"}
    for handler in (add_launch_buttons, repository.point_launch_buttons):
        handler(app, page, None, context, None)
    assert context["header_buttons"][0] == {"label": "source-buttons"}
    return {button["text"]: button["url"] for group in context["header_buttons"][1:] for button in group["buttons"]}


def branches():
    """The branches that the workflow pushes."""
    return {
        line.split("refs/heads/")[-1].strip(' "')
        for step in STEPS
        for line in step.get("run", "").splitlines()
        if line.strip().startswith("git push")
    }


@pytest.mark.parametrize("path", CHAPTERS, ids=name)
def test_the_buttons_of_a_notebook_lead_to_it(path, config):
    binder, colab = (urlsplit(links(config, path)[text]) for text in ("Binder", "Colab"))
    assert (binder.netloc, binder.path) == ("mybinder.org", "/v2/gh/someone/some.book/binder")
    pull = urlsplit(parse_qs(binder.query)["urlpath"][0])
    asked = {key: value for key, (value,) in parse_qs(pull.query).items()}
    notebook = asked.pop("urlpath").removeprefix("lab/tree/some.book/")
    assert (pull.path, asked) == ("git-pull", {"repo": URL, "branch": "launch", "depth": "1"})
    assert ROOT / notebook == path
    assert colab.geturl() == f"https://colab.research.google.com/github/someone/some.book/blob/launch/{notebook}"
    assert branches() == {"binder", "launch"}


def test_a_page_in_markdown_and_a_book_outside_github_have_no_launch_button(config, monkeypatch, tmp_path):
    assert links(config, ROOT / "book/intro.md") == {}
    assert config.html_theme_options["use_repository_button"]
    monkeypatch.delenv("GITHUB_REPOSITORY")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.chdir(tmp_path)
    repository.point_buttons(None, config)
    assert links(config, CHAPTERS[0]) == {}


def with_set_up(chapter):
    """A notebook that begins as chapters do, and its set-up cell."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# Title")])
    set_up.add_set_up(notebook, chapter, URL)
    return notebook


def test_set_up_is_one_folded_cell_below_the_title():
    before = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# Title"), nbformat.v4.new_code_cell("1")])
    after = copy.deepcopy(before)
    set_up.add_set_up(after, "rescaling", URL)
    nbformat.validate(after)
    cell = after.cells.pop(1)
    assert after == before
    assert (cell.cell_type, cell.source.split()[0]) == ("code", "#@title")
    assert cell.metadata == {"cellView": "form", "jupyter": {"source_hidden": True}}


@pytest.mark.parametrize("place", ["Colab", "Binder", "elsewhere"])
@pytest.mark.parametrize("path", CHAPTERS, ids=name)
def test_set_up_finds_the_book_and_installs_what_the_chapter_alone_needs(path, place, monkeypatch):
    source = with_set_up(name(path)).cells[1].source
    monkeypatch.delenv("BINDER_REPO_URL", raising=False)
    if place == "Colab":
        monkeypatch.setitem(sys.modules, "google.colab", types.ModuleType("google.colab"))
    if place == "Binder":
        monkeypatch.setenv("BINDER_REPO_URL", URL)
    monkeypatch.chdir(path.parent)
    monkeypatch.setattr(sys, "path", [])
    asked = []
    shell = types.SimpleNamespace(run_line_magic=lambda *magic: asked.append(magic))
    exec(TransformerManager().transform_cell(source), {"get_ipython": lambda: shell})
    assert sys.path == ([str(ROOT), str(ROOT / "audit/src")] if place == "Binder" else [])
    installed = [requirement for _, line in asked for requirement in shlex.split(line.removeprefix("install -q "))]
    book = [f"cosine-audit @ git+{URL}@launch#subdirectory=audit"]
    book += [f"cosine-similarity-companion[experiments] @ git+{URL}@launch"]
    own = missing_data.LIBRARIES.get(name(path), [])
    assert installed[: 2 * (place == "Colab")] == book * (place == "Colab")
    pins = installed[2 * (place == "Colab") :]
    assert [pin.split("==")[0] for pin in pins] == (own if place != "elsewhere" else [])
    assert set(pins) <= set((ROOT / "tests/requirements.txt").read_text("utf-8").splitlines())


@pytest.mark.skipif(os.name == "nt" or not shutil.which("git"), reason="needs git and a shell")
def test_the_branch_of_binder_moves_only_with_what_binder_installs(tmp_path):
    def run(*command):
        done = subprocess.run(command, cwd=tmp_path / "here", capture_output=True, text=True, check=True, env=ME)
        return done.stdout.split()

    def publish():
        (step,) = [step["run"] for step in STEPS if "refs/heads/binder" in step.get("run", "")]
        run("git", "commit", "--quiet", "--all", "--allow-empty", "--message", "an edit")
        run("git", "push", "--quiet", "origin", "HEAD")
        run("bash", "-e", "-c", step)
        return run("git", "ls-remote", "origin", "refs/heads/binder")[0]

    ME = os.environ | {f"GIT_{who}_{what}": "me@here" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    ME["GIT_CONFIG_GLOBAL"] = os.devnull
    subprocess.run(["git", "init", "--quiet", "--bare", tmp_path / "there"], check=True)
    subprocess.run(
        ["git", "clone", "--quiet", tmp_path / "there", tmp_path / "here"], check=True, stderr=subprocess.DEVNULL
    )
    shutil.copytree(ROOT / "binder", tmp_path / "here/binder")
    run("git", "add", ".")
    first = publish()
    (tmp_path / "here/chapter.md").write_text("a word")
    run("git", "add", ".")
    assert publish() == first
    (tmp_path / "here/binder/requirements.txt").write_text("numpy")
    second = publish()
    assert second != first
    run("git", "fetch", "--quiet", "origin", "binder")
    assert run("git", "ls-tree", "--name-only", second) == ["requirements.in", "requirements.txt", "runtime.txt"]
