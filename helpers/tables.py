"""Results as a table of the page: rounded, aligned, with cells in bold."""

from numbers import Integral, Real

import numpy as np

from helpers.arguments import valid_integer
from helpers.evaluation import Interval


class Table:
    """What `table` makes: Markdown where a page is shown, aligned lines of at most 79 characters elsewhere."""

    def __init__(self, header, rows, right):
        """Texts of the header and of each row, and which columns are flush right."""
        self.header, self.rows, self.right = header, rows, right

    def _repr_markdown_(self):
        """What Jupyter and the book show."""
        rule = ["---:" if right else ":---" for right in self.right]
        lines = [
            [cell.replace(r"\|", r"\Vert ").replace("|", r"\|") for cell in row] for row in [self.header, *self.rows]
        ]
        return "\n".join(f"| {' | '.join(line)} |" for line in [lines[0], rule, *lines[1:]])

    def __repr__(self):
        """What a terminal shows."""
        import pandas as pd

        return pd.DataFrame(self.rows, columns=self.header).to_string(index=False, line_width=79)


def table(frame, digits=2, bold=None, ends=False):
    """Anything pandas can turn into a DataFrame, as a table of the page; its texts are Markdown, math included.

    Floats are rounded to so many digits, whole numbers are not. Thousands stand apart, so years belong in as text. An
    Interval is written as 0.12 ± 0.03, or as 0.12 [0.09, 0.15] if ends is true or its mean is not in the middle. What
    is missing is a dash. The index is shown unless all it does is count the rows from 0.
    Parameters: frame; digits from 0 to 15; bold, a boolean frame of that shape (default: no cell is).
    Returns: a Table, which Jupyter shows.
    Raises ValueError or TypeError if pandas makes no DataFrame of frame, a cell is an array, digits is out of range, or
    bold is no boolean frame of that shape.
    """
    import pandas as pd  # here, as it would double the time that importing helpers takes

    digits = valid_integer("digits", digits, 0, 15)
    try:
        frame = frame.to_frame() if isinstance(frame, pd.Series) else pd.DataFrame(frame)
    except (TypeError, ValueError):
        raise ValueError(f"frame must be what pandas can turn into a DataFrame, got {frame!r}") from None
    marks = np.zeros(frame.shape, dtype=bool) if bold is None else np.asarray(bold)
    if marks.dtype != bool or marks.shape != frame.shape:
        raise ValueError(f"bold must be {frame.shape} booleans, got {bold}")
    if frame.index.names != [None] or not frame.index.equals(pd.RangeIndex(len(frame))):
        names = ["" if name is None else name for name in frame.index.names]
        labels = pd.DataFrame([*frame.index], columns=names)
        frame = pd.concat([labels, frame.reset_index(drop=True)], axis=1)
        marks = np.hstack([np.zeros(labels.shape, dtype=bool), marks])
    texts = frame.map(lambda value: text(value, digits, ends))
    texts = texts.mask(marks, "**" + texts + "**")
    header = [" ".join(map(str, name)) if isinstance(name, tuple) else str(name) for name in frame.columns]
    return Table(header, texts.values.tolist(), frame.map(is_number).all().tolist())


def text(value, digits, ends):
    """One cell in words."""
    if isinstance(value, Interval):
        mean, low, high = (text(end, digits, ends) for end in value)
        half = (value.high - value.low) / 2
        middle = np.isclose(value.high - value.mean, half, rtol=1e-6, atol=0)
        return f"{mean} ± {text(half, digits, ends)}" if middle and not ends else f"{mean} [{low}, {high}]"
    if np.ndim(value):
        raise TypeError(f"frame must have one value in a cell, got {value}")
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if is_missing(value):
        return "–"
    if not isinstance(value, Real):
        return str(value).replace("\n", " ")
    figures = f"{value:,}" if isinstance(value, Integral) else f"{float(value):z,.{digits}f}"
    return figures.replace(",", "\u202f").replace("-", "−").replace("inf", "∞")


def is_number(value):
    """Whether a cell is a number, an Interval or missing."""
    return isinstance(value, Interval) or is_missing(value) or (isinstance(value, Real) and not isinstance(value, bool))


def is_missing(value):
    """Whether a cell is None, NaN or pandas' NA."""
    import pandas as pd

    return np.ndim(value) == 0 and bool(pd.isna(value))
