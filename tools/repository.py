"""Which GitHub repository this book is built from: launch buttons point there, so that forks launch themselves."""

import os
import re
import subprocess


def repository_url():
    """The address of GITHUB_REPOSITORY, else of the origin remote if that is on GitHub, else None."""
    if slug := os.environ.get("GITHUB_REPOSITORY"):
        return f"https://github.com/{slug}"
    try:
        command = ["git", "remote", "get-url", "origin"]
        origin = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    found = re.search(r"github\.com[:/]([\w.-]+/[\w.-]+?)(\.git)?\s*$", origin)
    return f"https://github.com/{found[1]}" if found else None


def point_buttons(app, config):
    """Point the launch and repository buttons at the repository, or leave them out where there is none."""
    if url := repository_url():
        config.html_theme_options |= {"repository_url": url, "use_repository_button": True, "use_issues_button": True}
    else:
        config.html_theme_options.pop("launch_buttons", None)


def setup(app):
    """Sphinx calls this to load the extension."""
    app.connect("config-inited", point_buttons, priority=1)
    return {"parallel_read_safe": True}
