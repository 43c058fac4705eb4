"""Reading other people's embeddings safely: nothing is unpickled, and no memory is asked for that a file cannot fill.

Whatever is wrong with a file is an InputError of one sentence: the file, the place in it, what was expected and what
was found. Rows and columns count from 0, lines of text from 1.

======================  ==============================================================================================
ending                  what it holds
======================  ==============================================================================================
.npy                    one array; rows have no names
.npz, .safetensors      one matrix, or several: say which, as in model.safetensors#items.weight; .npz may name its rows
                        in a vector of text
.txt, .vec              word2vec's text format: a line with rows and columns, then a name and its numbers in each line
.bin                    word2vec's binary format
.csv, .tsv, .parquet    a header, a column of names, which is the first or one called name, item, id …, and columns of
                        numbers, or in Parquet one of lists
======================  ==============================================================================================
"""

import csv
import math
import mmap
import os
import re
import tokenize
import warnings
import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

NAMES = {"id", "item", "item_id", "itemid", "key", "name", "title", "token", "word"}
PICKLES = {".ckpt", ".joblib", ".kv", ".model", ".pickle", ".pkl", ".pt", ".pth"}
MOST = 16 * 2**30  # bytes that one file may fill, if the machine does not say how many it has
DENSE, SUSPICIOUS = 10_000_000, 100  # a compressed array beyond so many bytes may not expand more than so many times
ROWS_AT_ONCE = 65_536
SMALLEST = 1e-100  # products of smaller numbers vanish, and of larger ones than 1e100 overflow


class InputError(ValueError):
    """What is wrong with a file, in one sentence."""


class Table(NamedTuple):
    """values (p, k) or (p,), and the names of the rows, a list of p, or None."""

    values: np.ndarray
    names: list | None


class Model(NamedTuple):
    """items (p, k), names (p,) or None, users (n, k), counts (p,), labels (p,), again (p, k'); None where not given."""

    items: np.ndarray
    names: list | None
    users: np.ndarray | None = None
    counts: np.ndarray | None = None
    labels: np.ndarray | None = None
    again: np.ndarray | None = None


def read_model(items, users=None, counts=None, labels=None, again=None):
    """The files of a model, checked each by itself and against the items' file.

    Parameters: paths, all but the first optional: item embeddings; the other factor's; how often each item occurs; a
    category of each; item embeddings of another training run. Rows have to come in the same order everywhere, and if
    two files name them, with the same names.
    Returns: a Model; matrices of .npy files stay on disk until they are used.
    Raises InputError.
    """
    matrix = read_matrix(items)
    p, k = matrix.values.shape
    if p < 4 or k < 2:
        raise InputError(f"{items}: expected at least 4 rows and 2 columns, got {p} × {k}")
    if not has_directions(matrix.values):
        raise InputError(f"{items}: expected at least 4 rows other than zero, got fewer")
    found = {}
    if users is not None:
        found["users"] = read_matrix(users).values
        if found["users"].shape[1] != k:
            got = found["users"].shape[1]
            raise InputError(f"{users}: expected {k} columns, as in {items}, got {got}")
        if not any(block.any() for block in blocks(found["users"])):
            raise InputError(f"{users}: expected a row other than zero, got none")
    for key, path, read in (("counts", counts, read_counts), ("labels", labels, read_labels), ("again", again, None)):
        if path is not None:
            table = (read or read_matrix)(path)
            same_rows(items, matrix, path, table)
            found[key] = table.values
    if again is not None and not has_directions(found["again"]):
        raise InputError(f"{again}: expected at least 4 rows other than zero, got fewer")
    return Model(matrix.values, matrix.names, **found)


def has_directions(E):
    """Whether at least four rows are not zero."""
    return sum(int(block.any(axis=1).sum()) for block in blocks(E)) >= 4


def blocks(E):
    """The rows of E, many at a time."""
    return (E[start : start + ROWS_AT_ONCE] for start in range(0, len(E), ROWS_AT_ONCE))


