"""What is a name and what a dimension, among the columns of a table: a column that may be neither is refused."""

import re
from collections import Counter
from typing import NamedTuple

import numpy as np

from cosine_audit.checks import InputError, expect

ID = re.compile(r"(.*[\W_])?(id|index|idx|key|name|title|token|word|item|user|unnamed: 0)|.*[a-z]Id|", re.I)
COUNTED = re.compile(r"(.*?)(\d+)\]?")  # f0, dim_0, 0, emb[0]
TOO_LARGE = 100  # times the median column: a price or a year may be, what was learned seldom is
FEW = 20  # rows, which may be in order, or end in zeros, by chance
ROWS_AT_ONCE = 8_192


class Table(NamedTuple):
    """What was read of a file.

    values (p, k); names of the rows, a list of p, or None; columns, names of the dimensions, a list of k, or None;
    array, which of several was taken; note, what was taken for what; asked, the options that this file followed.
    """

    values: np.ndarray
    names: list | None = None
    columns: list | None = None
    array: str = ""
    note: str = ""
    asked: tuple = ()


def quoted(names):
    """Names of columns in quotation marks, the first five."""
    shown = ", ".join(repr(name[:40]) for name in names[:5])
    return f"{shown} and {len(names) - 5} more" if len(names) > 5 else shown


def span(held, given):
    """The columns from FIRST to LAST, as --columns says; None where a file does not have both."""
    first, _, last = given.partition(":")
    last = last or first
    return held[held.index(first) : held.index(last) + 1] if first in held and last in held else None


def asked_for(file, held, spans):
    """Which of --columns a file follows, the first whose ends it has, and the columns that it says; or None twice."""
    given = next((one for one in spans if span(held, one) is not None), None)
    dimensions = None if given is None else span(held, given)
    expect(dimensions != [], file, "--columns FIRST:LAST from left to right", given)
    return given, dimensions


def from_array(file, table, spans):
    """A Table of the columns that are asked for, which are counted from 0; else of all, if none looks like an id."""
    held = [str(j) for j in range(table.values.shape[1])]
    given, dimensions = asked_for(file, held, spans)
    if dimensions is None:
        refuse_odd(file, held, table.values)
        return table
    chosen = table.values[:, int(dimensions[0]) : int(dimensions[-1]) + 1]
    note = "; ".join(filter(None, (table.note, f"{len(dimensions)} dimensions, {ends_of(dimensions)}")))
    return table._replace(values=chosen, columns=dimensions, note=note, asked=(given,))


def from_frame(file, frame, spans, ids):
    """A Table of a data frame: what is asked for, or else a column of lists, or else the columns that are counted."""
    held = list(frame.columns)
    twice = [name for name, count in Counter(held).items() if count > 1]
    expect(not twice, file, "columns with different names", f"{quoted(twice)} twice")
    expect(0 not in frame.shape, file, "rows and columns below the header", f"{frame.shape[0]} × {frame.shape[1]}")
    lists = [name for name in held if has_lists(frame[name])]
    numbers = {name: as_numbers(frame[name]) for name in held if name not in lists}
    named = [name for name in ids if name in held][:1]
    given, dimensions = asked_for(file, held, spans)
    candidates = named or names_among(frame, numbers, dimensions or lists)
    if dimensions is None:
        expect(len(lists) < 2, file, "one column of lists, or --columns NAME", quoted(lists))
        dimensions = lists or counted(file, frame, numbers, candidates)
    expect(len(dimensions) == 1 or not set(dimensions) & set(lists), file, "columns of numbers, or one of lists", given)
    if dimensions[0] in lists:
        values = stacked(file, frame[dimensions[0]])
    else:
        values = np.column_stack([complete(file, frame[name], numbers[name]) for name in dimensions])
        if given is None:
            refuse_odd(file, dimensions, values)
            short = whole_columns(values, 3) if len(values) >= FEW else []
            refuse(file, dimensions, short, "of at most three decimals beside longer ones")
            refuse(file, dimensions, large_columns(values), f"over {TOO_LARGE} times as large as the median column")
    asked = tuple(one for one in (given, *named) if one is not None)
    return described(frame, values, dimensions, candidates)._replace(asked=asked)


def described(frame, values, dimensions, candidates):
    """A Table of values, with the first candidate whose rows are all different as names; what was read, in its note."""
    unique = [name for name in candidates if frame[name].is_unique]
    index = (unique or candidates or [None])[0]
    left = [name for name in frame.columns if name not in dimensions and name != index]
    note = f"{values.shape[1]} dimensions, {ends_of(dimensions)}"
    note = f"{quoted(left)} left out; {note}" if left else note
    if index is None:
        return Table(values, None, dimensions, note=note)
    return Table(values, frame[index].astype(str).tolist(), dimensions, note=f"{quoted([index])} read as names; {note}")


def ends_of(names):
    """The first of some names and the last."""
    return names[0][:40] if len(names) == 1 else f"{names[0][:40]} … {names[-1][:40]}"


def has_lists(column):
    """Whether a column holds lists of numbers."""
    return column.dtype == object and any(isinstance(one, list | np.ndarray) for one in column)


def as_numbers(column):
    """A column as floats, NaN where it holds no number."""
    import pandas as pd

    column = column.astype(str) if column.dtype.kind in "OmM" else column  # a time is no number
    return pd.to_numeric(column, errors="coerce").astype(float).to_numpy()


