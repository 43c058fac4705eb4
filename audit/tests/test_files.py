"""Reading embeddings: what is right is read, and what is wrong is one sentence, exit status 2, and nothing written."""

import gzip
import io
import json
import os
import pickle
import struct
import subprocess
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest
from cosine_audit import checks, cli
from cosine_audit.files import InputError, kind_of, read_pair, read_table
from cosine_audit.tables import TABLES

E = np.random.default_rng(0).normal(size=(6, 3)).round(3)
NAMES = ["bread", "milk", "tea", "rice", "日本", "soap 2"]
JOINED, COMMAS = ([name.replace(" ", mark) for name in NAMES] for mark in ("_", ", "))


def saved(array, **options):
    stream = io.BytesIO()
    np.save(stream, array, **options)
    return stream.getvalue()


def header(shape, dtype="<f8"):
    """The beginning of a .npy file; shape as it stands in the file."""
    text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def zipped(**entries):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name.replace("__", "."), data)
    return stream.getvalue()


def tensors(kind="F32", dtype="<f4", **arrays):
    """A file of safetensors, as its specification says."""
    start, head, body = 0, {}, b""
    for name, array in arrays.items():
        data = array.astype(dtype).tobytes()
        head[name] = {"dtype": kind, "shape": array.shape, "data_offsets": [start, start + len(data)]}
        start, body = start + len(data), body + data
    text = json.dumps(head).encode()
    return struct.pack("<Q", len(text)) + text + body


def text(rows, separator=",", names=NAMES, end="\n"):
    lines = [separator.join([name, *map(str, row)]) for name, row in zip(names, rows.tolist(), strict=True)]
    return end.join([*lines, ""])


def binary(names=JOINED, values=E, end=b"\n"):
    """Word2vec's binary format, as the original program writes it."""
    rows = (name.encode() + b" " + row.astype("<f4").tobytes() + end for name, row in zip(names, values, strict=True))
    return f"{len(values)} {values.shape[1]}\n".encode() + b"".join(rows)


def lines(**columns):
    """JSON lines."""
    return "".join(
        json.dumps(dict(zip(columns, row, strict=True))) + "\n" for row in zip(*columns.values(), strict=True)
    )


def frame(**others):
    return pd.DataFrame(E, columns=["f0", "f1", "f2"]).assign(**others)


def put(folder, name, data):
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


@pytest.mark.parametrize("dtype", ["f4", ">f8", "f2", "i4", "u1"])
def test_an_array_is_read_as_numpy_reads_it(tmp_path, dtype):
    values = np.asarray(100 * np.abs(E), dtype, order="F")
    np.testing.assert_array_equal(read_table(put(tmp_path, "e.npy", saved(values)), "items").values, values)


