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
        np.column_stack([IDS > 1010, E]) * 3.0,
        1e3 ** np.arange(5) * E,
        np.round(9 * E),
        np.column_stack([0 * IDS, E]),
    ):
        np.save(tmp_path / "e.npy", fine)  # a bias of ones, loud dimensions, whole numbers alone, a dead dimension
        np.testing.assert_array_equal(read_table(tmp_path / "e.npy").values, fine)


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
        ([E[0, :2].tolist(), *E[1:].tolist()], "expected lists of one length, got lengths from 2 to 5"),
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
