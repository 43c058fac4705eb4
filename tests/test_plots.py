"""The recurring figures show the numbers that they are given, and where."""

import json
import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from chapters import ROOT
from matplotlib.colors import to_hex

from helpers import plots


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def written(ax):
    """{(column, row): the text there}."""
    return {tuple(text.get_position()): text.get_text() for text in ax.texts}


def test_overlaps_are_shared_off_the_diagonal_and_survive_on_it():
    names = ["a", "b", "c"]
    shared = pd.DataFrame([[1, 0.1, 0.2], [0.1, 1, 0.7], [0.2, 0.7, 1]], names, names)
    ax = plots.show_overlaps(shared, [0.9, 0.3, 0.4]).axes[0]
    drawn = ax.images[0].get_array()
    assert drawn.tolist() == [[0.9, 0.1, 0.2], [0.1, 0.3, 0.7], [0.2, 0.7, 0.4]]
    assert ax.images[0].get_clim() == (0, 1)
    assert written(ax) == {(j, i): f"{drawn[i, j]:.2f}" for i in range(3) for j in range(3)}
    assert [patch.get_center().tolist() for patch in ax.patches] == [[i, i] for i in range(3)]
    assert [label.get_text() for label in ax.get_yticklabels()] == names
    assert shared.to_numpy().diagonal().tolist() == [1, 1, 1]  # not changed for the caller


def test_every_rank_is_written_and_the_near_ones_are_shaded():
    ranks = pd.DataFrame([[1, 4], [10, 11], [40, 15]], ["x", "y", "z"], ["one", "other"])
    ax = plots.show_ranks(ranks).axes[0]
    assert written(ax) == {(j, i): str(rank) for (i, j), rank in np.ndenumerate(ranks.to_numpy())}
    shades = ax.images[0].cmap(ax.images[0].norm(ax.images[0].get_array()))[..., :3].mean(axis=2)
    assert np.all(np.diff(shades[[0, 0, 1, 1, 2], [0, 1, 0, 1, 1]]) > 0)  # the darker, the nearer
    assert shades[2, 1] == shades[2, 0]
    grey = {tuple(text.get_position()) for text in ax.texts if text.get_color() == "0.4"}
    assert grey == {(1, 1), (0, 2), (1, 2)}  # ranks beyond the tenth


def test_similarities_stand_on_one_scale_from_minus_one_to_one():
    tables = {"first": np.array([[1, -0.25], [-0.25, 1]]), "second": np.eye(2), "third": np.full((2, 2), -1.0)}
    *panels, bar = plots.show_similarities(tables, clusters=[0, 1], columns=2, digits=2).axes
    assert [ax.get_title() for ax in panels] == list(tables)
    for ax, S in zip(panels, tables.values(), strict=True):
        assert ax.images[0].get_array().tolist() == S.tolist()
        assert ax.images[0].get_clim() == (-1, 1)
        assert [line.get_ydata()[0] for line in ax.lines[::2]] == [0.5]  # between the clusters
    assert written(panels[0]) == {(0, 0): "1.00", (1, 0): "−.25", (0, 1): "−.25", (1, 1): "1.00"}
    assert bar.get_ylabel() == "cosine"
    *row, _ = plots.show_similarities(tables).axes
    assert len({ax.get_subplotspec().rowspan.start for ax in row}) == 1


def test_two_answers_have_the_same_scores_and_their_own_similarities():
    tables = {"one": np.eye(2), "other": np.ones((2, 2))}
    scatter, *panels = plots.show_two_answers(([0, 1], [0, 1]), tables).axes[:3]
    assert scatter.lines[0].get_xydata().tolist() == [[0, 0], [1, 1]]
    assert [ax.images[0].get_array().tolist() for ax in panels] == [S.tolist() for S in tables.values()]
    assert all(ax.images[0].get_clim() == (-1, 1) for ax in panels)


