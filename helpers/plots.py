"""The book's figure style, the look of each method and film, and the recurring figures."""

from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap, to_hex

BLUE, ORANGE, GREEN, PURPLE, SKY, RED = (
    "#0072B2",
    "#E69F00",
    "#007A5E",
    "#AA3377",
    "#56B4E9",
    "#C25000",
)  # Okabe and Ito's; green, purple and red as dark as text has to be, and bright on a dark page
AS_TEXT = {ORANGE: "#946200", SKY: "#1F7A8C"}  # the two that are too light for letters
CLUSTER_COLORS = ListedColormap([BLUE, ORANGE, GREEN, PURPLE, SKY])


class Look(NamedTuple):
    """How a method is drawn: a color, as text 4.5:1 on white; a marker; a dash, its lines and gaps in points."""

    color: str
    marker: str
    dash: tuple = ()


METHODS = {  # in book.css, too, for the pages' scripts
    "D = √g": Look("#0072b2", "o"),
    "D = I": Look("#222222", "s"),
    "D = 1/√g": Look("#b84e00", "^"),
    "D = 1/√σ": Look("#006b52", "D", (7, 2)),
    "projected back": Look("#8a1f63", "v", (7, 2, 1, 2)),
    "Eq. 2": Look("#4b2e9e", "P", (4, 2)),
    "weight decay": Look("#5c4a00", "X", (4, 2, 1, 2)),
    "raw columns": Look("#757575", "*", (1, 2)),
}
METHODS["even split"] = METHODS["D = 1/√σ"]  # of Eq. 1 they are the same embeddings
FILMS = {"Heist": "#0072b2", "Chase": "#b84e00", "Harbor": "#aa3377", "Waltz": "#333333", "Picnic": "#007a5e"}


def look(method):
    """The color, marker and dash of a method, as arguments of ``plot``."""
    color, marker, dash = METHODS[method]
    return {"color": color, "marker": marker, "linestyle": (0, dash) if dash else "solid"}


def use_style():
    """Set the book's figure style: legible at the width of a page, colors that color-blind readers can tell apart."""
    plt.rcParams.update(
        {
            "figure.figsize": (7, 3.5),
            "figure.dpi": 160,
            "figure.constrained_layout.use": True,
            "font.size": 11,
            "axes.titlesize": 11,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.prop_cycle": plt.cycler(color=[BLUE, ORANGE, GREEN, PURPLE, SKY, RED]),
            "legend.frameon": False,
            "image.cmap": "RdBu_r",
        }
    )


def label_lines(ax, gap=0.055):
    """Write each line's label at its right end, in its color, instead of a legend; labels keep a distance from another.

    Parameters: ax, axes whose lines have labels; gap, the least distance of two labels, a share of the axes' height.
    """
    lines = [line for line in ax.lines if not line.get_label().startswith("_")]
    ends = [ax.transAxes.inverted().transform(ax.transData.transform(line.get_xydata()[-1]))[1] for line in lines]
    order, heights = np.argsort(ends), np.sort(np.clip(ends, 0, 1))
    for i in range(1, len(heights)):
        heights[i] = max(heights[i], heights[i - 1] + gap)
    heights -= np.maximum(heights.max(initial=0) - 1.02, 0)
    for i, height in zip(order, heights, strict=True):
        color = lines[i].get_color()
        style = {"color": AS_TEXT.get(to_hex(color).upper(), color), "size": 10, "va": "center", "clip_on": False}
        ax.text(1.02, height, lines[i].get_label(), transform=ax.transAxes, **style)


