"""The Sphinx extensions: what they add to the pages of a book of two pages."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[1]
SOURCES = {
    "conf.py": """extensions = ["myst_parser", "sphinx_proof", "sphinxcontrib.bibtex", "page_markup", "bibliography"]
myst_enable_extensions = ["colon_fence", "dollarmath"]
bibtex_bibfiles, bibtex_default_style, bibtex_reference_style = ["references.bib"], "author-year", "author_year"
nitpicky = True
""",
    "references.bib": """@misc{one, author = {Bauer, F. L.}, title = {One}, year = {1960}}
@misc{two, author = {Eckart, Carl and Young, Gale}, title = {Two}, year = {1936}}
@misc{three, author = {Hu, Yifan and Koren, Yehuda and van Volinsky, Chris}, title = {Three}, year = {2008}}
@book{edited, editor = {Berry, Michael W.}, title = {Four}, publisher = {SIAM}, year = {2001}}
""",
    "index.md": """# Index

```{toctree}
claims
index-zh
```

See [C17](claims.md#c17) and {cite:p}`one,two,three,edited`.

```{prf:theorem} One
:label: thm-one
Words.
```

```{prf:proof}
:class: dropdown
*First* of all, $x$.
```

```{prf:theorem} Two
:label: thm-two
Words.
```

```{prf:proof}
Second.
```

```{bibliography}
```
""",
    "index-zh.md": "# 目录\n",
    "claims.md": """# Claims

:::{table}
:class: stack
| id | outcome |
| --- | --- |
| <span id="c17"></span>C17 | holds |
:::
""",
}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("book")
    for name, text in SOURCES.items():
        (folder / name).write_text(text, "utf-8")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", folder, folder / "html"]
    path = {**os.environ, "PYTHONPATH": str(ROOT / "tools"), "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(command, env=path, capture_output=True, text=True, encoding="utf-8")
    assert (done.returncode, done.stderr) == (0, "")
    return {name: (folder / f"html/{name}.html").read_text("utf-8") for name in ("index", "index-zh", "claims")}


def test_rows_of_the_ledger_are_targets_tables_may_stack_and_pages_say_their_language(built):
    assert '<td><p><span id="c17"></span>C17</p></td>' in built["claims"]
    assert re.search(r'<a [^>]*href="claims\.html#c17">', built["index"])
    assert re.search(r'<table class="[^"]*\bstack\b', built["claims"])
    assert '<html lang="zh-Hans"' in built["index-zh"]
    for page in built.values():
        ids = re.findall(r' id="([^"]+)"', page)
        assert len(ids) == len(set(ids))


def test_a_folded_proof_has_a_title_to_click_on_and_another_has_none(built):
    proofs = re.findall(r'<div class="proof[^"]*argument[^"]*">(.*?)</div>', built["index"], re.S)
    folded, plain = (re.sub(r"\s+", " ", proof).strip() for proof in proofs)
    assert folded.startswith('<p class="admonition-title">Proof</p>')
    assert "<p><em>First</em> of all" in folded
    assert plain == "<p>Proof. Second.</p>"


def test_references_are_labeled_as_the_text_labels_them(built):
    labels = re.findall(r'<span class="fn-bracket">\[</span>(.*?)<span', built["index"])
    labels = ", ".join(re.sub("<.*?>", "", label) for label in labels)
    assert labels == "Bauer, 1960, Berry, 2001, Eckart and Young, 1936, Hu et al., 2008"