IDS = ["7", "12", "3", "40", "5", "1"]
BOTH = [f"{number},{name}" for number, name in zip(IDS, NAMES, strict=True)]
ODD = ["the", ",", '"', "of", "0.5", "nan"]
ORDINARY = {  # the file, what it holds, the names of its rows
    "names in front": ("e.csv", lambda: "name,f0,f1,f2\n" + text(E), NAMES),
    "no header": ("e.csv", lambda: text(E), NAMES),
    "no header, no names": ("e.csv", lambda: "\n".join(",".join(map(str, row)) for row in E.tolist()), None),
    "another header": ("e.csv", lambda: "what,f0,f1,f2\n" + text(E), NAMES),
    "tabs, a mark, Windows": ("e.tsv", lambda: "\ufeff" + "token\tf0\tf1\tf2\r\n" + text(E, "\t", end="\r\n"), NAMES),
    "ids and titles": ("e.csv", lambda: "movieId,title,f0,f1,f2\n" + text(E, names=BOTH), NAMES),
    "ids and titles without header": ("e.csv", lambda: text(E, names=BOTH), NAMES),
    "numeric ids": ("e.csv", lambda: "item_id,dim_1,dim_2,dim_3\n" + text(E, names=IDS), IDS),
    "numeric ids without header": ("e.csv", lambda: text(E, names=IDS), IDS),
    "pandas with its index": ("e.csv", lambda: pd.DataFrame(E).to_csv(), list("012345")),
    "pandas without": ("e.csv", lambda: pd.DataFrame(E).to_csv(index=False), None),
    "pandas, named index": ("e.csv", lambda: pd.DataFrame(E, IDS).to_csv(index_label="movieId"), IDS),
    "numpy.savetxt": ("e.txt", lambda: "\n".join(" ".join(f"{x:.18e}" for x in row) for row in E), None),
    "word2vec": ("e.vec", lambda: "6 3\n" + text(E, " ", JOINED), JOINED),
    "word2vec, spaces at ends": ("e.txt", lambda: "6 3 \n" + text(E, " ", IDS, " \n"), IDS),
    "GloVe": ("e.txt", lambda: text(E, " ", ODD), ODD),
    "quoted names": (
        "e.csv",
        lambda: "title,e[0],e[1],e[2]\n" + text(E, names=[f'"{name}"' for name in COMMAS]),
        COMMAS,
    ),
    "CSV, gzipped": ("e.csv.gz", lambda: gzip.compress(("name,f0,f1,f2\n" + text(E)).encode()), NAMES),
    "fastText's, gzipped": ("e.vec.gz", lambda: gzip.compress(("6 3\n" + text(E, " ", JOINED)).encode()), JOINED),
    "an array, gzipped": ("e.npy.gz", lambda: gzip.compress(saved(E)), None),
    "JSON lines with lists": ("e.jsonl", lambda: lines(id=NAMES, vector=E.tolist()), NAMES),
    "JSON lines of numbers": ("e.json", lambda: frame(id=NAMES).to_json(orient="records", lines=True), NAMES),
    "JSON lines, gzipped": ("e.jsonl.gz", lambda: gzip.compress(lines(id=NAMES, vector=E.tolist()).encode()), NAMES),
    "word2vec's binary": ("e.bin", binary, JOINED),
    "gensim's binary": ("e.bin", lambda: binary(end=b""), JOINED),
    "binary, gzipped": ("e.bin.gz", lambda: gzip.compress(binary()), JOINED),
    "semicolons": ("e.csv", lambda: "name;f0;f1;f2\n" + text(E, ";"), NAMES),
    "decimal commas": ("e.csv", lambda: "name;f0;f1;f2\n" + text(E, ";").replace(".", ","), NAMES),
}


@pytest.mark.parametrize("name", ORDINARY)
def test_what_is_ordinary_is_read(tmp_path, name):
    file, data, names = ORDINARY[name]
    table = read_table(put(tmp_path, file, data()), "items")
    np.testing.assert_allclose(table.values, E, rtol=1e-6)
    assert table.names == names
    if kind_of(file) in TABLES:
        assert ("read as names" in table.note) == (names is not None)
        assert "3 dimensions, " in table.note


@pytest.mark.parametrize(("first", "columns", "names"), [("f1", 2, None), ("id", 1, ["0", "2", "4"])])
def test_whole_numbers_are_dimensions_unless_they_are_named_ids(tmp_path, first, columns, names):
    table = read_table(put(tmp_path, "e.csv", f"{first},f2\n0,1\n2,3\n4,5\n"), "items")
    assert (table.values.shape, table.names) == ((3, columns), names)


def test_parquet(tmp_path):
    pytest.importorskip("pyarrow", reason="pyarrow is an extra")
    lists = pd.DataFrame({"id": IDS, "vector": E.tolist()})
    for one, names in ((frame().set_axis(NAMES), NAMES), (frame(title=NAMES), NAMES), (lists, IDS)):
        one.to_parquet(tmp_path / "e.parquet")
        found = read_table(tmp_path / "e.parquet", "items")
        np.testing.assert_allclose(found.values, E)
        assert found.names == names
        assert "read as names; 3 dimensions, " in found.note


def test_one_file_with_both_factors(tmp_path):
    users = E[:2] + 1
    pytest.importorskip("safetensors", reason="safetensors is an extra")
    np.savez(tmp_path / "m.npz", user_factors=users, item_factors=E, factors=3, regularization=0.01)  # as implicit does
    files = [tmp_path / "m.npz", put(tmp_path, "m.safetensors", tensors(item_emb=E, user_emb=users))]
    for file in files:
        items, others = read_pair(file)
        np.testing.assert_allclose(items.values, E, rtol=1e-6)
        np.testing.assert_allclose(others.values, users, rtol=1e-6)
    assert read_pair(f"{files[0]}#item_factors")[1] is None
    np.savez(tmp_path / "n.npz", vectors=E, names=np.array(NAMES))
    assert read_pair(tmp_path / "n.npz")[0].names == NAMES


