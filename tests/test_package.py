"""The book beside the audit's package: one table of libraries, one house."""

import re

import pytest
from chapters import ROOT
from cosine_audit.objectives import LIBRARIES, OBJECTIVES, ByBalance, ByConvention, ByLengths, ByTheory

SAID = {  # what the page says of each rule
    ByTheory("no"): "no",
    ByTheory("unknown"): "only if",
    ByConvention(): "by convention",
    ByLengths(): "yes",
    ByBalance(): "at the exact minimum",
    ByBalance(weighted=True): "at the exact minimum",
    ByBalance(weighted=True, steps=True): "at the exact minimum",
    ByBalance(steps=True): "where training comes to rest",
}
ROWS = {  # a name on the English page, and in the audit's table
    "ALS; any": "implicit ALS",
    "**Spark**": "Spark ALS",
    "**Surprise**": "Surprise SVD",
    "BPR": "implicit BPR",
    "LMF": "implicit LMF",
    "LightFM": "LightFM",
    "gensim": "gensim skip-gram",
    "contrastive": "two towers normalized",
    "with dot products": "two towers dot",
    "sentence encoders": "sentence encoder",
    "softmax": "softmax output layer",
    "autoencoder": "autoencoder",
    "PCA": "PCA",
    "truncated SVD": "TruncatedSVD",
    "NMF": "NMF",
}


def rows():
    """The first two cells of each row of the page's first table that has four."""
    text = (ROOT / "book/what-to-do.md").read_text("utf-8")
    cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in text.splitlines() if line.startswith("| ")]
    return [(row[0].strip(), row[1].strip()) for row in cells if len(row) == 4 and "---" not in row[0]][1:]


@pytest.mark.parametrize("named", ROWS)
def test_the_page_and_the_audit_say_the_same_of_a_library(named):
    (cell,) = [said for library, said in rows() if named in library and "**" in library]
    said = SAID[OBJECTIVES[LIBRARIES[ROWS[named]].objective].rule]
    assert re.search(rf"\b{said}\b", cell)


def test_the_audit_never_imports_the_book():
    for path in (ROOT / "audit/src").rglob("*.py"):
        assert not re.search(r"^\s*(from|import) (helpers|experiments|tools)\b", path.read_text("utf-8"), re.M), path