def complete(file, column, numbers):
    """The numbers of a column; InputError where one is missing."""
    row = int(np.isnan(numbers).argmax())
    got = repr(str(column.iloc[row])[:80])
    expect(not np.isnan(numbers[row]), f"{file}, row {row}, column {column.name[:80]!r}", "a number", got)
    return numbers


def stacked(file, column):
    """A column of lists as a matrix."""
    for row, one in enumerate(column):
        where = f"{file}, row {row}, column {column.name[:80]!r}"
        expect(isinstance(one, list | np.ndarray), where, "a list of numbers", "null")
        same = len(one) == len(column.iloc[0])
        expect(same, where, f"a list of one length, {len(column.iloc[0])} as in row 0", len(one))
    return np.array(column.tolist(), dtype=float)


def names_among(frame, numbers, dimensions):
    """The columns that may name the rows, texts first, then those named as ids, then one that numbers the rows."""
    rest = {name: values for name, values in numbers.items() if name not in dimensions}
    texts = [name for name, values in rest.items() if np.isnan(values).mean() > 0.5]
    ids = [name for name in rest if name not in texts and ID.fullmatch(name)]
    others = [name for name in rest if name not in texts + ids]
    if others[:1] == ["0"] and frame["0"].is_unique:  # the first column, where nobody named the columns
        alone = whole_columns(np.column_stack([numbers[name] for name in others])) == [0]
        ids += ["0"] if alone else []
    return texts + ids


def counted(file, frame, numbers, names):
    """The dimensions: columns of numbers that are counted, f0, f1 …; InputError if others are no names, either."""
    rest = [name for name in numbers if name not in names]
    prefix = {name: found[1] for name in rest if (found := COUNTED.fullmatch(name))}
    lists = [name for name in names if str(frame[name].iloc[0]).startswith(("[", "{"))]
    what = "a column for each number, or one of lists, as Parquet and JSONL have"
    expect(prefix or not lists, file, what, f"text or structures in {quoted(lists)}")
    expect(rest, file, "columns of numbers", quoted(names))
    most = Counter(prefix.values()).most_common(1)
    others = [j for j, name in enumerate(rest) if name not in prefix or prefix[name] != most[0][0]]
    keys = [rest[j] for j in others if frame[rest[j]].is_unique and not np.any(numbers[rest[j]] % 1)]
    refuse(file, rest, others, "neither counted, as f0, dim_0 or 0 are, nor named as an id", keys)
    return rest


def refuse_odd(file, held, values):
    """InputError if columns of numbers look like labels, counts or ids."""
    refuse(file, held, whole_columns(values), "of whole numbers beside others")
    refuse(file, held, numbering_columns(values), "that number the rows")


def in_parts(values):
    """Some rows after others."""
    return (values[start : start + ROWS_AT_ONCE] for start in range(0, len(values), ROWS_AT_ONCE))


def whole_columns(values, decimals=0):
    """Places of the columns that hold several numbers of so few decimals, where others have more.

    A bias of ones is none of them, nor are the zeros in its place where all of a row is zero, as of unseen users.
    """
    if values.dtype.kind != "f":
        return []
    whole = np.arange(values.shape[1])
    for part in in_parts(values):
        rows = part[:, whole]
        whole = whole[(rows == np.round(rows, decimals)).all(axis=0)]
    if len(whole) == values.shape[1]:
        return []
    seen = np.concatenate([part.any(axis=1) for part in in_parts(values)]) if len(whole) else []
    return [j for j in whole.tolist() if len(np.unique(values[seen, j])) > 1]


def numbering_columns(values):
    """Places of the columns that number the rows, unless all do."""
    if values.dtype.kind not in "iuf" or len(values) < FEW:
        return []
    first = values[:ROWS_AT_ONCE]
    different = np.array([len(np.unique(column)) for column in first.T])
    repeat = np.median(different) <= len(first) / 2
    likely = np.flatnonzero((different == len(first)) & (first == np.round(first)).all(axis=0))
    found = [j for j in likely.tolist() if numbers_rows(values[:, j], repeat)]
    return found if len(found) < values.shape[1] else []


def numbers_rows(column, repeat):
    """Whether whole numbers all differ and are in order, leave none out, or stand beside columns that repeat theirs."""
    ordered = np.sort(column)
    all_differ = (ordered[1:] > ordered[:-1]).all() and (ordered == np.round(ordered)).all()
    in_order = (ordered == column).all() or (ordered == column[::-1]).all()
    none_left_out = float(ordered[-1]) - float(ordered[0]) == len(column) - 1
    return bool(all_differ and (in_order or none_left_out or repeat))


def large_columns(values):
    """Places of the columns whose mean size is over a hundred times that of the median column."""
    with np.errstate(over="ignore", invalid="ignore"):
        sizes = np.abs(values).mean(axis=0)
    return np.flatnonzero(sizes > TOO_LARGE * np.median(sizes[sizes > 0])).tolist() if sizes.any() else []


def refuse(file, held, odd, why, keys=()):
    """InputError if there are odd columns among those that could be dimensions, with the options that settle it."""
    if odd:
        fine = [name for j, name in enumerate(held) if j not in odd] or held
        names = f"; which names the rows: --id {keys[0]}" if keys else ""
        got, settle = quoted([held[j] for j in odd]), f"say which are: --columns {fine[0]}:{fine[-1]}{names}"
        raise InputError(f"{file}: expected dimensions, got {got}, {why}; {settle}")
