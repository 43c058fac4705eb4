"""The audit itself, and its report: for the terminal, as a page, as JSON, and as a folder of all of these."""

import base64
import contextlib
import io
import os
from functools import cached_property
from pathlib import Path

import numpy as np

from cosine_audit import __version__
from cosine_audit import verdict as v
from cosine_audit.evidence import lie_flat, look_at, summaries
from cosine_audit.findings import GAUGES, findings_of
from cosine_audit.gauges import SHARE, as_array, safe_items, valid_integer, valid_matrix, valid_numbers, valid_pair
from cosine_audit.models import model_of
from cosine_audit.objectives import what_was_said
from cosine_audit.space import gauges_of, look_up, moved_by
from cosine_audit.words import Written, lines_of, plain

TERMS = (
    "A gauge is one of the many ways to write the same model: users times an invertible M, items times its inverse "
    "transposed. Four are functions of the scores alone."
)
MARKS = {"ok": "  ok  ", "note": "      ", "warning": "  !   "}


def audit(
    items,
    users=None,
    *,
    trained_by=None,
    objective=None,
    names=None,
    item_counts=None,
    user_counts=None,
    labels=None,
    user_labels=None,
    again=None,
    sample=1_000,
    progress=None,
):
    """Did training determine the cosines of these item embeddings? A Report.

    Parameters: items (p, k), or a fitted model, see `models`, which brings what it knows of the rest; users (n, k), the
    other factor, all of its rows: the scores are users @ items.T; trained_by, a library, or objective, see
    `objectives`; names (p,) of the items; item_counts (p,) and user_counts (n,), how often each occurs; labels (p,), a
    category of each item; user_labels (n,), each user's item by name or row, where users are features and items are a
    classifier's classes: they show whether training came to the minimum; again (p, ·), items of a second run, or its
    model; sample, how many items' neighbors are looked up; progress, called with a gauge and the share that is done.
    Raises ValueError or TypeError that names argument and value.
    """
    given = {"item_counts": item_counts, "user_counts": user_counts}
    model = model_of(items, users, trained_by=trained_by, objective=objective, **given)
    said = what_was_said(model.trained_by, model.objective)
    B, P = valid_pair(model.items, model.users)
    if B.shape[1] < 2:
        raise ValueError(f"items must have at least 2 columns, got {B.shape[1]}")
    counts = [valid_counts("item_counts", model.item_counts, B), valid_counts("user_counts", model.user_counts, P)]
    names = valid_vector("names", model.names if names is None else names, B)
    labels = valid_vector("labels", labels, B)
    classes = which_class(user_labels, names, B, P, said.objective)
    again = None if again is None else valid_matrix("again", joined(model_of(again, name="again"), model.names))
    if again is not None and len(again) != len(B):
        raise ValueError(f"again must have {len(B)} rows, as items have, got {len(again)}")
    sample = valid_integer("sample", sample, 100)
    about = summaries(B, P, *counts, progress)
    ranking = said.ranking or lie_flat(about["items"])
    space = look_up(B, gauges_of(about, ranking), sample, progress)
    seen = look_at(B, P, about, space, again, counts, classes)
    findings = list(findings_of(said.objective, seen, space, B, about["items"], counts[0], labels))
    verdict, warnings = v.decide(said.objective, seen), v.contradictions(said.objective, seen)
    return Report(said._replace(ranking=ranking), verdict, warnings, findings, space, (B, P, names), model.read)


def joined(other, names):
    """The items of a second run, a Model, in the order of names if both have some; ValueError if one is missing."""
    if other.names is None or names is None:
        return other.items
    rows = {str(name): row for row, name in enumerate(other.names)}
    missing = [name for name in map(str, names) if name not in rows]
    if missing:
        raise ValueError(f"again must have all items by name, got none for {plain(missing[0])!r}")
    return other.items[[rows[str(name)] for name in names]]


def valid_vector(name, values, E):
    """A value for each row of E, as an array."""
    if values is None:
        return None
    array = as_array(name, values)
    if E is None or array.shape != (len(E),):
        expected = "users, which were not given" if E is None else f"shape ({len(E)},)"
        raise ValueError(f"{name} must have {expected}, got shape {array.shape}")
    return array


