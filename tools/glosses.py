"""The words of WordNet's glosses, as the matrix that `helpers.read_glosses` reads.

Usage: python tools/glosses.py FOLDER, where FOLDER holds WordNet 3.0's own data.noun, data.verb, data.adj and data.adv
(Debian's package wordnet-base has them). It takes about ten seconds and writes helpers/glosses.npz; the checksum in
helpers/glosses.py has to be that of the file written.
"""

import re
import sys
from collections import Counter
from hashlib import sha256
from pathlib import Path

import numpy as np

from helpers.files import MissingDataError
from helpers.glosses import FILE

N_SYNSETS = 117_659
LEAST_GLOSSES, LEAST_LETTERS, TOO_FREQUENT = 20, 3, 60  # in how many glosses a word is; how many are left out
PARTS = "noun", "verb", "adj", "adv"

OTHERS = "adj.all adj.pert adv.all"
NOUNS = (
    "Tops act animal artifact attribute body cognition communication event feeling food group location motive object "
    "person phenomenon plant possession process quantity relation shape state substance time"
)
VERBS = (
    "body change cognition communication competition consumption contact creation emotion motion perception possession "
    "social stative weather"
)
CATEGORIES = [  # by number, see lexnames(5WN)
    *OTHERS.split(),
    *(f"noun.{name}" for name in NOUNS.split()),
    *(f"verb.{name}" for name in VERBS.split()),
    "adj.ppl",
]


def synsets(path):
    """Category, lemmas (lower case) and gloss of each synset of a file, whose format is described in wndb(5WN)."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):  # the licence
            continue
        fields, gloss = line.split(" | ", 1)
        fields = fields.split(" ")
        count = int(fields[3], 16)
        lemmas = [re.sub(r"\((a|p|ip)\)$", "", word).lower() for word in fields[4 : 4 + 2 * count : 2]]
        yield CATEGORIES[int(fields[1])], lemmas, gloss.strip()


def synsets_in(folder):
    """The synsets of WordNet's four files. Raises MissingDataError, which names one that is missing or damaged."""
    found = []
    for path in (folder / f"data.{part}" for part in PARTS):
        try:
            found += synsets(path)
        except (OSError, ValueError, LookupError) as problem:
            raise MissingDataError(f"{path} cannot be read as glosses of WordNet: {problem}") from None
    return found


def bag(lemmas, gloss):
    """The different words of a gloss and of its one-word lemmas: runs of letters, lower case."""
    return set(re.findall("[a-z]+", gloss.lower())) | {word for word in lemmas if re.fullmatch("[a-z]+", word)}


def vocabulary(bags):
    """Words in enough bags, sorted; without short ones and the most frequent of all."""
    counts = Counter(word for words in bags for word in words)
    frequent = {word for word, _ in counts.most_common(TOO_FREQUENT)}
    return sorted(
        word
        for word, count in counts.items()
        if count >= LEAST_GLOSSES and len(word) >= LEAST_LETTERS and word not in frequent
    )


def category_of_words(words, synsets):
    """The category's number of each word all whose synsets agree in it, else −1."""
    found = {}
    for category, lemmas, _ in synsets:
        for word in lemmas:
            found.setdefault(word, set()).add(CATEGORIES.index(category))
    return np.array([min(found[w]) if len(found.get(w, ())) == 1 else -1 for w in words], dtype=np.int8)


def write(folder):
    """Read WordNet and write the matrix."""
    synsets = synsets_in(folder)
    if len(synsets) != N_SYNSETS:
        raise MissingDataError(f"{folder} must hold the {N_SYNSETS} synsets of WordNet 3.0, got {len(synsets)}")
    bags = [bag(lemmas, gloss) for _, lemmas, gloss in synsets]
    words = vocabulary(bags)
    place = {word: i for i, word in enumerate(words)}
    rows = [sorted(place[word] for word in found if word in place) for found in bags]
    np.savez_compressed(
        FILE,
        words=np.array(" ".join(words)),
        columns=np.concatenate(rows).astype(np.uint16),
        lengths=np.array([len(row) for row in rows], dtype=np.uint8),
        gloss_category=np.array([CATEGORIES.index(category) for category, _, _ in synsets], dtype=np.uint8),
        word_category=category_of_words(words, synsets),
        categories=np.array(" ".join(CATEGORIES)),
    )
    print(f"{len(rows)} glosses × {len(words)} words, {sum(map(len, rows))} ones")
    print("sha256", sha256(FILE.read_bytes()).hexdigest())


if __name__ == "__main__":
    write(Path(sys.argv[1]))
