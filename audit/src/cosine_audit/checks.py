"""What a file may ask for, and the one sentence that says what is wrong with it."""

import os

DENSE, SUSPICIOUS = 10_000_000, 100  # a file beyond so many bytes may not expand more than so many times
LONGEST = 10_000  # bytes in a name; a line may have a hundred times as many


class InputError(ValueError):
    """What is wrong with a file, in one sentence."""


def expect(fine, file, what, got):
    """InputError unless that is fine: what was expected of a file, and what was found."""
    if not fine:
        raise InputError(f"{file}: expected {what}, got {got}")


def listed(names):
    """Names in one line that is not too long."""
    return ", ".join(map(str, names))[:200]


def fits(path, wanted, held):
    """InputError if so many bytes are wanted by a file that holds so many, or are more than the memory."""
    fine = wanted <= min(max(DENSE, SUSPICIOUS * held), memory())
    expect(fine, path, f"what a file of {held:,} bytes can hold", f"{wanted:,} bytes promised")


def memory():
    """The bytes of this machine's memory, or 16 GB where it does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 16 * 2**30
