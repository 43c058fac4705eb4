"""What *One model, many answers* shows: ten neighbors of some packages along a path through one model's solutions.

Usage: python tools/answers.py. It takes a minute and writes book/assets/answers-data.js, which a test compares with the
model. It is the chapter's: Eq. 1's of Debian's packages, with the k and the τ that most splits of neighbors.csv chose.
A position is an item weight f, B = V diag(f), at which users have g/f; between two named solutions log f is straight.
"""

import json
from pathlib import Path

import numpy as np

from experiments import read
from experiments.answers import DATA
from experiments.common import nonzero_spectrum, shrunk, weightings
from experiments.neighbors import packages
from helpers import normalize_rows, t_interval
from helpers.spectrum import gram

FILE = Path(__file__).parents[1] / "book/assets/answers-data.js"
BEFORE = "const ANSWERS = "
SHOWN = ["git", "nginx", "python3-numpy", "python3-django", "sqlite3", "curl"]
SHOWN += ["apache2", "ffmpeg", "gcc", "ruby", "nodejs", "r-cran-ggplot2"]
STOPS = {  # of the path, in its order: a solution's name in the tables, its weight, and its name in METHODS, weightings
    "none": ("f = 1", "1", "D = √g"),
    "half": ("D = I", "√g", "D = I"),
    "all": ("f = g", "g", "D = 1/√g"),
    "even": ("f = √(σg)", "√(σg)", "D = 1/√σ"),
    "projected back": ("projected back", "σg", "projected back"),
}
START = list(STOPS).index("half")  # which the others are compared with
STEPS = 10  # from one stop to the next
NEEDS = range(6, 10)  # how many packages the sources need that are shown


def chosen():
    """The k and the τ that most splits chose."""
    rows = read("neighbors").query(f"data == {DATA!r} and readout == 'Eq. 1'")
    return rows["k"].mode()[0], rows["tau"].mode()[0]


def model():
    """X (n, p) CSR, names, and σ, V and τ of the model."""
    X, names, _ = packages()
    k, tau = chosen()
    s, V = nonzero_spectrum(gram(X))
    return X, names, s[:k], V[:, :k], tau


def path(s, tau):
    """Item weights f at all positions, (positions, k)."""
    weights = weightings(s, tau)
    logs = np.log([weights[method] for *_, method in STOPS.values()])
    ends = range(len(logs))
    at = np.linspace(0, ends[-1], STEPS * ends[-1] + 1)
    return np.exp([np.interp(at, ends, column) for column in logs.T]).T


def best(values, left_out):
    """The ten largest of values, of ties the first, without some: their places."""
    values = values.round(10)
    values[left_out] = -np.inf
    return np.argsort(-values, kind="stable")[:10]


def needing(X, item):
    """The first source that needs this package and a few in all: the places of what it needs."""
    sizes = np.diff(X.indptr)
    row = next(i for i in X[:, [item]].nonzero()[0] if sizes[i] in NEEDS)
    return X.indices[X.indptr[row] : X.indptr[row + 1]]


def shown(X, s, V, g, weights, item):
    """What is shown of one package: its lists at all positions, and a source with its recommendations."""
    needs, near, cosines, scores = needing(X, item), [], [], []
    for f in weights:
        items, user = V * f, V[needs].sum(axis=0) * g / f
        units = normalize_rows(items)
        similar = units @ units[item]
        near.append(best(similar, item))
        cosines.append(similar[near[-1]].round(2))
        scores.append(items @ user)
    gets = best(scores[0], needs)
    changed = max(len(np.setdiff1d(gets, best(each, needs))) for each in scores)
    moved = np.abs(np.subtract(scores, scores[0])).max()
    return {
        "item": item,
        "near": near,
        "cosines": cosines,
        "needs": [item, *needs[needs != item]],
        "gets": gets,
        "scores": scores[0][gets].round(3),
        "changed": changed,
        "moved": float(f"{moved:.0e}"),
    }


def measured():
    """{judge: means of the stops; which is best, which comes next, and the interval of its lead over that}.

    Of the ten nearest, those in one's own section, to one decimal; percent of what is hidden, without. The lead has
    one decimal more.
    """
    alike = read("neighbors").query(f"data == {DATA!r} and score == 'alike'").rename(columns={"readout": "solution"})
    recall = read("answers").rename(columns={"recall": "value"})
    found, order = {}, [solution for solution, *_ in STOPS.values()]
    for judge, rows, unit, digits in (("section", alike, 10, 1), ("hidden", recall, 100, 0)):
        values = unit * rows.pivot(index="split", columns="solution", values="value")[order].to_numpy()
        second, first = np.argsort(values.mean(axis=0))[-2:]
        lead = t_interval(values[:, first] - values[:, second])
        found[judge] = {"values": values.mean(axis=0).round(digits), "best": first, "next": second}
        found[judge]["lead"] = np.round([lead.mean, lead.low, lead.high], digits + 1)
    return found


def collected():
    """All that the page shows, with places of packages in the list of those that occur."""
    X, names, s, V, tau = model()
    weights, g = path(s, tau), shrunk(s, tau)
    items = [shown(X, s, V, g, weights, list(names).index(name)) for name in SHOWN]
    lists = [one[key] for one in items for key in ("near", "needs", "gets")]
    used = np.unique(np.concatenate([np.ravel(places) for places in lists]))
    for one in items:
        for key in ("item", "near", "needs", "gets"):
            one[key] = np.searchsorted(used, one[key])
    stops = [{"name": name, "formula": f, "method": method} for name, (_, f, method) in STOPS.items()]
    said = {"packages": names[used], "scores": len(names), "stops": stops, "start": START, "steps": STEPS}
    return said | {"items": items, "measured": measured()}


if __name__ == "__main__":
    text = json.dumps(collected(), default=lambda array: array.tolist(), separators=(",", ":"), ensure_ascii=False)
    FILE.write_text(f"{BEFORE}{text};\n", "utf-8")
    print(f"{len(text) / 1e3:.0f} kB")
