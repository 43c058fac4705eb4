"""From evidence and objective to a verdict, its reason, what it rests on, the findings and the advice."""

from functools import partial
from typing import NamedTuple

import numpy as np

from cosine_audit.evidence import NEARLY_CONSTANT, TOLERATED, chance, health, moved_by
from cosine_audit.gauges import condition, directions, in_gauge
from cosine_audit.neighbors import certified
from cosine_audit.objectives import OBJECTIVES

FLAT = 0.02  # spread over mean of a direction, below which a softmax leaves the cosines open
HALF = 0.5 - 1e-9  # of an item's neighbors, beyond which a finding counts it
SAME = 0.5  # of the users parallel to an item, beyond which one table was given twice

GAUGES = {
    "balanced": "balanced (users and items share each direction's scale evenly)",
    "whitened": "whitened (every direction of the items counts alike)",
    "back": "projected back (cosines of the items' columns of scores)",
    "centered": "centered and projected back (correlations of these columns)",
}
HEALTH = "mean cosine", "share of the first direction", "effective rank", "skewness of hubs", "share with a near twin"


class Finding(NamedTuple):
    """name; value; threshold or None; sentence; level, "ok", "note" or "warning"."""

    name: str
    value: float
    threshold: float | None
    sentence: str
    level: str


def finding(name, value, sentence, threshold=None, fine=None):
    """A Finding: a note, unless it is said whether the value is as it should be."""
    level = "note" if fine is None else "ok" if fine else "warning"
    return Finding(name, value, threshold, sentence, level)


class Verdict(NamedTuple):
    """answer, "yes", "no", "unknown" or "by convention"; reason; rests_on, "theory alone" or "theory and numbers"."""

    answer: str
    reason: str
    rests_on: str = "theory and numbers"


no, unknown = partial(Verdict, "no"), partial(Verdict, "unknown")


def percent(share):
    """A share in words."""
    return f"{100 * share:.{1 if share < 0.1 else 0}f} %"


def decide(objective, seen):
    """What follows from an objective and what was seen of a model that is said to be trained by it: a Verdict.

    "yes" means that cosines are functions of the predictions, or of a minimum that is unique up to rotations.
    """
    _, rule, reason = OBJECTIVES[objective]
    if rule == "unit rows":
        return by_unit_rows(reason, seen)
    if "balance" not in rule:
        return Verdict(rule, reason, "theory alone")
    weighted = rule.startswith("weighted")
    imbalance, moved = (seen.weighted, seen.moved_weighted) if weighted else (seen.imbalance, seen.moved)
    if imbalance is None:
        how = "would show"
        if weighted:
            how = "and the counts of its rows and of the items would show (item_counts, user_counts)"
        return Verdict("unknown", f"{reason}; whether they are, the other factor {how}", "theory alone")
    return by_balance(reason, seen, imbalance, moved, rule.endswith("denies"))


def by_balance(reason, seen, imbalance, moved, denies):
    """Of all factors with the same scores the penalty takes balanced ones, unique up to a rotation.

    Balance decides, whatever the columns look like: a constant one is no bias if it is balanced with the rest. With
    counts it is that of Pᵀ diag(n_u) P and Bᵀ diag(n_i) B. denies: stochastic steps decay only the rows they draw, so
    that balance is no sign of the minimum, and a yes is unknown.
    """
    if seen.same > SAME:
        same = f"{percent(seen.same)} of the users' rows are parallel to items' rows, so their balance shows nothing"
        return unknown(f"{same}: was one table given twice, or is it one encoder?")
    share = percent(imbalance)
    if imbalance > TOLERATED and seen.nonnegative:
        why = "no entry is below zero: a penalty then balances the lengths of columns alone"
        return unknown(f"{why}, and whether other such factors have the same scores is not checked")
    if imbalance > TOLERATED and seen.biases:
        names = " and ".join(seen.biases)
        constant = f"{names} is constant, as where a bias is stored among the dimensions, whose scale no penalty sets"
        return no(f"users and items are {share} out of balance, and {constant}")
    if imbalance > TOLERATED:
        end = "" if denies else ", so training did not get there"
        return no(f"{reason}; these are {share} out of balance{end}")
    if moved is not None and np.mean(moved) > TOLERATED:
        torn = percent(np.mean(moved))
        return no(f"users and items are only {share} out of balance, but balancing moves {torn} of the neighbors")
    if seen.round:
        return unknown("both factors are as large in every direction, as tables that nothing trained are")
    if seen.again is not None and seen.again < HALF:
        other = f"but only {percent(seen.again)} of the neighbors are the same in the other run"
        return unknown(f"users and items are {share} out of balance, {other}: not at one minimum")
    return Verdict("unknown" if denies else "yes", f"{reason}; these are only {share} out of balance")


