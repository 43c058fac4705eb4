"""Sphinx extension: a healthy build prints no warning, and a page's console stays empty."""

import kernels


def quiet_console(app, config):
    """Leave out what every page's console would report: an unnamed color mode, and Thebe's scripts, loaded twice."""
    config.html_context.setdefault("default_mode", "auto")
    for event in ("env-before-read-docs", "doctree-resolved"):
        listeners = app.events.listeners[event]
        listeners[:] = [listener for listener in listeners if listener.handler.__module__ != "sphinx_thebe"]


def setup(app):
    """Sphinx calls this to load the extension."""
    kernels.prepare()
    app.connect("config-inited", quiet_console)
    return {"parallel_read_safe": True}
