"""Vectors of one text encoder, without users: what a cosine of .7 means here, and what centering would change."""

from dataclasses import dataclass

import numpy as np

from cosine_audit import __version__
from cosine_audit.gauges import as_array, drawn, unit, valid_integer, valid_matrix
from cosine_audit.neighbors import overlap, search
from cosine_audit.words import Written, lines_of, size_of

N, MOST = 10, 5_000  # neighbors of a text, and rows looked at
RATE, SPLITS = 1e-3, 20  # of random pairs above the threshold, and halves on which that is tried
FEW = 200  # rows; below, the threshold rests on less than 20 pairs
PLACE, NOTHING = "a cosine means its place among random pairs", "nothing is near anything"
DOUBLE, TOO_FEW = "remove near duplicates and look again", "too few rows to tell whether anything is near"
NOT_LOOKED_AT = (
    "whether training determined these cosines (cosine-audit vectors.npy queries.npy --trained-by …)",
    "whether near texts mean the same: judge some pairs yourself, or hide known ones",
    "other kinds of text: questions beside passages, short beside long ones have other levels",
    "prefixes such as 'query: ', which change the vectors",
)


def text_audit(vectors, pairs=None, *, sample=MOST):
    r"""What cosines of these vectors mean among themselves: a TextReport.

    The rows are brought to length one, u. The level is the mean cosine of two rows,

    .. math:: (n\|\bar u\|^2 - 1)/(n - 1) ;

    the threshold is the cosine that one random pair in a thousand exceeds; centering takes cosines of u minus the mean.
    All numbers are dimensionless.
    Parameters: vectors (n, d), a row for each text, n ≥ 50, d ≥ 2; pairs (m, 2), numbers of rows known to be alike;
    sample, how many rows at most are looked at, drawn at random.
    Raises ValueError or TypeError that names argument and value.
    """
    E = np.asarray(valid_matrix("vectors", vectors), float)
    if len(E) < 50 or E.shape[1] < 2:
        raise ValueError(f"vectors must have at least 50 rows and 2 columns, got shape {E.shape}")
    largest = np.abs(E).max(axis=1)
    if not largest.all():
        raise ValueError(f"vectors must have no row of zeros, got row {np.argmin(largest)}")
    E = E / largest[:, None]  # squares neither overflow nor vanish
    lengths = np.linalg.norm(E, axis=1)
    sample, pairs = valid_integer("sample", sample, 50), valid_pairs(pairs, len(E))
    rng = np.random.default_rng(0)
    U = E / lengths[:, None]
    with np.errstate(over="ignore"):
        sizes = largest * lengths
    seen = look(U[drawn(len(U), sample, rng)], rng)
    return TextReport(E.shape, (sizes.min(), sizes.max()), alike(U, pairs, rng), **seen)


def valid_pairs(pairs, n):
    """Numbers of two different rows each, (m, 2), or None."""
    if pairs is None:
        return None
    pairs = as_array("pairs", pairs)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not len(pairs) or pairs.dtype.kind not in "iu":
        raise ValueError(f"pairs must be integers of shape (m, 2), got {pairs.dtype} of shape {pairs.shape}")
    if pairs.min() < 0 or pairs.max() >= n:
        raise ValueError(f"pairs must be row numbers from 0 to {n - 1}, got {pairs.min()} to {pairs.max()}")
    if np.any(pairs[:, 0] == pairs[:, 1]):
        raise ValueError(f"pairs must be two different rows, got row {pairs[pairs[:, 0] == pairs[:, 1]][0, 0]} twice")
    return pairs


