"""Safe items as a map that is fitted once, and applied to items that come later."""

import zipfile
from dataclasses import dataclass

import numpy as np

from cosine_audit import gauges as g
from cosine_audit.checks import InputError


@dataclass(frozen=True)
class SafeItems:
    """The map of items to safe items: an item b becomes (b / size − origin)ᵀ matrix, see `safe_items`.

    size is 1, or the items' largest entry where products of entries would overflow or vanish.
    """

    gauge: g.Gauge
    size: float
    share: float

    @classmethod
    def fit(cls, items, users, *, share=1.0, center=True, ranking=False):
        """From items (p, k) and users (n, k), all of them; see `safe_items` for the rest."""
        share = valid_share(share)
        if users is None:
            raise ValueError("users must be a matrix, the other factor, got None")
        B, P = g.valid_pair(items, users)
        gauge = g.safe_gauge(g.moments(P), g.moments(B), center=center, ranking=ranking, share=share)
        gauge = gauge._replace(matrix=gauge.matrix * g.signs(g.all_turned(B, gauge)))
        size = np.abs(g.as_array("items", items)).max() / np.abs(B).max()
        return cls(gauge, float(size), share)

    def transform(self, new_items):
        """Safe items (m, r) of items (m, k) of the same model; rows that are zero stay zero."""
        B = g.valid_matrix("new_items", new_items)
        k = len(self.gauge.matrix)
        if B.shape[1] != k:
            raise ValueError(f"new_items must have {k} columns, as items had, got {B.shape[1]}")
        return g.all_turned(B if self.size == 1 else B / self.size, self.gauge)

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
