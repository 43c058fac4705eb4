"""Are cosines of item embeddings determined? What the objective implies, and what the numbers say to it."""

from typing import NamedTuple

import numpy as np

from helpers.gauges import (
    Scales,
    constant_columns,
    free_scales,
    has_constant,
    have_length_one,
    imbalance,
    moments,
    unseen_directions,
)

OBJECTIVES = "product", "factors", "ranking", "none", "normalized", "unknown"
TOLERATED = 0.05  # imbalance, and share of neighbors that balancing may move
HALF = 0.5 - 1e-9  # of an item's neighbors, beyond which a warning counts it

FREE = "the scores stay the same when users are multiplied by any invertible M and items by its inverse transposed"
REASONS = {
    "product": f"a penalty on the product, and dropout or noise at the input, see only the scores, and {FREE}",
    "ranking": f"a ranking loss without a penalty sees only the scores, and {FREE}; nor does it see a vector added "
    "to all items",
    "none": f"without a penalty the loss sees only the scores, and {FREE}; the start chose these cosines",
    "unknown": "whether training decides them depends on the objective, which was not given",
}
SOURCES = {
    "product": "[Counting the freedom](counting.ipynb)",
    "ranking": "[Beyond linear models](beyond-linear.ipynb)",
    "none": "[Counting the freedom](counting.ipynb)",
    "factors": "[The second objective](second-objective.ipynb)",
    "normalized": "[Remedies, proved](remedies.ipynb)",
    "unknown": "[Counting the freedom](counting.ipynb)",
}


class Evidence(NamedTuple):
    """What was seen in a model, None where it could not be.

    imbalance of users and items; moved, the share of the nearest neighbors that balancing exchanges; biases, constant
    columns such as "users:8"; unit, the factors whose rows have length one; scales, what unit lengths leave free;
    unseen, how many directions of the items no user has a part in; torn, the items of which balancing exchanges half of
    the neighbors; level, whether a direction of the items is nearly constant.
    """

    imbalance: float | None
    moved: float | None
    biases: list
    unit: list
    scales: Scales | None
    unseen: int | None
    torn: int = 0
    level: bool = False


class Verdict(NamedTuple):
    """determined, "yes", "no" or "unknown"; the reason, half a sentence; warnings, sentences."""

    determined: str
    reason: str
    warnings: list


def evidence(B, P=None, moved=None):
    """What is seen in items B (p, k) and users P (n, k) or None, as Evidence.

    moved, a number or one for each item (m,): the share of neighbors that balancing exchanges.
    """
    sides = {"items": B} | ({} if P is None else {"users": P})
    about = {name: moments(E) for name, E in sides.items()}
    biases = [f"{name}:{column}" for name in sides for column in constant_columns(about[name])]
    unit = [name for name, E in sides.items() if have_length_one(E)]
    if P is None:
        return Evidence(None, None, biases, unit, None, None, level=has_constant(about["items"]))
    scales = free_scales(*(sides[name] for name in reversed(unit or sides)))
    users, items = about["users"], about["items"]
    unseen = unseen_directions(users, items)
    torn = 0 if moved is None else int(np.sum(np.asarray(moved) >= HALF))
    moved = None if moved is None else float(np.mean(moved))
    return Evidence(imbalance(users, items), moved, biases, unit, scales, unseen, torn, has_constant(items))


def verdict(objective, seen):
    """What follows from an objective and what was seen of a model that is said to be trained by it: a Verdict.

    "yes" means that cosines are functions of the predictions, or of a minimum that is unique up to rotations. For
    objectives other than "factors" and "normalized" the verdict rests on theory alone: no number can change it.
    Raises ValueError for an objective that is none of OBJECTIVES.
    Source: the theorems on safe similarities, on Eq. 2's uniqueness and on training for cosines, of three chapters.
    """
    if objective not in OBJECTIVES:
        raise ValueError(f"objective must be one of {', '.join(OBJECTIVES)}, got {objective!r}")
    if objective == "factors":
        return of_factors(seen)
    if objective == "normalized":
        return of_normalized(seen)
    return Verdict("unknown" if objective == "unknown" else "no", REASONS[objective], [])


