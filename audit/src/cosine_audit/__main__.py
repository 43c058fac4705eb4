"""The command as a module: python -m cosine_audit."""

import sys

from cosine_audit.cli import main

sys.exit(main())
