"""Print every table: first what needs fresh processes, while this one is small; last all verdicts in Markdown."""

import subprocess
import sys
from importlib.util import find_spec

if not find_spec("implicit"):
    print("implicit, a peer, is missing: say pip install -r benchmarks/requirements.txt", file=sys.stderr)
    sys.exit(2)

from benchmarks import fresh, report

subprocess.run([sys.executable, "-m", "benchmarks.environment"], check=True)
fresh.report()

from benchmarks import steps  # noqa: E402

steps.report()
report.markdown()