def same_rows(first_path, first, path, table):
    """InputError if a table has other rows than the first one."""
    n, expected = len(table.values), len(first.values)
    if n != expected:
        raise InputError(f"{path}: expected {expected} rows, as in {first_path}, got {n}")
    if first.names is None or table.names is None:
        return
    kinds = [kind(names) for names in (first.names, table.names)]
    if kinds[0] != kinds[1]:
        raise InputError(f"{path}: expected names that are {kinds[0]}, as in {first_path}, got {kinds[1]}")
    for row, (wanted, got) in enumerate(zip(first.names, table.names, strict=True)):
        if wanted != got:
            raise InputError(f"{path}, row {row}: expected the name {wanted!r}, as in {first_path}, got {got!r}")


def kind(names):
    """What the names of a table are, in words."""
    return "whole numbers" if all(isinstance(name, int) for name in names) else "text"


# One file, whatever its format


def read_matrix(path):
    """Embeddings: a Table of values (p, k), real and finite, with the names of the rows if the file has them."""
    table = read(path, 2)
    values = as_numbers(path, table.values)
    if values.ndim != 2 or 0 in values.shape:
        raise InputError(f"{path}: expected a matrix with rows and columns, got shape {values.shape}")
    check_finite(path, values)
    return Table(values, unique(path, table.names))


def read_counts(path):
    """How often each item occurs: a Table of values (p,), finite and not negative."""
    table = read(path, 1)
    values = as_numbers(path, column(path, table.values)).astype(float)
    check_finite(path, values[:, None])
    if values.min() < 0:
        raise InputError(f"{path}, row {np.argmin(values)}: expected a count of at least 0, got {values.min():g}")
    if not values.any():
        raise InputError(f"{path}: expected a count above 0, got none")
    return Table(values, unique(path, table.names))


def read_labels(path):
    """A category of each item: a Table of values (p,), text or whole numbers, none missing, at least two of them."""
    table = read(path, 1, as_text=True)
    values = column(path, table.values)
    if values.dtype.kind == "f" and np.array_equal(values, np.round(values)):
        values = values.astype(np.int64)
    if values.dtype.kind not in "biuU":
        raise InputError(f"{path}: expected labels that are text or whole numbers, got {values.dtype.name}")
    missing = values == "" if values.dtype.kind == "U" else np.zeros(len(values), dtype=bool)
    if missing.any():
        raise InputError(f"{path}, row {missing.argmax()}: expected a label, got none")
    if len(set(values.tolist())) < 2:
        raise InputError(f"{path}: expected at least two different labels, got only {values[0]!s}")
    return Table(values, unique(path, table.names))


def read(path, ndim, as_text=False):
    """A Table from a file of any format; ndim, 1 or 2, is what is wanted of it; as_text, whether values may be text."""
    name, key = file_and_key(path)
    file, ending = Path(name), Path(name).suffix.lower()
    if not there_is(file):
        raise InputError(f"{path}: expected a file, there is none")
    if not file.is_file():
        raise InputError(f"{path}: expected a file, got a folder or a device")
    if ending in PICKLES:
        raise InputError(f"{path}: expected a format without code, got a pickle ({ending}), which is never loaded")
    if ending not in READERS:
        raise InputError(f"{path}: expected a file that ends in {', '.join(READERS)}, got {ending or 'no ending'}")
    if file.stat().st_size == 0:
        raise InputError(f"{path}: expected {ending[1:]} data, got an empty file")
    try:
        return READERS[ending](path, file, key, ndim, as_text)
    except InputError:
        raise
    except UnicodeDecodeError:
        raise InputError(f"{path}, line {first_bad_line(file)}: expected UTF-8, got other bytes") from None
    except MemoryError:
        raise InputError(f"{path}: expected a file that fits into memory, got a larger one") from None
    except ImportError as missing:
        raise InputError(f"{path}: expected the package {missing.name} to be installed, to read {ending}") from None
    except OSError as problem:
        raise InputError(f"{path}: expected a readable file, got {problem.strerror or problem}") from None
    except (zipfile.BadZipFile, zipfile.zlib.error, EOFError, NotImplementedError, csv.Error) as problem:
        raise InputError(f"{path}: expected whole {ending[1:]} data, got damage: {problem}") from None


def file_and_key(path):
    """A path that may name one array of a file after a #, in two; a # may also be part of the path."""
    whole_path = str(path)
    name, _, key = whole_path.rpartition("#")
    return (whole_path, "") if "#" not in whole_path or there_is(Path(whole_path)) else (name, key)


def there_is(file):
    """Whether a path leads to something; a path that no file can have, as it is too long, does not."""
    try:
        return file.exists()
    except (OSError, ValueError):
        return False