def test_names_of_users_are_not_the_items(tmp_path):
    others = [name.upper() for name in NAMES]
    np.savez(tmp_path / "u.npz", items=E, users=E[::-1], user_names=np.array(others))
    np.savez(tmp_path / "b.npz", items=E, users=E[::-1], user_names=np.array(others), item_names=np.array(NAMES))
    assert [table.names for table in read_pair(tmp_path / "u.npz")] == [None, others]
    assert [table.names for table in read_pair(tmp_path / "b.npz")] == [NAMES, others]


def test_half_of_a_float(tmp_path):
    pytest.importorskip("safetensors", reason="safetensors is an extra")
    bits = (E.astype("<f4").view("<u4") >> 16).astype("<u2")
    values = read_table(put(tmp_path, "e.safetensors", tensors("BF16", "<u2", items=bits)), "items").values
    np.testing.assert_allclose(values, E, rtol=1e-2)
    assert values.dtype == np.float32


def test_counts_labels_and_names(tmp_path):
    rows = [f"{name},{i}" for i, name in enumerate(NAMES)]
    table = read_table(put(tmp_path, "n.csv", "\n".join(["item,count", *rows])), "vector")
    assert (table.values.tolist(), table.names) == (list(range(6)), NAMES)
    assert read_table(put(tmp_path, "n.txt", "\n".join(NAMES[:5])), "vector").values.tolist() == NAMES[:5]
    assert read_table(put(tmp_path, "n.npy", saved(np.arange(6))), "vector").values.tolist() == list(range(6))
    np.savez(tmp_path / "e.npz", vectors=E, names=np.array(NAMES))
    counts = put(tmp_path, "m.csv", "\n".join(["item,count", *rows[::-1]]))
    with pytest.raises(InputError, match="row 0: expected 'bread', as the embeddings have, got 'soap 2'"):
        cli.examine(cli.parser().parse_args([str(tmp_path / "e.npz"), "--item-counts", str(counts)]))


class Bomb:
    """An object whose pickle would create a file."""

    def __reduce__(self):
        return open, ("exploded", "w")


