"""Other people's libraries, trained on the shop of `losses`; a test that needs one is skipped where it is missing."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from . import losses as by

X = by.shop()
ALS, BPR, LMF = "AlternatingLeastSquares", "BayesianPersonalizedRanking", "LogisticMatrixFactorization"
SENTENCES = [[str(item) for item in np.flatnonzero(row)] for row in X]


def implicit(name, **options):
    cpu = pytest.importorskip("implicit.cpu", reason="implicit is a test extra")
    (cls,) = [getattr(one, name) for one in (cpu.als, cpu.bpr, cpu.lmf) if hasattr(one, name)]
    return cls(factors=by.K, random_state=0, num_threads=1, **options)


def fitted(name, **options):
    model = implicit(name, **options)
    model.fit(csr_matrix(X, dtype=np.float32), show_progress=False)
    return model


def gensim(name, **options):
    cls = getattr(pytest.importorskip("gensim.models", reason="gensim is a test extra"), name)
    texts = SENTENCES
    if name == "Doc2Vec":
        from gensim.models.doc2vec import TaggedDocument

        texts = [TaggedDocument(words, [f"doc {i}"]) for i, words in enumerate(SENTENCES)]
    options = {"bucket": 100} | options if name == "FastText" else options
    return cls(texts, vector_size=by.K, window=40, min_count=1, epochs=5, workers=1, seed=0, **options)


def surprise(name, **options):
    library = pytest.importorskip("surprise", reason="scikit-surprise is a test extra")
    rng = np.random.default_rng(0)
    ratings = [(f"u{u}", f"i{i}", 1 + int(rng.integers(5)), None) for u, i in np.argwhere(X)]
    train = library.Dataset(library.Reader(rating_scale=(1, 5))).construct_trainset(ratings)
    return getattr(library, name)(n_factors=by.K, n_epochs=5, random_state=0, **options).fit(train)