def look(U, rng):
    """What there is to see in rows of length one: fields of a TextReport."""
    mean, queries = U.mean(axis=0), np.arange(len(U))
    C = U - mean
    V = np.linalg.eigh(C.T @ C)[1][:, ::-1]
    half = U.shape[1] // 2
    given = search(U, queries, N + 1)
    lists = given.rows[:, :N]
    ways = {
        "centering": C,
        f"the first {half} dimensions": U[:, :half],
        f"{half} principal directions, not centered": U @ np.linalg.eigh(U.T @ U)[1][:, -half:],
        "8 bits, one range": np.round(U / np.abs(U).max() * 127),
        "8 bits, a range for each dimension": eight_bits(U),
    }
    columns = C @ V
    nearest = [search(unit(X), queries, 1).cosines[:, 0] for X in (columns, shuffled(columns, rng))]
    error = np.sqrt(sum(np.var(one) for one in nearest) / len(queries))
    counts = np.bincount(lists.ravel(), minlength=len(U))
    cosines = np.sort(random_pairs(U, queries, rng))
    return {
        "rows": len(U),
        "cosines": cosines,
        "level": (len(U) * mean @ mean - 1) / (len(U) - 1),
        "threshold": quantile(cosines),
        "held_out": np.array([above_elsewhere(U, rng) for _ in range(SPLITS)]),
        "kept": {way: overlap(lists, search(unit(X), queries, N).rows) for way, X in ways.items()},
        "hubs": (int(counts.max()), float(np.mean(counts == 0))),
        "duplicates": float(np.mean(given.cosines[:, 0] >= 0.9999)),
        "near": (nearest[0].mean() - nearest[1].mean()) / max(error, 1e-9),
        "beyond": int(np.sum(nearest[0] > nearest[1].max() + 1e-9)),
        "tied": float(np.mean(given.cosines[:, N - 1] - given.cosines[:, N] < 1e-9)),
    }


def shuffled(columns, rng):
    """Each column shuffled, then turned back to the columns' own covariance, which chance correlations have left."""
    X = np.column_stack([rng.permutation(column) for column in columns.T])
    lengths = np.linalg.norm(X, axis=0)
    left, _, right = np.linalg.svd(X / np.where(lengths > 0, lengths, 1), full_matrices=False)
    return left @ right * lengths


def eight_bits(U):
    """Whole numbers from −127 to 127, of the range of each column, as a multiple of that range."""
    step = np.abs(U).max(axis=0) / 127
    return np.round(U / np.where(step > 0, step, 1)) * step


def random_pairs(U, rows, rng, most=200_000):
    """Cosines of random pairs of two different rows."""
    i, j = rng.choice(rows, (2, most))
    i, j = i[i != j], j[i != j]
    parts = zip(np.array_split(i, 20), np.array_split(j, 20), strict=True)  # not all at once in memory
    return np.concatenate([np.einsum("ij,ij->i", U[a], U[b]) for a, b in parts])


def quantile(cosines):
    """The cosine that one pair in a thousand exceeds."""
    return float(np.quantile(cosines, 1 - RATE))


def above_elsewhere(U, rng):
    """The share of one half's pairs above the threshold that the other half sets."""
    one, two = np.array_split(rng.permutation(len(U)), 2)
    return np.mean(random_pairs(U, two, rng, 50_000) > quantile(random_pairs(U, one, rng, 50_000)))


def alike(U, pairs, rng):
    """The share of pairs known to be alike above the threshold, given and centered; None without pairs."""
    if pairs is None:
        return None
    found = {}
    for way, X in (("as given", U), ("centered", unit(U - U.mean(axis=0)))):
        cut = quantile(random_pairs(X, np.arange(len(X)), rng))
        found[way] = float(np.mean(np.sum(X[pairs[:, 0]] * X[pairs[:, 1]], axis=1) > cut))
    return found


