"""How a report is written: lines for the terminal, other people's names, numbers, JSON."""

import json
import textwrap


def lines_of(text, mark="  "):
    """A text in lines of 79 columns behind a mark."""
    return textwrap.wrap(text, 79, initial_indent=mark, subsequent_indent=" " * len(mark))


def plain(name, most=40):
    """A name in one line of at most so many characters, which any terminal and any file can hold."""
    text = " ".join(str(name).split()).encode("utf-8", "replace").decode()
    text = "".join(mark if mark.isprintable() else "?" for mark in text)
    return text if len(text) <= most else text[: most - 1] + "…"


def percent(share):
    """A share in words."""
    return f"{100 * share:.{1 if share < 0.1 else 0}f} %"


def size_of(shape):
    """Rows and columns in words."""
    return " × ".join(f"{n:,}".replace(",", " ") for n in shape)


class Written:
    """What has a to_dict."""

    def to_json(self):
        """The same as text, in ASCII."""
        return json.dumps(self.to_dict(), indent=1, allow_nan=False)
