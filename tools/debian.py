"""The dependencies of Debian's packages, as the matrix that `helpers.read_debian` reads.

Usage: apt-cache dumpavail | python tools/debian.py, on Debian 12. It takes about ten seconds and writes
helpers/debian.npz; the checksum in helpers/debian.py has to be that of the file written.
"""

import re
import sys
from collections import Counter, defaultdict
from hashlib import sha256
from itertools import groupby

import numpy as np

from helpers.debian import FILE

LEAST_NEEDED, LEAST_ITEMS = 5, 2  # by how many packages an item is needed; how many items a source needs


def paragraphs(lines):
    """The fields of each package in the lines of a package index, as a dict; deb822(5) describes the format."""
    for is_text, paragraph in groupby(lines, key=lambda line: bool(line.strip())):
        if is_text:
            yield dict(re.findall(r"^(\S+): *(.*(?:\n .*)*)", "".join(paragraph), re.MULTILINE))


def needed(package):
    """What a package pre-depends on, depends on or recommends: the first of alternatives, without versions."""
    wishes = ",".join(package.get(field, "") for field in ("Pre-Depends", "Depends", "Recommends"))
    return set(re.findall(r"(?:^|,)\s*([\w.+-]+)", wishes))


def write(lines):
    """Read a package index and write the matrix."""
    index = {package["Package"]: package for package in paragraphs(lines) if "Package" in package}
    wishes = {name: needed(package) for name, package in index.items()}
    counts = Counter(wish for found in wishes.values() for wish in found)
    items = sorted(name for name, count in counts.items() if count >= LEAST_NEEDED and name in index)
    place = {name: j for j, name in enumerate(items)}
    sources = defaultdict(set)
    for name, package in index.items():
        sources[package.get("Source", name).split()[0]] |= {place[wish] for wish in wishes[name] if wish in place}
    rows = [sorted(found) for _, found in sorted(sources.items()) if len(found) >= LEAST_ITEMS]
    sections = sorted({index[name]["Section"] for name in items})
    np.savez_compressed(
        FILE,
        packages=np.array(" ".join(items)),
        sections=np.array(" ".join(sections)),
        section=np.array([sections.index(index[name]["Section"]) for name in items], dtype=np.uint8),
        columns=np.concatenate(rows).astype(np.uint16),
        lengths=np.array([len(row) for row in rows], dtype=np.uint16),
    )
    print(f"{len(rows)} sources × {len(items)} packages, {sum(map(len, rows))} ones")
    print("sha256", sha256(FILE.read_bytes()).hexdigest())


if __name__ == "__main__":
    write(sys.stdin)
