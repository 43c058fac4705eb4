"""Reading other people's embeddings: nothing is unpickled, and no memory is asked for that a file cannot fill.

Reading itself is left to NumPy, pandas, pyarrow and safetensors; here is decided what is a name and what a dimension.
Whatever is wrong with a file is an InputError of one sentence: the file, what was expected and what was found. Rows and
columns count from 0, lines of text from 1.
"""

import math
import os
import re
import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

PICKLES = {".bin", ".ckpt", ".joblib", ".kv", ".model", ".pickle", ".pkl", ".pt", ".pth"}
ARCHIVES = {".npz", ".safetensors"}
DENSE, SUSPICIOUS = 10_000_000, 100  # a file beyond so many bytes may not expand more than so many times
LONGEST = 10_000  # bytes in a name; a header may have a hundred times as many
ID = re.compile(r"(.*[\W_])?(id|index|idx|key|name|title|token|word|item|unnamed: 0)|.*[a-z]Id|", re.I)
NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*|\s*[+-]?(nan|inf(inity)?)\s*", re.I)
ITEMS = re.compile(r"item|word|token|product|movie|doc|wv|^b$|^q$|^qi$", re.I)
USERS = re.compile(r"user|context|quer|syn1|customer|^p$|^a$|^pu$", re.I)


class InputError(ValueError):
    """What is wrong with a file, in one sentence."""


class Table(NamedTuple):
    """values (p, k); names of the rows, a list of p, or None; note, what was taken for names or left out."""

    values: np.ndarray
    names: list | None = None
    note: str = ""


def expect(fine, file, what, got):
    """InputError unless that is fine: what was expected of a file, and what was found."""
    if not fine:
        raise InputError(f"{file}: expected {what}, got {got}")


def read_table(path, role):
    """A Table from a file, perhaps of one of its arrays, which a # and its name choose, or else the role.

    role: "items" or "users", a matrix; "vector", counts, labels or names: an array, or a file's last column.
    """
    file, key = (str(path), "") if os.path.exists(path) or "#" not in str(path) else str(path).rsplit("#", 1)
    expect(not key or ending_of(file) in ARCHIVES, file, "no # behind a file of one array", key[:80])
    table = opened(file, key, role)
    values = np.asarray(table.values)
    if role == "vector":
        values = values[:, -1] if values.ndim == 2 and values.shape[1] else values
        expect(values.ndim == 1 and values.size, path, "one value a row", f"shape {values.shape}")
    else:
        expect(values.ndim == 2 and values.size, path, "a matrix with rows and columns", f"shape {values.shape}")
    return table._replace(values=values)


def read_pair(items, users=None):
    """Tables of items and of users; users may stand in the same file, and None if there are none."""
    found = read_table(items, "items")
    if users is None and ending_of(items) in ARCHIVES:
        some = [name for name in opened(str(items), "", "list") if USERS.search(name)]
        users = f"{items}#{some[0]}" if len(some) == 1 else None
    return found, None if users is None else read_table(users, "users")


def ending_of(path):
    """A file's ending in small letters."""
    return Path(path).suffix.lower()


def opened(path, key, role):
    """What the reader of a file returns, or an InputError of one sentence, whatever the reader or a library raises."""
    file, ending = Path(path), ending_of(path)
    got = "a folder or a device" if os.path.exists(file) else "a name that leads nowhere"
    expect(os.path.isfile(file), path, "a file", got)
    how = "of gensim: model.wv.save_word2vec_format('items.txt'), np.save('users.npy', model.syn1neg)"
    got = f"{ending}, which may hold a pickle and is never loaded; export, {how}"
    expect(ending not in PICKLES, path, "arrays or text", got)
    expect(ending in READERS, path, f"a file that ends in {', '.join(READERS)}", ending or "no ending")
    size, blocks = file.stat().st_size, getattr(file.stat(), "st_blocks", np.inf)
    expect(size, path, "data", "an empty file")
    dense = size <= max(DENSE, SUSPICIOUS * 512 * blocks)
    expect(dense, path, "data", f"a file of {size:,} bytes that is nearly all holes")
    try:
        return READERS[ending](file, key, role)
    except InputError:
        raise
    except ImportError as missing:
        raise InputError(f"{path}: needs {missing.name}: pip install 'cosine-audit[files]'") from None
    except MemoryError:
        raise InputError(f"{path}: expected a file that fits into memory, got a larger one") from None
    except Exception as problem:  # whatever a library says of bytes that are not what they should be
        reason = " ".join(str(problem).split())[:200] or type(problem).__name__
        raise InputError(f"{path}: expected whole {ending[1:]} data, got: {reason}") from None


