import matplotlib.pyplot as plt
import numpy as np
import pytest

from helpers.films import COLORS, FILMS, draw_arrows, draw_cosines, draw_runs, nearest, viewers


def test_common_viewers_of_films():
    watched = [{number for number, film in enumerate("abcdefghi") if row[number]} for row in viewers().T]
    common = [[len(one & other) for other in watched] for one in watched]
    assert common == [[4, 3, 2, 1, 0], [3, 3, 2, 0, 0], [2, 2, 6, 4, 3], [1, 0, 4, 6, 4], [0, 0, 3, 4, 4]]
    np.testing.assert_array_equal(viewers().T @ viewers(), common)
    assert set(viewers().flat) == {0, 1}


@pytest.mark.parametrize("film", [film for film in FILMS if film != "Harbor"])
def test_nearest_by_angle_and_not_by_length(film):
    E = {name: (np.cos(angle), np.sin(angle)) for angle, name in enumerate(["Harbor", *FILMS]) if name != "Harbor"}
    E["Harbor"] = (1, 0)
    E[film] = (0.01, 0.001)
    assert nearest([E[name] for name in FILMS]) == film


def test_a_picture_has_each_film_in_its_color_and_the_largest_cosine_in_bold():
    _, (left, right) = plt.subplots(1, 2)
    E = dict(zip(FILMS, [[1, 2], [1, 1], [2, 0], [1, -1], [1, -2]], strict=True))
    draw_arrows(left, list(E.values()))
    draw_cosines(right, [0.2, -0.4, 1, 0.3, 0.0])
    names = {text.get_text(): text for text in left.texts if text.get_text()}
    assert {film: text.get_color() for film, text in names.items()} == COLORS
    assert all(np.dot(text.get_position(), E[film]) > np.dot(E[film], E[film]) for film, text in names.items())  # ahead
    written = {text.get_text(): text.get_weight() for text in right.texts}
    assert written == {"0.20": "normal", "−0.40": "normal", "0.30": "bold", "0.00": "normal"}
    assert [label.get_text() for label in right.get_yticklabels()] == [film for film in FILMS if film != "Harbor"]
    plt.close()


def test_the_nearer_film_of_a_run_has_the_filled_mark():
    angles = {"Heist": (0.1, 2), "Chase": (3, 3), "Harbor": (0, 0), "Waltz": (0.2, 1), "Picnic": (4, 4)}  # of two runs
    runs = [(None, np.array([[np.cos(pair[run]), np.sin(pair[run])] for pair in angles.values()])) for run in (0, 1)]
    draw_runs(runs)
    lines = [line for line in plt.gcf().axes[2].lines if len(line.get_xdata()) == 1]
    marks = {(line.get_color(), *line.get_xdata()): line.get_markerfacecolor() != "none" for line in lines}
    heist, waltz = COLORS["Heist"], COLORS["Waltz"]
    assert marks == {(heist, 1): True, (waltz, 1): False, (heist, 2): False, (waltz, 2): True}
    plt.close()
