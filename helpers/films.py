"""The running example of the first four chapters: nine viewers, five films, and the one picture of them."""

import numpy as np

from helpers import plots
from helpers.similarity import cosine_similarity

COLORS = plots.FILMS
FILMS = list(COLORS)
WATCHED = "11000 11100 10010 11100 00111 00110 00111 00111 00011"
PARTNERS = {"Heist": "Chase", "Chase": "Heist", "Waltz": "Picnic", "Picnic": "Waltz"}  # whose arrows lie together


def viewers():
    """X (9, 5): a row for each viewer, a column for each film, 1 where the viewer watched it."""
    return np.array([list(viewer) for viewer in WATCHED.split()], dtype=float)


def nearest(E):
    """The film whose row of E (5, k) has the largest cosine with the row of Harbor."""
    cosines = dict(zip(FILMS, cosine_similarity(E)[FILMS.index("Harbor")], strict=True))
    return max((film for film in FILMS if film != "Harbor"), key=cosines.get)


def draw_arrows(ax, E, title="", apart=0.05):
    """The picture: an arrow for each film, Harbor's the thickest; labels of arrows that lie together stand apart.

    Parameters: ax; E (5, 2), embeddings; apart, how far a label is moved to its side, in units of E.
    """
    arrows = dict(zip(FILMS, np.asarray(E, dtype=float), strict=True))
    ax.axhline(0, color="0.85", lw=0.8, zorder=0)
    ax.axvline(0, color="0.85", lw=0.8, zorder=0)
    for film, e in arrows.items():
        look = {"color": COLORS[film], "lw": 3 if film == "Harbor" else 1.8, "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", e, (0, 0), arrowprops={"arrowstyle": "-|>", **look}, annotation_clip=False)
        ahead = e / np.linalg.norm(e)
        other = arrows.get(PARTNERS.get(film), e)
        away = apart * np.sign(other[0] * e[1] - other[1] * e[0]) * np.array([-ahead[1], ahead[0]])
        off = 0.06 * np.abs(E).max() * ahead + away
        right, up = off / np.linalg.norm(off)
        sides = {"ha": "left" if right > 0.3 else "right" if right < -0.3 else "center"}
        sides["va"] = "center" if abs(up) < 0.8 else "bottom" if up > 0 else "top"
        box = {"facecolor": "white", "edgecolor": "none", "pad": 0.3, "alpha": 0.8}
        ax.text(*(e + off), film, color=COLORS[film], size=9.5, bbox=box, **sides)
    ax.set(title=title, aspect="equal", xticks=[], yticks=[])
    ax.spines[:].set_visible(False)


def draw_cosines(ax, cosines, title="", low=-1.0):
    """The picture's other half: a bar for each film's cosine with Harbor; the largest, if above 0, is written in bold.

    Parameters: ax; cosines (5,), those of all films with Harbor; low, the left end of the axis.
    """
    others = {film: float(cosine) for film, cosine in zip(FILMS, cosines, strict=True) if film != "Harbor"}
    largest = max(1e-9, *others.values())
    for row, (film, cosine) in enumerate(others.items()):
        ax.barh(row, cosine, color=COLORS[film], height=0.62)
        text = f"{round(cosine, 2) + 0.0:.2f}".replace("-", "−")
        weight = "bold" if cosine == largest else "normal"
        ax.text(max(cosine, 0) + 0.04, row, text, va="center", size=9.5, weight=weight)
    ax.axvline(0, color="0.5", lw=0.8)
    ax.set_yticks(range(len(others)), others)
    ax.set(xlim=(low, 1.15), ylim=(len(others) - 0.4, -0.6), title=title, xticks=[0, 1])
    if ax.get_subplotspec().is_last_row():
        ax.set_xlabel("cosine with Harbor")
    ax.spines["left"].set_visible(False)
    ax.tick_params(left=False)


def draw_runs(runs):
    """The picture of many trainings: the arrows of the first two above, below two films' cosines with Harbor in all.

    Parameters: runs, pairs A, B, each (5, 2). Of Heist and Waltz the nearer to Harbor has the filled mark.
    """
    from matplotlib.pyplot import subplot_mosaic

    _, axes = subplot_mosaic([["run 1", "run 2"], ["all", "all"]], figsize=(5.2, 5.4))
    for name, (_, B) in zip(("run 1", "run 2"), runs[:2], strict=True):
        draw_arrows(axes[name], B / np.abs(B).max(), title=name, apart=0.08)
        axes[name].set(xlim=(-1.4, 1.4), ylim=(-0.9, 1.3))
    ax, number = axes["all"], np.arange(1, len(runs) + 1)
    cosines = np.array([cosine_similarity(B)[FILMS.index("Harbor")] for _, B in runs])
    heist, waltz = cosines[:, FILMS.index("Heist")], cosines[:, FILMS.index("Waltz")]
    ax.vlines(number, heist, waltz, color="0.8", lw=1, zorder=0)
    for film, mark, cosine, other in (("Heist", "o", heist, waltz), ("Waltz", "s", waltz, heist)):
        look, nearer = {"color": COLORS[film], "marker": mark, "ls": ""}, cosine > other
        ax.plot(number[~nearer], cosine[~nearer], ms=7, mfc="none", mew=1.5, **look)
        ax.plot(number[nearer], cosine[nearer], ms=4.5, zorder=3, **look)
        ax.plot([], [], ms=5, label=film, **look)
    ax.axhline(0, color="0.6", lw=0.8)
    ax.legend(title="filled: nearer to Harbor", ncols=2, loc="lower center", bbox_to_anchor=(0.5, 0.97), borderpad=0)
    ax.set(xlabel="run", ylabel="cosine with Harbor", ylim=(-1.1, 1.1), yticks=[-1, 0, 1])
    ax.set_xticks([1, *range(5, len(runs) + 1, 5)])
