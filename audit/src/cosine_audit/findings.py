"""The findings of a report: sentences with a number, and whether it is as it should be."""

from typing import NamedTuple

import numpy as np

from cosine_audit.evidence import untrained
from cosine_audit.gauges import condition, directions, in_gauge
from cosine_audit.neighbors import certified
from cosine_audit.objectives import OBJECTIVES, ByBalance, ByLengths
from cosine_audit.space import chance, health, moved_by
from cosine_audit.thresholds import MOVED, NEARLY_CONSTANT, STRETCH, TOLERATED, TORN
from cosine_audit.words import percent

EVERY_M = "product", "none", "ranking"  # objectives that see nothing of both factors but their scores
GAUGES = {
    "balanced": "balanced (users and items share each direction's scale evenly)",
    "whitened": "whitened (every direction of the items counts alike)",
    "back": "projected back (cosines of the items' columns of scores)",
    "safe": "safe items (balanced after the mean user is subtracted)",
}
HEALTH = "mean cosine", "share of the first direction", "effective rank", "skewness of hubs", "share with a near twin"


class Finding(NamedTuple):
    """name; value; threshold or None; sentence; level, "ok", "note" or "warning"."""

    name: str
    value: float
    threshold: float | None
    sentence: str
    level: str

    def to_dict(self):
        """Plain values: numbers of six decimals, None for what is not finite."""
        numbers = {"value": self.value, "threshold": self.threshold}
        fine = {name: round(float(x), 6) for name, x in numbers.items() if x is not None and np.isfinite(x)}
        return self._asdict() | dict.fromkeys(numbers) | fine


def finding(name, value, sentence, threshold=None, fine=None):
    """A Finding: a note, unless it is said whether the value is as it should be."""
    level = "note" if fine is None else "ok" if fine else "warning"
    return Finding(name, value, threshold, sentence, level)


def findings_of(objective, seen, space, B, about, counts, labels):
    """All Findings on items B (p, k), from Evidence, Space, the Moments of B, and counts and labels (p,) or None."""
    yield from about_lists(seen, objective, space)
    yield from about_training(seen, objective)
    yield from about_neighbors(space, about, counts)
    yield from about_chance(space, B, seen)
    yield from about_health(space, B, counts)
    if labels is not None:
        yield from about_labels(space, labels)


def about_lists(seen, objective, space):
    """A finding in a shop's terms, where the loss sees nothing but the scores, so that every M is as good as another.

    Not where a column is constant: an M that mixes a bias with the dimensions is no model of the same kind.
    """
    if objective in EVERY_M and "back" in space.found and not seen.biases and not seen.unseen:
        share = float(np.mean(moved_by(space, "back")))
        sentence = (
            f"{percent(share)} of the items in your similar-items lists, or more, are decided by nothing you trained: "
            "the same model, projected back, has the same scores and the same loss, and others in their places."
        )
        yield finding("decided by nothing", share, sentence, None, False if share >= 0.0005 else None)


def about_training(seen, objective):
    """Findings on what training left in the numbers; balance is judged where the objective implies it."""
    rule = OBJECTIVES[objective].rule
    judged = isinstance(rule, ByBalance)
    plainly = judged and not rule.weighted
    for name, balance, whose, decides in (
        ("imbalance", seen.balance, "Users and items", plainly),
        ("weighted imbalance", seen.weighted, "Weighted by their counts, they", judged),
    ):
        if balance is not None:
            sentence = f"{whose} are {percent(balance.imbalance)} out of balance."
            fine = balance.imbalance <= TOLERATED
            yield finding(name, balance.imbalance, sentence, TOLERATED, fine if decides else None)
    if seen.balance is not None and (change := seen.balance.change) is not None:
        few, torn = percent(change.share), change.torn
        sentence = f"Balancing exchanges {few} of the neighbors, and half or more of those of {torn} items."
        fine = change.share <= MOVED and change.torn_share <= TORN
        yield finding("moved by balancing", change.share, sentence, MOVED, fine if plainly else None)
        stretched, fine = f"its M has condition {change.stretch:.2f}", change.stretch <= STRETCH
        sentence = f"Balancing changes a cosine by {change.mean:.3f} on average; {stretched}."
        yield finding("changed by balancing", change.mean, sentence, None, fine if plainly else None)
    stored = ", as where a bias is stored among the dimensions" if seen.biases else ""
    sentence = f"{', '.join(seen.biases) or 'no column'} is nearly constant{stored}."
    yield finding("constant columns", len(seen.biases), sentence.capitalize(), 0, not seen.biases)
    yield finding("unit rows", len(seen.unit), f"Rows of length one: {' and '.join(seen.unit) or 'none'}.")
    if seen.flatness < np.inf:
        lie = "nearly lie" if seen.flatness < NEARLY_CONSTANT else "do not lie"
        sentence = f"The items {lie} in a common hyperplane."
        fine = seen.flatness >= NEARLY_CONSTANT if isinstance(rule, ByLengths) else None
        yield finding("spread over mean", seen.flatness, sentence, NEARLY_CONSTANT, fine)
    if seen.unseen:
        sentence = f"No user has a part in {seen.unseen} of the items' dimensions."
        yield finding("unseen dimensions", seen.unseen, sentence, 0, False)