@dataclass(frozen=True, eq=False)
class TextReport(Written):
    """What was found: print it, or to_dict()."""

    shape: tuple
    lengths: tuple  # the least and the largest
    alike: dict | None  # the share of pairs said to be alike that is above the threshold, as given and centered
    rows: int  # how many were looked at
    cosines: np.ndarray  # of random pairs, sorted
    level: float  # the mean cosine of two rows
    threshold: float  # one random pair in a thousand is above it
    held_out: np.ndarray  # the share above it of pairs of the half that did not set it, SPLITS times
    kept: dict  # the share of ten nearest that stay, by what is done to the vectors
    hubs: tuple  # in how many of the lists the commonest row is, and the share of rows that are in none
    duplicates: float  # the share of rows with another at a cosine of .9999 or more
    near: float  # how many standard errors the nearest are nearer than those of random vectors
    beyond: int  # how many rows' nearest is nearer than that of every random vector
    tied: float  # the share of rows whose tenth and eleventh neighbor are equally near

    @property
    def verdict(self):
        """What can be said: that something is near, or why not.

        Rows whose columns are shuffled are a fair comparison only if there are several times as many rows as columns.
        Ten pairs nearer than all of theirs come by chance once in 2^10: by these a few clusters are seen that no mean
        shows.
        """
        if self.near >= 5 or (self.beyond >= 20 and not self.duplicates):
            return PLACE
        if self.duplicates:
            return DOUBLE
        return TOO_FEW if self.rows < 5 * self.shape[1] else NOTHING

    @property
    def reached(self):
        """The share of random pairs at the threshold or above it: more than RATE where many are equal."""
        return float(np.mean(self.cosines >= self.threshold - 1e-9))

    def percentile(self, cosine):
        """How many of a hundred random pairs have a smaller cosine."""
        return 100 * float(np.mean(self.cosines < cosine))

    def to_dict(self):
        """Everything as plain values."""
        ends = np.quantile(self.held_out, [0, 1])
        return {
            "verdict": self.verdict,
            "texts": self.shape[0],
            "dimensions": self.shape[1],
            "level": round(self.level, 6),
            "random pairs, 1 % to 99 %": np.quantile(self.cosines, [0.01, 0.99]).round(6).tolist(),
            "percentile of 0.7": round(self.percentile(0.7), 3),
            "threshold": round(self.threshold, 6),
            "at it or above": round(self.reached, 6),
            "above it elsewhere": ends.round(6).tolist(),
            "neighbors kept": {way: round(share, 6) for way, share in self.kept.items()},
            "commonest row in lists": self.hubs[0],
            "rows in no list": round(self.hubs[1], 6),
            "rows whose neighbors tie": round(self.tied, 6),
            "near duplicates": round(self.duplicates, 6),
            "known pairs above the threshold": self.alike,
            "not looked at": list(NOT_LOOKED_AT),
            "version": __version__,
        }

    def __str__(self):
        """For the terminal."""
        low, high = np.quantile(self.cosines, [0.01, 0.99])
        few, many = np.quantile(self.held_out, [0, 1]) * 1_000
        of_one = np.abs(np.subtract(self.lengths, 1)).max() < 0.002
        same = "all of length one" if of_one else "lengths {:.3g} to {:.3g}".format(*self.lengths)
        size = size_of(self.shape) + (f" ({self.rows} drawn)" if self.rows < self.shape[0] else "")
        found = [
            f"Random pairs: 98 of 100 have cosines from {low:.2f} to {high:.2f}, mean {self.level:.2f}. "
            f"A cosine of 0.70 is above {self.percentile(0.7):.1f} % of them.",
            f"Threshold: one random pair in a thousand is above {self.threshold:.3f}. Set on half of the texts, "
            f"it lets {few:.1f} to {many:.1f} in a thousand of the others' pairs pass ({SPLITS} halves). "
            "Of n texts a query still meets n/1000 of them by chance.",
            *(f"Of ten neighbors {10 * share:.1f} stay after {way}." for way, share in self.kept.items()),
            f"Hubs: one text is in {self.hubs[0]} of {self.rows} lists of ten; {self.hubs[1]:.0%} are in none.",
            f"Near duplicates: {self.duplicates:.1%} of the texts have another at 0.9999 or more.",
        ]
        if self.rows < FEW:
            pairs = self.rows * (self.rows - 1) // 2
            found.append(f"Few texts: all these numbers rest on {pairs} pairs, the threshold on {pairs / 1_000:.1f}.")
        if self.reached > 2 * RATE:
            found.append(
                f"Equal cosines: {1_000 * self.reached:.1f} pairs in a thousand are at the threshold or above, so it "
                "does not separate one. Remove near duplicates first."
            )
        if self.tied:
            found.append(
                f"Neighbors tie: for {self.tied:.1%} of the texts the tenth and the eleventh are equally near. "
                "There the order of rows chooses the list, and what stays of it."
            )
        if self.alike:
            share = ", ".join(f"{value:.0%} {way}" for way, value in self.alike.items())
            found.append(f"Above the threshold are, of the pairs said to be alike: {share}, each by its own threshold.")
        head = f"{self.verdict[0].upper()}{self.verdict[1:]}: {size}, {same}."
        if self.verdict == NOTHING:
            head += " Nearest neighbors are no nearer than those of random vectors with this mean and covariance."
        lines = [*lines_of(head, ""), *(line for one in found for line in lines_of(one))]
        lines += ["", "Not looked at:", *(line for one in NOT_LOOKED_AT for line in lines_of(one, "  - "))]
        return "\n".join(lines)