def by_unit_rows(reason, seen):
    """Cosines inside the loss: lengths of one leave rotations, if one side's directions pin down every scale."""
    if seen.unseen:
        return no(f"no user has a part in {seen.unseen} of the items' dimensions: predictions do not see them")
    given = 1 if seen.scales.users is None else 2
    if len(seen.unit) < given:
        which = f"only {seen.unit[0]} have" if seen.unit else "no side has"
        why = f"{which} rows of length one, so nothing shows that cosines were inside the loss"
        return unknown(f"{why}: normalizing after training decides nothing")
    plane = "the items lie in a common hyperplane, or nearly, and a softmax does not see one vector added to all items"
    if seen.flatness < FLAT:
        return no(f"{plane}, so that another height with the same probabilities has other cosines")
    if seen.flatness < NEARLY_CONSTANT:
        return unknown(f"{plane}: the height of that plane is hardly determined")
    return by_scales(reason, seen.scales)


def by_scales(reason, scales):
    """Whose directions pin down every scale; "no" only where other solutions surely exist."""
    alone = [name for name, free in (("users", scales.users), ("items", scales.items)) if free == 0]
    if alone:
        return Verdict("yes", f"{reason}, and the directions of {' and of '.join(alone)} pin down every scale")
    if scales.surely and scales.users is not None:
        return no(f"unit lengths leave {scales.pooled} scales free: too few users and items for the dimensions")
    if scales.pooled:
        return unknown(f"unit lengths leave {scales.pooled} scales free to first order: too few directions")
    alone = "neither the users' directions alone nor the items' alone pin down every scale"
    return unknown(f"{alone}; both together exclude other solutions nearby, and not elsewhere")


def contradictions(objective, seen):
    """What the numbers say against the objective that was named: sentences."""
    rule, said = OBJECTIVES[objective].rule, []
    if len(seen.unit) == 2 and rule not in ("unit rows", "yes"):
        said.append(
            "Both sides have rows of length one: was it trained on cosines? Then say so: two towers normalized, "
            "or objective normalized. (Normalized after training, they no longer hold the model's scores.)"
        )
    if len(seen.unit) == 1 and "users" not in seen.unit and seen.scales.users is not None:
        said.append("Only items have rows of length one: normalizing after training decides nothing.")
    balanced = seen.imbalance is not None and seen.imbalance <= TOLERATED and seen.same <= SAME
    if balanced and rule in ("no", "unknown") and (seen.moved is None or np.mean(seen.moved) <= TOLERATED):
        said.append(
            f"Users and items are only {percent(seen.imbalance)} out of balance, as a penalty on both factors "
            "(weight decay) makes them: was there one? Then say objective factors."
        )
    weighted = seen.weighted is not None and seen.weighted <= TOLERATED and seen.same <= SAME
    if weighted and not balanced and not rule.startswith("weighted balance"):
        said.append("Users and items are balanced by their counts: was the penalty weighted by them? Then say so.")
    return said


def about_training(seen, objective):
    """Findings on what training left in the numbers; balance is judged where the objective implies it."""
    judged = "balance" in OBJECTIVES[objective].rule
    plain = "imbalance", seen.imbalance, "Users and items"
    for name, share, whose in (plain, ("weighted imbalance", seen.weighted, "Weighted by their counts, they")):
        if share is not None:
            sentence = f"{whose} are {percent(share)} out of balance."
            yield finding(name, share, sentence, TOLERATED, share <= TOLERATED if judged else None)
    if seen.moved is not None:
        share, torn = float(np.mean(seen.moved)), int(np.sum(seen.moved >= HALF))
        sentence = f"Balancing exchanges {percent(share)} of the neighbors, and half or more of those of {torn} items."
        fine = share <= TOLERATED and not torn
        yield finding("moved by balancing", share, sentence, TOLERATED, fine if judged else None)
    stored = ", as where a bias is stored among the dimensions" if seen.biases else ""
    sentence = f"{', '.join(seen.biases) or 'no column'} is nearly constant{stored}."
    yield finding("constant columns", len(seen.biases), sentence.capitalize(), 0, not seen.biases)
    yield finding("unit rows", len(seen.unit), f"Rows of length one: {' and '.join(seen.unit) or 'none'}.")
    if seen.flatness < np.inf:
        lie = "nearly lie" if seen.flatness < NEARLY_CONSTANT else "do not lie"
        sentence = f"The items {lie} in a common hyperplane."
        yield finding("spread over mean", seen.flatness, sentence, NEARLY_CONSTANT, seen.flatness >= NEARLY_CONSTANT)
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
    if counts is not None and "centered" in kept:
        parts = np.array_split(np.argsort(counts[space.queries], kind="stable"), 3)
        thirds = [kept["centered"][part].mean() for part in parts]
        shares = ", ".join(f"{100 * x:.0f} %" for x in thirds)
        sentence = f"Centered, of the rarest, middle and most popular third's neighbors stay {shares}."
        yield finding("neighbors kept, rarest third", float(thirds[0]), sentence)
    for c in (1.2, 1.5, 2):
        share = float(np.mean(certified(space.found["given"].cosines, c)))
        sentence = f"{percent(share)} of the nearest neighbors are certain under every M of condition {c} or less."
        yield finding(f"certified, c = {c}", share, sentence)