def test_labels_stand_at_their_lines_ends_and_apart_and_are_legible():
    _, ax = plt.subplots()
    ends = {"low": 0, "upper": 0.505, "lower": 0.5, "top": 1}
    for (name, end), color in zip(ends.items(), (plots.BLUE, plots.ORANGE, plots.SKY, np.zeros(4) + 0.3), strict=True):
        ax.plot([0, 1], [0.5, end], label=name, color=color)
    ax.axhline(0.2)
    ax.set_ylim(0, 1)
    plots.label_lines(ax, gap=0.1)
    heights = {text.get_text(): text.get_position()[1] for text in ax.texts}
    assert heights == pytest.approx({"low": 0, "lower": 0.5, "upper": 0.6, "top": 1})
    colors = {text.get_text(): to_hex(text.get_color()) for text in ax.texts}
    assert (colors["low"], colors["top"]) == (plots.BLUE.lower(), "#4c4c4c")  # the line's
    assert all(contrast(color, "#ffffff") >= 4.5 for color in colors.values())


def test_labels_stay_beside_their_axes():
    _, ax = plt.subplots()
    for name in "abcd":
        ax.plot([0, 1], [0, 1], label=name)
    ax.set_ylim(0, 1)
    plots.label_lines(ax, gap=0.1)
    assert sorted(text.get_position()[1] for text in ax.texts) == pytest.approx([0.72, 0.82, 0.92, 1.02])


def in_css(theme):
    """The colors of the style sheet, {name: #rrggbb}, of one theme."""
    style = (ROOT / "book/assets/book.css").read_text("utf-8")
    block = re.search(rf"^{re.escape(theme)}\.playground \{{.*?\}}", style, re.M | re.S).group()
    return {name: (color + color[1:])[:7] for name, color in re.findall(r"--([\w-]+): (#\w+);", block)}


def contrast(color, ground):
    """WCAG's contrast of two colors, #rrggbb."""
    light = []
    for each in (color, ground):
        channels = np.array([int(each[i : i + 2], 16) / 255 for i in (1, 3, 5)])
        linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
        light.append(0.05 + linear @ [0.2126, 0.7152, 0.0722])
    return max(light) / min(light)


def test_the_pages_scripts_have_the_colors_of_the_figures():
    script = (ROOT / "book/assets/playground.js").read_text("utf-8")
    named = json.loads(re.sub(r",\s*\}", "}", re.search(r"const METHODS = (\{.*?\});", script, re.S)[1]))
    light, dark = in_css(""), in_css('html[data-theme="dark"] ')
    films = dict(zip(("first", "second", "third", "fourth", "fifth"), plots.FILMS.values(), strict=True))
    methods = {name.removeprefix("--"): plots.METHODS[method].color for method, name in named.items()}
    assert light == films | methods
    assert {plots.METHODS[name] for name in named} == set(plots.METHODS.values())
    assert dark.keys() == light.keys()
    assert all(contrast(color, "#121212") >= 4.5 for color in dark.values())


def test_every_look_is_legible_and_told_from_the_others_without_its_color():
    looks = set(plots.METHODS.values())
    for color in [*plots.FILMS.values(), *(look.color for look in looks)]:
        assert contrast(color, "#ffffff") >= 4.5, color
    assert len({look.color for look in looks}) == len({look.marker for look in looks}) == len(looks)
    _, ax = plt.subplots()
    for name in plots.METHODS:
        (line,) = ax.plot([0, 1], **plots.look(name))
        drawn = plots.Look(line.get_color(), line.get_marker(), tuple(line._unscaled_dash_pattern[1] or ()))
        assert drawn == plots.METHODS[name]


def test_the_face_is_a_table_that_cosines_can_take():
    face = plots.smiling_face()
    assert face.shape == (50, 50)
    assert set(np.unique(face)) == {-1, 0, 1}
    np.testing.assert_array_equal(np.diag(face), 0)
    np.testing.assert_array_equal(face, face.T)
