"""Safe items as a map that is fitted once, and applied to items that come later."""

import zipfile
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, issparse

from cosine_audit import gauges as g
from cosine_audit.checks import InputError
from cosine_audit.models import model_of
from cosine_audit.neighbors import overlap, search, top
from cosine_audit.objectives import what_was_said

SHARES = 0.0, 0.25, 0.5, 0.75, 1.0
GIVEN, MANY = "given", 0.95
FOUND, ASKED, DRAWS, AT_ONCE = 20, 2_000, 2_000, 512  # items in a list, users and items asked, draws, rows at once


@dataclass(frozen=True)
class SafeItems:
    """The map of items to safe items: an item b becomes (b / size − origin)ᵀ matrix, see `safe_items`.

    size is 1, or the items' largest entry where products of entries would overflow or vanish.
    """

    gauge: g.Gauge
    size: float
    share: float

    @classmethod
    def fit(cls, items, users, *, share=g.SHARE, center=True, ranking=False):
        """From items (p, k) and users (n, k), all of them; see `safe_items` for the rest."""
        share = valid_share(share)
        if users is None:
            raise ValueError("users must be a matrix, the other factor, got None")
        B, P = g.valid_pair(items, users)
        gauge = g.safe_gauge(g.moments(P), g.moments(B), center=center, ranking=ranking, share=share)
        gauge = gauge._replace(matrix=gauge.matrix * g.signs(g.in_gauge(B, gauge)))
        size = np.abs(g.as_array("items", items)).max() / np.abs(B).max()
        return cls(gauge, float(size), share)

    def transform(self, new_items):
        """Safe items (m, r) of items (m, k) of the same model; rows that are zero stay zero."""
        B = g.valid_matrix("new_items", new_items)
        k = len(self.gauge.matrix)
        if B.shape[1] != k:
            raise ValueError(f"new_items must have {k} columns, as items had, got {B.shape[1]}")
        return g.in_gauge(B if self.size == 1 else B / self.size, self.gauge)

    def save(self, path):
        """Write an .npz file."""
        ruler = {} if self.gauge.ruler is None else {"ruler": self.gauge.ruler}
        with open(path, "wb") as stream:
            np.savez(
                stream, origin=self.gauge.origin, matrix=self.gauge.matrix, size=self.size, share=self.share, **ruler
            )

    @classmethod
    def load(cls, path):
        """What save wrote; InputError for another file. Nothing is unpickled."""
        try:
            with np.load(path, allow_pickle=False) as held:
                arrays = {name: np.asarray(held[name], dtype=float) for name in held.files}
            gauge = g.Gauge(arrays["origin"], arrays["matrix"], arrays.get("ruler"))
            size, share = float(arrays["size"]), float(arrays["share"])
        except (ValueError, KeyError, TypeError, EOFError, AttributeError, zipfile.BadZipFile):
            raise InputError(f"{path}: expected a file that SafeItems.save wrote, got another") from None
        if gauge.matrix.ndim != 2 or gauge.origin.shape != gauge.matrix.shape[:1]:
            raise InputError(f"{path}: expected a matrix and its origin, got shape {gauge.matrix.shape}")
        return cls(gauge, size, share)


def valid_share(share):
    """A number from 0 to 1."""
    if isinstance(share, bool) or not isinstance(share, int | float | np.integer | np.floating) or not 0 <= share <= 1:
        raise ValueError(f"share must be a number from 0 to 1, got {share!r}")
    return float(share)


class Choice(NamedTuple):
    """Which share `choose_share` picks, and what that is worth; scores are recall or rank correlation, dimensionless.

    alike: the shares not told apart from the best, itself included; share: of these the nearest to ½, which mostly
    changes least; scores: {"given" or a share: score}; gain: the score of the pick less that of the items as given, and
    its 95 % interval; kept: the share of an item's ten nearest neighbors as given that stay.
    """

    share: float
    best: float
    alike: tuple
    scores: dict
    gain: tuple
    kept: float

    @property
    def decided(self):
        """Whether any share is told apart from the best."""
        return len(self.alike) < len(SHARES)

    @property
    def ahead(self):
        """1 if the pick is ahead of the items as given, −1 if behind, 0 if they cannot be told apart."""
        return int(self.gain[1] > 0) - int(self.gain[2] < 0)

    def __str__(self):
        """Which share, whether another may be as good, and what the pick changes."""
        alike = " and ".join(f"{share:g}" for share in self.alike)
        told = f"not told apart from it: {alike}" if self.decided else "no two shares can be told apart"
        versus = {1: "ahead of", 0: "not told apart from", -1: "behind"}[self.ahead]
        gain, low, high = self.gain
        at = lambda name: name if name == GIVEN else f"{name:g}:"  # noqa: E731
        return (
            f"Share {self.share:g}. Best: {self.best:g}; {told}.\n"
            f"Scores: {', '.join(f'{at(name)} {score:.3f}' for name, score in self.scores.items())}.\n"
            f"The pick is {versus} the items as given: {gain:+.3f}, 95 % interval {low:+.3f} to {high:+.3f}.\n"
            f"{self.kept:.0%} of the neighbors as given stay{': it hardly matters' if self.kept > MANY else ''}."
        )


