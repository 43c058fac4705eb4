"""The command: cosine-audit items.npy users.npy --trained-by "implicit ALS"."""

import argparse
import contextlib
import os
import signal
import sys
import textwrap
import zipfile
from pathlib import Path

import numpy as np
from scipy.sparse import load_npz

from cosine_audit import __version__
from cosine_audit.arrays import ITEMS, USERS
from cosine_audit.checks import InputError
from cosine_audit.files import read_pair, read_table
from cosine_audit.gauges import SHARE
from cosine_audit.objectives import LIBRARIES, OBJECTIVES, what_was_said
from cosine_audit.report import all_or_none, audit, places, writable
from cosine_audit.safe import choose_share, valid_share
from cosine_audit.text import text_audit
from cosine_audit.trainings import compare
from cosine_audit.words import plain, size_of

FAILS = {None: (), "no": ("no",), "unknown": ("no", "unknown")}
OTHERS = """cosine-audit share model.npz --interactions later.npz: are safe items better on your data, and which?
cosine-audit text vectors.npy: vectors of texts, all from one encoder
cosine-audit compare old.npz new.npz: two trainings of one model"""
INPUTS = "items", "users", "names", "item_counts", "user_counts", "labels", "user_labels", "again"
STATUS = "exit status: 0; {}2 for input that is wrong, with one sentence; 130 if interrupted"
READ = "a file, file#array, a folder of part files, or - for stdin"
JSON = {"action": "store_true", "help": "print one JSON object instead of text"}
RANKING = {"metavar": "LIBRARY", "help": "as of cosine-audit: says whether a constant for each user is free"}


class Parser(argparse.ArgumentParser):
    """The parser of a command that reads embeddings, and says in one sentence what is wrong."""

    def __init__(self, command, description, epilog):
        """epilog: what stands below the options, as it is."""
        as_it_is = argparse.RawDescriptionHelpFormatter
        description = textwrap.fill(description, 79)
        super().__init__(prog=command, description=description, epilog=epilog, formatter_class=as_it_is)
        twice = {"action": "append", "default": []}  # where items and users differ
        self.add_argument(
            "--columns", metavar="FIRST:LAST", **twice, help="the dimensions, where they are not counted, as f0 is"
        )
        self.add_argument("--id", metavar="COLUMN", **twice, help="the column that names the rows")

    def error(self, message):
        """Instead of the usage."""
        self.exit(2, f"{self.prog}: {message}\n")


def parser():
    """What the command line may say."""
    objectives = "\n".join(f"  {name:18} {one.help}" for name, one in OBJECTIVES.items())
    libraries = textwrap.fill(", ".join(LIBRARIES), 100, initial_indent="  ", subsequent_indent="  ")
    status = STATUS.format("1 by --fail-on; ")
    options = Parser(
        "cosine-audit",
        "Did training determine the cosines of these item embeddings, or chance?",
        f"objectives:\n{objectives}\n\n--trained-by, one of:\n{libraries}\n\n{status}\n\n{OTHERS}",
    )
    add = options.add_argument
    add("items", help=f"item embeddings: {READ}")
    add("users", nargs="?", help="the other factor, all of its rows: the scores are users @ items.T")
    add("--trained-by", metavar="LIBRARY", help="see below; case, spaces and hyphens do not matter")
    add("--objective", metavar="NAME", help="see below, where --trained-by has no name for it")
    add("--names", metavar="FILE", help="the items' names, where their file has none")
    add("--item-counts", metavar="FILE", help="how often each item occurs")
    add("--user-counts", metavar="FILE", help="how often each user occurs")
    add("--labels", metavar="FILE", help="a category of each item")
    add("--user-labels", metavar="FILE", help="the class of each row of features, where items are a classifier's")
    add("--again", metavar="FILE", help="item embeddings of a second training run")
    add("--sample", type=int, default=1_000, help="items whose neighbors are looked up (1000)")
    add("--json", **JSON)
    add("--report", metavar="FOLDER", help="write report.html, summary.json and, with users, safe-items.npy")
    add("--safe-items", metavar="FILE", help="write items whose cosines depend on the scores alone (.npy)")
    splits = "of the safe items, how much a direction's size counts: 0.5 splits it evenly (0.5), 1 projects back"
    add("--share", type=float, metavar="SHARE", help=splits)
    passes = "exit with 1 on no, also where you may keep the cosines; or on no and unknown; by convention passes both"
    add("--fail-on", choices=("no", "unknown"), help=passes)
    add("--version", action="version", version=f"cosine-audit {__version__}")
    return options


