"""From evidence and objective to a verdict, its reason, what it rests on, and the advice.

*Yes* means: at the minimum, stably, every model with the same predictions has these cosines. So it does not say what
holds along the way to the minimum (where the gradient is zero in the items' factor alone, their cosines are functions
of the scores, too, but such that an error of the scores is multiplied by the order of 1/λ), nor that the minimum has
only these predictions.
"""

from functools import partial
from typing import NamedTuple

from cosine_audit.neighbors import beyond_chance
from cosine_audit.objectives import OBJECTIVES, ByBalance, ByConvention, ByFeatures, ByLengths, ByTheory
from cosine_audit.thresholds import (
    COLLAPSED,
    CROSSED,
    FAINT,
    FLAT,
    HALF,
    MOVED,
    SAME,
    SHIFTED,
    STRETCH,
    TOLERATED,
    TORN,
)
from cosine_audit.words import percent


class Verdict(NamedTuple):
    """answer, "yes", "no", "unknown" or "by convention"; reason; rests_on, "theory alone" or "theory and numbers".

    keep, the share of neighbors that balancing would exchange, where a model that is not there may be kept; else None.
    """

    answer: str
    reason: str
    rests_on: str = "theory and numbers"
    keep: float | None = None

    @property
    def headline(self):
        """The answer as a sentence, with its "if"."""
        if self.keep is not None:
            return f"No, but you may keep these cosines: balancing would change {percent(self.keep)} of the neighbors."
        return WORDS[self.answer]


WORDS = {
    "yes": "Yes, if it was trained as you say: models with the same predictions have the same cosines.",
    "no": "No: training did not determine these cosines.",
    "unknown": "Unknown: whether training determined these cosines.",
    "by convention": "By convention: the decomposition is unique, its cosines are not.",
}


no, unknown = partial(Verdict, "no"), partial(Verdict, "unknown")


def decide(objective, seen):
    """What follows from an objective and what was seen of a model that is said to be trained by it: a Verdict."""
    said = OBJECTIVES[objective]
    match said.rule:
        case ByTheory(answer):
            verdict = Verdict(answer, said.reason, "theory alone")
        case ByConvention():
            verdict = by_convention(said, seen)
        case ByFeatures():
            verdict = by_features(said, seen)
        case ByBalance():
            verdict = by_balance(said, seen)
        case ByLengths():
            verdict = by_lengths(said, seen)
    if seen.collapsed and verdict.rests_on != "theory alone":
        verdict = Verdict("no" if verdict.answer == "no" else "unknown", collapse(seen))
    return doubted(verdict, seen) if verdict.answer == "yes" else verdict


def doubted(verdict, seen):
    """A yes, or why it is unknown: rows that nothing trained, or another run of which chance explains the half."""
    if seen.untrained:
        rows = f"{seen.untrained} rows with a count of 0 are not zero"
        return unknown(f"{rows}: nothing trained these, nor their cosines; leave them out")
    if seen.again is not None and beyond_chance(seen.again, seen.again_by_chance) < HALF:
        same = f"only {percent(seen.again)} of the neighbors are the same in the other run"
        chance = f"{percent(seen.again_by_chance)} would be by chance"
        return unknown(f"{verdict.reason}; but {same} ({chance}): the two are not at one minimum")
    return verdict


def collapse(seen):
    """What a model of nearly one direction has to do with the answer."""
    which = f"{' and '.join(seen.collapsed)} have collapsed: one direction holds {100 * COLLAPSED:.1f} % or more"
    return f"the {which}, so that cosines along it are nearly 1 or −1, and what is left orders the neighbors"


def by_convention(said, seen):
    """V, V√Σ or VΣ, rotated or not; another M on both factors is no convention. Items alone cannot show it."""
    if seen.pair is not None and seen.pair.crossed > CROSSED:
        return unknown("users and items are not one decomposition's: PᵀP and BᵀB do not commute, as after another M")
    return Verdict("by convention", said.reason, "theory alone")