def fits(path, wanted, held):
    """InputError if so many bytes are wanted by a file that holds so many, or are more than the memory."""
    fine = wanted <= min(max(DENSE, SUSPICIOUS * held), memory())
    expect(fine, path, f"what a file of {held:,} bytes can hold", f"{wanted:,} bytes promised")


def memory():
    """The bytes of this machine's memory, or 16 GB where it does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 16 * 2**30


# Arrays


def header(path, stream, size):
    """Shape and dtype of an array in NumPy's format of so many bytes, of which nothing but the header is read."""
    try:
        version = np.lib.format.read_magic(stream)
        read = {(1, 0): np.lib.format.read_array_header_1_0}.get(version, np.lib.format.read_array_header_2_0)
        shape, _, dtype = read(stream)
    except Exception:
        raise InputError(f"{path}: expected the header of a NumPy array, got other bytes") from None
    expect(not dtype.hasobject, path, "numbers", "Python objects, which are never loaded")
    ordinary = len(shape) <= 2 and min(shape, default=1) >= 0
    expect(ordinary, path, "a matrix with rows and columns", f"shape {str(shape)[:80]}")
    promised, held = math.prod(map(int, shape)) * dtype.itemsize, size - stream.tell()
    expect(promised == held, path, f"{promised:,} bytes after the header, for shape {str(shape)[:80]}", f"{held:,}")
    return shape, dtype


def read_npy(file, key, role):
    """An array on disk, if the file holds what its header promises."""
    with open(file, "rb") as stream:
        shape, _ = header(file, stream, file.stat().st_size)
    return Table(np.load(file, mmap_mode="r" if math.prod(shape) else None, allow_pickle=False))


def read_npz(file, key, role):
    """One array of an archive, and the names of the rows if there is one vector of text of that length."""
    shapes, faults = {}, {}
    with zipfile.ZipFile(file) as archive:
        for one in archive.infolist():
            name = one.filename.removesuffix(".npy")
            try:
                fits(f"{file}, {name}", one.file_size, one.compress_size)
                with archive.open(one) as stream:
                    shapes[name] = header(f"{file}, {name}", stream, one.file_size)
            except InputError as problem:
                faults[name] = problem
    if role == "list":
        return [name for name, (shape, _) in shapes.items() if len(shape) == 2]
    if key in faults or (faults and not shapes):
        raise faults.get(key) or next(iter(faults.values()))
    chosen = choose(file, key, role, {name: len(shape) for name, (shape, _) in shapes.items()})
    texts = [name for name, (shape, dtype) in shapes.items() if dtype.kind == "U" and shape == shapes[chosen][0][:1]]
    with np.load(file, allow_pickle=False) as arrays:
        names = arrays[texts[0]].tolist() if len(texts) == 1 and texts[0] != chosen else None
        return Table(arrays[chosen], names)


def choose(file, key, role, dimensions):
    """The name of the array that is meant: the key, the only one, or the one whose name says so."""
    names = ", ".join(sorted(dimensions))[:200]
    if key:
        expect(key in dimensions, file, f"one of {names} after the #", key[:80])
        return key
    wanted = 1 if role == "vector" else 2
    some = [name for name, count in dimensions.items() if count == wanted]
    if len(some) > 1 and role in ("items", "users"):
        some = [name for name in some if {"items": ITEMS, "users": USERS}[role].search(name)]
    if len(some) != 1:
        raise InputError(f"{file}: expected one array, or a # and one of {names}")
    return some[0]


