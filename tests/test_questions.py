"""The chapter of questions: the words of a forum find the answers."""

import re

from chapters import ROOT, read

CELLS = read(ROOT / "book/questions.ipynb")
ASKED = {  # what people type, and the section that answers
    "unrelated texts high cosine similarity threshold": "threshold",
    "openai cohere bge e5 sentence-transformers glove fasttext similarity scores comparable": "encoders",
    "anisotropy threshold retrieval rag duplicates": "encoders",
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
    """The sections that ask: {label: their text before the first cell of code}."""
    text = "\n\n".join(cell.source if cell.cell_type == "markdown" else "```" for cell in CELLS)
    return {
        label: text.partition("```")[0]
        for label, text in re.findall(r"(?ms)^\(sec-questions-([\w-]+)\)=$(.*?)(?=^\(sec-|\Z)", text)
    }


QUESTIONS = questions()


def test_a_search_with_the_words_of_a_forum_finds_every_answer():
    for query, label in ASKED.items():
        text = QUESTIONS[label].lower()
        assert not [word for word in query.split() if word not in text]
