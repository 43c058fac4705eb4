"""The matrix of Debian's packages: how it is made, and what it says."""

import debian as tool
import numpy as np

INDEX = """Package: editor
Source: editors (1.0)
Pre-Depends: libc
Depends: libx (>= 2.0) | liby, libc (>= 1)
Recommends: python3:any
Tag: use::editing, role::program,
 works-with::text
Section: editors
Description: edits Depends: nothing

"""


def lib(name):
    return f"Package: {name}\nSection: libs\n\n"


def test_the_first_of_alternatives_counts_without_its_version():
    (package,) = tool.paragraphs(INDEX.splitlines(keepends=True))
    assert tool.needed(package) == {"libc", "libx", "python3"}


def test_a_source_needs_what_its_packages_need(tmp_path, monkeypatch):
    monkeypatch.setattr(tool, "FILE", tmp_path / "debian.npz")
    monkeypatch.setattr(tool, "LEAST_NEEDED", 1)
    twin = INDEX.replace("Package: editor", "Package: editor-data").replace("libc", "libz")
    tool.write((INDEX + twin + lib("libc") + lib("libx") + lib("libz")).splitlines(keepends=True))
    stored = np.load(tool.FILE)
    assert (str(stored["packages"]), stored["columns"].tolist(), stored["lengths"].tolist()) == (
        "libc libx libz",
        [0, 1, 2],
        [3],
    )