def read_safetensors(file, key, role):
    """One tensor; BF16, which NumPy lacks, as float32."""
    from safetensors import deserialize, safe_open

    with safe_open(file, framework="numpy") as tensors:
        shapes = {name: tensors.get_slice(name).get_shape() for name in tensors.keys()}  # noqa: SIM118
        kinds = {name: tensors.get_slice(name).get_dtype() for name in shapes}
        if role == "list":
            return [name for name, shape in shapes.items() if len(shape) == 2]
        chosen = choose(file, key, role, {name: len(shape) for name, shape in shapes.items()})
        if kinds[chosen] != "BF16":
            return Table(tensors.get_tensor(chosen))
    data = dict(deserialize(file.read_bytes()))[chosen]["data"]
    high = np.frombuffer(bytes(data), "<u2").astype(np.uint32) << 16
    return Table(high.view(np.float32).reshape(shapes[chosen]))


# Tables


def read_text(file, key, role):
    """CSV, TSV; word2vec's text, with a line of rows and columns, and GloVe's and NumPy's, without."""
    import pandas as pd

    with open(file, "rb") as stream:
        lines = [stream.readline(100 * LONGEST + 1) for _ in range(2)]
        fine = max(map(len, lines)) <= 100 * LONGEST
        expect(fine, file, f"lines of at most {100 * LONGEST:,} bytes", "a longer one")
        rows = 2 + sum(chunk.count(b"\n") for chunk in iter(lambda: stream.read(2**20), b""))
    first, second = (line.decode("utf-8-sig").rstrip("\r\n") for line in lines)
    spaced = ending_of(file) in (".txt", ".vec")
    separator = {".csv": ",", ".tsv": "\t"}.get(ending_of(file), "\t" if "\t" in second else " ")
    fields, second = split(first, separator), split(second, separator)
    word2vec = spaced and re.fullmatch(r"\d{1,18} \d{1,18}", first.strip()) and len(second) != 2
    columns = max(len(fields), len(second))
    fine = rows * columns <= 4 * file.stat().st_size + 100
    expect(fine, file, "rows as long as the first", f"{rows:,} lines for {columns:,} columns")
    has_header = not word2vec and (not spaced or role != "vector") and is_header(fields, second)
    names = [name.strip() for name in fields] if has_header else None
    twice = [name for name in names if names.count(name) > 1] if names and len(names) < LONGEST else []
    expect(not twice, f"{file}, line 1", "columns with different names", f"{''.join(twice[:1])!r} twice")
    kinds = {i: str for i, name in enumerate(names or []) if ID.fullmatch(name)}
    options = {"sep": separator, "encoding": "utf-8-sig", "keep_default_na": False, "low_memory": False}
    options |= {"quoting": 3 if spaced else 0, "skiprows": int(bool(has_header or word2vec)), "index_col": False}
    frame = pd.read_csv(file, header=None, dtype=kinds, **options)
    if spaced and frame.shape[1] > 1 and (frame.iloc[:, -1] == "").all() | frame.iloc[:, -1].isna().all():
        frame = frame.iloc[:, :-1]  # a space at the end of each line
    if word2vec:
        rows, columns = map(int, first.split())
        fine = frame.shape == (rows, columns + 1)
        expect(fine, f"{file}, line 1", f"{rows} rows and {columns} columns as promised", frame.shape)
    n = len(names or frame.columns)
    expect(n == frame.shape[1], f"{file}, line 1", f"{frame.shape[1]} columns, as in the rows", n)
    frame.columns = names or [f"column {i}" for i in range(frame.shape[1])]
    return from_frame(file, frame, role, first_is_name=bool(word2vec))


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
    named = not second or NUMBER.fullmatch(second[-1]) or ID.fullmatch(fields[0]) is not None
    return not NUMBER.fullmatch(fields[-1]) and named