def as_numbers(path, values):
    """An array of real numbers in this machine's byte order, float32 and float64 as they are, others as float64."""
    if values.dtype.kind not in "iuf":
        raise InputError(f"{path}: expected real numbers, got {described(values.dtype)}")
    native = values.dtype.isnative and values.dtype in (np.float32, np.float64)
    if native:
        return values
    fits(path, 8 * values.size)
    return values.astype(np.float32 if values.dtype.kind == "f" and values.itemsize <= 4 else float)


def described(dtype):
    """A dtype in words."""
    kinds = {"O": "Python objects, which are never loaded", "U": "text", "S": "text", "b": "true and false"}
    return kinds.get(dtype.kind, dtype.name)


def check_finite(path, values):
    """InputError at the first entry that is NaN or infinite."""
    largest = 0
    for i, block in enumerate(blocks(values)):
        wrong = ~np.isfinite(block)
        if wrong.any():
            row, place = np.argwhere(wrong)[0]
            where = f"row {row + i * ROWS_AT_ONCE}" + (f", column {place}" if values.shape[1] > 1 else "")
            raise InputError(f"{path}, {where}: expected a finite number, got {block[row, place]}")
        largest = max(float(np.abs(block).max(initial=0)), largest)
    if largest > 1 / SMALLEST or 0 < largest < SMALLEST:
        raise InputError(f"{path}: expected numbers between 1e-100 and 1e100 in size, got at most {largest:.0e}")


def column(path, values):
    """A vector, or a matrix of one column as one."""
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1 or len(values) == 0:
        raise InputError(f"{path}: expected one column, got shape {values.shape}")
    return values


def unique(path, names):
    """The names, if there are any, all different and none empty."""
    rows = {}
    for row, name in enumerate(names or ()):
        if name == "" or name is None:
            raise InputError(f"{path}, row {row}: expected a name, got none")
        if name in rows:
            raise InputError(f"{path}, row {row}: expected a new name, got {name!r}, which row {rows[name]} has")
        rows[name] = row
    return names


def fits(path, n_bytes):
    """InputError if so many bytes are more than the machine's memory."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        memory = MOST
    if n_bytes > memory:
        raise InputError(f"{path}: expected an array that fits into memory, got {n_bytes / 1e9:,.0f} GB")


def first_bad_line(file):
    """The number of the first line that is not UTF-8, from 1."""
    with open(file, "rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return number
    return 1


# NumPy's formats and safetensors


def array_header(path, stream):
    """Shape, order and dtype of an array in NumPy's format, of which the header is read and nothing else."""
    numbers = np.lib.format
    try:
        version = numbers.read_magic(stream)
        read_header = {(1, 0): numbers.read_array_header_1_0}.get(version, numbers.read_array_header_2_0)
        shape, fortran, dtype = read_header(stream)
    except (ValueError, TypeError, SyntaxError, tokenize.TokenError):
        raise InputError(f"{path}: expected the header of a NumPy array, got other bytes") from None
    if dtype.hasobject:
        raise InputError(f"{path}: expected numbers, got Python objects, which are never loaded")
    return shape, fortran, dtype


def promised(shape, dtype):
    """The bytes that an array takes, as a Python integer, which does not overflow."""
    return math.prod(map(int, shape), start=dtype.itemsize)


def check_promise(path, shape, size, held):
    """InputError if a file does not hold the bytes that its header promises."""
    if held != size:
        raise InputError(f"{path}: expected {size:,} bytes after the header, for shape {shape}, got {held:,}")


def read_npy(path, file, key, ndim, as_text):
    """An array on disk, if the file holds what its header promises."""
    with open(file, "rb") as stream:
        shape, fortran, dtype = array_header(path, stream)
        start, size = stream.tell(), promised(shape, dtype)
    check_promise(path, shape, size, file.stat().st_size - start)
    if size == 0:
        return Table(np.empty(shape, dtype), None)
    values = np.memmap(file, dtype, "r", start, shape, "F" if fortran else "C")
    return Table(values.view(np.ndarray), None)