def which_class(labels, names, B, P, objective):
    """The number of the class that each row of features is labeled with, (n,)."""
    if (labels := valid_vector("user_labels", labels, P)) is None:
        return None
    if objective != "fixed-features":
        raise ValueError(f"user_labels must go with objective 'fixed-features', got {objective!r}")
    rows = {str(name): row for row, name in enumerate(range(len(B)) if names is None else names)}
    wrong = next((one for one in labels if str(one) not in rows), None)
    if wrong is not None:
        wanted = f"rows from 0 to {len(B) - 1}" if names is None else "names of items"
        raise ValueError(f"user_labels must be {wanted}, got {plain(wrong)!r}")
    return np.array([rows[str(one)] for one in labels])


def valid_counts(name, values, E):
    """How often each row of E occurs: numbers, finite, at least 0, and not all 0."""
    if (array := valid_vector(name, values, E)) is None:
        return None
    valid_numbers(name, array, least=0)
    if not array.any():
        raise ValueError(f"{name} must not all be 0, got {len(array)} zeros")
    return array.astype(float)


class Report(Written):
    """What was found: verdict, headline, may_be_kept, reason, rests_on, warnings, findings, advice, safe_items."""

    def __init__(self, said, verdict, warnings, findings, space, model, read):
        """See `audit`, which makes it."""
        self.trained_by, self.objective, self.ranking = said
        self.verdict, self.reason, self.rests_on, _ = verdict
        self.headline, self.may_be_kept = verdict.headline, verdict.keep is not None
        self.warnings, self.findings, self.space = warnings, findings, space
        self.items, self.users, self.names = model
        self.advice = v.advice(verdict, self.objective, self.users is not None)
        self.read = list(read)  # what was read, sentences

    @cached_property
    def safe_items(self):
        """Items whose cosines depend on the scores alone, (p, r); None without users."""
        return None if self.users is None else self.safe_items_of(SHARE)

    def to_dict(self):
        """Everything but the arrays, as plain values; schema.json says what is in it."""
        names = "verdict", "headline", "may_be_kept", "reason", "rests_on", "trained_by", "objective"
        return {name: getattr(self, name) for name in names} | {
            "items": len(self.items),
            "users": None if self.users is None else len(self.users),
            "dimensions": self.items.shape[1],
            "looked_up": len(self.space.queries),
            "findings": [one.to_dict() for one in self.findings],
            "warnings": list(self.warnings),
            "advice": self.advice,
            "read": list(self.read),
            "version": __version__,
        }

    def name(self, row):
        """An item's name, or its number; a dash where there is no item."""
        return "–" if row < 0 else plain(row if self.names is None else self.names[row])

    def changed(self):
        """The five items whose neighbors the cure changes most: name, the nearest five by gauge, the share that stays.

        The gauges are given, balanced and that of the safe items.
        """
        found, changed = self.space.found, []
        if "safe" not in found:
            return changed
        kept = 1 - moved_by(self.space, "safe")
        for i in np.lexsort((self.space.queries, np.round(kept, 6)))[:5]:
            ways = [way for way in ("given", "balanced", "safe") if way in found]
            lists = {way: [self.name(row) for row in found[way].rows[i, :5]] for way in ways}
            changed.append((self.name(self.space.queries[i]), lists, kept[i]))
        return changed

    def __str__(self):
        """For the terminal, in lines of 79 columns."""
        how = self.trained_by or f"objective {self.objective}"
        lines = [*self.read, "", *lines_of(self.headline, "")]
        lines += lines_of(f"Trained by: {how}.") + lines_of(f"Reason: {self.reason}.")
        lines += lines_of(f"This rests on {self.rests_on}.") + lines_of(f"Advice: {self.advice}")
        for warning in self.warnings:
            lines += lines_of(f"Warning: {warning}")
        lines += ["", f"Findings, of {len(self.space.queries)} items looked up:"]
        for finding in self.findings:
            lines += lines_of(finding.sentence, MARKS[finding.level])
        if rows := self.changed():
            lines += ["", "Items whose lists the safe items change most:"]
        for name, lists, kept in rows:
            lines += lines_of(f"{name}: {kept:.0%} of its neighbors stay.")
            for way in ("given", "safe"):
                lines += lines_of(", ".join(lists[way]), f"    {way:7}")
        return "\n".join(lines).lstrip("\n")

    __repr__ = __str__

    def to_html(self, figures=()):
        """One page that asks nothing of the network; names and sentences are escaped."""
        from jinja2 import Environment

        page = Environment(autoescape=True).from_string(Path(__file__).with_name("report.html.j2").read_text("utf-8"))
        return page.render(report=self, terms=TERMS, figures=figures)

    def _repr_html_(self):
        with contextlib.suppress(ImportError):
            return self.to_html()

    def save(self, folder):
        """Write report.html, summary.json and, with users, safe-items.npy to a folder: all of them, or none."""
        with all_or_none(self.files(folder), folder):
            pass

    def safe_items_of(self, share):
        """The same with another share, see `safe_items`."""
        return safe_items(items=self.items, users=self.users, ranking=self.ranking, share=share)

    def files(self, folder=None, safe_items=None, share=SHARE):
        """What to write where: a dict of paths and bytes, None for a file that must not stay from an earlier run.

        share is that of the file of safe items; the folder's are those that the report speaks of.
        """
        files = {}
        if safe_items is not None:
            files[Path(safe_items)] = in_numpys_format(self.safe_items_of(share))
        if folder is not None:
            page = self.to_html(figures(self.space)).encode("utf-8", "replace")
            safe = None if self.users is None else in_numpys_format(self.safe_items)
            files |= dict(zip(places(folder), (page, self.to_json().encode() + b"\n", safe), strict=True))
        return files


