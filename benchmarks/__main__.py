"""Print every table: first what needs fresh processes, while this one is small."""

import subprocess
import sys

from benchmarks import fresh

subprocess.run([sys.executable, "-m", "benchmarks.environment"], check=True)
fresh.report()

from benchmarks import steps  # noqa: E402

steps.report()
