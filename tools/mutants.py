"""Break helpers and the audit in 100 places, one at a time, and see whether a unit test fails.

Usage: python tools/mutants.py [N [WORD]] breaks N places, of files with WORD in their path: a sign, a comparison, an
*and*, a number. A broken module is tested, in a copy, by its own file of tests, then by all that name one of its
functions, or of the audit by all of its tests. Which places are chosen depends on their lines alone, so that the list
stays as it is while others change. The last line counts what was caught; a line before it names each place that no
test noticed. About an hour.
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

ROOT = pathlib.Path(__file__).parents[1]
MODULES = [*ROOT.glob("helpers/*.py"), *ROOT.glob("audit/src/cosine_audit/*.py")]
MODULES.remove(ROOT / "helpers/plots.py")  # which the chapters' figures test
SWAPPED = {
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult},
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq},
    **{ast.And: ast.Or, ast.Or: ast.And},
}
SLOW = 600  # seconds: what takes longer hangs, and is caught


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
        new = copy.deepcopy(node)
        if change(new):
            line, done = lines[node.lineno - 1].strip(), f"{ast.unparse(node)} became {ast.unparse(new)}"
            rank = hashlib.sha256(f"{line} {done}".encode()).hexdigest()  # by neither its number nor other lines
            yield rank, path, place, f"{path.relative_to(ROOT)}:{node.lineno}: {done}"


def broken(path, place):
    """The source of a file with one place broken."""
    tree = ast.parse(path.read_text("utf-8"))
    change(list(ast.walk(tree))[place])
    return ast.unparse(tree)


def tests(path):
    """The files of tests that import from a module's package and name one of its functions, or of the audit all."""
    names = re.findall(r"^(?:def|class) ([a-z]\w+)", path.read_text("utf-8"), re.M)
    named = re.compile("" if "audit" in path.parts else rf"\b({'|'.join([*names, path.stem])})\b")
    files = [*ROOT.glob("audit/tests/test_*.py" if "audit" in path.parts else "tests/test_*.py")]
    texts = {file: file.read_text("utf-8") for file in files}
    files = [
        file
        for file, text in texts.items()
        if re.search(rf"^(from|import) {path.parent.name}\b", text, re.M) and named.search(text)
    ]
    return sorted(files, key=lambda file: (path.stem not in file.stem, len(texts[file])))


def fail(files, tree, limit=SLOW):
    """Whether one of these files of tests fails in the copied tree, or takes more than limit seconds."""
    files = [str(tree / file.relative_to(ROOT)) for file in files]
    environment = os.environ | {"PYTHONPATH": f"{tree}{os.pathsep}{tree / 'audit/src'}", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *files]
    try:
        return subprocess.run(command, cwd=tree, env=environment, capture_output=True, timeout=limit).returncode != 0
    except subprocess.TimeoutExpired:
        return True


def caught(path, source, tree):
    """Whether a test fails in the copied tree with that source of a file."""
    place = tree / path.relative_to(ROOT)
    place.write_text(source, "utf-8")
    try:
        return fail(tests(path), tree)
    finally:
        shutil.copy(path, place)


def main(n=100, word=""):
    """Break n places of the files with word in their path, and print which no test noticed."""
    chosen = sorted(each for path in MODULES for each in places(path) if word in str(path))[:n]
    survived = 0
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder) / "book"
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".*", "_build", "__pycache__"))
        if fail({file for _, path, _, _ in chosen for file in tests(path)}, tree, None):
            sys.exit("a test fails before anything is broken: mend it first")
        for _, path, place, what in sorted(chosen, key=lambda each: each[1:3]):
            if not caught(path, broken(path, place), tree):
                survived += 1
                print("no test noticed:", what, flush=True)
    print(f"{len(chosen) - survived} of {len(chosen)} were caught")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]), *sys.argv[2:3])
