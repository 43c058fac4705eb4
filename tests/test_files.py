"""Reading embeddings: what is right is read, and what is wrong is one sentence that says where."""

import io
import json
import pickle
import struct
import zipfile
from contextlib import suppress

import numpy as np
import pytest

from helpers.files import MOST, InputError, read_counts, read_labels, read_matrix, read_model

E = np.arange(12.0).reshape(4, 3) + 1
NAMES = ["bread", "milk", "tea", "rice"]


def write_npy(path, array, **options):
    np.save(path, array, **options)


def header(shape, dtype="<f8"):
    """The beginning of a .npy file."""
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": dtype, "fortran_order": False, "shape": shape})
    return stream.getvalue()


def word2vec_text(rows, promise="4 3"):
    return "\n".join([promise, *rows]) + "\n"


def word2vec_binary(values=E, names=NAMES, promise=None, end=b"\n"):
    first = promise or f"{len(values)} {values.shape[1]}\n".encode()
    rows = zip(names, values.astype("<f4"), strict=True)
    return first + b"".join(name.encode() + b" " + row.tobytes() + end for name, row in rows)


ROWS = [f"{name} {' '.join(map(str, row))}" for name, row in zip(NAMES, E.tolist(), strict=True)]
CSV = "name,a,b,c\n" + "\n".join(row.replace(" ", ",") for row in ROWS) + "\n"


