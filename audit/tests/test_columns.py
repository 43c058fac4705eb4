"""Names and dimensions: a column that may be neither is refused by name, and what was read is said."""

import numpy as np
import pandas as pd
import pytest
from cosine_audit import cli
from cosine_audit.checks import InputError
from cosine_audit.files import read_pair, read_table

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
    if ending == "parquet":
        pytest.importorskip("pyarrow", reason="pyarrow is an extra")
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


INT8 = np.clip(np.round(40 * np.random.default_rng(1).normal(size=(300, 8))), -127, 127)
SHUFFLED = np.random.default_rng(2).permutation(300)
WHOLE, SHORT, NUMBERS = (
    "of whole numbers beside others",
    "of at most three decimals beside longer ones",
    "that number the rows",
)
ODD = {  # an array in which one column is no dimension; its place; why it is refused; the files in which it is
    "ids": (np.column_stack([IDS, E]), 0, WHOLE, ["npy"]),
    "labels": (np.column_stack([E, IDS % 2]), 5, WHOLE, ["npy", "csv"]),
    "thousandths": (np.column_stack([(IDS - 1000) / 1000, E]), 0, SHORT, ["csv"]),
    "ratings": (np.column_stack([np.linspace(1, 5, 40).round(2), E]), 0, SHORT, ["csv"]),
    "in order": (np.column_stack([np.arange(300), INT8]), 0, NUMBERS, ["npy", "csv"]),
    "in order, few": (np.column_stack([IDS - 1000, INT8[:40]]), 0, NUMBERS, ["npy", "csv"]),
    "shuffled": (np.column_stack([SHUFFLED + 1, INT8]), 0, NUMBERS, ["npy", "csv"]),
    "shuffled, few": (np.column_stack([SHUFFLED[SHUFFLED < 40], INT8[:40]]), 0, NUMBERS, ["npy", "csv"]),
    "shuffled with gaps": (np.column_stack([7 * SHUFFLED, INT8]), 0, NUMBERS, ["npy", "csv"]),
    "shuffled, as integers": (np.column_stack([SHUFFLED + 1, INT8]).astype("i4"), 0, NUMBERS, ["npy"]),
}
FINE = {
    "a bias of ones, but for unseen users": np.column_stack([0 * IDS + 1, E]) * (IDS > 1010)[:, None],
    "a bias of a half": np.column_stack([0 * IDS + 0.5, E]),
    "a dead dimension": np.column_stack([0 * IDS, E]),
    "whole numbers alone": np.round(9 * E),
    "three decimals alone": E.round(3),
    "whole numbers that all differ, but number nothing": np.round(1e4 * E),
    "INT8": INT8.astype("i1"),
    "INT8, few": INT8[:40].astype("i1"),
    "INT8 as floats": INT8.astype("f4"),
    "INT8 and a bias": np.column_stack([0 * SHUFFLED + 1, INT8]).astype("i4"),
    "INT8 and a dead dimension": np.column_stack([0 * SHUFFLED, INT8]).astype("i4"),
}


def written(folder, ending, values):
    file = folder / f"e.{ending}"
    np.save(file, values) if ending == "npy" else np.savetxt(file, values, fmt="%.17g", delimiter=",")
    return file


@pytest.mark.parametrize(("name", "ending"), [(name, ending) for name, row in ODD.items() for ending in row[3]])
def test_a_column_that_is_no_dimension_is_refused_by_its_place(tmp_path, name, ending):
    values, place, why, _ = ODD[name]
    file, others = written(tmp_path, ending, values), np.delete(values, place, axis=1)
    span = f"{int(place == 0)}:{others.shape[1] - (place > 0)}"
    with pytest.raises(InputError, match=rf"got '{place}', {why}; .*--columns {span}$"):
        read_table(file)
    found = read_table(file, spans=[span])
    np.testing.assert_array_equal(found.values, others)
    assert found.note.endswith(f"{others.shape[1]} dimensions, {span.replace(':', ' … ')}")


@pytest.mark.parametrize("name", FINE)
@pytest.mark.parametrize("ending", ["npy", "csv"])
def test_what_only_looks_odd_is_read(tmp_path, name, ending):
    np.testing.assert_array_equal(read_table(written(tmp_path, ending, FINE[name])).values, FINE[name])


def test_loud_dimensions_of_an_array_are_read(tmp_path):
    loud = 1e3 ** np.arange(5) * E
    np.testing.assert_array_equal(read_table(written(tmp_path, "npy", loud)).values, loud)


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
    pytest.importorskip("pyarrow", reason="pyarrow is an extra")
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