def of_factors(seen):
    """A penalty on both factors: of all factors with the same scores it takes balanced ones, unique up to a rotation.

    Balance decides, whatever the columns look like: a constant one is no bias if it is balanced with the rest.
    """
    if seen.imbalance is None:
        reason = "a penalty on both factors decides them once training has converged, which the other factor would show"
        return Verdict("unknown", reason, [])
    share = f"{100 * seen.imbalance:.{1 if seen.imbalance < 0.1 else 0}f} %"
    if seen.biases and seen.imbalance > TOLERATED:
        names = " and ".join(seen.biases)
        reason = f"users and items are {share} out of balance, and {names} is constant, as where a bias is stored"
        return Verdict("no", f"{reason} among the dimensions, whose scale no penalty sets", [])
    if seen.imbalance > TOLERATED:
        reason = f"a penalty on both factors makes users and items balanced, and these are {share} out of balance"
        return Verdict("no", reason, [])
    if seen.moved is not None and seen.moved > TOLERATED:
        reason = f"these are only {share} out of balance, but balancing moves {100 * seen.moved:.0f} % of the neighbors"
        return Verdict("no", reason, [])
    reason = f"a penalty on both factors leaves the scores only rotations, and these are only {share} out of balance"
    warnings = []
    if seen.torn:
        items = "1 item" if seen.torn == 1 else f"{seen.torn} items"
        found = f"Balancing exchanges half of the nearest neighbors of {items}, or more"
        warnings.append(f"{found}: these are not determined.")
    return Verdict("yes", reason, warnings)


def of_normalized(seen):
    """Cosines inside the loss: lengths of one on both sides leave rotations, if there are enough rows."""
    warnings = []
    if not seen.unit:
        warnings.append("No rows have length one: that cosines were inside the loss is taken on trust.")
    elif seen.scales is not None and len(seen.unit) == 1:
        warnings.append(f"Only {seen.unit[0]} have length one: normalizing after training decides nothing.")
    if seen.level:
        warnings.append(
            "A direction of the items is nearly constant, and a softmax over items does not see one vector added to "
            "all: if the loss was one, its probabilities may leave these cosines open."
        )
    if seen.unseen:
        reason = (
            f"no user has a part in {seen.unseen} of the items' dimensions, so that the predictions do not see them"
        )
        return Verdict("no", reason, warnings)
    if seen.scales is not None and seen.scales.alone:
        return of_free_scales(seen.scales, warnings)
    reason = "with cosines inside the loss, equal predictions imply equal cosines"
    if seen.scales is None:
        reason += ", if at least k(k + 1)/2 users and items were in it"
    return Verdict("yes", reason, warnings)


def of_free_scales(scales, warnings):
    """Neither users nor items alone decide all scales: "no" only where others surely exist."""
    if scales.surely:
        reason = f"unit lengths leave {scales.pooled} scales free: too few users and items for so many dimensions"
        return Verdict("no", reason, warnings)
    if scales.pooled:
        reason = f"unit lengths leave {scales.pooled} scales free to first order, too few directions for so many"
        return Verdict("unknown", f"{reason} dimensions", warnings)
    reason = f"unit lengths of users alone, or of items alone, leave {scales.alone} or more scales free"
    reason += "; both together exclude other solutions nearby, and not elsewhere"
    return Verdict("unknown", reason, warnings)


def recommendation(answer, has_users, centering=True, center_items=False):
    """What to do: one of five names, and a sentence with its reason and its price.

    has_users, whether there is a cure; centering, whether it is centered; center_items, whether the mean item is
    subtracted, too.

    "keep", "project back, centered", "project back", "use the scores", "say how it was trained".
    """
    if answer.determined == "yes":
        return "keep", (
            "Keep these cosines, and trust them where they are above the threshold of chance. They answer to training, "
            "not to taste: whether they mean what you need is for labels or held-out data to say."
        )
    if has_users:
        how = f"the {'correlations' if centering else 'cosines'} of the items' columns of scores"
        how += ", each less its user's mean" if centering and center_items else ""
        return "project back, centered" if centering else "project back", (
            f"Use safe-items.npy in place of the embeddings: its cosines are {how}, "
            "which no choice of M can change. The price: two items are alike if the model recommends them to the same "
            "users, which need not be what you mean by alike."
        )
    if answer.determined == "unknown":
        return "say how it was trained", (
            "Run this again with the objective and with the other factor; until then, read the ten nearest neighbors "
            "as suggestions, and let nothing depend on their order."
        )
    return "use the scores", (
        "Rank by the model's own scores, or run this again with the other factor, which brings a cure. Otherwise "
        "retrain: with a penalty on both factors until they are balanced, or with cosines inside the loss."
    )
