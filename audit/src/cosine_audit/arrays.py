"""Arrays of NumPy, safetensors and word2vec: a Table of one, which is chosen by its name where a file has several."""

import math
import re
import zipfile
from pathlib import Path

import numpy as np

from cosine_audit.checks import LONGEST, InputError, expect, fits, listed
from cosine_audit.columns import Table

ITEMS = re.compile(r"item|word|token|product|movie|doc|wv|^qi$", re.I)
USERS = re.compile(r"user|context|quer|syn1|customer|^pu$", re.I)
EITHER = re.compile(r"(emb|embedding|vector|factor)s?(\.weight)?", re.I)  # items, or features beside them
OTHERS = {"items": USERS, "users": ITEMS, "vector": re.compile("(?!)")}  # what names rows of the other factor
LETTERS = {"items": ("b", "q"), "users": ("a", "p")}  # of A Bᵀ and P Qᵀ, if a file has two arrays


def header(path, stream, size):
    """Shape and dtype of an array in NumPy's format of so many bytes, of which nothing but the header is read."""
    try:
        version = np.lib.format.read_magic(stream)
        read = {(1, 0): np.lib.format.read_array_header_1_0}.get(version, np.lib.format.read_array_header_2_0)
        shape, _, dtype = read(stream)
    except Exception:
        raise InputError(f"{path}: expected the header of a NumPy array, got other bytes") from None
    expect(not dtype.hasobject, path, "numbers", "Python objects, which are never loaded")
    untyped = dtype.kind == "V" and dtype.names is None
    got = f"{dtype.itemsize} bytes of no type, as NumPy saves bfloat16: save items.astype('float32')"
    expect(not untyped, path, "numbers", got)
    ordinary = len(shape) <= 2 and min(shape, default=1) >= 0
    expect(ordinary, path, "a matrix with rows and columns", f"shape {str(shape)[:80]}")
    promised, held = math.prod(map(int, shape)) * dtype.itemsize, size - stream.tell()
    expect(promised == held, path, f"{promised:,} bytes after the header, for shape {str(shape)[:80]}", f"{held:,}")
    return shape, dtype


def read_npy(file, key, role):
    """An array, which stays on disk if it is there, if the file holds what its header promises."""
    with file.open() as stream:
        shape, _ = header(file, stream, file.size)
        stream.seek(0)
        on_disk = file.data is None and math.prod(shape)
        return Table(np.load(file.name if on_disk else stream, "r" if on_disk else None, allow_pickle=False))


def read_npz(file, key, role):
    """One array of an archive, and the names of its rows: the vector of text of that length that is not the others'."""
    shapes, faults = npz_headers(file)
    if key in faults or (faults and not shapes):
        raise faults.get(key) or next(iter(faults.values()))
    chosen, note = choose(file, key, role, {name: dimensions_of(shape) for name, (shape, _) in shapes.items()})
    texts = [name for name, (shape, dtype) in shapes.items() if dtype.kind == "U" and shape == shapes[chosen][0][:1]]
    texts = [name for name in texts if not OTHERS[role].search(name)]
    with file.open() as stream, np.load(stream, allow_pickle=False) as arrays:
        names = arrays[texts[0]].tolist() if len(texts) == 1 and texts[0] != chosen else None
        return without_biases(Table(arrays[chosen], names, array=chosen, note=note), arrays)


def without_biases(table, arrays):
    """A Table without the columns behind the factors, which implicit's BPR and LMF save: biases, and ones."""
    saved = (
        table.array in ("item_factors", "user_factors") and "factors" in arrays and np.shape(arrays["factors"]) == ()
    )
    extra = table.values.shape[1] - int(arrays["factors"]) if saved and table.values.ndim == 2 else 0
    if extra not in (1, 2):
        return table
    note = f"{extra} of {table.values.shape[1]} columns hold biases and ones, left out"
    return table._replace(values=table.values[:, :-extra], note="; ".join(filter(None, (table.note, note))))


def npz_headers(file):
    """Shape and dtype of each array of an archive, and an InputError for each other entry: two dicts by name."""
    shapes, faults = {}, {}
    with file.open() as stream, zipfile.ZipFile(stream) as archive:
        for one in archive.infolist():
            name = one.filename.removesuffix(".npy")
            try:
                fits(f"{file}, {name}", one.file_size, one.compress_size)
                with archive.open(one) as entry:
                    shapes[name] = header(f"{file}, {name}", entry, one.file_size)
            except InputError as problem:
                faults[name] = problem
    return shapes, faults


def npz_dimensions(file):
    """How many dimensions each array of an archive has, by name."""
    return {name: dimensions_of(shape) for name, (shape, _) in npz_headers(file)[0].items()}


