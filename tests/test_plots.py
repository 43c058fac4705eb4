"""The recurring figures show the numbers that they are given, and where."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

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
    assert (
        shades[0, 0] < shades[0, 1] < shades[1, 0] < shades[1, 1] < shades[2, 1] == shades[2, 0]
    )  # the darker, the nearer
    grey = {
        (j, i)
        for (j, i) in written(ax)
        for text in ax.texts
        if text.get_position() == (j, i) and text.get_color() == "0.4"
    }
    assert grey == {(1, 1), (0, 2), (1, 2)}  # ranks beyond the tenth


def test_similarities_stand_on_one_scale_from_minus_one_to_one():
    tables = {"first": np.array([[1, -0.25], [-0.25, 1]]), "second": np.eye(2), "third": np.full((2, 2), -1.0)}
    *panels, bar = plots.show_similarities(tables, clusters=[0, 1], columns=2, digits=2).axes
    assert [ax.get_title() for ax in panels] == list(tables)
    for ax, S in zip(panels, tables.values(), strict=True):
        assert ax.images[0].get_array().tolist() == S.tolist()
        assert ax.images[0].get_clim() == (-1, 1)
        assert [line.get_ydata()[0] for line in ax.lines[::2]] == [0.5]  # between the clusters
    assert written(panels[0]) == {(0, 0): "1.00", (1, 0): "-.25", (0, 1): "-.25", (1, 1): "1.00"}
    assert bar.get_ylabel() == "cosine"
    *row, _ = plots.show_similarities(tables).axes
    assert len({ax.get_subplotspec().rowspan.start for ax in row}) == 1


def test_two_answers_have_the_same_scores_and_their_own_similarities():
    tables = {"one": np.eye(2), "other": np.ones((2, 2))}
    scatter, *panels = plots.show_two_answers(([0, 1], [0, 1]), tables).axes[:3]
    assert scatter.lines[0].get_xydata().tolist() == [[0, 0], [1, 1]]
    assert [ax.images[0].get_array().tolist() for ax in panels] == [S.tolist() for S in tables.values()]
    assert all(ax.images[0].get_clim() == (-1, 1) for ax in panels)


def test_labels_stand_at_their_lines_ends_and_apart():
    _, ax = plt.subplots()
    for name, end in (("low", 0), ("upper", 0.505), ("lower", 0.5), ("top", 1)):
        ax.plot([0, 1], [0.5, end], label=name)
    ax.axhline(0.2)
    ax.set_ylim(0, 1)
    plots.label_lines(ax, gap=0.1)
    heights = {text.get_text(): text.get_position()[1] for text in ax.texts}
    assert heights == pytest.approx({"low": 0, "lower": 0.5, "upper": 0.6, "top": 1})
    colors = {line.get_label(): line.get_color() for line in ax.lines}
    assert all(text.get_color() == colors[text.get_text()] for text in ax.texts)


def test_labels_stay_beside_their_axes():
    _, ax = plt.subplots()
    for name in "abcd":
        ax.plot([0, 1], [0, 1], label=name)
    ax.set_ylim(0, 1)
    plots.label_lines(ax, gap=0.1)
    assert sorted(text.get_position()[1] for text in ax.texts) == pytest.approx([0.72, 0.82, 0.92, 1.02])
