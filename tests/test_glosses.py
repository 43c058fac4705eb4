"""The matrix of glosses and words: how it is made, and what is refused; and what needs a package that is not pinned."""

import gzip

import glosses as tool
import numpy as np
import pytest

from experiments import read
from helpers import glosses, read_glosses
from helpers.movielens import MissingDataError

ENTITY = (
    "00001740 03 n 01 entity 0 003 ~ 00001930 n 0000 ~ 00002137 n 0000 ~ 04424418 n 0000 | that which is perceived or "
    "known or inferred to have its own distinct existence (living or nonliving)  "
)


def test_a_gloss_counts_a_word_once_and_a_lemma_of_one_word():
    assert tool.bag(["Dog", "domestic_dog"], "a dog's dog, 2 cats") == {"a", "dog", "s", "cats"}


def test_wordnets_own_files_and_the_table_are_read_alike(tmp_path):
    for part in tool.PARTS:
        (tmp_path / f"data.{part}").write_text("  1 This software\n" + (ENTITY + "\n" if part == "noun" else ""))
    with gzip.open(tmp_path / "glosses.tsv.gz", "wt") as table:
        gloss = ENTITY.split(" | ")[1].strip()
        table.write(f"synset\tcategory\tlemmas\tgloss\nn00001740\tnoun.Tops\tentity\t{gloss}\n")
    assert list(tool.from_wordnet(tmp_path)) == list(tool.from_table(tmp_path / "glosses.tsv.gz"))


def test_a_word_has_a_category_if_its_synsets_agree():
    synsets = [("noun.animal", ["cat"], ""), ("noun.food", ["cat", "Bread"], ""), ("noun.food", ["bread"], "")]
    found = tool.category_of_words(["bread", "cat", "the"], synsets)
    assert [tool.CATEGORIES[i] if i >= 0 else "" for i in found] == ["noun.food", "", ""]


def test_the_committed_matrix():
    X, words, of_gloss, of_word = read_glosses()
    assert X.shape == (len(of_gloss), len(words)) == (117_659, 7_250)
    assert X.nnz == 674_321
    assert X.has_canonical_format
    assert list(words) == sorted(words)
    assert X.sum(axis=0).min() >= tool.LEAST_GLOSSES
    assert set(of_gloss) == set(tool.CATEGORIES)
    assert of_word[list(words).index("oxygen")] == "noun.substance"


def test_a_matrix_that_is_missing_or_damaged(tmp_path, monkeypatch):
    monkeypatch.setattr(glosses, "FILE", tmp_path / "glosses.npz")
    with pytest.raises(MissingDataError, match=r"glosses\.npz cannot be read: No such file"):
        read_glosses()
    (tmp_path / "glosses.npz").write_bytes(b"damaged")
    with pytest.raises(MissingDataError, match=r"is not the file that this book was written with"):
        read_glosses()


def test_judgments_agree_with_raw_cosines_as_the_table_says():
    pytest.importorskip("gensim", reason="the judgments come with gensim, which the book does not pin")
    from experiments.people import judgments, read_judgments, row_of

    judged = {name: read_judgments(name) for name in ("wordsim", "simlex")}
    assert {name: len(rows) for name, rows in judged.items()} == {"wordsim": 353, "simlex": 999}
    assert all(rows["score"].between(0, 10).all() for rows in judged.values())
    used, judged = judgments()
    found = row_of(read_glosses().X[:, used].T.toarray(), judged)
    known = read("people").query("name == '0/1' and method == 'no decomposition'").iloc[0]
    assert [len(scores) for _, _, scores in judged.values()] == [240, 668]
    assert found == pytest.approx({name: known[name] for name in found}, abs=2e-4)
    assert np.isfinite(list(found.values())).all()
