"""Names and dimensions: a column that may be neither is refused by name, and what was read is said."""

import numpy as np
import pytest
from cosine_audit import cli
from cosine_audit.checks import InputError
from cosine_audit.files import read_pair, read_table

pd = pytest.importorskip("pandas", reason="pandas is an extra")

E = np.random.default_rng(0).normal(size=(40, 5))
F = [f"f{i}" for i in range(5)]
IDS = np.arange(1000, 1040)
YEAR = np.arange(40) % 9 + 1990


def table(first, *others, names=F, values=E):
    """A data frame of columns, pairs of a name and values, before the dimensions."""
    frame = pd.DataFrame(values, columns=names)
    for place, (name, column) in enumerate([first, *others]):
        frame.insert(place, name, column)
    return frame


PRODUCTS = table(("product", IDS), ("year", YEAR))
PEOPLE = table(("customer", IDS + 500), ("age", YEAR % 70), values=E[::-1])
REFUSED = {
    "product, year": (
        PRODUCTS,
        "got 'product', 'year', neither counted",
        "--columns f0:f4; which names .*--id product",
    ),
    "a year": (table(("year", YEAR)), "got 'year', neither counted", "--columns f0:f4$"),
    "words": (pd.DataFrame(E, columns=list("vwxyz")), "got 'v', 'w', 'x', 'y', 'z', neither", "--columns v:z$"),
    "two kinds": (table(("x1", E[:, 0]), ("x2", E[:, 1])), "got 'x1', 'x2', neither", "--columns f0:f4$"),
    "whole numbers": (table(("f9", YEAR)), "got 'f9', of whole numbers beside others", "--columns f0:f4$"),
    "a price": (table(("f9", 300 + E[:, 0])), "got 'f9', over 100 times as large as the median", "--columns f0:f4$"),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_columns_that_are_no_dimensions_are_refused_by_name(tmp_path, name, ending):
    frame, what, remedy = REFUSED[name]
    file = tmp_path / f"e.{ending}"
    frame.to_csv(file, index=False) if ending == "csv" else frame.to_parquet(file)
    with pytest.raises(InputError, match=f"{what}.*{remedy}"):
        read_table(file)


def test_without_a_header_columns_are_counted(tmp_path):
    PRODUCTS.to_csv(tmp_path / "e.csv", index=False, header=False)
    with pytest.raises(InputError, match=r"got '0', '1', of whole numbers .*--columns 2:6$"):
        read_table(tmp_path / "e.csv")
    found = read_table(tmp_path / "e.csv", spans=["2:6"], ids=["0"])
    np.testing.assert_allclose(found.values, E)
    assert (found.names, found.columns) == ([str(i) for i in IDS], list("23456"))


def test_arrays_are_asked_for_ids_too(tmp_path):
    np.save(tmp_path / "e.npy", np.column_stack([IDS, E]))
    with pytest.raises(InputError, match=r"got '0', of whole numbers beside others; .*--columns 1:5$"):
        read_table(tmp_path / "e.npy")
    found = read_table(tmp_path / "e.npy", spans=["1:5"])
    np.testing.assert_array_equal(found.values, E)
    assert found.note == "5 dimensions, 1 … 5"
    for fine in (
        np.column_stack([0 * IDS + 1, E]) * (IDS > 1010)[:, None],
        1e3 ** np.arange(5) * E,
        np.round(9 * E),
        np.column_stack([0 * IDS, E]),
    ):
        np.save(
            tmp_path / "e.npy", fine
        )  # a bias of ones, but for unseen users; loud dimensions, whole numbers alone, a dead dimension
        np.testing.assert_array_equal(read_table(tmp_path / "e.npy").values, fine)


INT8 = np.clip(np.round(40 * np.random.default_rng(1).normal(size=(300, 8))), -127, 127)
SHUFFLED = np.random.default_rng(2).permutation(300)
NUMBERED = {  # a column among whole numbers
    "in order": (np.arange(300), INT8),
    "in order, few": (IDS - 1000, INT8[:40]),
    "shuffled": (SHUFFLED + 1, INT8),
    "shuffled, few": (SHUFFLED[SHUFFLED < 40], INT8[:40]),
    "shuffled with gaps": (7 * SHUFFLED, INT8),
}


@pytest.mark.parametrize("name", NUMBERED)
@pytest.mark.parametrize("dtype", ["i4", "f8"])
def test_ids_among_whole_numbers_are_refused(tmp_path, name, dtype):
    ids, others = NUMBERED[name]
    both = np.column_stack([ids, others]).astype(dtype)
    np.save(tmp_path / "e.npy", both)
    np.savetxt(tmp_path / "e.csv", both, fmt="%d", delimiter=",")
    for file in ("e.npy", "e.csv"):
        with pytest.raises(InputError, match=r"got '0', that number the rows; .*--columns 1:8$"):
            read_table(tmp_path / file)
        np.testing.assert_array_equal(read_table(tmp_path / file, spans=["1:8"]).values, others)


@pytest.mark.parametrize("dtype", ["i1", "i4", "f4"])
def test_whole_numbers_without_an_id_are_dimensions(tmp_path, dtype):
    for fine in (INT8, INT8[:40], np.column_stack([0 * SHUFFLED + 1, INT8]), np.column_stack([0 * SHUFFLED, INT8])):
        np.save(tmp_path / "e.npy", fine.astype(dtype))
        np.testing.assert_array_equal(read_table(tmp_path / "e.npy").values, fine)
    np.save(tmp_path / "e.npy", np.round(1e4 * E))  # all numbers of a column differ, but they number nothing
    assert read_table(tmp_path / "e.npy").values.shape == (40, 5)


def test_labels_and_short_decimals_are_refused(tmp_path):
    label = np.column_stack([E, IDS % 2])
    np.save(tmp_path / "e.npy", label)
    np.savetxt(tmp_path / "e.csv", label, fmt="%g", delimiter=",")
    for file in ("e.npy", "e.csv"):
        with pytest.raises(InputError, match=r"got '5', of whole numbers beside others; .*--columns 0:4$"):
            read_table(tmp_path / file)
    for short in ((IDS - 1000) / 1000, np.linspace(1, 5, 40).round(2)):
        np.savetxt(tmp_path / "e.csv", np.column_stack([short, E]), fmt="%.10g", delimiter=",")
        with pytest.raises(InputError, match=r"got '0', of at most three decimals beside longer .*--columns 1:5$"):
            read_table(tmp_path / "e.csv")
    for fine in (E.round(3), np.column_stack([0 * IDS + 0.5, E])):
        np.savetxt(tmp_path / "e.csv", fine, fmt="%.10g", delimiter=",")
        np.testing.assert_allclose(read_table(tmp_path / "e.csv").values, fine)


def test_the_options_choose_dimensions_and_names(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    PRODUCTS.to_csv("items.csv", index=False)
    PEOPLE.to_csv("users.csv", index=False)
    words = ["items.csv", "users.csv", "--columns", "f0:f4"]
    assert cli.main([*words, "--id", "product", "--id", "customer"]) == 0
    said = capsys.readouterr().out.splitlines()
    what = "'product' read as names; 'year' left out; 5 dimensions, f0 … f4"
    assert said[0] == f"items: 40 × 5 from items.csv, names 1000, 1001 …; {what}"
    assert said[1].endswith("names 1500, 1501 …; 'customer' read as names; 'age' left out; 5 dimensions, f0 … f4")
    assert cli.main(words) == 0
    assert "no names; 'product', 'year' left out; 5 dimensions" in capsys.readouterr().out
    for wrong, sentence in (
        (["--id", "sku"], "--id: expected a column that a file has, got 'sku'"),
        (["--columns", "f3:f9"], "--columns: expected columns that a file has, got 'f3:f9'"),
    ):
        assert cli.main([*words, *wrong]) == 2
        assert capsys.readouterr().err == f"cosine-audit: {sentence}\n"
    assert cli.main(["items.csv", "--columns", "f4:f0"]) == 2
    assert "expected --columns FIRST:LAST from left to right, got f4:f0" in capsys.readouterr().err


def test_users_with_other_columns(tmp_path):
    PRODUCTS.to_csv(tmp_path / "i.csv", index=False)
    PEOPLE.rename(columns=lambda name: name.replace("f", "u")).to_csv(tmp_path / "u.csv", index=False)
    np.save(tmp_path / "u.npy", E[::-1])
    for users, spans in (("u.csv", ["f0:f4", "u0:u4"]), ("u.npy", ["f0:f4"])):
        found, others = read_pair(tmp_path / "i.csv", tmp_path / users, spans)
        np.testing.assert_allclose(found.values, E)
        np.testing.assert_allclose(others.values, E[::-1])


def test_users_with_the_same_columns_in_another_order_are_refused(tmp_path):
    table(("id", IDS)).to_csv(tmp_path / "i.csv", index=False)
    table(("id", IDS), names=F[::-1]).to_csv(tmp_path / "u.csv", index=False)
    with pytest.raises(InputError, match=r"u\.csv: expected dimensions in the order of the items', got another order"):
        read_pair(tmp_path / "i.csv", tmp_path / "u.csv")


def test_dimensions_that_are_counted_otherwise_are_refused(tmp_path):
    for file, names in (("i", F), ("u", [f"f{i}" for i in range(1, 6)]), ("v", [f"user_{i}" for i in range(5)])):
        pd.DataFrame(E, columns=names).to_csv(tmp_path / f"{file}.csv", index=False)
    pd.DataFrame(E).to_csv(tmp_path / "n.csv", index=False)
    with pytest.raises(
        InputError, match=r"u\.csv: .* dimensions, f0 … f4, got f1 … f5; .*: --columns f0:f4 --columns f1:"
    ):
        read_pair(tmp_path / "i.csv", tmp_path / "u.csv")
    for users, spans in (("u", ["f0:f4", "f1:f5"]), ("v", []), ("n", [])):
        assert read_pair(tmp_path / "i.csv", tmp_path / f"{users}.csv", spans)[1].values.shape == (40, 5)


def test_columns_sorted_as_text_are_dimensions(tmp_path):
    names = sorted(f"f{i}" for i in range(12))
    pd.DataFrame(np.hstack([E, E, E[:, :2]]), columns=names).to_csv(tmp_path / "e.csv", index=False)
    assert read_table(tmp_path / "e.csv").columns == names


def test_titles_that_occur_twice_are_no_names_if_ids_are_there(tmp_path):
    table(("movieId", IDS), ("title", ["Hamlet"] * 40)).to_csv(tmp_path / "e.csv", index=False)
    assert read_table(tmp_path / "e.csv").names == [str(i) for i in IDS]


def test_lists(tmp_path):
    some = pd.DataFrame({"id": IDS, "vector": E.tolist(), "year": YEAR})
    some.to_parquet(tmp_path / "e.parquet")
    found = read_table(tmp_path / "e.parquet")
    np.testing.assert_array_equal(found.values, E)
    assert found.note == "'id' read as names; 'year' left out; 5 dimensions, vector"
    for rows, sentence in (
        ([None, *E[1:].tolist()], "row 0, column 'vector': expected a list of numbers, got null"),
        (
            [E[0, :2].tolist(), *E[1:].tolist()],
            "row 1, column 'vector': expected a list of one length, 2 as in row 0, got 5",
        ),
    ):
        some.assign(vector=rows).to_parquet(tmp_path / "e.parquet")
        with pytest.raises(InputError, match=sentence):
            read_table(tmp_path / "e.parquet")
    some.assign(v=some["vector"]).to_parquet(tmp_path / "e.parquet")
    with pytest.raises(InputError, match="expected one column of lists, or --columns NAME, got 'vector', 'v'"):
        read_table(tmp_path / "e.parquet")
    np.testing.assert_array_equal(read_table(tmp_path / "e.parquet", spans=["v"]).values, E)
    some.assign(vector=some["vector"].map(str)).to_csv(tmp_path / "e.csv", index=False)
    with pytest.raises(
        InputError, match="or one of lists, as Parquet and JSONL have, got text or structures in 'vector'"
    ):
        read_table(tmp_path / "e.csv")