def text(argv):
    """The exit status of cosine-audit text; reports have no verdict that fails."""
    what = "What do cosines of these vectors of texts, from one encoder, mean among themselves?"
    options = Parser("cosine-audit text", what, STATUS.format(""))
    options.add_argument("vectors", help=f"a row for each text: {READ}")
    options.add_argument("--pairs", metavar="FILE", help="two row numbers a line (or .npy), of texts known to be alike")
    options.add_argument("--json", **JSON)
    given = options.parse_args(argv)
    table = read_table(given.vectors, "items", given.columns, given.id)
    check_asked(given, [table])
    pairs = None if given.pairs is None else read_table(given.pairs, spans=["0:1"]).values
    whole = pairs is not None and np.array_equal(pairs, np.round(pairs))  # text may say 3.0, or 1e3
    report = text_audit(table.values, pairs.astype(int) if whole else pairs)
    say(report.to_json() if given.json else f"{was_read('vectors', given.vectors, table)}\n\n{report}")
    return 0


def compared(argv):
    """The exit status of cosine-audit compare."""
    what = "Which nearest neighbors do two trainings of one model share? Items are joined by their names."
    options = Parser("cosine-audit compare", what, STATUS.format("1 by --fail-below; "))
    add = options.add_argument
    add("old", help="item embeddings of one training, as cosine-audit reads them, perhaps with users in the same file")
    add("new", help="those of the other")
    add("--old-users", metavar="FILE", help="the other factor, for safe items")
    add("--new-users", metavar="FILE", help="those of the other training")
    add("--trained-by", **RANKING)
    add("--json", **JSON)
    below = "exit with 1 if fewer neighbors stay as given, beyond chance: a number from 0 to 1"
    add("--fail-below", type=float, metavar="SHARE", help=below)
    given = options.parse_args(argv)
    if given.fail_below is not None and not 0 <= given.fail_below <= 1:
        raise InputError(f"--fail-below: expected a number from 0 to 1, got {given.fail_below}")
    paths = (given.old, given.old_users), (given.new, given.new_users)
    pairs = [read_pair(items, users, given.columns, given.id) for items, users in paths]
    check_asked(given, [table for pair in pairs for table in pair])
    models = [(items.values, None if users is None else users.values) for items, users in pairs]
    found = compare(*models, tuple(items.names for items, _ in pairs), trained_by=given.trained_by)
    read = [
        was_read(role, path, items) for role, (path, _), (items, _) in zip(("old", "new"), paths, pairs, strict=True)
    ]
    say(found.to_json() if given.json else "\n".join([*read, "", str(found)]))
    return int(given.fail_below is not None and found.beyond_chance["given"] < given.fail_below)


def share(argv):
    """The exit status of cosine-audit share."""
    what = (
        "Do safe items find more of what other users took, or agree better with judged pairs, than the items as given? "
        "And which share of a direction's size should count in them?"
    )
    options = Parser("cosine-audit share", what, STATUS.format(""))
    options.add_argument(
        "items", help="item embeddings, as cosine-audit reads them, perhaps with users in the same file"
    )
    options.add_argument("users", nargs="?", help="the other factor, all of its rows")
    asked = options.add_mutually_exclusive_group(required=True)
    rows = "users that the model was not trained on, or what was taken later; a column for each item, in their order"
    asked.add_argument("--interactions", metavar="FILE", help=f"{rows} (.npz of scipy.sparse, or .npy)")
    asked.add_argument("--pairs", metavar="FILE", help="two row numbers of items a line, and how alike they are")
    options.add_argument("--trained-by", **RANKING)
    given = options.parse_args(argv)
    items, users = read_pair(given.items, given.users, given.columns, given.id)
    check_asked(given, [items, users])
    if users is None:
        raise InputError(f"{given.items}: expected users, too, which safe items are made from, got items alone")
    pairs = None if given.pairs is None else judged_pairs(given.pairs)
    X = None if given.interactions is None else read_interactions(given.interactions)
    found = choose_share(items.values, users.values, X, pairs, ranking=what_was_said(given.trained_by).ranking)
    read = [was_read("items", given.items, items), was_read("users", given.users or given.items, users)]
    say("\n".join([*read, "", str(found)]))
    return 0


def judged_pairs(path):
    """First and second items' row numbers, and judgments, from a file of three columns."""
    values = read_table(path, spans=["0:2"]).values
    if values.shape[1] != 3 or not np.array_equal(values[:, :2], np.round(values[:, :2])):
        raise InputError(f"{path}: expected two row numbers and a judgment a line, got something else")
    return *values[:, :2].T.astype(int), values[:, 2]


def read_interactions(path):
    """Users × items, from scipy.sparse.save_npz or np.save; nothing is unpickled."""
    try:
        X = load_npz(path) if path.endswith(".npz") else np.load(path, allow_pickle=False)
        return X.astype(float)
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile):
        raise InputError(f"{path}: expected numbers from scipy.sparse.save_npz or np.save, got another file") from None


