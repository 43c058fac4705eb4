"""Break the code in many places, one at a time, and see whether a unit test fails.

Usage: python tools/mutants.py [N [FOLDER …]] breaks N places in each folder of FOLDERS, or in those that are named: a
sign, a comparison, an *and*, a number. Files take turns, and which of its places a file offers first depends on their
lines alone: the list stays as it is while other lines change. A broken module is tested, in a copy, by the files of
tests that import it and name it or one of its functions (of the audit, by all of its tests); two are tested at a time.
The last line of each folder counts what was caught; lines before it name each place that no test noticed, and each
where tests took longer than SLOW seconds, which counts as caught: look whether they hang.
"""

import ast
import copy
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import zip_longest
from queue import Queue

ROOT = pathlib.Path(__file__).parents[1]
FOLDERS = "helpers", "audit", "experiments", "tools"
SWAPPED = {
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult},
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq},
    **{ast.And: ast.Or, ast.Or: ast.And},
}
SLOW = 120


def change(node):
    """Break a node of a syntax tree in place; whether there was anything to break."""
    if isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in SWAPPED:
        node.op = SWAPPED[type(node.op)]()
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPPED:
        node.ops[0] = SWAPPED[type(node.ops[0])]()
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        node.value = 1 - node.value if node.value in (0, 1) else 2 * node.value
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
        node.op = ast.UAdd() if isinstance(node.op, ast.USub) else ast.Not()
        node.operand = node.operand if isinstance(node.op, ast.UAdd) else ast.UnaryOp(ast.Not(), node.operand)
    else:
        return False
    return True


def places(path):
    """Every place to break in a file: a rank, the file, the place in its syntax tree, and in words what is done."""
    source = path.read_text("utf-8")
    lines = source.splitlines()
    for place, node in enumerate(ast.walk(ast.parse(source))):
        if isinstance(node, ast.expr) and change(new := copy.deepcopy(node)):
            line, done = lines[node.lineno - 1].strip(), f"{ast.unparse(node)} became {ast.unparse(new)}"
            rank = hashlib.sha256(f"{line} {done}".encode()).hexdigest()  # by neither its number nor other lines
            yield rank, path, place, f"{path.relative_to(ROOT)}:{node.lineno}: {done}"


def drawn(n, folder):
    """The first n places of a folder: the first of each of its files, then the second of each."""
    files = sorted(ROOT.glob("audit/src/cosine_audit/*.py" if folder == "audit" else f"{folder}/*.py"))
    turns = zip_longest(*(sorted({place[0]: place for place in places(path)}.values()) for path in files))
    return [place for turn in turns for place in sorted(filter(None, turn))][:n]


def broken(path, place):
    """The source of a file with one place broken."""
    tree = ast.parse(path.read_text("utf-8"))
    change(list(ast.walk(tree))[place])
    return ast.unparse(tree)


def tests(path):
    """What pytest is to run for a module: files of tests; of the experiments' small jobs its own, of a helper none."""
    audit, job = "audit" in path.relative_to(ROOT).parts, path.with_suffix(".csv").exists()
    names = [] if job else re.findall(r"^(?:def|class) ([a-z]\w+)", path.read_text("utf-8"), re.M)
    named = re.compile(rf"\b({'|'.join([*names, path.stem])})\b")
    imports = re.compile(rf"^(from|import) ({path.stem if path.parent.name == 'tools' else path.parent.name})\b", re.M)
    texts = {file: file.read_text("utf-8") for file in ROOT.glob(f"{'audit/' * audit}tests/test_*.py")}
    files = [each for each, text in texts.items() if imports.search(text)]
    files = [each for each in files if audit or named.search(texts[each])]
    files.sort(key=lambda file: (path.stem not in file.stem, len(texts[file])))
    jobs = ["-k", f"not small_job or [{path.stem}]"] if job or path.parent.name == "helpers" else []
    return [str(file.relative_to(ROOT)) for file in files] + jobs


def run(arguments, tree, limit=None):
    """Whether pytest with these arguments, if any, passes in a copy of the book; None if it takes longer than limit."""
    if not arguments:
        return True
    own = {"PYTHONPATH": os.pathsep.join([str(tree), f"{tree}/audit/src"])}
    own["PYTHONDONTWRITEBYTECODE"] = "1"  # a file changed twice in a second keeps its bytecode if it is as long
    command = [sys.executable, "-m", "pytest", "--disable-plugin-autoload", "-x", "-q", "-p", "no:cacheprovider"]
    try:
        done = subprocess.run(
            [*command, *arguments], cwd=tree, env=os.environ | own, capture_output=True, timeout=limit
        )
    except subprocess.TimeoutExpired:
        return None
    return done.returncode == 0


def outcome(trees, chosen):
    """Break a place in one of the copies of the book: whether all tests pass, None if they take too long."""
    (_, path, place, _), tree = chosen, trees.get()
    copied = tree / path.relative_to(ROOT)
    copied.write_text(broken(path, place), "utf-8")
    passed = run(tests(path), tree, SLOW)
    shutil.copy(path, copied)
    trees.put(tree)
    return passed


def main(n, folders, at_once=2):
    """Break n places of each folder, and print which no test noticed."""
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(at_once) as pool:
        trees = Queue()
        for number in range(at_once):
            tree = pathlib.Path(folder) / str(number) / "book"
            shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".venv*", ".git", "_build", "__pycache__"))
            trees.put(tree)
        for name in folders:
            chosen = drawn(n, name)
            files = {argument for _, path, *_ in chosen for argument in tests(path) if argument.endswith(".py")}
            own = {f"[{path.stem}]" for _, path, *_ in chosen}
            if not run([*sorted(files), "-k", " or ".join(["not small_job", *sorted(own)])], tree):
                sys.exit("a test fails before anything is broken: mend it first")
            caught = len(chosen)
            for (*_, what), passed in zip(chosen, pool.map(partial(outcome, trees), chosen), strict=True):
                caught -= bool(passed)
                if passed is not False:
                    print("no test noticed:" if passed else f"took longer than {SLOW} s:", what, flush=True)
            print(f"{name}: {caught} of {len(chosen)} were caught", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 25, sys.argv[2:] or FOLDERS)
