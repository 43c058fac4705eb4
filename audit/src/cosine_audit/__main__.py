"""The command as a module: python -m cosine_audit."""

import os
import signal
import sys


def interrupted(*_):
    """End at once: while libraries are imported there is nothing to tidy up."""
    os.write(2, b"cosine-audit: interrupted, nothing was written\n")
    os._exit(130)


def main():
    """The exit status; an interruption is answered from the first import on."""
    before = signal.signal(signal.SIGINT, interrupted)
    from cosine_audit import cli

    signal.signal(signal.SIGINT, before)
    return cli.main()


if __name__ == "__main__":
    sys.exit(main())
