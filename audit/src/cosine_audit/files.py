"""Reading other people's embeddings: nothing is unpickled, and no memory is asked for that a file cannot fill.

Reading itself is left to NumPy, pandas, pyarrow and safetensors; columns.py decides what is a name and what a
dimension. Whatever is wrong with a file is an InputError of one sentence: the file, what was expected and what was
found. Rows and columns count from 0, lines of text from 1.
"""

import contextlib
import gzip
import io
import os
import re
import stat
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

from cosine_audit.arrays import ARCHIVES, ARRAYS, users_beside
from cosine_audit.checks import DENSE, LONGEST, SUSPICIOUS, InputError, expect, listed, memory
from cosine_audit.columns import COUNTED, Table, ends_of, from_array, from_frame
from cosine_audit.tables import TABLES

SAVE = "np.save('items.npy', model.item_factors)"
GENSIM = "model.wv.save_word2vec_format('items.txt'), np.save('users.npy', model.syn1neg)"
TORCH = "np.save('items.npy', model.item_embedding.weight.detach().cpu().float().numpy())"
PICKLES = dict.fromkeys((".joblib", ".pickle", ".pkl"), SAVE) | dict.fromkeys((".kv", ".model"), GENSIM)
PICKLES |= dict.fromkeys((".ckpt", ".pt", ".pth"), TORCH)  # and how to save arrays instead


class Source(NamedTuple):
    """A file: its name, for messages; kind, its ending; size in bytes; data, its bytes if they came another way."""

    name: str
    kind: str
    size: int
    data: bytes | None = None

    def __str__(self):
        """The name."""
        return self.name

    def open(self):
        """A binary stream of what is in it."""
        return open(self.name, "rb") if self.data is None else io.BytesIO(self.data)


def read_table(path, role="items", spans=(), ids=()):
    """A Table from a file, a folder of part files, or - for stdin; a # and a name choose one of several arrays.

    role: "items" or "users", a matrix; "vector", counts, labels or names: an array, or a column. spans, ids: which
    columns are dimensions, FIRST:LAST, and which are names; a file follows the first of each that it has.
    """
    with one_sentence(path):
        file, key = split_key(str(path))
        return table_of(sources(file), key, role, spans, ids)


def read_pair(items, users=None, spans=(), ids=()):
    """Tables of items and of users; users may stand in the same file, and None if there are none."""
    with one_sentence(items):
        file, key = split_key(str(items))
        some = sources(file)
        found = table_of(some, key, "items", spans, ids)
        if users is None:
            own = users_beside(some[0]) if not key else None
            return found, None if own is None else table_of(some, own, "users", spans, ids)
    others = read_table(users, "users", spans, ids)
    asked = all(set(spans) & set(table.asked) for table in (found, others))
    same_dimensions(users, found.columns or [], others.columns or [], asked)
    return found, others


def same_dimensions(file, first, second, asked):
    """InputError if dimensions with names are in another order, or are counted otherwise unless that was asked for."""
    fine = first == second or sorted(first) != sorted(second)
    expect(fine, file, "dimensions in the order of the items'", "another order")
    counts = [[COUNTED.fullmatch(name) for name in names] for names in (first, second)]
    if not (first and second):  # an array beside a table
        numbers = [int(one[2]) for one in counts[0] + counts[1] if one]
        got = f"{listed(first + second)}: the other factor does not name its own, so name both or sort these"
        expect(numbers == sorted(numbers), file, "dimensions in the order of their numbers", got)
    if first and second and not asked and all(one and one[1] for one in counts[0] + counts[1]):
        fine = [int(one[2]) for one in counts[0]] == [int(one[2]) for one in counts[1]]
        settle = f"--columns {first[0]}:{first[-1]} --columns {second[0]}:{second[-1]}"
        got = f"{ends_of(second)}; if both are right: {settle}"
        expect(fine, file, f"the items' dimensions, {ends_of(first)}", got)


def split_key(path):
    """The name of a file, and what stands behind its last #."""
    file, mark, key = path.rpartition("#")
    return (path, "") if not mark or os.path.lexists(path) else (file, key)


def table_of(some, key, role, spans, ids):
    """A Table of Sources: of one file, or of the parts of one table."""
    file = some[0] if len(some) == 1 else Path(some[0].name).parent
    if some[0].kind in ARRAYS:
        expect(not key or some[0].kind in ARCHIVES, file, "no # behind a file of one array", key[:80])
        table = ARRAYS[some[0].kind](some[0], key, role)
        shape = np.shape(table.values)
        if role == "vector":
            one_each = 0 not in shape and (len(shape) == 1 or shape[1:] == (1,))
            expect(one_each, file, "one value a row", f"shape {shape}")
            return table._replace(values=np.ravel(table.values))
        expect(len(shape) == 2 and 0 not in shape, file, "a matrix with rows and columns", f"shape {shape}")
        return from_array(file, table, spans)
    frame = frame_of(file, some, role)
    if role == "vector":
        return last_column(file, frame, key)
    expect(not key, file, "no # behind a table", key[:80])
    return from_frame(file, frame, spans, ids)


def frame_of(file, some, role):
    """A data frame of the rows of all parts, with names of columns that are text."""
    import pandas as pd

    frames = [part_of(one, role) for one in some]
    frames = [frame for frame in frames if len(frame)] or frames[:1]  # Spark writes empty parts
    held = [[str(name) for name in frame.columns] for frame in frames]
    for names in held:
        got = listed(names)
        expect(names == held[0], file, f"parts with the same columns, {listed(held[0])}", got)
    return pd.concat([frame.set_axis(held[0], axis=1) for frame in frames], ignore_index=True)