def about_neighbors(space, about, counts=None):
    """Findings on what another gauge, and the scales' uncertainty, would do to the nearest neighbors."""
    n, size = space.found["given"].rows.shape[1], len(space.queries)
    chosen = 1.96 * np.sqrt(1 - size / len(space.distinct))
    kept = {name: 1 - moved_by(space, name) for name in GAUGES if name in space.found}
    for name, stay in kept.items():
        error = f" ± {100 * chosen * np.std(stay) / np.sqrt(size):.0f}" if chosen else ""
        c = condition(about, space.gauges[name])
        how = "no M is like it" if np.isinf(c) else f"M of condition {c:.1f}"
        sentence = f"{GAUGES[name].capitalize()}: {100 * stay.mean():.0f}{error} % of the {n} nearest stay; {how}."
        yield finding(f"neighbors kept, {name}", float(stay.mean()), sentence)
    if counts is not None and "safe" in kept:
        parts = np.array_split(np.argsort(counts[space.queries], kind="stable"), 3)
        thirds = [kept["safe"][part].mean() for part in parts]
        shares = ", ".join(f"{100 * x:.0f} %" for x in thirds)
        sentence = f"With safe items, of the rarest, middle and most popular third's neighbors stay {shares}."
        yield finding("neighbors kept, rarest third", float(thirds[0]), sentence)
    for c in (1.2, 1.5, 2):
        share = float(np.mean(certified(space.found["given"].cosines, c)))
        sentence = f"{percent(share)} of the nearest neighbors are certain under every M of condition {c} or less."
        yield finding(f"certified, c = {c}", share, sentence)


def about_chance(space, B, seen):
    """Findings on chance, and on a second run, if there is one."""
    for name, what in (("given", "As given"), ("safe", "Safe items")):
        if name in space.gauges:
            threshold = chance(in_gauge(B[space.distinct[:: len(space.distinct) // 20_000 + 1]], space.gauges[name]))
            usual = float(np.nanmedian(space.found[name].cosines))
            above = f"one pair in a thousand is above {threshold:.2f} by chance"
            sentence = f"{what}, {above}; neighbors' median {usual:.2f}."
            yield finding(f"chance, {name}", threshold, sentence, None, usual > threshold)
    if seen.again is not None:
        same, by_chance = 100 * seen.again, 100 * seen.again_by_chance
        sentence = f"{same:.0f} % of the neighbors are the same in the other run; by chance {by_chance:.0f} %."
        yield finding("neighbors kept, other run", seen.again, sentence)


def about_health(space, B, counts):
    """Findings on the space that hold whatever was trained, beside independent random vectors of that size."""
    U = directions(B[space.queries])
    random = directions(np.random.default_rng(3).normal(size=U.shape))
    for name, x, y in zip(HEALTH, health(U), health(random), strict=True):
        seen, usual = np.round([x, y], 2) + 0.0  # no minus before a zero
        yield finding(name, float(x), f"{name.capitalize()}: {seen:.2f}; of random vectors {usual:.2f}.")
    filled = B.any(axis=1)
    zero = int(np.sum(~filled))
    double = len(B) - zero - len(space.distinct)
    yield finding("zero rows", zero, f"{zero} items are zero, and left out.", 0, not zero)
    yield finding("parallel rows", double, f"{double} items are parallel to an earlier one.", 0, not double)
    if counts is not None:
        from scipy.stats import rankdata

        cold = len(untrained(B, counts))
        sentence = f"{cold} items with a count of 0 are not zero: nothing trained these."
        yield finding("untrained rows", cold, sentence, 0, not cold)
        lengths = np.linalg.norm(np.asarray(B[space.queries], dtype=float), axis=1)
        if np.ptp(lengths) > 1e-6 * lengths.max() and np.ptp(counts[space.queries]) > 0:
            r = float(np.corrcoef(rankdata(lengths), rankdata(counts[space.queries]))[0, 1])
            yield finding("length and frequency", r, f"Rank correlation of length and frequency: {r:.2f}.")


def about_labels(space, labels):
    """Findings on the share of neighbors with an item's own label, in every gauge."""
    for name, near in space.found.items():
        has = near.rows[:, 0] >= 0
        own = np.mean(labels[near.rows[has]] == labels[near.items[has], None], axis=1)
        error = 1.96 * np.std(own) / np.sqrt(len(own))
        words = GAUGES.get(name, "as given" if name == "given" else "balanced by counts").split(" (")[0]
        shares = f"{100 * own.mean():.0f} ± {100 * error:.0f} %"
        sentence = f"{words.capitalize()}: {shares} of the neighbors have the item's own label."
        yield finding(f"same label, {name}", float(own.mean()), sentence)