def read_npz(path, file, key, ndim, as_text):
    """One array of an archive, and the names of the rows if there is one vector of text beside it."""
    if not zipfile.is_zipfile(file):
        raise InputError(f"{path}: expected a NumPy archive, got other bytes")
    with zipfile.ZipFile(file) as archive:
        entries = {entry.filename.removesuffix(".npy"): entry for entry in archive.infolist()}
        headers = {name: entry_header(path, archive, entry) for name, entry in entries.items()}
        is_text = {name: dtype.kind == "U" and len(shape) == 1 for name, (shape, dtype) in headers.items()}
        some = [name for name, (shape, _) in headers.items() if len(shape) == ndim and (as_text or not is_text[name])]
        chosen = choose(path, key, some, list(headers), ndim)
        beside = [name for name in headers if is_text[name] and name != chosen]
        values = entry_values(path, archive, entries[chosen])
        names = entry_values(path, archive, entries[beside[0]]).tolist() if len(beside) == 1 else None
    if names is not None and len(names) != len(values):
        if any(shape[:1] == (len(names),) for name, (shape, _) in headers.items() if name != beside[0]):
            return Table(values, None)  # they name the rows of another array
        raise InputError(f"{path}, {beside[0]}: expected {len(values)} names, as {chosen} has rows, got {len(names)}")
    return Table(values, names)


def entry_header(path, archive, entry):
    """Shape and dtype of one array of an archive, if the archive can hold what its header promises."""
    where = f"{path}, {entry.filename}"
    if not entry.filename.endswith(".npy") or entry.flag_bits & 1:
        raise InputError(f"{where}: expected a NumPy array, got another file")
    if entry.file_size > max(DENSE, SUSPICIOUS * entry.compress_size):
        times = entry.file_size / max(entry.compress_size, 1)
        raise InputError(f"{where}: expected an array, got one that expands {times:,.0f} times")
    with archive.open(entry) as stream:
        shape, _, dtype = array_header(where, stream)
        check_promise(where, shape, promised(shape, dtype), entry.file_size - stream.tell())
    fits(where, entry.file_size)
    return shape, dtype


def entry_values(path, archive, entry):
    """One array of an archive."""
    try:
        with archive.open(entry) as stream:
            return np.lib.format.read_array(stream, allow_pickle=False)
    except (ValueError, zipfile.BadZipFile, zipfile.zlib.error, EOFError):
        raise InputError(f"{path}, {entry.filename}: expected a whole array, got a damaged one") from None


def choose(path, key, some, every, ndim):
    """The name of the array to be read: the key's, or the only one of that many dimensions."""
    what = "matrix" if ndim == 2 else "vector"
    if key and key not in every:
        raise InputError(f"{path}: expected one of {', '.join(sorted(every))} after the #, got {key}")
    if not key and len(some) != 1:
        found = f"several: add # and one of {', '.join(sorted(some))}" if some else "none"
        raise InputError(f"{path}: expected one {what}, got {found}")
    return key or some[0]


def read_safetensors(path, file, key, ndim, as_text):
    """One tensor."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(file, framework="numpy") as tensors:
            shapes = {name: tensors.get_slice(name).get_shape() for name in tensors.keys()}  # noqa: SIM118
            some = [name for name, shape in shapes.items() if len(shape) == ndim]
            chosen = choose(path, key, some, list(shapes), ndim)
            values = tensors.get_tensor(chosen)
    except (SafetensorError, TypeError, KeyError, AttributeError) as problem:
        reason = str(problem).splitlines()[0]
        raise InputError(f"{path}: expected whole tensors that NumPy can hold, got {reason}") from None
    if values.dtype.kind == "V" or values.dtype.name in {"bfloat16"}:
        values = values.astype(np.float32)
    return Table(values, None)


# word2vec's formats


def promise(path, file, line):
    """Rows and columns, as the first line of a file in word2vec's formats says."""
    found = re.fullmatch(rb"\s*(\d{1,18})[ \t]+(\d{1,18})\s*", line)
    if not found:
        raise InputError(f"{path}, line 1: expected the numbers of rows and columns, got {excerpt(line)}")
    return int(found[1]), int(found[2])


def excerpt(line):
    """The beginning of a line of bytes, to be shown."""
    text = line.strip()[:40].decode("utf-8", "replace")
    return repr(text) if text else "an empty line"


def check_rows(path, file, p, k, least):
    """InputError if p rows of at least that many bytes are more than the file holds, or there are none."""
    size = file.stat().st_size
    if p * least > size or p == 0 or k == 0:
        raise InputError(f"{path}, line 1: expected what the file holds, {size:,} bytes, got {p} rows × {k} columns")
    fits(path, 8 * p * k)