def about_chance(space, B, again):
    """Findings on chance, and on a second run, of which the share of neighbors is given that stay, or None."""
    for name, what in (("given", "As given"), ("centered", "Centered and projected back")):
        if name in space.gauges:
            threshold = chance(in_gauge(B[space.distinct[:: len(space.distinct) // 20_000 + 1]], space.gauges[name]))
            usual = float(np.median(space.found[name].cosines))
            above = f"one pair in a thousand is above {threshold:.2f} by chance"
            sentence = f"{what}, {above}; neighbors' median {usual:.2f}."
            yield finding(f"chance, {name}", threshold, sentence, None, usual > threshold)
    if again is not None:
        by_chance = 100 * space.found["given"].rows.shape[1] / (len(space.distinct) - 1)
        sentence = f"{100 * again:.0f} % of the neighbors are the same in the other run; by chance {by_chance:.0f} %."
        yield finding("neighbors kept, other run", again, sentence)


def about_health(space, B, counts=None):
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

        cold = int(np.sum(filled & (counts == 0)))
        sentence = f"{cold} items with a count of 0 are not zero: nothing trained these."
        yield finding("untrained rows", cold, sentence, 0, not cold)
        lengths = np.linalg.norm(np.asarray(B[space.queries], dtype=float), axis=1)
        if np.ptp(lengths) > 1e-6 * lengths.max() and np.ptp(counts[space.queries]) > 0:
            r = float(np.corrcoef(rankdata(lengths), rankdata(counts[space.queries]))[0, 1])
            yield finding("length and frequency", r, f"Rank correlation of length and frequency: {r:.2f}.")


def about_labels(space, labels):
    """Findings on the share of neighbors with an item's own label, in every gauge."""
    for name, near in space.found.items():
        own = np.mean(labels[near.rows] == labels[near.items, None], axis=1)
        error = 1.96 * np.std(own) / np.sqrt(len(own))
        words = GAUGES.get(name, "as given" if name == "given" else "balanced by counts").split(" (")[0]
        shares = f"{100 * own.mean():.0f} ± {100 * error:.0f} %"
        sentence = f"{words.capitalize()}: {shares} of the neighbors have the item's own label."
        yield finding(f"same label, {name}", float(own.mean()), sentence)


def advice(answer, has_users, ranking=False):
    """What to do, with its reason and its price: a sentence or two."""
    how = "correlations of the items' columns of scores" + (", each less its user's mean" if ranking else "")
    cure = f"the safe items, whose cosines are the {how}; no choice of M changes these"
    price = "Two items are then alike if the model recommends them to the same users, which need not be what you mean"
    if answer == "yes":
        return (
            "Keep these cosines, and trust them where they are above the threshold of chance. Whether they mean what "
            "you need is for labels or held-out data to say; whether training comes to the same minimum again, for a "
            "second run (again)."
        )
    if answer == "by convention":
        return (
            "Say which form you use. VΣ has the cosines of the columns of scores; V and V√Σ weigh weak directions more."
            + (f" Or use {cure}." if has_users else "")
        )
    if has_users:
        first = "Say how the model was trained; until then use" if answer == "unknown" else "Use"
        return f"{first} {cure}. {price}."
    if answer == "unknown":
        return (
            "Run this again with the other factor and with how the model was trained. Until then read the nearest "
            "neighbors as suggestions, and let nothing depend on their order."
        )
    return (
        "Rank by the model's own scores, or run this again with the other factor, which brings safe items. Otherwise "
        "retrain: with a penalty on both factors until they are balanced, or with cosines inside the loss."
    )
