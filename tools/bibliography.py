"""Sphinx extension: the list of references has the labels that the text uses, such as “Jin et al., 2021”."""

from pybtex.plugin import find_plugin, register_plugin
from pybtex.style.formatting.alpha import Style as Alphabetical
from pybtex.style.labels import BaseLabelStyle


class AuthorYear(BaseLabelStyle):
    """Last names, or the first and “et al.” if there are more than two, and the year."""

    def format_labels(self, sorted_entries):
        """One label for each entry, as pybtex asks for them."""
        for entry in sorted_entries:
            people = entry.persons.get("author") or entry.persons["editor"]
            names = [" ".join(person.prelast_names + person.last_names) for person in people]
            who = " and ".join(names) if len(names) < 3 else f"{names[0]} et al."
            yield f"{who}, {entry.fields['year']}"


class Style(Alphabetical):
    """Sorted by author, labeled by author and year."""

    default_label_style = AuthorYear


def setup(app):
    """Sphinx calls this to load the extension."""
    register_plugin("pybtex.style.formatting", "author-year", Style)
    docutils = find_plugin("pybtex.backends", "docutils")
    register_plugin("pybtex.backends", "docutils", docutils, force=True)  # or each citation looks through all packages
    return {"parallel_read_safe": True}