def zipped(**entries):
    """A zip archive of bytes, compressed."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name.replace("__", "."), data)
    return stream.getvalue()


def safetensors(**tensors):
    """A file of float32 tensors, as its specification says."""
    start, head, body = 0, {}, b""
    for name, array in tensors.items():
        data = array.astype("<f4").tobytes()
        head[name] = {"dtype": "F32", "shape": array.shape, "data_offsets": [start, start + len(data)]}
        start, body = start + len(data), body + data
    text = json.dumps(head).encode()
    return struct.pack("<Q", len(text)) + text + body


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


# What is right


@pytest.mark.parametrize("dtype", ["f4", "f8", ">f8", "f2", "i4", "u1"])
@pytest.mark.parametrize("order", "CF")
def test_an_array_is_read_as_numpy_reads_it(folder, dtype, order):
    write_npy("e.npy", np.asarray(E, dtype, order=order))
    values, names = read_matrix("e.npy")
    assert names is None
    assert values.dtype == (np.float32 if dtype in ("f4", "f2") else float)
    np.testing.assert_array_equal(values, np.load("e.npy"))


def test_an_archive_may_name_its_rows(folder):
    np.savez("e.npz", values=E, names=np.array(NAMES))
    values, names = read_matrix("e.npz")
    np.testing.assert_array_equal(values, E)
    assert names == NAMES
    np.savez_compressed("two.npz", P=E[:2], B=E, names=np.array(NAMES))
    assert read_matrix("two.npz#B").names == NAMES
    assert read_matrix("two.npz#P").names is None


def test_word2vec_as_text_and_binary(folder):
    (folder / "e.txt").write_text(word2vec_text(ROWS))
    (folder / "e.bin").write_bytes(word2vec_binary())
    (folder / "bare.bin").write_bytes(word2vec_binary(end=b""))
    for file in ("e.txt", "e.bin", "bare.bin"):
        values, names = read_matrix(file)
        np.testing.assert_array_equal(values, E)
        assert names == NAMES


def test_a_name_may_have_spaces(folder):
    (folder / "e.vec").write_text(word2vec_text(["black " + ROWS[2], *ROWS[1:]]))
    assert read_matrix("e.vec").names[0] == "black tea"


def test_the_same_as_gensim_writes(folder):
    gensim = pytest.importorskip("gensim", reason="gensim is installed by tests/requirements.txt only")
    vectors = gensim.models.KeyedVectors(3)
    vectors.add_vectors(NAMES, E.astype(np.float32))
    for file, binary in (("e.txt", False), ("e.bin", True)):
        vectors.save_word2vec_format(file, binary=binary)
        values, names = read_matrix(file)
        np.testing.assert_array_equal(values, E)
        assert names == NAMES


@pytest.mark.parametrize("first", ["name", "what", "Item_ID"])
@pytest.mark.parametrize(("file", "comma"), [("e.csv", ","), ("e.tsv", "\t")])
def test_a_table_with_names_in_front(folder, first, file, comma):
    (folder / file).write_text("\ufeff" + CSV.replace("name", first, 1).replace(",", comma), encoding="utf-8")
    values, names = read_matrix(file)
    np.testing.assert_array_equal(values, E)
    assert names == NAMES


def test_ids_in_a_table_are_numbers_unless_that_would_change_them(folder):
    (folder / "e.csv").write_text("id,a\n7,1\n12,2\n")
    (folder / "zero.csv").write_text("id,a\n07,1\n12,2\n")
    assert read_matrix("e.csv").names == [7, 12]
    assert read_matrix("zero.csv").names == ["07", "12"]


def test_parquet_with_columns_or_lists(folder):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is installed by tests/requirements.txt only")
    from pyarrow import parquet

    parquet.write_table(pa.table({"title": NAMES, "a": E[:, 0], "b": E[:, 1], "c": E[:, 2]}), "columns.parquet")
    parquet.write_table(pa.table({"title": NAMES, "vector": E.tolist()}), "lists.parquet")
    for file in ("columns.parquet", "lists.parquet"):
        values, names = read_matrix(file)
        np.testing.assert_array_equal(values, E)
        assert names == NAMES


def test_a_path_may_have_the_mark_that_names_an_array(folder):
    (folder / "run #3").mkdir()
    np.save("run #3/e.npy", E)
    np.savez("run #3/e.npz", a=E, b=E + 1)
    np.testing.assert_array_equal(read_matrix("run #3/e.npy").values, E)
    np.testing.assert_array_equal(read_matrix("run #3/e.npz#b").values, E + 1)


def test_parquet_of_lists_without_rows(folder):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is installed by tests/requirements.txt only")
    from pyarrow import parquet

    columns = {"name": pa.array([], pa.string()), "vector": pa.array([], pa.list_(pa.float32()))}
    parquet.write_table(pa.table(columns), "e.parquet")
    with pytest.raises(InputError, match="expected rows, got none"):
        read_matrix("e.parquet")


def test_safetensors(folder):
    pytest.importorskip("safetensors", reason="safetensors is installed by tests/requirements.txt only")
    (folder / "e.safetensors").write_bytes(safetensors(items=E, users=E[:2], bias=E[0]))
    np.testing.assert_array_equal(read_matrix("e.safetensors#items").values, E)
    with pytest.raises(InputError, match="expected one matrix, got several: add # and one of items, users"):
        read_matrix("e.safetensors")


def test_counts_and_labels(folder):
    (folder / "n.csv").write_text("name,count\n" + "".join(f"{name},{i}\n" for i, name in enumerate(NAMES)))
    (folder / "l.csv").write_text("name,label\n" + "".join(f"{name},{name[0] > 'n'}\n" for name in NAMES))
    np.save("l.npy", np.array([1, 1, 2, 2]))
    assert read_counts("n.csv").values.tolist() == [0, 1, 2, 3]
    assert read_labels("l.csv").values.tolist() == ["False", "False", "True", "True"]
    assert read_labels("l.npy").values.tolist() == [1, 1, 2, 2]


def test_a_whole_model(folder):
    (folder / "items.csv").write_text(CSV)
    (folder / "again.txt").write_text(word2vec_text(ROWS))
    np.save("users.npy", E[:2])
    np.save("counts.npy", [4, 3, 2, 1])
    np.save("labels.npy", ["a", "b", "a", "b"])
    model = read_model("items.csv", "users.npy", "counts.npy", "labels.npy", "again.txt")
    assert model.names == NAMES
    np.testing.assert_array_equal(model.again, model.items)
    np.testing.assert_array_equal(model.users, E[:2])
    assert model.labels.tolist() == ["a", "b", "a", "b"]
    assert read_model("items.csv").users is None


# What is wrong: files of a model, which of them, and the sentence


class Bomb:
    """An object whose pickle would create a file."""

    def __reduce__(self):
        return open, ("exploded", "w")


def saved(array, **options):
    stream = io.BytesIO()
    np.save(stream, array, **options)
    return stream.getvalue()


def changed(row, column, value):
    other = E.copy()
    other[row, column] = value
    return saved(other)


LIE = bytearray(zipped(e__npy=saved(E)))
LIE[LIE.index(b"PK\x01\x02") + 24] ^= 0xFF  # the size in the directory of the archive

GOOD = {"items.csv": CSV.encode()}
# the folder's file and what it holds (None: there is none, {}: a folder), and how the sentence goes on after its name
BAD = {
    "no file": ("nothing.npy", None, ": expected a file, there is none"),
    "a folder": ("d.npy", {}, ": expected a file, got a folder or a device"),
    "a pickle": ("e.pkl", pickle.dumps(Bomb()), ": expected a format without code, got a pickle (.pkl)"),
    "PyTorch's": ("e.pt", b"PK", ": expected a format without code, got a pickle (.pt)"),
    "an ending": ("e.doc", b"x", ": expected a file that ends in .npy, .npz"),
    "no ending": ("e", b"x", ": expected a file that ends in .npy"),
    "empty": ("e.npy", b"", ": expected npy data, got an empty file"),
    "a pickle that says it is an array": (
        "e.npy",
        pickle.dumps(Bomb()),
        ": expected the header of a NumPy array, got other bytes",
    ),
    "objects": ("e.npy", saved(np.array([Bomb()] * 4), allow_pickle=True), ": expected numbers, got Python objects"),
    "objects in an archive": (
        "e.npz",
        zipped(e__npy=saved(np.array([Bomb()]), allow_pickle=True)),
        ", e.npy: expected numbers",
    ),
    "truncated": ("e.npy", saved(E)[:-8], ": expected 96 bytes after the header, for shape (4, 3), got 88"),
    "a header cut off": ("e.npy", saved(E)[:40], ": expected the header of a NumPy array, got other bytes"),
    "terabytes": (
        "e.npy",
        header((10**9, 10**6)) + bytes(96),
        ": expected 8,000,000,000,000,000 bytes after the header, for shape (1000000000, 1000000), got 96",
    ),
    "a shape that overflows": ("e.npy", header((2**62, 2**62)) + bytes(96), ": expected 170,141,183,460"),
    "a negative shape": ("e.npy", header((-4, 3)) + bytes(96), ": expected "),
    "complex": ("e.npy", saved(E + 1j), ": expected real numbers, got complex128"),
    "text for numbers": ("e.npy", saved(E.astype(str)), ": expected real numbers, got text"),
    "one dimension": ("e.npy", saved(E[0]), ": expected a matrix with rows and columns, got shape (3,)"),
    "three dimensions": ("e.npy", saved(E[None]), ": expected a matrix with rows and columns"),
    "no rows": ("e.npy", saved(E[:0]), ": expected a matrix with rows and columns, got shape (0, 3)"),
    "one row": ("e.npy", saved(E[:1]), ": expected at least 4 rows and 2 columns, got 1 × 3"),
    "one column": ("e.npy", saved(E[:, :1]), ": expected at least 4 rows and 2 columns, got 4 × 1"),
    "NaN": ("e.npy", changed(2, 1, np.nan), ", row 2, column 1: expected a finite number, got nan"),
    "infinite": ("e.npy", changed(3, 0, -np.inf), ", row 3, column 0: expected a finite number, got -inf"),
    "all zero": ("e.npy", saved(0 * E), ": expected at least 4 rows other than zero, got fewer"),
    "too large": ("e.npy", saved(1e200 * E), ": expected numbers between 1e-100 and 1e100 in size, got at most 1e+201"),
    "too small": (
        "e.npy",
        saved(1e-200 * E),
        ": expected numbers between 1e-100 and 1e100 in size, got at most 1e-199",
    ),
    "no archive": ("e.npz", b"PK nothing", ": expected a NumPy archive, got other bytes"),
    "a zip bomb": (
        "e.npz",
        zipped(e__npy=header((10**7, 3), "<f4") + bytes(12 * 10**7)),
        ", e.npy: expected an array, got one that expands 1,0",
    ),
    "an archive of something else": ("e.npz", zipped(e__txt="x"), ", e.txt: expected a NumPy array, got"),
    "an archive that lies": ("e.npz", bytes(LIE), ": expected whole npz data, got damage: "),
    "an archive cut off": ("e.npz", zipped(e__npy=saved(E))[:-30], ": expected a NumPy archive"),
    "which array": ("e.npz", zipped(a__npy=saved(E), b__npy=saved(E)), ": expected one matrix, got several"),
    "another array": ("e.npz#b", zipped(a__npy=saved(E)), ": expected one of a after the #, got b"),
    "names of other rows": (
        "e.npz",
        zipped(a__npy=saved(E), n__npy=saved(np.array(NAMES[:3]))),
        ", n: expected 4 names, as a has",
    ),
    "no promise": ("e.txt", "\n".join(ROWS).encode(), ", line 1: expected the numbers of rows and columns"),
    "more rows promised": ("e.txt", word2vec_text(ROWS, "5 3").encode(), ": expected 5 rows, as line 1 says, got 4"),
    "fewer rows promised": (
        "e.txt",
        word2vec_text(ROWS, "3 3").encode(),
        ", line 5: expected the end after 3 rows, as line 1",
    ),
    "other columns promised": (
        "e.txt",
        word2vec_text(ROWS, "4 4").encode(),
        ", line 2: expected a name and 4 numbers, as line 1",
    ),
    "a promise of terabytes": (
        "e.txt",
        word2vec_text(ROWS, "4000000000 300").encode(),
        ", line 1: expected what the file holds",
    ),
    "no number": ("e.txt", word2vec_text([*ROWS[:3], "rice 1 x 3"]).encode(), ", line 5: expected 3 numbers after the"),
    "a binary that lies": (
        "e.bin",
        word2vec_binary(promise=b"4000000000 300\n"),
        ", line 1: expected what the file holds, ",
    ),
    "a binary cut off": ("e.bin", word2vec_binary()[:-9], ", row 3: expected a name and 3 numbers, as line"),
    "a binary with more": (
        "e.bin",
        word2vec_binary(promise=b"3 3\n"),
        ": expected the end after 3 rows, as line 1 says, got ",
    ),
    "not UTF-8": ("e.csv", CSV.replace("tea", "thé").encode("latin-1"), ", line 4: expected UTF-8, got other"),
    "a name not in UTF-8": (
        "e.bin",
        word2vec_binary().replace(b"milk", b"m\xffk!"),
        ", row 1: expected a name in UTF-8",
    ),
    "a missing column": (
        "e.csv",
        CSV.replace("milk,4.0,", "milk,").encode(),
        ", row 1, column 'c': expected a number, got",
    ),
    "a column too many": (
        "e.csv",
        CSV.replace("tea,", "tea,9,").encode(),
        ", line 4: expected 4 columns, as in the header, got 5",
    ),
    "a header twice": ("e.csv", CSV.replace("b", "a", 1).encode(), ", line 1: expected columns with different"),
    "no header": ("e.csv", b"1,2\n3,4\n5,6\n7,8\n", ": expected a column of names, the first or one called"),
    "a header alone": ("e.csv", b"name,a,b\n", ": expected rows below the header, got none"),
    "a word for a number": (
        "e.csv",
        CSV.replace("8.0", "eight").encode(),
        ", row 2, column 'b': expected a number, got 'eight'",
    ),
    "a name twice": (
        "e.csv",
        CSV.replace("rice", "milk").encode(),
        ", row 3: expected a new name, got 'milk', which row 1",
    ),
    "a name missing": ("e.csv", CSV.replace("tea", "").encode(), ", row 2: expected a name, got none"),
}

BESIDE = {
    "users of other columns": ("users", "u.npy", saved(E[:, :2]), ": expected 3 columns, as in items.csv, got 2"),
    "users all zero": ("users", "u.npy", saved(0 * E), ": expected a row other than zero, got none"),
    "counts of other rows": ("counts", "n.npy", saved([1, 2, 3]), ": expected 4 rows, as in items.csv, got 3"),
    "a negative count": ("counts", "n.npy", saved([1, 2, -3, 4]), ", row 2: expected a count of at least 0, got -3"),
    "a count that is none": ("counts", "n.npy", saved([1, np.nan, 3, 4]), ", row 1: expected a finite number, got nan"),
    "counts all zero": ("counts", "n.npy", saved(np.zeros(4)), ": expected a count above 0, got none"),
    "counts in two columns": ("counts", "n.npy", saved(E[:, :2]), ": expected one column, got shape (4, 2)"),
    "other names": (
        "counts",
        "n.csv",
        b"name,n\nbread,1\ntea,2\nmilk,3\nrice,4\n",
        ", row 1: expected the name 'milk', as in items.csv, got 'tea'",
    ),
    "ids for names": (
        "counts",
        "n.csv",
        b"id,n\n1,1\n2,2\n3,3\n4,4\n",
        ": expected names that are text, as in items.csv, got whole numbers",
    ),
    "a missing label": (
        "labels",
        "l.csv",
        b"name,l\nbread,x\nmilk,\ntea,y\nrice,x\n",
        ", row 1: expected a label, got none",
    ),
    "one label": ("labels", "l.npy", saved(["x"] * 4), ": expected at least two different labels, got only x"),
    "labels that are fractions": (
        "labels",
        "l.npy",
        saved([0.5, 1, 2, 3]),
        ": expected labels that are text or whole numbers, got float64",
    ),
    "another run of other rows": ("again", "a.npy", saved(E[:3]), ": expected 4 rows, as in items.csv, got 3"),
    "another run, all zero": ("again", "a.npy", saved(0 * E), ": expected at least 4 rows other than zero, got fewer"),
}


def put(folder, files):
    for name, data in files.items():
        if data == {}:
            (folder / name).mkdir()
        elif data is not None:
            (folder / name).write_bytes(data)


def bad_models():
    """Names, files, arguments of read_model and the beginning of the sentence, for every input that is wrong."""
    for name, (path, data, rest) in BAD.items():
        yield name, {path.split("#")[0]: data}, {"items": path}, path + rest
    for name, (role, path, data, rest) in BESIDE.items():
        yield name, {**GOOD, path: data}, {"items": "items.csv", role: path}, path + rest


@pytest.mark.parametrize(("files", "given", "sentence"), [pytest.param(*rest, id=name) for name, *rest in bad_models()])
def test_what_is_wrong_is_one_sentence(folder, files, given, sentence):
    put(folder, files)
    before = sorted(folder.rglob("*"))
    with pytest.raises(InputError) as raised:
        read_model(**given)
    message = str(raised.value)
    assert message.startswith(sentence)
    assert "\n" not in message
    assert ": expected " in message
    assert sorted(folder.rglob("*")) == before


def test_there_are_many_of_them():
    assert len(list(bad_models())) >= 30


@pytest.mark.parametrize("damage", ["cut", "noise"])
@pytest.mark.parametrize("file", ["e.npy", "e.npz", "e.bin", "e.txt", "e.csv", "e.parquet", "e.safetensors"])
def test_damage_is_never_another_error(folder, rng, file, damage):
    whole = {
        "e.npy": saved(E),
        "e.npz": zipped(e__npy=saved(E)),
        "e.bin": word2vec_binary(),
        "e.txt": word2vec_text(ROWS).encode(),
        "e.csv": CSV.encode(),
        "e.safetensors": safetensors(items=E),
    }
    if file == "e.parquet":
        pa = pytest.importorskip("pyarrow", reason="pyarrow is installed by tests/requirements.txt only")
        from pyarrow import parquet

        stream = io.BytesIO()
        parquet.write_table(pa.table({"title": NAMES, "vector": E.tolist()}), stream)
        whole[file] = stream.getvalue()
    if file == "e.safetensors":
        pytest.importorskip("safetensors", reason="safetensors is installed by tests/requirements.txt only")
    for _ in range(150):
        data = bytearray(whole[file])
        if damage == "cut":
            data = data[: rng.integers(1, len(data))]
        else:
            data[rng.integers(len(data))] = rng.integers(256)
        (folder / file).write_bytes(data)
        with suppress(InputError):
            assert np.isfinite(read_matrix(file).values).all()


def test_larger_than_the_machine(folder, monkeypatch):
    import os

    monkeypatch.setattr(os, "sysconf", lambda name: 8, raising=False)
    (folder / "e.bin").write_bytes(word2vec_binary())
    with pytest.raises(InputError, match="expected an array that fits into memory"):
        read_matrix("e.bin")
    assert MOST > 10**9


def test_a_missing_library_is_named(folder, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (folder / "e.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match="expected the package pyarrow to be installed"):
        read_matrix("e.parquet")