def part_of(one, role):
    """The data frame of a Source, or an InputError that names it."""
    with one_sentence(one.name):
        return TABLES[one.kind](one, role)


def last_column(file, frame, key):
    """A Table of one column, the one that is meant or the last, and of the names in the first."""
    expect(0 not in frame.shape, file, "rows and columns below the header", f"{frame.shape[0]} × {frame.shape[1]}")
    value = key or frame.columns[-1]
    expect(value in frame.columns, file, f"one of {listed(frame.columns)} after the #", key[:80])
    others = [name for name in frame.columns if name != value]
    names = frame[others[0]].astype(str).tolist() if others else None
    return Table(frame[value].to_numpy(), names, note=f"column {value[:40]!r}" if others else "")


# Where a file is


@contextlib.contextmanager
def one_sentence(path):
    """An InputError of one sentence, whatever a library says of bytes that are not what they should be."""
    name = "stdin" if str(path) == "-" else path
    try:
        yield
    except InputError:
        raise
    except ImportError as missing:
        raise InputError(f"{name}: needs {missing.name}: pip install 'cosine-audit[files]'") from None
    except MemoryError:
        raise InputError(f"{name}: expected a file that fits into memory, got a larger one") from None
    except Exception as problem:
        if isinstance(problem, OSError) and problem.strerror:
            raise InputError(f"{name}: {problem.strerror}") from None
        reason = " ".join(str(problem).split())[:200] or type(problem).__name__
        raise InputError(f"{name}: expected {('whole ' + kind_of(path)[1:]).strip()} data, got: {reason}") from None


def kind_of(path):
    """A file's ending in small letters, without .gz and what stands behind a #."""
    path = Path(split_key(str(path))[0])
    return (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()


def sources(path):
    """The Sources of a path: a file, the part files of a folder, or what comes through a pipe."""
    if path == "-":
        expect(sys.stdin, "stdin", "data", "a closed stream")
        return [piped("stdin", sys.stdin.buffer)]
    expect(os.path.exists(path), path or "''", "a file", "a name that leads nowhere")
    mode = os.stat(path).st_mode
    if stat.S_ISFIFO(mode):  # <(zcat items.csv.gz)
        with open(path, "rb") as stream:
            return [piped(path, stream)]
    if stat.S_ISDIR(mode):
        return parts(path)
    expect(stat.S_ISREG(mode), path, "a file", "a device")
    one = source(path)
    expect(one.size, path, "data", "an empty file")
    return [one]


def source(path):
    """The Source of a file, unpacked if it is gzipped."""
    kind, size = kind_of(path), os.path.getsize(path)
    got = f"{kind}, which may hold a pickle and is never loaded; save arrays instead: {PICKLES.get(kind)}"
    expect(kind not in PICKLES, path, "arrays or text", got)
    expect(kind in ARRAYS | TABLES, path, f"a file that ends in {', '.join(ARRAYS | TABLES)}", kind or "no ending")
    blocks = getattr(os.stat(path), "st_blocks", np.inf)
    dense = size <= max(DENSE, SUSPICIOUS * 512 * blocks)
    expect(dense, path, "data", f"a file of {size:,} bytes that is nearly all holes")
    if not str(path).lower().endswith(".gz"):
        return Source(str(path), kind, size)
    with open(path, "rb") as stream:
        data = unpacked(path, stream, size)
    return Source(str(path), kind, len(data), data)


def unpacked(path, stream, size):
    """The bytes of a gzipped stream, if they are no more than its size lets expect."""
    with gzip.open(stream) as unzipped:
        return all_of(path, unzipped, min(max(DENSE, SUSPICIOUS * size), memory()))


def all_of(path, stream, most):
    """What a stream holds, if that is at most so many bytes."""
    data = bytearray()
    while more := stream.read(2**20):
        data += more
        expect(len(data) <= most, path, f"at most {most:,} bytes", "more")
    return data


def parts(folder):
    """The Sources of a folder's part files, as Spark writes them; hidden files, _SUCCESS and empty parts are none."""
    shown = [one for one in sorted(Path(folder).iterdir()) if not one.name.startswith(".")]
    below = next((one.name for one in shown if one.is_dir()), None)  # of partitions, or Delta's log of valid parts
    expect(below is None, folder, "a folder of part files alone", f"a folder in it, {below}")
    files = [one for one in shown if not one.name.startswith("_")]
    kinds = {kind_of(one) for one in files}
    got = listed(one.name for one in files) or "none"
    expect(len(kinds) == 1 and kinds <= set(TABLES), folder, f"part files of one kind, {', '.join(TABLES)}", got)
    some = [one for one in map(source, files) if one.size]
    expect(some, folder, "data", "empty files")
    return some


BINARY = rb"\d+ \d+\n[^\n]*[\x00-\x08\x0e-\x1f]"  # word2vec's: a line of text, then bytes that no text has
SIGNS = {rb"\x93NUMPY": ".npy", b"PK": ".npz", b"PAR1": ".parquet", rb"\{": ".jsonl", BINARY: ".bin"}


def piped(name, stream):
    """The Source of a stream that cannot be read twice; what it holds is seen by how it begins."""
    data = all_of(name, stream, memory() // 2)
    expect(data, name, "data", "nothing")
    data = unpacked(name, io.BytesIO(data), len(data)) if data.startswith(b"\x1f\x8b") else data
    first = data[: 100 * LONGEST].partition(b"\n")[0]
    text = ".csv" if b"," in first or b";" in first else ".tsv" if b"\t" in first else ".txt"
    kind = next((kind for sign, kind in SIGNS.items() if re.match(sign, data)), text)
    return Source(name, kind, len(data), data)