def by_features(said, seen):
    """The minimum of a convex loss with an L2 penalty on the classes is one, and a sum of features times slopes.

    The slopes of a softmax sum to zero over the classes. Those of one class against the rest do not, but then nothing
    tells a class vector from one that was shifted. Steps from zero have both, too, wherever they end: so a yes needs
    features that leave nearly the same classes to nearly the same scores, whether or not training came to the minimum.
    """
    if seen.pair is None:
        return unknown(f"{said.reason}; whether they are there, the features would show", "theory alone")
    if seen.same > SAME:
        return given_twice(seen, "span")
    if seen.pair.labels is not None:
        return at_minimum(said, seen)
    if seen.pair.outside > TORN:
        outside = f"{percent(seen.pair.outside)} of the classes lie partly where the features hardly reach"
        return unknown(f"{outside}, so that the scores hardly show these parts")
    if seen.pair.shift() > SHIFTED:
        return unknown(
            "the classes do not sum to zero, as a softmax with a penalty makes them; it sees no common shift"
        )
    if seen.pair.loose > TOLERATED:
        much = "by any amount" if seen.pair.loose > 1 else f"by up to {seen.pair.loose:.2f} on average"
        return unknown(
            f"scores that change by 1 % may change the classes' cosines {much}, as the features hardly vary in some "
            "direction, and classes alone do not show whether training came to the minimum"
        )
    return Verdict("yes", f"{said.reason}; whether training came to it, labels would show (user_labels)")


def at_minimum(said, seen):
    """A yes where the gradient is zero, so near that no class has far to go to the only minimum."""
    if seen.pair.to_go > TOLERATED:
        far = "more than their length" if seen.pair.to_go > 1 else f"{percent(seen.pair.to_go)} of their length"
        return unknown(
            f"the gradient of a softmax with an L2 penalty is not zero: on average classes may be {far} from the "
            "minimum; train on (a smaller tol), or was it another loss, with weights of classes, say?"
        )
    short = f"on average these are within {percent(seen.pair.to_go)} of their length from it, as the gradient shows"
    return Verdict("yes", f"{said.reason}; {short}")


def by_balance(said, seen):
    """Of all factors with the same scores the penalty takes balanced ones, unique up to a rotation.

    Balance decides, whatever the columns look like: a constant one is no bias if it is balanced with the rest. With
    counts it is that of Pᵀ diag(n_u) P and Bᵀ diag(n_i) B. Steps decay only the rows they draw, so that balance is no
    sign of the minimum, and a yes is unknown.
    """
    weighted, steps, biases = said.rule
    balance = seen.weighted if weighted else seen.balance
    if balance is None:
        counts = "and the counts of its rows and of the items would show (item_counts, user_counts)"
        how = f"the other factor {counts if weighted else 'would show'}"
        return unknown(f"{said.reason}; whether they are, {how}", "theory alone")
    if seen.same > SAME:
        return given_twice(seen, "balance")
    off, keep = f"{percent(balance.imbalance)} out of balance", None if steps else may_be_kept(balance.change)
    if balance.imbalance > TOLERATED:
        return out_of_balance(said, seen, off, keep)
    if not is_stable(balance):
        return no(f"users and items are only {off}, but {moves(balance.change)}", keep=keep)
    if seen.random:
        return unknown("both factors are as large in every direction, as tables that nothing trained are")
    if biases and seen.pair.off_center > SHIFTED:
        return unknown(
            f"users and items are only {off}, but a mean user or a mean item is not 0, where biases without a penalty "
            "take it; with a penalty on biases, too, the numbers do not show the minimum"
        )
    return Verdict("unknown" if steps else "yes", f"{said.reason}; these are only {off}")


def out_of_balance(said, seen, off, keep):
    """No, unless no entry is below zero; and whether a bias among the dimensions is why."""
    if seen.nonnegative:
        why = "no entry is below zero: a penalty then balances the lengths of columns alone"
        return unknown(f"{why}, and whether other such factors have the same scores is not checked")
    if seen.biases:
        names = " and ".join(seen.biases)
        constant = f"{names} is constant, as where a bias is stored among the dimensions: leave such columns out"
        return no(f"users and items are {off}, and {constant}")
    there = "" if said.rule.steps else ", so training did not get there"
    return no(f"{said.reason}; these are {off}{there}", keep=keep)


def given_twice(seen, what):
    """Unknown, as the users are the items."""
    same = f"{percent(seen.same)} of the users' rows are parallel to items' rows, so their {what} shows nothing"
    return unknown(f"{same}: was one table given twice, or is it one encoder?")