def read_parquet(file, key, role):
    """Columns of numbers, or one of lists of numbers; pandas' index names the rows."""
    from pyarrow import parquet

    parts = parquet.ParquetFile(file)
    about = parts.metadata
    groups = map(about.row_group, range(about.num_row_groups))
    cells = sum(group.column(j).num_values for group in groups for j in range(about.num_columns))
    fits(file, 8 * max(cells, about.num_rows), file.stat().st_size)
    texts = [field.name for field in parts.schema_arrow if str(field.type) in ("string", "large_string", "binary")]
    table = parquet.ParquetFile(file, read_dictionary=texts).read()
    for name in texts:
        chunks = table.column(name).unify_dictionaries().chunks
        longest = max((len(x) for chunk in chunks for x in chunk.dictionary.to_pylist() if x is not None), default=0)
        expect(longest <= LONGEST, file, f"names of at most {LONGEST:,} characters", "a longer one")
    frame = table.to_pandas()
    index = frame.index
    if index.name is not None or index.dtype.kind not in "iu" or not (index == np.arange(len(frame))).all():
        frame = frame.reset_index()
    lists = [name for name in frame.columns if len(frame) and isinstance(frame[name].iloc[0], np.ndarray | list)]
    if len(lists) == 1:
        lengths = {0 if row is None else len(row) for row in frame[lists[0]]}
        expect(len(lengths) == 1, file, "lists of one length", f"lengths from {min(lengths)} to {max(lengths)}")
        rest = frame.drop(columns=lists)
        values = np.array(frame[lists[0]].tolist(), dtype=float)
        names = rest.iloc[:, 0].astype(str).tolist() if rest.shape[1] else None
        return Table(values, names, noted(list(rest.columns)[:1], range(values.shape[1])))
    return from_frame(file, frame, role)


def from_frame(file, frame, role, first_is_name=False):
    """A Table from a data frame: which columns are names, and which are dimensions."""
    import pandas as pd

    frame.columns = [str(name) for name in frame.columns]
    size = f"{frame.shape[0]} × {frame.shape[1]}"
    expect(0 not in frame.shape, file, "rows and columns below the header", size)
    if role == "vector":
        names = frame.iloc[:, 0].astype(str).tolist() if frame.shape[1] > 1 else None
        return Table(frame.iloc[:, -1].to_numpy(), names)
    numbers = {name: pd.to_numeric(column, errors="coerce") for name, column in frame.items()}
    texts = [name for name, column in numbers.items() if column.isna().mean() > 0.5]
    ids = [name for name in frame.columns if name in texts or (ID.fullmatch(name) and not name.startswith("column "))]
    rest = {name: column for name, column in numbers.items() if name not in ids}
    ids += list(rest)[:1] * ((first_is_name and not ids) or looks_like_an_id(rest))
    dimensions = [name for name in frame.columns if name not in ids]
    expect(dimensions, file, "columns of numbers", ", ".join(frame.columns)[:200])
    for name in dimensions:
        missing = numbers[name].isna().to_numpy()
        row = int(missing.argmax())
        got = repr(str(frame[name].iloc[row])[:80])
        expect(not missing[row], f"{file}, row {row}, column {name[:80]!r}", "a number", got)
    values = np.column_stack([numbers[name].to_numpy(dtype=float) for name in dimensions])
    best = next((name for name in texts if frame[name].is_unique), ids[0] if ids else None)
    return Table(values, None if best is None else frame[best].astype(str).tolist(), noted(ids, dimensions))


def noted(ids, dimensions):
    """What was taken for names, in words."""
    names = " and ".join(repr(name[:40]) for name in map(str, ids[:3]))
    return f"{names} read as names, {len(dimensions)} columns as dimensions" if ids else ""


def looks_like_an_id(numbers):
    """Whether the first column counts or numbers the rows: whole and all different, where the others are not whole."""
    columns = [column.to_numpy(dtype=float) for column in numbers.values()]
    whole = [bool(np.isfinite(x).all() and (x == np.round(x)).all()) for x in columns]
    return len(whole) > 1 and whole[0] and len(set(columns[0])) == len(columns[0]) and not any(whole[1:])


READERS = {".npy": read_npy, ".npz": read_npz, ".safetensors": read_safetensors}
READERS |= dict.fromkeys((".csv", ".tsv", ".txt", ".vec"), read_text) | {".parquet": read_parquet}
