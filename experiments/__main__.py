"""Repeat the experiments that are named, by default all that have a table: python -m experiments curves."""

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
SCRIPTS = sorted({path.stem for kind in ("csv", "npz") for path in FOLDER.glob(f"*.{kind}") if "." not in path.stem})

if __name__ == "__main__":
    for name in sys.argv[1:] or SCRIPTS:
        if not (FOLDER / f"{name}.py").exists():
            sys.exit(f"No experiment is called {name}: {', '.join(SCRIPTS)}")
        if subprocess.call([sys.executable, "-m", f"experiments.{name}"]):
            sys.exit(1)
