"""Which GitHub repository this book is built from: launch buttons point there, so that forks launch themselves.

Also the Sphinx extension that sets the buttons, and says on each page which version of the book it is of.
"""

import os
import pathlib
import re
import subprocess
from urllib.parse import urlencode

LAUNCH_BRANCH = "launch"  # the chapters with a set-up cell, made by tools/set_up.py when the book is published
BINDER_BRANCH = "binder"  # what Binder installs, the folder binder/: it builds anew only when that changes


def git(*command):
    """What git answers, or "" where it is missing or knows nothing."""
    try:
        return subprocess.run(["git", *command], capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def repository_url():
    """The address of GITHUB_REPOSITORY, else of the origin remote if that is on GitHub, else None."""
    if slug := os.environ.get("GITHUB_REPOSITORY"):
        return f"https://github.com/{slug}"
    origin = git("remote", "get-url", "origin")
    found = re.match(r"(?:\w+://)?(?:[^/@]+@)?github\.com[:/]([\w.-]+/[\w.-]+?)(?:\.git)?/?$", origin)
    return f"https://github.com/{found[1]}" if found else None


def point_buttons(app, config):
    """Point the launch and repository buttons at the repository, or leave them out where there is none."""
    if url := repository_url():
        config.html_theme_options |= {"repository_url": url, "repository_branch": LAUNCH_BRANCH}
        config.html_theme_options |= {"use_repository_button": True, "use_issues_button": True}
    else:
        config.html_theme_options.pop("launch_buttons", None)


def state_version(app, config):
    """Begin each page's last line with the version that CITATION.cff names, and the date and name of the commit."""
    version = re.search(r"(?m)^version: (\S+)", pathlib.Path("CITATION.cff").read_text(encoding="utf-8"))[1]
    commit = git("log", "-1", "--format=%cs, commit %h")
    stated = f"Version {version}, {commit}." if commit else f"Version {version}."
    config.html_theme_options["extra_footer"] = f"{stated} {config.html_theme_options['extra_footer']}"


def binder_url(hub, repository, pagename):
    """Where Binder opens a notebook: it builds BINDER_BRANCH, in which nbgitpuller gets LAUNCH_BRANCH.

    The format is that of nbgitpuller's link generator; depth leaves the history out.
    """
    owner, name = repository.split("/")[-2:]
    notebook = f"lab/tree/{name}/{pagename}.ipynb"
    pull = urlencode({"repo": repository, "urlpath": notebook, "branch": LAUNCH_BRANCH, "depth": 1})
    return f"{hub}/v2/gh/{owner}/{name}/{BINDER_BRANCH}?{urlencode({'urlpath': f'git-pull?{pull}'})}"


def point_launch_buttons(app, pagename, templatename, context, doctree):
    """Send Binder's button to binder_url; a page written in Markdown has no launch button, as Colab opens notebooks."""
    buttons = context["header_buttons"]
    (launch,) = [button for button in buttons if button.get("label") == "launch-buttons"] or [None]
    if launch and not str(app.env.doc2path(pagename)).endswith(".ipynb"):
        buttons.remove(launch)
    elif launch:
        options = app.config.html_theme_options
        binder = next(button for button in launch["buttons"] if button["text"] == "Binder")
        hub = options["launch_buttons"]["binderhub_url"]
        binder["url"] = binder_url(hub, options["repository_url"], pagename)


def setup(app):
    """Sphinx calls this to load the extension."""
    app.connect("config-inited", point_buttons, priority=1)
    app.connect("config-inited", state_version, priority=1)
    app.connect("html-page-context", point_launch_buttons, priority=502)  # the theme adds them at 501
    return {"parallel_read_safe": True}