CHANGED = [saved(np.where(np.arange(18).reshape(6, 3) == 7, x, E)) for x in (np.nan, -np.inf)]
LIE = bytearray(zipped(e__npy=saved(E)))
LIE[LIE.index(b"PK\x01\x02") + 24] ^= 0xFF  # the size in the directory of the archive
CSV = "name,f0,f1,f2\n" + text(E)
BAD = {  # the file, what it holds (None: there is none, {}: a folder), a part of the sentence
    "no file": ("nothing.npy", None, "expected a file, got a name that leads nowhere"),
    "a long name": ("x" * 300 + ".npy", None, "expected a file, got a name that leads nowhere"),
    "a folder": ("d.npy", {}, "expected part files of one kind, .csv, .tsv, .txt, .vec, .parquet, .jsonl"),
    "a pickle": ("e.pkl", pickle.dumps(Bomb()), "never loaded"),
    "gensim's": ("w2v.model", b"x", "model.wv.save_word2vec_format"),
    "an ending": ("e.doc", b"x", "expected a file that ends in .npy, .npz"),
    "no ending": ("e", b"x", "got no ending"),
    "empty": ("e.npy", b"", "got an empty file"),
    "a pickle named npy": ("e.npy", pickle.dumps(Bomb()), "expected the header of a NumPy array"),
    "objects": ("e.npy", saved(np.array([Bomb()] * 4), allow_pickle=True), "got Python objects"),
    "objects in an archive": (
        "e.npz",
        zipped(e__npy=saved(np.array([Bomb()]), allow_pickle=True)),
        "got Python objects",
    ),
    "truncated": ("e.npy", saved(E)[:-8], "expected 144 bytes after the header, for shape (6, 3), got 136"),
    "a header cut off": ("e.npy", saved(E)[:40], "expected the header"),
    "terabytes": ("e.npy", header("(1000000000, 1000000)") + bytes(96), "expected 8,000,000,000,000,000 bytes"),
    "overflowing": ("e.npy", header(f"({2**62}, {2**62})") + bytes(96), "expected 170,141,183,460"),
    "negative": ("e.npy", header("(-4, 3)") + bytes(96), "got shape (-4, 3)"),
    "negative twice": ("e.npy", header("(-4, -3)") + bytes(96), "got shape (-4, -3)"),
    "absurd": ("e.npy", header(f"({10**400}, 3)") + bytes(96), "e.npy: expected"),
    "a hundred dimensions": ("e.npy", header(str((1,) * 100)) + bytes(8), "got shape (1, 1, 1"),
    "minus signs": ("e.npy", header("(" + "-" * 5000 + "1,)") + bytes(8), "expected the header"),
    "text for numbers": ("e.npy", saved(E.astype(str)), "items must be real numbers, got <U"),
    "booleans": ("e.npy", saved(E > 0), "items must be real numbers, got bool"),
    "structured": ("e.npy", saved(np.zeros((5, 2), "f4,f4")), "items must be real numbers"),
    "a scalar": ("e.npy", saved(np.array(1.0)), "got shape ()"),
    "one dimension": ("e.npy", saved(E[0]), "got shape (3,)"),
    "three dimensions": ("e.npy", saved(E[None]), "got shape (1, 6, 3)"),
    "no rows": ("e.npy", saved(E[:0]), "got shape (0, 3)"),
    "no columns": ("e.npy", saved(E[:, :0]), "got shape (6, 0)"),
    "one column": ("e.npy", saved(E[:, :1]), "items must have at least 2 columns, got 1"),
    "one direction": ("e.npy", saved(np.outer(np.arange(1, 9.0), E[0])), "at least 4 different directions, got 1"),
    "NaN": ("e.npy", CHANGED[0], "items must be finite, got nan in row 2, column 1"),
    "infinite": ("e.npy", CHANGED[1], "items must be finite, got -inf in row 2, column 1"),
    "all zero": ("e.npy", saved(0 * E), "items must have a row other than zero"),
    "no archive": ("e.npz", b"PK nothing", "expected whole npz data, got: File is not a zip file"),
    "a zip bomb": ("e.npz", zipped(e__npy=header("(10000000, 3)", "<f4") + bytes(12 * 10**7)), "bytes promised"),
    "something else": ("e.npz", zipped(e__txt="x"), "expected the header of a NumPy array"),
    "an archive that lies": ("e.npz", bytes(LIE), "expected 144 bytes after the header"),
    "an archive cut off": ("e.npz", zipped(e__npy=saved(E))[:-30], "expected whole npz data"),
    "which array": (
        "e.npz",
        zipped(a1__npy=saved(E), b1__npy=saved(E)),
        "expected one array of items, got a1, b1; say which: ",
    ),
    "another array": ("e.npz#b", zipped(a__npy=saved(E)), "expected one of a after the #, got b"),
    "a key of nothing": ("e.npy#b", saved(E), "expected no # behind a file of one array, got b"),
    "no tensors": ("e.safetensors", b"\xff" * 99, "expected whole safetensors data"),
    "more rows promised": ("e.vec", "7 3\n" + text(E, " ", IDS), "expected 7 rows and 3 columns as promised"),
    "a promise of terabytes": ("e.vec", "4000000000 300\n" + text(E, " ", IDS), "as promised"),
    "no number": ("e.csv", CSV.replace(str(E[2, 1]), "eight"), "row 2, column 'f1': expected a number, got 'eight'"),
    "not UTF-8": ("e.csv", CSV.encode() + b"th\xe9,1,2,3\n", "expected whole csv data, got: 'utf-8' codec"),
    "a number missing": ("e.csv", CSV.replace(f"{E[2, 1]},", ",", 1), "row 2, column 'f1': expected a number, got ''"),
    "a column too many": ("e.csv", CSV.replace("tea,", "tea,9,"), "expected whole csv data"),
    "a header twice": ("e.csv", CSV.replace("f1", "f0", 1), "expected columns with different names, got 'f0' twice"),
    "a header alone": ("e.csv", "name,f0,f1\n", "e.csv: expected"),
    "only names": ("e.csv", "name,what\na,b\nc,d\n", "expected columns of numbers"),
    "a line without end": ("e.csv", "1," * 10**6, "expected lines of at most 1,000,000 bytes"),
    "wide and short": ("e.csv", "a" + ",b" * 50_000 + "\n" + "1\n" * 100_000, "expected rows as long as the first"),
    "zeros": ("e.csv", bytes(10_000), "e.csv: expected"),
    "no Parquet": ("e.parquet", b"PAR1" + bytes(100) + b"PAR1", "expected whole parquet data"),
    "no name": ("", None, "'': expected a file, got a name that leads nowhere"),
    "NumPy's pickle": ("e.pkl", b"x", "save arrays instead: np.save('items.npy', model.item_factors)"),
    "PyTorch's": ("e.pt", b"PK", "model.item_embedding.weight.detach().cpu().float().numpy()"),
    "PyTorch's .bin": (
        "e.bin",
        pickle.dumps([1]),
        "e.bin: expected the first line of word2vec's format, rows and columns, got other",
    ),
    "half a .bin": ("e.bin", binary()[:-9], "e.bin, row 5: expected a word and 3 numbers, got the end of the file"),
    "a .bin that lies": ("e.bin", b"9999999 300\n" + bytes(99), "expected 9,999,999 rows and 300 columns as promised"),
    "bfloat16": ("e.npy", header("(6, 3)", "|V2") + bytes(36), "as NumPy saves bfloat16: save items.astype('float32')"),
    "empty lines": ("e.csv", "\n\n\n", "e.csv: expected data in the first two lines, got empty lines"),
    "no gzip": ("e.csv.gz", b"x,y\n", "e.csv.gz: expected whole csv data, got: Not a gzipped file"),
    "half a gzip": ("e.csv.gz", gzip.compress(CSV.encode())[:-9], "e.csv.gz: expected whole csv data, got: Compressed"),
    "a gzip bomb": ("e.csv.gz", gzip.compress(bytes(11 * 10**6)), "e.csv.gz: expected at most 10,000,000 bytes"),
    "an empty gzip": ("e.csv.gz", gzip.compress(b""), "e.csv.gz: expected data, got an empty file"),
    "no JSON": ("e.jsonl", '{"id": 1}\n{"id"\n', "e.jsonl, line 2: expected one JSON object a line, with"),
    "a list": ("e.json", "[1, 2]\n", "e.json, line 1: expected one JSON object a line, got list"),
    "other keys": ("e.jsonl", '{"id": 1}\n{"ID": 2}\n', "e.jsonl, line 2: expected the keys id, got ID"),
    "a list of text": (
        "e.jsonl",
        '{"v": [1]}\n{"v": ["x"]}\n',
        "e.jsonl, line 2: expected one JSON object a line, with",
    ),
    "a null in a list": (
        "e.jsonl",
        '{"v": [[1], 2]}\n',
        "e.jsonl, line 1: expected one JSON object a line, with lists",
    ),
    "lists of other lengths": ("e.jsonl", '{"v": [1, 2]}\n{"v": [3]}\n', "row 1, column 'v': expected a list of one"),
    "nested": ("e.json", "[" * 10**5, "e.json: expected whole json data, got: maximum recursion depth"),
}
NEEDS = {".parquet": "pyarrow", ".safetensors": "safetensors"}