def is_stable(balance):
    """Whether balancing leaves cosines nearly as they are, and nearly all of the neighbors, of nearly every item.

    Two models with the same scores that both pass may lie on opposite sides of the balanced one, and differ by twice
    as much as each does from it: so 1.025 and 2.5 % are half of what is tolerated. A map of condition c² moves a cosine
    by at most tanh 2 ln c, which is 0.05 for c = 1.025: no pair is worse off, however small the direction it depends
    on, down to a thousandth of the largest. In smaller ones the items that are looked up show it: of hardly any may one
    cosine change by more than 0.025. Converged models are at 1.000 to 1.007. Neighbors are asked for as well: near ties
    exchange them for less.
    """
    change = balance.change
    few = change is not None and change.share <= MOVED and max(change.torn_share, change.bent) <= TORN
    return few and change.stretch <= STRETCH


def moves(change):
    """What balancing would do."""
    if change is None:
        return "balancing leaves hardly any item a direction"
    torn = f", half or more of those of {change.torn} items" if change.torn_share > TORN else ""
    return (
        f"balancing stretches one direction {change.stretch:.2f} times as much as another, changes a cosine by "
        f"{change.mean:.2f} on average and moves {percent(change.share)} of the neighbors{torn}"
    )


def may_be_kept(change):
    """The share of neighbors that balancing would exchange, if that is so few that one may live with it; else None.

    At most one of twenty neighbors, at most 0.05 of a cosine on average (it is read to one digit), and of hardly any
    item (one in a hundred) half of the neighbors: an average must not hide those few.
    """
    few = change is not None and max(change.share, change.mean) <= TOLERATED and change.torn_share <= TORN
    return change.share if few else None


def by_lengths(said, seen):
    """Cosines inside the loss: lengths of one leave rotations, if directions pin down every scale.

    One softmax, over the items, leaves P B' = P'B'' with B' less one item's row: users' p pᵀ that span the symmetric
    matrices make the map of the users orthogonal, and items in no common hyperplane exclude a translation. Or the
    items hold map and translation themselves, if no quadric but the sphere contains them all, and users have rank k.
    A second softmax, over the users, leaves one constant c for all scores, and lets the sides change places.
    """
    if seen.pair is None:
        return unknown(f"{said.reason}, under conditions that the users' rows would show", "theory alone")
    if seen.unseen:
        return no(f"no user has a part in {seen.unseen} of the items' dimensions: predictions do not see them")
    if len(seen.unit) < 2:
        which = f"only {seen.unit[0]} have" if seen.unit else "no side has"
        why = f"{which} rows of length one, so nothing shows that cosines were inside the loss"
        return unknown(f"{why}: normalizing after training decides nothing")
    if seen.same > SAME:
        return given_twice(seen, "spread")
    return too_few_dimensions(said, seen) or by_directions(said, seen)


def too_few_dimensions(said, seen):
    """A Verdict where the items do not fill k dimensions, or lie in a hyperplane, as k of them do; else None.

    Items of rank r < k: with g < 1, the items g b are brought to length one in a dimension that no user has any part
    in, and the temperature divided by g; all scores stay. What users have outside the items' span moves to another
    dimension, so that this takes r < k − 1; with one softmax users may have a part in the new one, if all items have
    the same.
    """
    pair, k = seen.pair, len(seen.pair.about["items"].mean)
    if pair.rank < k:
        few = f"the items fill only {pair.rank} of {k} dimensions"
        if pair.rank < k - said.rule.both:
            return no(f"{few}: shorter inside these and made up for outside, they would have the same predictions")
        return unknown(f"{few}: whether others have the same predictions is not checked")
    side, sizes = min(pair.sizes.items(), key=lambda one: one[1][-1])
    if sizes[-1] < FAINT:
        return unknown(f"the {side} hardly fill all {k} dimensions: one has {percent(FAINT)} of the largest, or less")
    if pair.faintest < FAINT:
        less = f"their mean square along it is below {percent(FAINT)} of the items'"
        return unknown(f"the users hardly see a direction in which the items differ: {less}")
    plane = "the items lie in a common hyperplane, or nearly, and a softmax does not see one vector added to all items"
    if seen.flatness < FLAT and not said.rule.both:
        return no(f"{plane}, so that another height with the same probabilities has other cosines")
    return None


