"""The book beside the audit's package: one table of libraries, one house."""

import re

import pytest
from chapters import ROOT
from cosine_audit.objectives import LIBRARIES, OBJECTIVES

RULES = "no", "yes", "by convention", "balance", "balance denies"
PAGES = {
    "what-to-do": ("no", "yes", "by convention", "at the exact minimum", "where training comes to rest"),
    "what-to-do-ja": ("定まらない", "定まる", "規約", "厳密な最小点", "学習が停留点に達すれば定まる"),
    "what-to-do-zh": ("不确定", "确定", "唯一性只来自约定", "在精确的最小值点", "训练停在驻点时确定"),
    "what-to-do-vi": ("không", "có", "chỉ xác định theo quy ước", "có, tại đúng điểm cực tiểu", "có, khi huấn luyện"),
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


def rows(page):
    """The first two cells of each row of the page's first table that has four."""
    text = (ROOT / f"book/{page}.md").read_text("utf-8")
    cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in text.splitlines() if line.startswith("| ")]
    return [(row[0].strip(), row[1].strip()) for row in cells if len(row) == 4 and "---" not in row[0]][1:]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("named", ROWS)
def test_the_page_and_the_audit_say_the_same_of_a_library(page, named):
    (place,) = [i for i, (cell, _) in enumerate(rows("what-to-do")) if named in cell and "**" in cell]
    rule = OBJECTIVES[LIBRARIES[ROWS[named]].objective].rule
    rule = "balance" if rule.startswith("weighted balance") else {"unit rows": "yes"}.get(rule, rule)
    said = dict(zip(RULES, PAGES[page], strict=True))[rule]
    cell = rows(page)[place][1]
    assert said in cell if rule == "yes" else cell.startswith(said)


def test_the_audit_never_imports_the_book():
    for path in (ROOT / "audit/src").rglob("*.py"):
        assert not re.search(r"^\s*(from|import) (helpers|experiments|tools)\b", path.read_text("utf-8"), re.M), path
