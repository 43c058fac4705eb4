"""Taking turns, and printing tables: one a step, and all verdicts once more as Markdown that a README can quote."""

import operator
import time
from statistics import median

TITLES, VERDICTS = [], []  # of this process; a verdict belongs to the last table


def alternate(contestants, repeats):
    """Call the contestants, a dict from name to function, in turn: median wall and CPU seconds, the last results."""
    times = {name: [] for name in contestants}
    results = {}
    for _ in range(repeats):
        for name, run in contestants.items():
            results.pop(name, None)
            wall, cpu = time.perf_counter(), time.process_time()
            results[name] = run()
            times[name].append((time.perf_counter() - wall, time.process_time() - cpu))
    return {name: [median(column) for column in zip(*both, strict=True)] for name, both in times.items()}, results


def table(title, header, rows):
    """Print rows of text under a title and a header, the columns aligned."""
    TITLES.append(title)
    rows = [header, *rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    print("", title, "-" * max(map(len, [title, *lines])), *lines, sep="\n", flush=True)


def duel(title, times, accuracy, least_ratio):
    """The table of two contestants, ours first: times from alternate, the accuracy of each in words."""
    rows = [
        [name, f"{wall:.3f} s", f"{cpu:.3f} s", words]
        for (name, (wall, cpu)), words in zip(times.items(), accuracy, strict=True)
    ]
    table(title, ["", "wall", "CPU", "accuracy"], rows)
    (ours, _), (peer, _) = times.values()
    verdict("times faster", peer / ours, ">=", least_ratio)


def verdict(what, value, relation, target):
    """Print a value, its target, and whether it is reached."""
    reached = {"<": operator.lt, "<=": operator.le, ">=": operator.ge}[relation](value, target)
    row = [what, f"{value:.3g}", f"{relation} {target:g}", "reached" if reached else "MISSED"]
    print("{}: {}, target {}: {}".format(*row), flush=True)
    VERDICTS.append([TITLES[-1], *row])


def markdown():
    """Print every verdict of this process as one Markdown table."""
    rows = [["step", "what", "measured", "target", ""], ["---"] * 5, *VERDICTS]
    print("", *("| " + " | ".join(row) + " |" for row in rows), sep="\n", flush=True)