def read_text(path, file, key, ndim, as_text):
    """A line with p and k, then p lines, each with a name and k numbers."""
    with open(file, "rb") as lines:
        p, k = promise(path, file, lines.readline(200))
        check_rows(path, file, p, k, 2 * k + 1)
        values, names = np.empty((p, k)), []
        for row, line in enumerate(lines):
            where = f"{path}, line {row + 2}"
            if row == p:
                if line.strip():
                    raise InputError(f"{where}: expected the end after {p} rows, as line 1 says, got {excerpt(line)}")
                break
            name, *numbers = line.decode("utf-8").rstrip("\r\n ").rsplit(" ", k)
            if len(numbers) != k:
                raise InputError(f"{where}: expected a name and {k} numbers, as line 1 says, got {excerpt(line)}")
            try:
                values[row] = numbers
            except ValueError:
                raise InputError(f"{where}: expected {k} numbers after the name, got {excerpt(line)}") from None
            names.append(name)
    if len(names) < p:
        raise InputError(f"{path}: expected {p} rows, as line 1 says, got {len(names)}")
    return Table(values, whole(names))


def read_binary(path, file, key, ndim, as_text):
    """A line with p and k, then p times a name, a space and k numbers of four bytes."""
    with open(file, "rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        p, k = promise(path, file, stream.readline(200))
        check_rows(path, file, p, k, 4 * k + 2)
        values, names, place = np.empty((p, k), dtype=np.float32), [], stream.tell()
        for row in range(p):
            end = data.find(b" ", place, place + 4096)
            if end < 0 or end + 1 + 4 * k > len(data):
                raise InputError(f"{path}, row {row}: expected a name and {k} numbers, as line 1 says, got the end")
            try:
                names.append(data[place:end].lstrip(b"\n").decode("utf-8"))
            except UnicodeDecodeError:
                raise InputError(f"{path}, row {row}: expected a name in UTF-8, got other bytes") from None
            place = end + 1 + 4 * k
            values[row] = np.frombuffer(data[end + 1 : place], dtype="<f4")
        if data[place:].strip():
            rest = len(data) - place
            raise InputError(f"{path}: expected the end after {p} rows, as line 1 says, got {rest:,} more bytes")
    return Table(values, whole(names))


# Tables


def read_csv(path, file, key, ndim, as_text):
    """A header, then rows."""
    import pandas as pd

    separator = "\t" if file.suffix.lower() == ".tsv" else ","
    with open(file, encoding="utf-8-sig", newline="") as lines:
        header = next(csv.reader(lines, delimiter=separator), [])
    twice = [name for name in header if header.count(name) > 1]
    if twice:
        raise InputError(f"{path}, line 1: expected columns with different names, got {twice[0]!r} twice")
    options = {"sep": separator, "encoding": "utf-8-sig", "keep_default_na": False, "low_memory": False}
    named = {name: str for name in header if name.strip().lower() in NAMES}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(file, dtype=named, index_col=False, **options)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, pd.errors.ParserWarning) as problem:
        found = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(problem))
        if found:
            message = f"{path}, line {found[2]}: expected {found[1]} columns, as in the header, got {found[3]}"
        else:
            message = f"{path}: expected a header and rows with as many columns, got others"
        raise InputError(message) from None
    return from_frame(path, frame, ndim, as_text)


