"""Two trainings of one model: which nearest neighbors stay, as given, by safe items, and after a rotation."""

from dataclasses import asdict, dataclass

import numpy as np

from cosine_audit import __version__
from cosine_audit import gauges as g
from cosine_audit.models import model_of
from cosine_audit.neighbors import beyond_chance, overlap, search
from cosine_audit.objectives import what_was_said
from cosine_audit.words import Written, lines_of

N, SAMPLE, FEWEST = 10, 1_000, 5
WAYS = {
    "given": "As given",
    "safe": "By safe items, which depend on the scores alone",
    "rotated": "Asked in the old table by new vectors, after the best rotation",
}


def compare(old, new, names=None, *, trained_by=None):
    r"""Which nearest neighbors two trainings share: a Comparison.

    Shares are of the ten nearest of each item, on average; beyond chance, with p items, they are

    .. math:: (\text{share} - c)/(1 - c), \qquad c = 10/(p - 1)

    The best rotation is the orthogonal R that minimizes :math:`\|U_{\text{new}} R - U_{\text{old}}\|_F` for the rows at
    length one (orthogonal Procrustes).
    Parameters: old and new, each items (p, k), a pair (items, users), or a fitted model as `audit` takes; names of the
    items, of both, or a pair of the old ones' and the new ones', by which items are joined, else by the models' names,
    else by row; trained_by, a library, which says whether a constant for each user is free.
    Raises ValueError or TypeError that names argument and value.
    """
    pair = names if isinstance(names, tuple) and len(names) == 2 else (names, names)
    sides = [side(*one, trained_by) for one in (("old", old, pair[0]), ("new", new, pair[1]))]
    rows = joined(*sides)
    U, V = (g.directions(one.items[some]) for one, some in zip(sides, rows, strict=True))
    filled = np.flatnonzero(U.any(axis=1) & V.any(axis=1))
    if len(filled) < FEWEST:
        raise ValueError(f"old and new must share at least {FEWEST} items that are not zero, got {len(filled)}")
    rows, U, V = [some[filled] for some in rows], U[filled], V[filled]
    queries = g.drawn(len(U), SAMPLE)
    n = max(1, min(N, (len(U) - 1) // 2))
    found = {"given": kept(U, V, queries, n)}
    if all(one.users is not None for one in sides):
        ranking = any(what_was_said(one.trained_by, one.objective).ranking for one in sides)
        safe = [g.safe_items(items=one.items, users=one.users, ranking=ranking) for one in sides]
        found["safe"] = kept(*(g.directions(S[some]) for S, some in zip(safe, rows, strict=True)), queries, n)
    found["rotated"] = kept(U, U, queries, n, asking=V @ rotation(V, U))
    alone = [len(one.items) - len(some) for one, some in zip(sides, rows, strict=True)]
    return Comparison(found, n, len(U), len(queries), *alone, sides[0].names is not None)


def side(what, given, names, trained_by):
    """The Model of items, of a pair of items and users, or of a fitted model, with valid matrices and names."""
    items, users = given if isinstance(given, tuple) and len(given) == 2 else (given, None)
    model = model_of(items, users, what, names=names, trained_by=trained_by)
    B, P = g.valid_pair(model.items, model.users, f"{what} ")
    names = None if model.names is None else [str(name) for name in g.as_array("names", model.names).tolist()]
    if names is not None and len(names) != len(B):
        raise ValueError(f"names must have {len(B)} entries, as the {what} items have rows, got {len(names)}")
    if names is not None and len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"names must differ, got {twice[:40]!r} twice among the {what} items")
    return model._replace(items=B, users=P, names=names)


def joined(old, new):
    """Row numbers of the items that both have, in the order of the old ones: two arrays (m,)."""
    if (old.names is None) != (new.names is None):
        which = "old" if old.names is None else "new"
        raise ValueError(f"names must be those of both trainings, or of none, got none of the {which} items")
    if old.names is None:
        if len(old.items) != len(new.items):
            sizes = f"{len(old.items)} and {len(new.items)}"
            raise ValueError(f"names must join the items where their numbers differ, got none for {sizes} items")
        return [np.arange(len(old.items))] * 2
    places = {name: row for row, name in enumerate(new.names)}
    pairs = [(row, places[name]) for row, name in enumerate(old.names) if name in places]
    if not pairs:
        got = f"{old.names[0][:40]!r} … and {new.names[0][:40]!r} …"
        raise ValueError(f"names must have items that old and new share, got {got}, which share none")
    return list(np.array(pairs).T)


def kept(U, V, queries, n, asking=None):
    """The mean share of the n nearest of U (p, ·) that V (p, ·) has, too, among whose rows others may ask."""
    return overlap(search(U, queries, n).rows, search(V, queries, n, asking=asking).rows)


def rotation(V, U):
    """The R (j, k), of orthonormal rows or columns, that minimizes ‖V R − U‖."""
    left, _, right = np.linalg.svd(V.T @ U, full_matrices=False)
    return left @ right


@dataclass(frozen=True)
class Comparison(Written):
    """kept, the share of neighbors by way, "given", "safe" (with both users) and "rotated"; and what it is of."""

    kept: dict
    n: int
    items: int
    looked_up: int
    only_old: int
    only_new: int
    by_name: bool

    @property
    def chance(self):
        """The share that chance keeps."""
        return self.n / (self.items - 1)

    @property
    def beyond_chance(self):
        """The shares of what chance does not keep, by way."""
        return {way: beyond_chance(share, self.chance) for way, share in self.kept.items()}

    def to_dict(self):
        """Everything as plain values."""
        shares = {"kept": self.kept, "beyond_chance": self.beyond_chance}
        rounded = {name: {way: round(share, 6) for way, share in one.items()} for name, one in shares.items()}
        return asdict(self) | rounded | {"chance": round(self.chance, 6), "version": __version__}

    def __str__(self):
        """For the terminal."""
        how = "by name" if self.by_name else "by row"
        lines = [f"{self.items} items joined {how}, {self.looked_up} looked up; "]
        lines[0] += f"left out: {self.only_old} of the old, {self.only_new} of the new."
        for way, share in self.kept.items():
            beyond = f"{100 * self.beyond_chance[way]:.0f} % beyond chance"
            lines.append(f"{WAYS[way]}: {100 * share:.0f} % of the {self.n} nearest stay, {beyond}.")
        if "safe" not in self.kept:
            lines.append("Safe items need the users of both trainings.")
        return "\n".join(line for one in lines for line in lines_of(one, ""))
