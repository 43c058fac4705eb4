"""Repeat the experiments that are named, by default all that have a table: python -m experiments curves."""

import sys
from importlib import import_module
from pathlib import Path

from experiments import run

FOLDER = Path(__file__).parent
SCRIPTS = sorted({path.stem for kind in ("csv", "npz") for path in FOLDER.glob(f"*.{kind}") if "." not in path.stem})

if __name__ == "__main__":
    names = sys.argv[1:] or SCRIPTS
    if unknown := [name for name in names if not (FOLDER / f"{name}.py").exists()]:  # a new one has no table yet
        sys.exit(f"No experiment is called {unknown[0]}: {', '.join(SCRIPTS)}")
    for name in names:
        script = import_module(f"experiments.{name}")
        if hasattr(script, "measure"):
            processes, tolerance = getattr(script, "PROCESSES", 2), getattr(script, "TOLERANCE", 1e-3)
            run(name, script.JOBS, script.measure, processes, tolerance)
        else:  # libraries, whose table is a file of arrays
            script.run()