def show_similarities(matrices, clusters=None, columns=None, digits=None):
    """One panel per similarity matrix, all on the scale from −1 to 1, with its color bar.

    Parameters: matrices, a dict from title to (p, p) similarities; clusters (p,), ascending, draws the borders between
    clusters; columns, the number of panels in a row (default: all of them); digits, to write the values into the cells.
    Returns: the figure.
    """
    columns = columns or len(matrices)
    rows = -(-len(matrices) // columns)
    size = min(2.6, 7.6 / columns)
    figure, axes = plt.subplots(rows, columns, figsize=(size * columns + 0.8, (size + 0.35) * rows), squeeze=False)
    figure.set_dpi(120 if digits is None else 160)  # panels without text are soft anyway, and large
    for ax in axes.flat[len(matrices) :]:
        ax.remove()
    for ax, (title, S) in zip(axes.flat, matrices.items(), strict=False):
        image = ax.imshow(S, vmin=-1, vmax=1, interpolation="nearest" if len(S) <= 250 else "auto")
        ticks = [] if digits is None else range(len(S))  # as the text beside values names the items
        ax.set(title=title, xticks=ticks, yticks=ticks, xlabel="item", ylabel="item")
        ax.label_outer()
        for border in [] if clusters is None else np.flatnonzero(np.diff(clusters)) + 0.5:
            ax.axhline(border, color="0.4", lw=0.4)
            ax.axvline(border, color="0.4", lw=0.4)
        for (i, j), value in np.ndenumerate(S if digits is not None else np.empty((0, 0))):
            color = "white" if abs(value) > 0.6 else "black"
            text = f"{round(value, digits) + 0.0:.{digits}f}".replace("0.", ".").replace("-", "−")
            ax.text(j, i, text, ha="center", va="center", size=9.5, color=color)
    figure.colorbar(image, ax=axes.flat[: len(matrices)], shrink=0.8, aspect=30, label="cosine")
    return figure


def show_two_answers(scores, similarities):
    """Predictions of two models against each other, and the two similarity matrices of the same items.

    Parameters: scores, a pair of equally long arrays of predictions; similarities, a dict from title to (m, m), two of
    them.
    Returns: the figure.
    """
    figure = plt.figure(figsize=(5.4, 4.8))
    grid = figure.add_gridspec(2, 2, height_ratios=(2, 3))
    ax = figure.add_subplot(grid[0, :])
    ax.plot(*scores, ".", ms=3)
    ax.set(title="all predictions agree", xlabel="score, first solution", ylabel="score, second")
    ax.set(xticks=[0, 0.5, 1], yticks=[0, 0.5, 1])
    axes = [figure.add_subplot(grid[1, i]) for i in range(2)]
    for ax, (title, S) in zip(axes, similarities.items(), strict=True):
        image = ax.imshow(S, vmin=-1, vmax=1, interpolation="nearest")
        ax.set(title=title, xlabel="item", xticks=[], yticks=[])
    figure.colorbar(image, ax=axes, shrink=0.9, label="cosine")
    return figure


def show_ranks(ranks):
    """The ranks that several answers give to the same things: a shaded cell for the first ten, the others grey.

    Parameters: ranks, a DataFrame of integers from 1, a row for each thing and a column for each answer.
    Returns: the figure.
    """
    figure, ax = plt.subplots(figsize=(6.2, 0.27 * len(ranks) + 0.9))
    ax.imshow(np.minimum(ranks, 15), "Blues_r", vmin=-4, vmax=15, aspect="auto")
    for (i, j), rank in np.ndenumerate(ranks.to_numpy()):
        color = "white" if rank <= 3 else "black" if rank <= 10 else "0.4"
        ax.text(j, i, rank, ha="center", va="center", color=color, size=10)
    ax.set_xticks(range(len(ranks.columns)), ranks.columns, size=10, rotation=40, ha="left")
    ax.set_yticks(range(len(ranks)), ranks.index, size=10)
    ax.xaxis.tick_top()
    return figure


def show_overlaps(shared, survive):
    """Shares of neighbors: those that two choices have in common, and, framed on the diagonal, those that survive.

    Parameters: shared, a square DataFrame of shares; survive, a number for each of its rows.
    Returns: the figure.
    """
    figure, ax = plt.subplots(figsize=(6.4, 4.4))
    values = shared.to_numpy(copy=True)
    np.fill_diagonal(values, survive)
    ax.imshow(values, "Blues", vmin=0, vmax=1)
    for (i, j), share in np.ndenumerate(values):
        ax.text(j, i, f"{share:.2f}", ha="center", va="center", color="white" if share > 0.6 else "black")
    for i in range(len(values)):
        ax.add_patch(plt.Rectangle((i - 0.47, i - 0.47), 0.94, 0.94, fill=False, edgecolor=RED, linewidth=2))
    ax.set_xticks(range(len(values)), shared.columns, rotation=30, size=9)
    ax.set_yticks(range(len(values)), shared.index, size=9)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    return figure


def smiling_face():
    """A round face for a table of cosines: (50, 50), symmetric, of −1 (eyes, mouth), 0 and 1, its diagonal 0."""
    across, down = np.meshgrid(np.linspace(-1, 1, 50), np.linspace(-1, 1, 50))
    along, over = -(across + down) / np.sqrt(2), (across - down) / np.sqrt(2)
    radius = np.hypot(along, over)
    face = (radius < 0.9).astype(float)
    eyes = (np.abs(over) - 0.3) ** 2 + (along - 0.25) ** 2 < 0.012
    mouth = (np.abs(radius - 0.55) < 0.07) & (along < -0.15)
    face[eyes | mouth] = -1
    np.fill_diagonal(face, 0)
    return face