def choose_share(items, users=None, interactions=None, pairs=None, *, ranking=False):
    """Which share of `SafeItems` finds most of what was hidden, or agrees best with judged pairs.

    A fifth of each user's interactions is hidden (at least one); recall@20 is the share of them among the twenty items
    whose cosines with the user's others have the largest sum. With pairs their rank correlation (Spearman) decides.
    Intervals are from 2 000 bootstrap draws of users or pairs; those of the best and another share are 95 % for all
    four together. Shares that are not told apart from the best are alike; the nearest of them to ½ is picked.
    Parameters: items (p, k), users (n, k), or a fitted model as `audit` takes; interactions (m, p), dense or sparse,
    nonzero where taken, columns in the items' order, of users that the model was not trained on, or later ones; pairs
    (first, second, judgments), item numbers and numbers; ranking as in `SafeItems`, which a model says. Returns: a
    Choice; print it. Raises ValueError or TypeError that names argument and value.
    """
    model = model_of(items, users)
    items, users = model.items, model.users
    ranking = ranking or what_was_said(model.trained_by, model.objective).ranking
    if (interactions is None) == (pairs is None):
        raise ValueError(f"interactions or pairs must be given, got {'neither' if pairs is None else 'both'}")
    tables = [items] + [SafeItems.fit(items, users, share=s, ranking=ranking).transform(items) for s in SHARES]
    units = [g.directions(np.asarray(E)) for E in tables]
    n, score = by_pairs(units, pairs) if pairs is not None else by_hidden(units, interactions)
    scores, rng = score(np.arange(n)), np.random.default_rng(0)
    drawn = np.array([score(rng.integers(n, size=n)) for _ in range(DRAWS)])
    best = 1 + int(np.argmax(scores[1:]))
    worse = np.quantile(drawn[:, [best]] - drawn[:, 1:], 0.025 / (len(SHARES) - 1), axis=0) > 0
    alike = [i for i in range(1, len(tables)) if not worse[i - 1]]
    pick = min(alike, key=lambda i: (abs(SHARES[i - 1] - 0.5), -scores[i]))
    low, high = np.quantile(drawn[:, pick] - drawn[:, 0], [0.025, 0.975])
    queries = np.unique(np.linspace(0, len(units[0]) - 1, ASKED).astype(int))
    lists = [search(units[i], queries, min(10, len(units[i]) - 1)).rows for i in (0, pick)]
    return Choice(
        SHARES[pick - 1],
        SHARES[best - 1],
        tuple(SHARES[i - 1] for i in alike),
        dict(zip((GIVEN, *SHARES), map(float, scores), strict=True)),
        (float(scores[pick] - scores[0]), float(low), float(high)),
        overlap(*lists),
    )


def by_pairs(units, pairs):
    """How many pairs there are, and a function of their numbers: the rank correlation of each table's cosines."""
    from scipy.stats import rankdata

    columns = [g.as_array("pairs", column) for column in pairs] if np.iterable(pairs) else []
    n = columns[0].size if len(columns) == 3 else 0
    if n < 3 or any(column.shape != (n,) for column in columns):
        got = " ".join(str(column.size) for column in columns[:9]) or f"{pairs!r:.40}"
        raise ValueError(f"pairs must be three columns of 3 pairs or more, got {got}")
    first, second, judgments = columns
    g.valid_numbers("judgments of pairs", judgments)
    if np.all(judgments == judgments[0]):
        raise ValueError(f"judgments of pairs must differ, got {judgments[0]} alone")
    kinds = [rows.dtype for rows in (first, second) if rows.dtype.kind not in "iu"]
    if kinds:
        raise ValueError(f"pairs must name items by integers, got {kinds[0]}")
    wrong = [i for i in (*first, *second) if not 0 <= i < len(units[0])]
    if wrong:
        raise ValueError(f"pairs must name items by 0 to {len(units[0]) - 1}, got {wrong[0]}")
    cosines = np.stack([np.sum(U[first] * U[second], axis=1) for U in units], axis=1).round(10)

    def score(rows):
        ranks = rankdata(np.column_stack([judgments[rows], cosines[rows]]), axis=0)
        ranks -= ranks.mean(axis=0)
        lengths = np.linalg.norm(ranks, axis=0)
        return ranks[:, 0] @ ranks[:, 1:] / np.maximum(lengths[0] * lengths[1:], 1e-12)

    return n, score


def by_hidden(units, interactions):
    """How many users were asked, and a function of their numbers: the mean recall of each table's cosines."""
    X = csr_array(interactions) if issparse(interactions) else g.as_array("interactions", interactions)
    if X.ndim != 2 or X.shape[1] != len(units[0]):
        raise ValueError(f"interactions must have {len(units[0])} columns, one for each item, got shape {X.shape}")
    g.valid_numbers("interactions", X.data if issparse(X) else X, least=0)
    X = csr_array(X)
    X.eliminate_zeros()
    rng = np.random.default_rng(0)
    rows = rng.permutation(np.flatnonzero(np.diff(X.indptr) >= 2))[:ASKED]
    if len(rows) < 2:
        raise ValueError(f"interactions must have 2 rows or more with two items or more, got {len(rows)}")
    taken = [rng.permutation(X.indices[X.indptr[i] : X.indptr[i + 1]]) for i in rows]
    values = np.stack([recalls(U, taken) for U in units], axis=1)
    return len(values), lambda rows: values[rows].mean(axis=0)


def recalls(U, taken):
    """The share of the first fifth of each user's items, hidden, that is among the most similar to the others."""
    found, n = [], min(FOUND, len(U) - 1)
    parts = [np.split(items, [max(1, len(items) // 5)]) for items in taken]
    for start in range(0, len(taken), AT_ONCE):
        hidden, shown = zip(*parts[start : start + AT_ONCE], strict=True)
        S = np.stack([U[items].sum(axis=0) for items in shown]) @ U.T
        for row, items in zip(S, shown, strict=True):
            row[items] = -np.inf
        best = top(S, n)
        found += [(items[:, None] == near).sum() / min(len(items), n) for items, near in zip(hidden, best, strict=True)]
    return np.array(found)