def read_parquet(path, file, key, ndim, as_text):
    """Columns of numbers, or one of lists of numbers."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        parts = parquet.ParquetFile(file)
        groups = [parts.metadata.row_group(i) for i in range(parts.num_row_groups)]
        entries = sum(group.column(i).num_values for group in groups for i in range(group.num_columns))
        fits(path, 8 * max(entries, parts.metadata.num_rows))
        table = parts.read(columns=parts.schema_arrow.names)
    except (pa.ArrowException, OSError) as problem:
        reason = str(problem).splitlines()[0]
        raise InputError(f"{path}: expected a whole Parquet file, got one that fails: {reason}") from None
    lists = [field.name for field in table.schema if is_list(field.type)]
    if lists and ndim == 2:
        return from_lists(path, table, lists)
    return from_frame(path, table.to_pandas(), ndim, as_text)


def is_list(kind):
    """Whether an Arrow type is a list of numbers."""
    import pyarrow.types as types

    return any(test(kind) for test in (types.is_list, types.is_large_list, types.is_fixed_size_list))


def from_lists(path, table, lists):
    """A Table from a Parquet file with one column of names and one of equally long lists."""
    rest = [name for name in table.column_names if name not in lists]
    if len(lists) > 1 or len(rest) > 1:
        raise InputError(f"{path}: expected one column of names and one of lists, got {', '.join(table.column_names)}")
    if table.num_rows == 0:
        raise InputError(f"{path}: expected rows, got none")
    chunks = table.column(lists[0]).combine_chunks()
    lengths = chunks.value_lengths().to_pylist()
    odd = [row for row, length in enumerate(lengths) if length != lengths[0] or not length]
    if odd:
        raise InputError(f"{path}, row {odd[0]}: expected a list of {lengths[0]} numbers, got {lengths[odd[0]]}")
    values = chunks.flatten().to_numpy(zero_copy_only=False).reshape(len(lengths), -1)
    names = [plain(name) for name in table.column(rest[0]).to_pylist()] if rest else None
    return Table(values, names)


def from_frame(path, frame, ndim, as_text):
    """A Table from a data frame: a column of names, and columns of numbers; of a vector without names, one column."""
    known = [name for name in frame.columns if str(name).strip().lower() in NAMES]
    first = frame.columns[0]
    if len(known) > 1 or frame.shape[1] < ndim or (ndim == 1 and frame.shape[1] > 2):
        wanted = "columns of numbers" if ndim == 2 else "at most one of values"
        raise InputError(f"{path}: expected one column of names and {wanted}, got {', '.join(map(str, frame.columns))}")
    name = known[0] if known else first if ndim + frame.shape[1] > 2 else None
    if ndim == 2 and not known and frame[first].dtype.kind in "biufc":
        raise InputError(f"{path}: expected a column of names, the first or one called name or id, got only numbers")
    values = frame.drop(columns=[] if name is None else [name])
    names = None if name is None else names_of(frame[name], path)
    if len(frame) == 0:
        raise InputError(f"{path}: expected rows below the header, got none")
    if as_text:
        return Table(np.array([str(plain(value)) for value in values.iloc[:, 0]]), names)
    for name, column in values.items():
        if column.dtype.kind not in "iuf":
            row, text = first_text(column)
            raise InputError(f"{path}, row {row}, column {str(name)!r}: expected a number, got {text!r}")
    return Table(values.to_numpy(dtype=float), names)


def first_text(series):
    """Row and value of the first entry that is not a number."""
    import pandas as pd

    missing = pd.to_numeric(series, errors="coerce").isna().to_numpy()
    return int(missing.argmax()), str(series.iloc[missing.argmax()])


def names_of(series, path):
    """The entries of a column, in a text file as whole numbers where all of them are."""
    names = [plain(name) for name in series]
    return names if Path(str(path)).suffix.lower() == ".parquet" else whole(names)


def whole(names):
    """Names from a file that has no types, as whole numbers where all of them are."""
    numbers = all(isinstance(name, int) or re.fullmatch(r"0|-?[1-9]\d{0,17}", name) for name in names)
    return [int(name) for name in names] if numbers else names


def plain(value):
    """A value as Python's own text or integer; nothing where it is missing."""
    if value is None or value != value:
        return ""
    if isinstance(value, bytes):
        return value.decode("utf-8")
    return int(value) if isinstance(value, int | np.integer) and not isinstance(value, bool) else str(value)


READERS = {
    ".npy": read_npy,
    ".npz": read_npz,
    ".safetensors": read_safetensors,
    ".txt": read_text,
    ".vec": read_text,
    ".bin": read_binary,
    ".csv": read_csv,
    ".tsv": read_csv,
    ".parquet": read_parquet,
}


def short(name, most=40):
    """A name in one line of at most so many characters."""
    text = " ".join(str(name).split())
    return text if len(text) <= most else text[: most - 1] + "…"


def literal(name, most=40):
    """A short name as Markdown that shows it and does nothing else."""
    return re.sub(r"([\\`*_{}\[\]()#+!|$~^<>&-])", lambda mark: f"&#{ord(mark[1])};", short(name, most))