@pytest.mark.parametrize("name", BAD)
def test_what_is_wrong_is_one_sentence(tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    file, data, sentence = BAD[name]
    if (kind := kind_of(file)) in NEEDS:
        pytest.importorskip(NEEDS[kind], reason="an extra")
    if data == {}:
        (tmp_path / file).mkdir()
    elif data is not None:
        put(tmp_path, file.partition("#")[0], data)
    before = sorted(tmp_path.rglob("*"))
    assert cli.main([file, "--report", "out"]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n"), len(said.err) < 1_200) == ("", 1, True)
    assert said.err.startswith("cosine-audit: ")
    assert sentence in said.err
    assert sorted(tmp_path.rglob("*")) == before


def test_no_file_may_ask_for_more_than_the_memory(monkeypatch):
    """Whatever it holds; and 16 GB where the machine does not say how much it has."""
    monkeypatch.setattr(os, "sysconf", {"SC_PAGE_SIZE": 4_096, "SC_PHYS_PAGES": 2_000}.get, raising=False)
    checks.fits("a file", 8_192_000, 10**12)
    with pytest.raises(InputError, match="got 8,192,001 bytes promised"):
        checks.fits("a file", 8_192_001, 10**12)
    monkeypatch.delattr(os, "sysconf")
    checks.fits("a file", 16 * 2**30, 10**12)
    with pytest.raises(InputError, match="promised"):
        checks.fits("a file", 16 * 2**30 + 1, 10**12)


def test_parquet_that_promises_more_than_it_holds(tmp_path):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is an extra")
    from pyarrow import parquet

    zeros = np.zeros(10**7, dtype="i1")
    parquet.write_table(pa.table({"a": zeros, "b": zeros}), tmp_path / "e.parquet")
    long = pa.table({"name": ["x" * 10**6] * 9, "a": np.zeros(9), "b": np.zeros(9)})
    parquet.write_table(long, tmp_path / "n.parquet")
    parquet.write_table(pa.table({"v": [[1.0], None] * 3}), tmp_path / "l.parquet")
    parquet.write_table(pa.table({}), tmp_path / "none.parquet")
    said = {
        "e": "promised",
        "n": "names of at most",
        "l": "row 1, column 'v': expected a list of numbers, got null",
        "none": "expected",
    }
    for file, sentence in said.items():
        with pytest.raises(InputError, match=sentence):
            read_table(tmp_path / f"{file}.parquet", "items")


@pytest.mark.skipif(os.name == "nt", reason="sparse files, names in bytes and /proc are of other systems")
def test_the_worst_take_little_memory_and_time(tmp_path):
    with open(tmp_path / "holes.npy", "wb") as stream:
        stream.write(header("(1000000, 1024)", "<f4"))
        stream.truncate(stream.tell() + 4 * 1024 * 10**6)
    put(tmp_path, "bomb.npz", zipped(e__npy=header("(2500000, 10)", "<f4") + bytes(10**8)))
    for file in ("holes.npy", "bomb.npz"):
        limits = 'ulimit -v 1500000; ulimit -t 10; exec "$@"'
        command = ["sh", "-c", limits, "-", sys.executable, "-m", "cosine_audit", str(tmp_path / file)]
        done = subprocess.run(command, capture_output=True, env=os.environ | {"OMP_NUM_THREADS": "1"})
        assert (done.returncode, done.stderr.count(b"\n")) == (2, 1), done.stderr


def test_gensim_writes_what_is_read(tmp_path):
    word2vec = pytest.importorskip("gensim.models.keyedvectors", reason="gensim is an extra of the tests")
    vectors = word2vec.KeyedVectors(3)
    vectors.add_vectors(JOINED, E.astype("f4"))
    for ending, options in (("bin", {"binary": True}), ("txt", {})):
        vectors.save_word2vec_format(str(tmp_path / f"e.{ending}"), **options)
        found = read_table(tmp_path / f"e.{ending}")
        np.testing.assert_allclose(found.values, E, rtol=1e-6)
        assert found.names == JOINED


def spark(folder, ending, write):
    """A folder as Spark writes it: parts, of which one is empty, their checksums, and a mark that all are there."""
    folder.mkdir()
    rows = frame(id=IDS)
    for number, part in enumerate([rows[:2], rows[2:3], rows[3:], rows[:0]]):
        name = f"part-{number:05}-4ad2-c000.{ending}"
        write(part, folder / name)
        put(folder, f".{name}.crc", b"crc")
    put(folder, "_SUCCESS", b"")
    return folder


def als(part, path):
    """What ALSModel.itemFactors holds: an id and a list of numbers."""
    part.assign(features=part[["f0", "f1", "f2"]].to_numpy().tolist())[["id", "features"]].to_parquet(path)


WRITTEN = {
    "parquet": ("snappy.parquet", lambda part, path: part.to_parquet(path)),
    "ALS": ("snappy.parquet", als),
    "csv": ("csv", lambda part, path: part.to_csv(path, index=False)),
    "csv.gz": ("csv.gz", lambda part, path: part.to_csv(path, index=False)),
    "json": ("json", lambda part, path: part.to_json(path, orient="records", lines=True)),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_folder_of_part_files_is_one_table(tmp_path, name):
    pytest.importorskip("pyarrow", reason="pyarrow is an extra")
    found = read_table(spark(tmp_path / "items", *WRITTEN[name]))
    np.testing.assert_allclose(found.values, E)
    assert found.names == IDS
    assert cli.was_read("items", str(tmp_path / "items"), found).startswith(
        "items: 6 × 3 from items, names 7, 12 …; 'id'"
    )


def test_folders_that_are_no_table(tmp_path):
    pytest.importorskip("pyarrow", reason="pyarrow is an extra")
    folder = spark(tmp_path / "items", *WRITTEN["parquet"])
    (folder / "_delta_log").mkdir()  # which says what parts are still valid
    with pytest.raises(
        InputError, match=r"items: expected a folder of part files alone, got a folder in it, _delta_log"
    ):
        read_table(folder)
    (folder / "_delta_log").rmdir()
    put(folder, "part-9.csv", "f0,f1\n1,2\n")
    with pytest.raises(InputError, match=r"items: expected part files of one kind, .*got part-00000.*, part-9\.csv"):
        read_table(folder)
    (folder / "part-9.csv").unlink()
    frame(other=1).to_parquet(folder / "part-9.parquet")
    with pytest.raises(InputError, match=r"parts with the same columns, f0, f1, f2, id, got f0, f1, f2, other"):
        read_table(folder)


PIPED = [
    saved(E),
    zipped(e__npy=saved(E)),
    binary(),
    "name,f0,f1,f2\n" + text(E),
    gzip.compress(text(E, "\t").encode()),
]


@pytest.mark.parametrize("data", [*PIPED, "6 3\n" + text(E, " ", JOINED), lines(id=IDS, vector=E.tolist())])
def test_what_is_piped_in_is_seen_by_how_it_begins(monkeypatch, data):
    stream = io.TextIOWrapper(io.BytesIO(data.encode() if isinstance(data, str) else data))
    monkeypatch.setattr("sys.stdin", stream)
    found = read_table("-")
    np.testing.assert_allclose(found.values, E, rtol=1e-6)
    assert cli.was_read("items", "-", found).startswith("items: 6 × 3 from stdin")


@pytest.mark.skipif(os.name == "nt", reason="pipes with a name are of other systems")
def test_a_named_pipe_is_read_once(tmp_path):
    np.savez(tmp_path / "m.npz", item_factors=E, user_factors=E[:2])
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["sh", "-c", "cat m.npz > pipe"], cwd=tmp_path):
        items, users = read_pair(tmp_path / "pipe")
    np.testing.assert_array_equal(items.values, E)
    np.testing.assert_array_equal(users.values, E[:2])


MANY = {  # arrays of a file, what is read as items and users, or the sentence
    "a, b": ("b", "a"),
    "p, q": ("q", "p"),
    "a, b, c": "got a, b, c; say which: m.npz#a",
    "a, b, c, d": "got a, b, c, d; say which: m.npz#a",
    "x, y": "got x, y; say which: m.npz#x",
    "pu, qi, yj": ("qi", "pu"),
    "item_factors, user_factors, W": ("item_factors", "user_factors"),
    "embeddings, product_features, queries": "got product_features, embeddings; say which: m.npz#product_features",
    "item_bias, item_factors, user_factors": "got item_bias, item_factors; say which: m.npz#item_bias",
    "items, user_bias, user_factors": "got user_bias, user_factors; say which, after the items: m.npz#user_bias",
}


@pytest.mark.parametrize("names", MANY)
def test_which_of_several_arrays_is_read_is_said_or_asked(tmp_path, monkeypatch, capsys, names):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    arrays = {name: rng.normal(size=(9 + i, 3)) for i, name in enumerate(names.split(", "))}
    np.savez("m.npz", **arrays)
    if isinstance(MANY[names], str):
        assert cli.main(["m.npz"]) == 2
        assert MANY[names] in capsys.readouterr().err
    else:
        assert cli.main(["m.npz"]) == 0
        said = capsys.readouterr().out.splitlines()
        for line, role, name in zip(said, ("items", "users"), MANY[names], strict=False):
            assert line.startswith(f"{role}: {len(arrays[name])} × 3 from m.npz#{name}, no names")
        assert ("W not read" in said[0]) == ("W" in arrays)
    chosen = names.split(", ")[-1]
    assert cli.main([f"m.npz#{chosen}"]) == 0
    assert f"from m.npz#{chosen}, no names" in capsys.readouterr().out


def test_what_counts_are_read_from_is_said(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    np.save("e.npy", E)
    put(tmp_path, "n.csv", "item,count,year\n" + "".join(f"{i},{i + 1},1999\n" for i in range(6)))
    assert cli.main(["e.npy", "--item-counts", "n.csv#count"]) == 0
    assert "\nitem counts: 6 from n.csv#count, names 0, 1 …; column 'count'\n" in capsys.readouterr().out
    assert read_table("n.csv", "vector").note == "column 'year'"
    np.save("n.npy", np.ones((6, 2)))
    put(tmp_path, "names.txt", "The Matrix\nTea\nA B C\nD\nE F\nG\n")
    assert read_table("names.txt", "vector").values[0] == "The Matrix"
    with pytest.raises(InputError, match=r"expected one value a row, got shape \(6, 2\)"):
        read_table("n.npy", "vector")


@pytest.mark.skipif(os.name == "nt", reason="closes a stream as a shell does")
def test_a_closed_stdin_is_one_sentence():
    command = ["sh", "-c", 'exec "$@" <&-', "-", sys.executable, "-m", "cosine_audit", "-"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, "cosine-audit: stdin: expected data, got a closed stream\n")


@pytest.mark.parametrize("sorted_first", [False, True])
def test_dimensions_out_of_order_are_not_taken_for_an_arrays(tmp_path, sorted_first):
    """f0, f1, f10, f2, as text sorts them: beside an array, which is counted, that is another model."""
    E = np.random.default_rng(0).normal(size=(30, 11))
    order = range(11) if sorted_first else sorted(range(11), key=str)
    rows = [[f"f{j}" for j in order], *E[:, list(order)]]
    put(tmp_path, "e.csv", "\n".join(",".join(map(str, row)) for row in rows))
    np.save(tmp_path / "u.npy", E)
    paths = [tmp_path / "e.csv", tmp_path / "u.npy"]
    for one in (paths, paths[::-1]):
        if sorted_first:
            assert all(np.allclose(table.values, E) for table in read_pair(*one))
        else:
            with pytest.raises(InputError, match="expected dimensions in the order of their numbers, got f0, f1, f10"):
                read_pair(*one)
    assert read_pair(paths[0], paths[0])[1].values.shape == (30, 11)


def test_columns_of_biases_are_no_items_and_none_of_the_factors(tmp_path):
    """LightFM's biases may be a column; implicit's BPR and LMF keep one or two behind the factors."""
    E, users = np.random.default_rng(0).normal(size=(2, 30, 7))
    bias = E[:, :1]
    np.savez(tmp_path / "m.npz", item_biases=bias, item_embeddings=E, user_biases=bias, user_embeddings=users)
    assert [table.array for table in read_pair(tmp_path / "m.npz")] == ["item_embeddings", "user_embeddings"]
    np.savez(tmp_path / "two.npz", item_biases=bias, item_embeddings=E, item_features=E)
    with pytest.raises(InputError, match=r"got item_embeddings, item_features; say which: .*#item_embeddings$"):
        read_pair(tmp_path / "two.npz")
    for extra in (0, 1, 2):
        np.savez(tmp_path / "i.npz", item_factors=E, user_factors=users, factors=7 - extra)
        items, others = read_pair(tmp_path / "i.npz")
        assert items.values.shape == others.values.shape == (30, 7 - extra)
        assert items.note == (f"{extra} of 7 columns hold biases and ones, left out" if extra else "")


def test_tabs_in_a_csv_are_read(tmp_path):
    put(tmp_path, "e.csv", CSV)
    put(tmp_path, "t.csv", CSV.replace(",", "\t"))
    np.testing.assert_array_equal(read_table(tmp_path / "t.csv").values, read_table(tmp_path / "e.csv").values)
