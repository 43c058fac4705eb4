"""The chapter of questions: each has an answer, a cell that shows it, a proof and a thread, and forum words find it."""

import re

import pytest
from chapters import ROOT, is_folded, read, words

CELLS = read(ROOT / "book/questions.ipynb")
ASKED = {  # what people type, and the section that answers
    "unrelated texts high cosine similarity threshold": "threshold",
    "cosine dot product euclidean vector store": "store",
    "similar items recommendations user only item": "row",
    "row predicted scores item-to-item similarity": "scores",
    "two-tower model item–item cosine": "towers",
    "clip image text similarity 0.2 compare images": "clip",
    "retrained switched embedding model mix align old new vectors": "align",
    "length norm embedding normalize": "length",
    "negative cosine similarity probability percentage": "negative",
    "popular items inner product large norms mips": "mips",
    "k-means umap hdbscan knn ridge embeddings": "kmeans",
    "same item nearest neighbors hubs hubness": "hubs",
    "truncate embeddings dimensions matryoshka": "truncate",
    "int8 quantization cosine similarity": "int8",
    "unique solution true similarity": "unique",
    "layer normalization matrix factorization": "layer-norm",
    "deep nonlinear models": "deep",
}


def questions():
    """The sections that ask: {label: (heading, answer, texts, code cells)}."""
    found, label = {}, None
    for cell in CELLS:
        if cell.cell_type == "code":
            if label:
                found[label][1].append(cell)
            continue
        for part in re.split(r"(?m)^(?=\(sec-questions-[\w-]+\)=$|## What this)", cell.source):
            start = re.match(r"\(sec-questions-([\w-]+)\)=", part)
            label = start[1] if start else None if part.startswith("## ") else label
            if label:
                found.setdefault(label, ([], []))[0].append(part)
    return found


QUESTIONS = questions()


def test_a_search_with_the_words_of_a_forum_finds_every_answer():
    assert sorted(QUESTIONS) == sorted(ASKED.values())
    assert 12 <= len(QUESTIONS) <= 17
    for query, label in ASKED.items():
        heading, answer = QUESTIONS[label][0][0].split("\n", 3)[1::2]
        text = f"{heading} {answer.partition('```')[0]}".lower()
        assert not [word for word in query.split() if word not in text]


@pytest.mark.parametrize("label", QUESTIONS)
def test_a_question_has_a_short_answer_a_cell_a_proof_and_a_thread(label):
    texts, code = QUESTIONS[label]
    _, heading, _, answer = texts[0].split("\n", 3)
    assert heading.startswith("## ")
    assert heading.endswith("?")
    assert words(answer) <= 90
    assert [cell for cell in code if cell.outputs]
    assert any(not is_folded(cell) for cell in code)
    text = "\n".join(texts)
    thread = r"\[[\w.-]+#\d+\]\(https://github\.com/[\w.-]+/[\w.-]+/(issues|pull)/\d+\)"
    assert re.search(rf"\*(Asked in\*|Near it:\*) {thread}", text)
    assert re.search(r"\*(Proof|More):\*.*\[[^\]]*\]\((sec-[\w-]+|[\w-]+\.ipynb)\)", text)