def in_numpys_format(array):
    """The bytes of an .npy file."""
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getbuffer()


def places(folder, safe_items=None):
    """Where a report and safe items are written: paths."""
    names = [] if folder is None else ["report.html", "summary.json", "safe-items.npy"]
    return [Path(folder, name) for name in names] + ([] if safe_items is None else [Path(safe_items)])


def writable(path, folder=None):
    """The file itself that a path leads to; OSError if it is neither a file nor a new one in a folder."""
    if os.path.lexists(path) and not path.is_file():
        raise OSError(f"expected a file to write to, or a new name, got a folder or a device: {path}")
    if folder is None and not path.parent.is_dir():
        raise OSError(f"expected a folder to write to, there is none: {path.parent}")
    return path.resolve()


@contextlib.contextmanager
def all_or_none(files, folder):
    """Write files, see Report.files, beside their places, and rename them when the context ends; else nothing is left.

    A folder is made if there is none.
    """
    made, parts = [], {}
    try:
        for one in [] if folder is None else [*reversed(Path(folder).absolute().parents), Path(folder)]:
            if not one.is_dir():
                one.mkdir()
                made.append(one)
        for path, data in files.items():
            target = writable(path)
            if data is not None:
                part = target.with_name(f".audit-{os.getpid()}-{len(parts)}")
                parts[part] = target
                try:
                    part.write_bytes(data)
                except OSError as problem:
                    raise OSError(f"{path}: {problem.strerror}") from None
        yield
        for part, target in parts.items():
            part.replace(target)
        for path in [path for path, data in files.items() if data is None]:
            path.unlink(missing_ok=True)
    except BaseException:
        for path, remove in [*((part, Path.unlink) for part in parts), *((one, Path.rmdir) for one in reversed(made))]:
            with contextlib.suppress(OSError):
                remove(path)
        raise


KEPT = "Share of each item's nearest neighbors that stay in another gauge of the same model: on average (bars)."
COSINES = "Cosines of items with their nearest neighbors, as given and, with users, of the safe items."


def figures(space):
    """Pictures of what each gauge keeps, and of the nearest neighbors' cosines: caption and PNG in base64."""
    from matplotlib.figure import Figure

    made = [(caption, Figure(figsize=(7, 2.6), layout="constrained"), io.BytesIO()) for caption in (KEPT, COSINES)]
    bars, outlines = (figure.subplots() for _, figure, _ in made)
    kept = {name: 1 - moved_by(space, name).mean() for name in GAUGES if name in space.found}
    bars.barh(list(kept), list(kept.values()), color="#4477aa")
    bars.set(xlim=(0, 1), xlabel="share of neighbors kept")
    for name, color, style in (("given", "#4477aa", "-"), ("safe", "#228833", "--")):
        if name in space.found:
            values = space.found[name].cosines
            values = values[np.isfinite(values)]
            outlines.hist(values, np.linspace(-1, 1, 81), histtype="step", color=color, ls=style, label=name)
    outlines.set(xlabel="cosine", ylabel="pairs", xlim=(-1, 1))
    outlines.legend()
    for _, figure, stream in made:
        figure.savefig(stream, format="png", dpi=110)
    return [(caption, base64.b64encode(stream.getvalue()).decode()) for caption, _, stream in made]
