"""Taking turns, and printing tables."""

import operator
import time
from statistics import median


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
    print(f"{what}: {value:.3g}, target {relation} {target:g}: {'reached' if reached else 'MISSED'}", flush=True)