def dimensions_of(shape):
    """How many dimensions an array has; of one column, as biases have, one."""
    return len(shape) - (tuple(shape[1:]) == (1,))


def choose(file, key, role, dimensions):
    """Which array is meant, the key, the only one or the one that is called so; and what others there are, in words."""
    if key:
        expect(key in dimensions, file, f"one of {listed(sorted(dimensions))} after the #", key[:80])
        return key, ""
    some = sorted(name for name, count in dimensions.items() if count == (1 if role == "vector" else 2))
    meant = called(some, role) if len(some) > 1 else some
    got = f"{listed(meant or some or sorted(dimensions))}; say which: {file}#{(meant or some or ['name'])[0]}"
    expect(len(meant) == 1, file, f"one array of {'values' if role == 'vector' else role}", got)
    others = [name for name in some if name != meant[0]] if role == "items" else []
    others = [name for name in others if name not in called(some, "users")]
    return meant[0], f"{listed(others)} not read" if others else ""


def called(names, role):
    """The arrays whose names say that they are items, or users; beside items also those that could be them."""
    if role == "vector":
        return []
    pattern = {"items": ITEMS, "users": USERS}[role]
    letters = [name for name in names if name.lower() in LETTERS[role]] if len(names) == 2 else []
    found = [name for name in names if pattern.search(name)]
    return found + [name for name in names if role == "items" and found and EITHER.fullmatch(name)] or letters


def users_beside(file):
    """The name of the array of users in the file of the items; None if there is none."""
    if file.kind not in ARCHIVES:
        return None
    some = [name for name, count in ARCHIVES[file.kind](file).items() if count == 2]
    found = called(some, "users")
    got = f"{listed(found)}; say which, after the items: {file}#{found[0]}" if found else ""
    expect(len(found) < 2, file, "one array of users", got)
    return found[0] if found else None


def read_safetensors(file, key, role):
    """One tensor; BF16, which NumPy lacks, as float32."""
    from safetensors import deserialize, safe_open

    chosen, note = choose(file, key, role, tensor_dimensions(file))
    with safe_open(file.name, framework="numpy") as tensors:
        one = tensors.get_slice(chosen)
        shape, kind = one.get_shape(), one.get_dtype()
        if kind != "BF16":
            return Table(tensors.get_tensor(chosen), array=chosen, note=note)
    data = dict(deserialize(Path(file.name).read_bytes()))[chosen]["data"]
    high = np.frombuffer(bytes(data), "<u2").astype(np.uint32) << 16
    return Table(high.view(np.float32).reshape(shape), array=chosen, note=note)


def tensor_dimensions(file):
    """How many dimensions each tensor has, by name."""
    from safetensors import safe_open

    expect(file.data is None, file, "tensors in a file that is not packed", "a pipe, or .gz")
    with safe_open(file.name, framework="numpy") as tensors:
        return {name: dimensions_of(tensors.get_slice(name).get_shape()) for name in tensors.keys()}  # noqa: SIM118


def word2vec_shape(file, line):
    """Rows and columns, as the first line promises, if the file is as long."""
    promised = re.fullmatch(rb"(\d{1,18}) ([1-9]\d{0,8})\s*", line)
    got = "other bytes, perhaps a pickle, which is never loaded; save arrays or text instead"
    expect(promised, file, "the first line of word2vec's format, rows and columns", got)
    rows, columns = map(int, promised.groups())
    fine = rows * (4 * columns + 1) <= file.size
    expect(fine, file, f"{rows:,} rows and {columns:,} columns as promised", f"{file.size:,} bytes")
    return rows, columns


def read_word2vec(file, key, role):
    """Word2vec's binary format: a line of rows and columns, then for each row a word, a space and float32."""
    with file.open() as stream:
        rows, columns = word2vec_shape(file, stream.readline(LONGEST))
        data, at = stream.read(), 0
    names, values = [], np.empty((rows, columns), np.float32)
    for row in range(rows):
        end = data.find(b" ", at, at + LONGEST)
        whole = end >= 0 and end + 1 + 4 * columns <= len(data)
        expect(whole, f"{file}, row {row}", f"a word and {columns} numbers", "the end of the file")
        names.append(data[at:end].lstrip(b"\n").decode("utf-8", "replace"))
        values[row] = np.frombuffer(data, "<f4", columns, end + 1)
        at = end + 1 + 4 * columns
    return Table(values, names)


ARCHIVES = {".npz": npz_dimensions, ".safetensors": tensor_dimensions}
ARRAYS = {".npy": read_npy, ".npz": read_npz, ".safetensors": read_safetensors, ".bin": read_word2vec}
