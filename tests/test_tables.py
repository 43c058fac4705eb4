import re

import numpy as np
import pandas as pd
import pytest

from helpers import Interval, t_interval, table


def cells(shown):
    """The cells of the Markdown, line by line, the rule under the header apart."""
    lines = shown._repr_markdown_().split("\n")
    split = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    return [split[0], *split[2:]], split[1]


def test_a_table_in_full():
    frame = pd.DataFrame(
        {"$k$": [50, 2_000], "AUC": [0.98765, -0.0001], "difference": [Interval(0.1, 0.07, 0.13), None]},
        index=["Eq. 1", "Eq. 2"],
    )
    shown = table(frame, bold=[[False, True, True], [True, False, False]])
    assert shown._repr_markdown_() == (
        "|  | $k$ | AUC | difference |\n"
        "| :--- | ---: | ---: | ---: |\n"
        "| Eq. 1 | 50 | **0.99** | **0.10 ± 0.03** |\n"
        "| Eq. 2 | **2\u202f000** | 0.00 | – |"
    )
    assert repr(shown) == (
        "            $k$      AUC      difference\n"
        "Eq. 1        50 **0.99** **0.10 ± 0.03**\n"
        "Eq. 2 **2\u202f000**     0.00               –"
    )


def test_a_value_in_words():
    texts = {0.125: "0.12", -0.004: "0.00", -1234567: "−1\u202f234\u202f567", np.float32(0.5): "0.50", -np.inf: "−∞"}
    texts |= {np.nan: "–", pd.NA: "–", np.False_: "no", "two\nlines": "two lines"}
    texts |= {Interval(0.12, 0.09, 0.15): "0.12 ± 0.03", Interval(-0.001, -0.031, 0.029): "0.00 ± 0.03"}
    texts |= {Interval(-0.12, -0.15, -0.10): "−0.12 [−0.15, −0.10]", t_interval([0.1, 0.2, 0.4]): "0.23 ± 0.38"}
    for value, text in texts.items():
        assert cells(table({"a": pd.Series([value], dtype=object)}))[0] == [["a"], [text]]
    assert cells(table({"a": [1234.5, 0.25]}, 1))[0] == [["a"], ["1\u202f234.5"], ["0.2"]]
    with pytest.raises(ValueError, match="digits must be an integer between 0 and 15, got 16"):
        table({"a": [1.0]}, 16)


def test_numbers_are_flush_right_and_texts_left():
    frame = {"number": [1, 2.5], "text": ["1", "2"], "either": [1, "a"], "interval": [Interval(0, -1, 1), None]}
    assert cells(table(frame))[1] == ["---:", ":---", ":---", "---:"]
    assert cells(table({"yes or no": [True, False]}))[1] == [":---"]
    assert cells(table({"a": [Interval(0.12, 0.09, 0.15)]}, ends=True))[0][1] == ["0.12 [0.09, 0.15]"]


def test_bars_inside_a_cell_do_not_end_it():
    shown, _ = cells(table({r"$\|x\|$": ["a|b", "$|x|$"]}))
    assert shown == [[r"$\Vert x\Vert $"], [r"a\|b"], [r"$\|x\|$"]]


def test_the_index_is_shown_unless_it_counts_the_rows():
    for index, header, first in (
        (None, ["a"], ["1"]),
        ([5, 6], ["", "a"], ["5", "1"]),
        (pd.RangeIndex(2, name="seed"), ["seed", "a"], ["0", "1"]),
        (pd.Index(["x", "y"], name="a"), ["a", "a"], ["x", "1"]),
        (pd.MultiIndex.from_tuples([("x", 1), ("y", 2)], names=["b", None]), ["b", "", "a"], ["x", "1", "1"]),
    ):
        assert cells(table(pd.DataFrame({"a": [1, 2]}, index=index)))[0][:2] == [header, first]
    levels = pd.MultiIndex.from_tuples([("AUC", "dense"), ("AUC", "sparse")])
    assert cells(table(pd.DataFrame([[1, 2]], columns=levels)))[0] == [["AUC dense", "AUC sparse"], ["1", "2"]]


def test_bold_has_the_shape_of_the_frame():
    for bold in ("max by column", [[True]], [[1, 0]]):
        with pytest.raises(ValueError, match=r"bold must be \(1, 2\) booleans, got "):
            table({"a": [1], "b": [2]}, bold=bold)
