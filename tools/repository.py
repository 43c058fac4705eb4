"""Which GitHub repository this book is built from: launch buttons point there, so that forks launch themselves.

Also the Sphinx extension that sets the buttons, and says on each page which version of the book it is of.
"""

import os
import pathlib
import re
import subprocess

LAUNCH_BRANCH = "launch"  # the chapters with a set-up cell for Colab, made by tools/colab.py when the book is published


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


def launch_notebooks_only(app, pagename, templatename, context, doctree):
    """Colab opens notebooks, not Markdown: a page written in Markdown has no launch button."""
    if not str(app.env.doc2path(pagename)).endswith(".ipynb"):
        buttons = context["header_buttons"]
        buttons[:] = [button for button in buttons if button.get("label") != "launch-buttons"]


def setup(app):
    """Sphinx calls this to load the extension."""
    app.connect("config-inited", point_buttons, priority=1)
    app.connect("config-inited", state_version, priority=1)
    app.connect("html-page-context", launch_notebooks_only, priority=502)  # the theme adds them at 501
    return {"parallel_read_safe": True}
