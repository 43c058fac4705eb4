"""Tables of text, Parquet and JSON lines, as data frames."""

import contextlib
import json
import re

import numpy as np

from cosine_audit.checks import LONGEST, InputError, expect, fits, listed
from cosine_audit.columns import ID

NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*|\s*[+-]?(nan|inf(inity)?)\s*", re.I)


def read_text(file, role):
    """CSV, TSV; word2vec's text, with a line of rows and columns, and GloVe's and NumPy's, without: a data frame."""
    import pandas as pd

    first, second, rows = beginning(file)
    spaced = file.kind in (".txt", ".vec")
    separator = separator_of(file.kind, first, second, role)
    fields, others = split(first, separator), split(second, separator)
    word2vec = spaced and re.fullmatch(r"\d{1,18} \d{1,18}", first.strip()) and len(others) != 2
    columns = max(len(fields), len(others))
    fine = rows * columns <= 4 * file.size + 100
    expect(fine, file, "rows as long as the first", f"{rows:,} lines for {columns:,} columns")
    has_header = not word2vec and (not spaced or role != "vector") and is_header(fields, others)
    names = [name.strip() for name in fields] if has_header else None
    kinds = {i: str for i, name in enumerate(names or []) if ID.fullmatch(name)}
    options = {"sep": separator, "encoding": "utf-8-sig", "keep_default_na": False, "low_memory": False}
    if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1):
        options["float_precision"] = "round_trip"  # which newer ones do, and warn of: 0.126 was another number
    options |= {"quoting": 3 if spaced else 0, "skiprows": int(bool(has_header or word2vec)), "index_col": False}
    if separator == ";" and "," in second:
        options["decimal"] = ","
    with file.open() as stream, contextlib.suppress(pd.errors.EmptyDataError):  # a header and no rows
        frame = pd.DataFrame(columns=names)
        frame = pd.read_csv(stream, header=None, dtype=kinds, **options)
    if spaced and frame.shape[1] > 1 and (frame.iloc[:, -1] == "").all() | frame.iloc[:, -1].isna().all():
        frame = frame.iloc[:, :-1]  # a space at the end of each line
    if word2vec:
        promised = tuple(map(int, first.split()))
        fine = frame.shape == (promised[0], promised[1] + 1)
        expect(fine, f"{file}, line 1", f"{promised[0]} rows and {promised[1]} columns as promised", frame.shape)
        names = ["word", *range(promised[1])]
    n = len(names or frame.columns)
    expect(n == frame.shape[1], f"{file}, line 1", f"{frame.shape[1]} columns, as in the rows", n)
    return frame.set_axis(names or range(n), axis=1)


def beginning(file):
    """The first two lines of a text, and how many there are."""
    with file.open() as stream:
        lines = [stream.readline(100 * LONGEST + 1) for _ in range(2)]
        fine = max(map(len, lines)) <= 100 * LONGEST
        expect(fine, file, f"lines of at most {100 * LONGEST:,} bytes", "a longer one")
        expect(any(line.strip() for line in lines), file, "data in the first two lines", "empty lines")
        rows = 2 + sum(chunk.count(b"\n") for chunk in iter(lambda: stream.read(2**20), b""))
    return *(line.decode("utf-8-sig").rstrip("\r\n") for line in lines), rows


def separator_of(kind, first, second, role):
    """What stands between the columns of a text."""
    if kind == ".csv":
        outside = [re.sub('"[^"]*"', "", line) for line in (first, second or first)]
        return next((one for one in ";\t" if outside[0].count(one) == outside[1].count(one) > 0), ",")
    if kind == ".tsv" or "\t" in second or role == "vector":  # titles have spaces
        return "\t"
    return " "


def split(line, separator):
    """The fields of a line; quoted ones may hold the separator."""
    import csv

    return next(csv.reader([line], delimiter=separator), []) if separator != " " else line.strip().split(" ")


def is_header(fields, second):
    """Whether the first line names columns: its last field is no number where the next line's is one, or columns count.

    pandas writes columns 0, 1, 2 … where nobody named them.
    """
    last = fields[1:] if len(fields) > 1 and not fields[0].isdecimal() else fields
    if len(last) > 1 and all(x.isdecimal() for x in last) and [int(x) for x in last] == list(range(len(last))):
        return fields != second
    named = not second or NUMBER.fullmatch(second[-1].replace(",", ".")) or ID.fullmatch(fields[0]) is not None
    return not NUMBER.fullmatch(fields[-1].replace(",", ".")) and named


def read_parquet(file, role):
    """A data frame; pandas' index is a column, unless it counts the rows."""
    from pyarrow import parquet

    with file.open() as stream:
        parts = parquet.ParquetFile(stream)
        about, schema = parts.metadata, parts.schema_arrow
        groups = map(about.row_group, range(about.num_row_groups))
        cells = sum(group.column(j).num_values for group in groups for j in range(about.num_columns))
        fits(file, 8 * max(cells, about.num_rows), file.size)
        texts = [field.name for field in schema if str(field.type) in ("string", "large_string", "binary")]
        table = parquet.ParquetFile(stream, read_dictionary=texts).read()
    for name in texts:
        chunks = table.column(name).unify_dictionaries().chunks
        longest = max((len(x) for chunk in chunks for x in chunk.dictionary.to_pylist() if x is not None), default=0)
        expect(longest <= LONGEST, file, f"names of at most {LONGEST:,} characters", "a longer one")
    frame = table.to_pandas()
    index = frame.index
    counts = index.name is None and index.dtype.kind in "iu" and (np.diff(index) == 1).all()
    return frame if counts else frame.reset_index()


def read_jsonl(file, role):
    """A data frame of one object a line, all with the same keys; lists are arrays."""
    import pandas as pd

    rows, keys = [], None
    with file.open() as stream:
        for number, line in enumerate(iter(lambda: stream.readline(100 * LONGEST + 1), b""), 1):
            where = f"{file}, line {number}"
            expect(len(line) <= 100 * LONGEST, where, f"at most {100 * LONGEST:,} bytes", "more")
            row = json_object(where, line.removeprefix(b"\xef\xbb\xbf")) if line.strip() else None
            if row is not None:
                keys = keys or row.keys()
                expect(row.keys() == keys, where, f"the keys {listed(keys)}", listed(row))
                rows.append(row)
    return pd.DataFrame(rows)


def json_object(where, line):
    """The object of a line, with its lists as arrays."""
    try:
        row = json.loads(line)
        expect(isinstance(row, dict), where, "one JSON object a line", type(row).__name__)
        return {key: np.array(value, dtype=float) if isinstance(value, list) else value for key, value in row.items()}
    except InputError:
        raise
    except (TypeError, ValueError) as problem:
        raise InputError(f"{where}: expected one JSON object a line, with lists of numbers, got: {problem}") from None


TABLES = dict.fromkeys((".csv", ".tsv", ".txt", ".vec"), read_text) | {".parquet": read_parquet}
TABLES |= dict.fromkeys((".jsonl", ".ndjson", ".json"), read_jsonl)