def by_directions(said, seen):
    """Whose directions pin down every scale; "no" only where other solutions surely exist.

    Items may be raised, moved along a direction that users hardly see, or measured by other scales: each alone, at most
    as far as a change of the scores by 1 % lets it.
    """
    pair, both = seen.pair, said.rule.both
    raised = {"users": pair.raised} | ({"items": pair.raised_unseen} if both else {})  # by the softmax that shows it
    lifted = max(min(raised.values()), pair.drift(both))
    ways = [("users", False, max(pair.raised, pair.drift(both))), ("items", True, lifted)]
    if both:
        ways += [("items", False, max(pair.raised_unseen, pair.drift(both))), ("users", True, lifted)]
    for side, shifted, moved in ways:
        if moved <= TOLERATED and pair.held_by(side, shifted) <= TOLERATED:
            pinned = "the directions of users or items pin down every scale"
            firmly = f"scores that change by 1 % move a cosine by at most {TOLERATED} on average"
            return Verdict("yes", f"{said.reason}, and {pinned}: {firmly}, by one kind of change at a time")
    if pair.free:
        return no(f"unit lengths leave {pair.free} scales free: too few users and items for the dimensions")
    if lifted > TOLERATED and any(pair.held_by(side) <= TOLERATED for side in ("users", "items")):
        much = "by any amount" if lifted > 1 else f"by up to {lifted:.2f} on average"
        return unknown(
            "the items' height is hardly determined: raised along one direction, or moved along one that users hardly "
            f"see, at another temperature, they have cosines that differ {much}, and scores that differ by 1 %"
        )
    return unknown("neither the users' directions alone nor the items' alone pin down every scale firmly")


def contradictions(objective, seen):
    """What the numbers say against the objective that was named: sentences."""
    rule, said = OBJECTIVES[objective].rule, []
    if len(seen.unit) == 2 and not isinstance(rule, ByLengths | ByFeatures):
        said.append(
            "Both sides have rows of length one: was it trained on cosines? Then say so: two towers normalized, "
            "or objective normalized. (Normalized after training, they no longer hold the model's scores.)"
        )
    if seen.unit == ("items",) and seen.balance is not None:
        said.append("Only items have rows of length one: normalizing after training decides nothing.")
    if seen.collapsed and isinstance(rule, ByTheory | ByConvention):
        said.append(f"{collapse(seen).capitalize()}.")
    balanced = is_balanced(seen.balance, seen)
    if balanced and (rule == ByTheory("no") or objective == "unknown"):
        name = "penalized-ranking" if objective == "ranking" else "factors, or of a ranking loss penalized-ranking"
        said.append(
            f"Users and items are only {percent(seen.balance.imbalance)} out of balance, as a penalty on both factors "
            f"(weight decay) makes them: was there one? Then say objective {name}."
        )
    if is_balanced(seen.weighted, seen) and not balanced and not getattr(rule, "weighted", False):
        said.append("Users and items are balanced by their counts: was the penalty weighted by them? Then say so.")
    return said


def is_balanced(balance, seen):
    """Whether both factors were given and are balanced, and not because they are one table."""
    return balance is not None and balance.imbalance <= TOLERATED and is_stable(balance) and seen.same <= SAME


def advice(verdict, objective, has_users):
    """What to do, with its reason and its price: a sentence or two."""
    cure = "the safe items, whose cosines depend on the scores alone: no choice of M changes these"
    price = "That makes cosines determined, not better: whether lists get better, ask your own data (choose_share)"
    if verdict.answer == "yes":
        return (
            "Keep these cosines of rows that were trained (rows without interactions are not decided), and trust them "
            "where they are above the threshold of chance. Whether they mean what you need is for labels or held-out "
            "data to say; whether training comes to the same minimum again, for a second run (again)."
        )
    if verdict.answer == "by convention":
        return (
            "Say which form you use. VΣ has the cosines of the columns of scores; V and V√Σ weigh weak directions more."
            + (f" Or use {cure}." if has_users else "")
        )
    if verdict.keep is not None:
        return f"Keep these cosines, if so few other neighbors do no harm; else train on, or use {cure}."
    if objective == "unknown":
        first = "use " + cure if has_users else "read the nearest neighbors as suggestions"
        return f"Say how the model was trained{'' if has_users else ', and pass the other factor'}; until then {first}."
    if OBJECTIVES[objective].rule == ByTheory("unknown"):
        return (
            "No other file can settle this. Judge the nearest neighbors by labels, or by pairs that people compared; "
            "until then let nothing depend on their order."
        )
    if verdict.answer == "unknown" and not has_users:
        return (
            "Run this again with the other factor. Until then read the nearest neighbors as suggestions, and let "
            "nothing depend on their order."
        )
    if has_users:
        first = "Until the reason is settled use" if verdict.answer == "unknown" else "Use"
        return f"{first} {cure}. {price}."
    return (
        "Rank by the model's own scores, or run this again with the other factor, which brings safe items. Otherwise "
        "retrain: with a penalty on both factors until they are balanced, or with cosines inside the loss."
    )