def examine(given):
    """The Report of what the command line names."""
    what_was_said(given.trained_by, given.objective)
    items, users = read_pair(given.items, given.users, given.columns, given.id)
    if given.safe_items is not None and users is None:
        raise InputError("--safe-items: expected users, which safe items are made from, got none")
    if given.share is not None:
        if given.safe_items is None:
            raise InputError(f"--share: expected --safe-items, which it is for, got {given.share} alone")
        valid_share(given.share)
    paths = {key: getattr(given, key) for key in INPUTS[2:]}
    tables = {key: beside(key, path, items, users, given) for key, path in paths.items() if path is not None}
    check_asked(given, [items, users, tables.get("again")])
    about = {"names": items.names} | {key: table.values for key, table in tables.items()}
    said = {"trained_by": given.trained_by, "objective": given.objective, "sample": given.sample}
    many = len(items.values) >= 100_000
    if many:
        print(f"examining {len(items.values):,} items; --sample looks up fewer", file=sys.stderr, flush=True)
    others = None if users is None else users.values
    report = audit(items.values, others, **about, **said, progress=tell if many else None)
    report.read = [was_read("items", given.items, items)]
    report.read += [] if users is None else [was_read("users", given.users or given.items, users)]
    report.read += [was_read(key, paths[key], table) for key, table in tables.items()]
    if given.users is not None and USERS.search(Path(given.items).stem) and ITEMS.search(Path(given.users).stem):
        report.warnings.append(f"Items come first, then users: were {given.items} and {given.users} swapped?")
    return report


def beside(key, path, items, users, given):
    """A Table in the order of the rows, of counts, labels, names or another run: names, where both have them, agree."""
    columns = ("items", given.columns, given.id) if key == "again" else ("vector",)
    table = read_table(path, *columns)
    wanted = users.names if key.startswith("user") and users is not None else items.names
    if table.names is not None and wanted is not None and len(table.names) == len(wanted):
        for row, (got, name) in enumerate(zip(table.names, wanted, strict=True)):
            if str(got) != str(name):
                what = f"{plain(name)!r}, as the embeddings have"
                raise InputError(f"{path}, row {row}: expected {what}, got {plain(got)!r}")
    return table


def check_asked(given, tables):
    """InputError for --columns or --id of which no file has the columns."""
    followed = {one for table in tables if table is not None for one in table.asked}
    for option, what, asked in (("--columns", "columns", given.columns), ("--id", "a column", given.id)):
        for one in asked:
            if one not in followed:
                raise InputError(f"{option}: expected {what} that a file has, got {one!r}")


def was_read(role, path, table):
    """A line that says what a file was read as."""
    names = "no names" if table.names is None else f"names {', '.join(plain(name, 20) for name in table.names[:2])} …"
    file = Path(path.removesuffix(f"#{table.array}")).name if path != "-" else "stdin"
    array = f"#{plain(table.array)}" if table.array else ""
    note = f"; {table.note}" if table.note else ""
    return f"{role.replace('_', ' ')}: {size_of(table.values.shape)} from {plain(file, 60)}{array}, {names}{note}"


def tell(step, share):
    """Progress, on stderr."""
    print(f"{step}: {share:.0%}", file=sys.stderr, flush=True)


def check_places(given):
    """OSError or InputError where something could not be written, or would replace an input."""
    inputs = [getattr(given, key) for key in INPUTS if getattr(given, key) is not None]
    inputs = [path if os.path.exists(path) else path.rpartition("#")[0] for path in inputs]  # which may name an array
    for place in places(given.report, given.safe_items):
        one = writable(place, None if str(place) == given.safe_items else given.report)
        if one.exists() and any(os.path.exists(path) and one.samefile(path) for path in inputs):
            raise InputError(f"{one}: expected an input that is not overwritten; choose another place to write to")


def say(text):
    """Print; whoever reads may have seen enough, but a full disk is an error."""
    try:
        print(text, flush=True)
    except OSError as problem:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # for what Python still holds
        if not isinstance(problem, BrokenPipeError):
            raise OSError(f"stdout: {problem.strerror}") from None


def main(argv=None):
    """The exit status."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    argv = sys.argv[1:] if argv is None else argv
    other = {"text": text, "compare": compared, "share": share}.get(argv[0] if argv else None)
    given = None if other else parser().parse_args(argv)
    with contextlib.suppress(ValueError):  # not the main thread
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # ended by a scheduler, as by a person
    try:
        if other:
            return other(argv[1:])
        check_places(given)
        report = examine(given)
        files = report.files(given.report, given.safe_items, SHARE if given.share is None else given.share)
        with all_or_none(files, given.report):
            say(report.to_json() if given.json else report)
    except KeyboardInterrupt:
        print("cosine-audit: interrupted, nothing was written", file=sys.stderr)
        return 130
    except ImportError as missing:
        print(f"cosine-audit: --report needs {missing.name}: pip install 'cosine-audit[report]'", file=sys.stderr)
        return 2
    except (ValueError, TypeError, OSError, MemoryError) as problem:
        print(f"cosine-audit: {' '.join(str(problem).split()) or type(problem).__name__}", file=sys.stderr)
        return 2
    return int(report.verdict in FAILS[given.fail_on])
