"""The matrix of glosses and words: how it is made, and what is refused."""

import glosses as tool
import pytest

from helpers import debian, documentation, glosses, read_debian, read_documentation, read_glosses
from helpers.files import MissingDataError

ENTITY = (
    "00001740 03 n 01 entity 0 003 ~ 00001930 n 0000 ~ 00002137 n 0000 ~ 04424418 n 0000 | that which is perceived or "
    "known or inferred to have its own distinct existence (living or nonliving)  "
)


def test_a_gloss_counts_a_word_once_and_a_lemma_of_one_word():
    assert tool.bag(["dog", "domestic_dog"], "a dog's dog, 2 cats") == {"a", "dog", "s", "cats"}


def test_words_that_are_short_rare_or_the_most_frequent_are_left_out(monkeypatch):
    for name, value in (("LEAST_GLOSSES", 2), ("LEAST_LETTERS", 3), ("TOO_FREQUENT", 1)):
        monkeypatch.setattr(tool, name, value)
    bags = [{"the", "cat", "ox"}, {"the", "cat", "ox"}, {"the", "bird"}]
    assert tool.vocabulary(bags) == ["cat"]
    assert tool.vocabulary([*bags, {"bird"}]) == ["bird", "cat"]


def test_wordnets_own_files_are_read_which_count_lemmas_in_hexadecimal_digits(tmp_path):
    lemmas = [f"word_{letter}" for letter in "abcdefghijklmnop"]
    counted = " ".join(f"{lemma} 0" for lemma in ["Word_a", *lemmas[1:-1], f"{lemmas[-1]}(ip)"])
    adjective = f"00001740 00 a 10 {counted} 001 ~ 00001930 n 0000 | sixteen words  "
    for part, synset in zip(tool.PARTS, (ENTITY, "", adjective, ""), strict=True):
        (tmp_path / f"data.{part}").write_text(f"  1 This software\n{synset}\n" if synset else "")
    gloss = ENTITY.split(" | ")[1].strip()
    assert tool.synsets_in(tmp_path) == [("noun.Tops", ["entity"], gloss), ("adj.all", lemmas, "sixteen words")]


def test_the_tool_names_a_file_that_is_missing_or_damaged(tmp_path):
    with pytest.raises(MissingDataError, match=r"data\.noun cannot be read"):
        tool.write(tmp_path)
    for part in tool.PARTS:
        (tmp_path / f"data.{part}").write_text(ENTITY + "\n" if part != "verb" else ENTITY[:40])
    with pytest.raises(MissingDataError, match=r"data\.verb cannot be read"):
        tool.write(tmp_path)
    (tmp_path / "data.verb").write_text(ENTITY)
    with pytest.raises(MissingDataError, match=r"must hold the 117659 synsets of WordNet 3\.0, got 4"):
        tool.write(tmp_path)
    for content in (b"\xff", ENTITY.replace(" 03 ", " 99 ").encode(), ENTITY.replace(" | ", " ").encode()):
        (tmp_path / "data.adj").write_bytes(content)
        with pytest.raises(MissingDataError, match=r"data\.adj cannot be read"):
            tool.write(tmp_path)


def test_a_word_has_a_category_if_its_synsets_agree():
    synsets = [("noun.animal", ["cat"], ""), ("noun.food", ["cat", "bread"], ""), ("noun.food", ["bread"], "")]
    found = tool.category_of_words(["bread", "cat", "the"], synsets)
    assert [tool.CATEGORIES[i] if i >= 0 else "" for i in found] == ["noun.food", "", ""]


def test_the_committed_matrix():
    X, words, of_gloss, of_word = read_glosses()
    assert X.shape == (len(of_gloss), len(words)) == (117_659, 7_250)
    assert (X.nnz, X.has_canonical_format) == (674_321, True)
    assert set(of_gloss) == set(tool.CATEGORIES)
    assert of_word[list(words).index("oxygen")] == "noun.substance"


@pytest.mark.parametrize(
    ("home", "read"), [(debian, read_debian), (documentation, read_documentation), (glosses, read_glosses)]
)
def test_a_matrix_that_is_missing_or_damaged(tmp_path, monkeypatch, home, read):
    monkeypatch.setattr(home, "FILE", tmp_path / home.FILE.name)
    with pytest.raises(MissingDataError, match=rf"{home.FILE.name} cannot be read: No such file"):
        read()
    home.FILE.write_bytes(b"damaged")
    with pytest.raises(MissingDataError, match=rf"{home.FILE.name} is not the file that this book was written with"):
        read()
