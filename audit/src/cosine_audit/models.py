"""Fitted models of other libraries: their factors, and what they say about their training. No library is imported."""

from functools import partial
from typing import NamedTuple

import numpy as np

from cosine_audit.arrays import ITEMS, USERS
from cosine_audit.gauges import as_array

ARRAYS = "pass its arrays instead: audit(items, users, trained_by=…)"


class Model(NamedTuple):
    """items (p, k); users (n, k) or None; trained_by or objective; names (p,); counts; read, lines of what it says."""

    items: np.ndarray
    users: np.ndarray | None = None
    trained_by: str | None = None
    objective: str | None = None
    names: list | None = None
    item_counts: np.ndarray | None = None
    user_counts: np.ndarray | None = None
    read: tuple = ()


def model_of(value, users=None, name="items", **said):
    """The Model of a fitted model, or of an array, in which what is said (not None) replaces what the model knows.

    Users that are given have no counts but those given with them; how it was trained is one thing with two names.
    Raises TypeError for another type, ValueError for a model that is not fitted; both name the type and what to pass.
    """
    model, said = read_model(value, name), {key: one for key, one in said.items() if one is not None}
    if users is not None:
        model = model._replace(users=users, user_counts=None)
    if {"trained_by", "objective"} & said.keys():
        model = model._replace(trained_by=None, objective=None)
    return model._replace(**said)


def read_model(value, name):
    """The Model of a fitted model, or, of what NumPy takes for an array, one that knows nothing else."""
    for cls in type(value).__mro__:
        library = cls.__module__.split(".")[0]
        if (library, cls.__name__) in READERS:
            return READERS[library, cls.__name__](value)
    if isinstance(value, list | tuple | str | bytes | int | float) or hasattr(value, "__array__") or value is None:
        return Model(value)
    known = ", ".join(sorted({f"{library}'s {cls}" for library, cls in READERS}))
    got = f"{type(value).__module__}.{type(value).__qualname__}"
    raise TypeError(f"{name} must be an array or a model that is known ({known}), got {got}: {ARRAYS}")


def fitted(model, name):
    """An attribute of a model that has one only after it was fitted, as an array."""
    value = getattr(model, name, None)
    value = value.to_numpy() if hasattr(value, "to_numpy") else value  # implicit's on a GPU
    if value is None or not np.size(value):
        raise ValueError(f"items must be a fitted model, got {type(model).__name__} without {name}: fit it first")
    return as_array(name, value)


def penalized(penalties, library, otherwise):
    """What was minimized: the library's objective if both factors are penalized, the other if none is; else unknown."""
    if all(penalties):
        return {"trained_by": library}
    return {"objective": "unknown" if any(penalties) else otherwise}


def settings(model, **said):
    """A line of what a model says about its training."""
    return f"{type(model).__name__}: " + ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in said.items())


def of_implicit(model, library, otherwise):
    """implicit: rows of user_factors are those of the matrix that fit was given; biases stand behind the factors."""
    items, users = fitted(model, "item_factors"), fitted(model, "user_factors")
    k, penalty = model.factors, model.regularization
    read = [settings(model, penalty=penalty, iterations=model.iterations)]
    if items.shape[1] > k:
        read.append(
            f"{items.shape[1] - k} of {items.shape[1]} columns hold biases and ones, and are left out (implicit's "
            "similar_items compares them, too)"
        )
    said = penalized([penalty], library, otherwise)
    return Model(items[:, :k], users[:, :k], **said, read=tuple(read))


def of_keyed_vectors(vectors):
    """gensim's KeyedVectors: inputs alone, and nothing of how they were trained."""
    counts, words = vectors.expandos.get("count"), fitted(vectors, "vectors")
    counts = counts if np.shape(counts) == (len(words),) else None  # vectors added later have none
    return Model(words, names=list(vectors.index_to_key), item_counts=counts, objective="unknown")


def of_word2vec(model, library=None):
    """gensim's Word2Vec, FastText, Doc2Vec: items are inputs, users are outputs, of words and of the code's nodes.

    With hs and negative sampling both read the same inputs, so that one M turns both.
    """
    if getattr(model, "dm_concat", 0):
        raise ValueError(f"items must be a {type(model).__name__} without dm_concat, got one with: {ARRAYS}")
    outputs = [fitted(model, name) for name, used in (("syn1neg", model.negative), ("syn1", model.hs)) if used]
    inputs = of_keyed_vectors(model.dv if library == "doc2vec" else model.wv)
    named = "gensim hs" if model.hs else "gensim skip-gram" if model.sg else "gensim CBOW"
    read = settings(model, sg=model.sg, hs=model.hs, negative=model.negative, epochs=model.epochs)
    return inputs._replace(users=np.vstack(outputs), trained_by=library or named, objective=None, read=(read,))


def of_surprise(model, library):
    """Surprise: biases stand apart; a user of SVDpp is p and the sum of y over the root of the number of ratings."""
    items, users, train = fitted(model, "qi"), fitted(model, "pu"), model.trainset
    if library == "Surprise SVDpp":
        rated = [[item for item, _ in train.ur[user]] for user in range(train.n_users)]
        users = users + [np.sum(model.yj[some], axis=0) / np.sqrt(max(1, len(some))) for some in rated]
    counts = [np.array([len(rows[i]) for i in range(len(E))]) for rows, E in ((train.ir, items), (train.ur, users))]
    penalties = [model.reg_pu, model.reg_qi, *([model.reg_yj] if library == "Surprise SVDpp" else [])]
    said = penalized(penalties, library, "nonnegative" if library == "Surprise NMF" else "none")
    names = [train.to_raw_iid(i) for i in range(len(items))]
    read = settings(model, penalties=" and ".join(map(str, penalties)), epochs=model.n_epochs)
    return Model(items, users, **said, names=names, item_counts=counts[0], user_counts=counts[1], read=(read,))


def of_decomposition(model, library):
    """scikit-learn's TruncatedSVD and PCA: items are columns of the data, users what transform makes of its rows."""
    return Model(fitted(model, "components_").T, trained_by=library, read=(not_stored("model.transform(X)"),))


def of_nmf(model):
    """scikit-learn's NMF: the same; alpha_W and alpha_H are penalties, of which alpha_H may be the same as alpha_W."""
    penalties = [model.alpha_W, model.alpha_W if model.alpha_H == "same" else model.alpha_H]
    of = {0: {"trained_by": "NMF"}, 2: {"objective": "nonnegative-penalized"}}
    said = of.get(np.count_nonzero(penalties), {"objective": "unknown"})
    read = settings(model, alpha_W=penalties[0], alpha_H=penalties[1]), not_stored("model.transform(X)")
    return Model(fitted(model, "components_").T, **said, read=read)


def of_classifier(model):
    """scikit-learn's LogisticRegression: items are classes, users are the features.

    LogisticRegressionCV, a subclass, is fitted again with the C that it chose, unless refit is False; of two classes
    there is one row, which no class names.
    """
    items = fitted(model, "coef_")
    C, mixed = (getattr(model, name, getattr(model, f"{name}_", None)) for name in ("C", "l1_ratio"))
    C, plain = np.max(C), model.penalty in ("l2", "deprecated") and not np.any(mixed)
    ridge = plain and np.isfinite(C) and getattr(model, "refit", True)
    said = {"trained_by": "LogisticRegression on fixed features"} if ridge else {"objective": "unknown"}
    read = settings(model, C=C), not_stored("features, user_labels=labels")
    return Model(items, **said, names=list(model.classes_) if len(items) > 1 else None, read=read)


def not_stored(users):
    """A line that says what to pass as users."""
    return f"users: the model stores none; pass audit(model, {users}) to have them judged, too"


def of_spark(model):
    """PySpark's ALSModel: two data frames of id and features; a row's place is its id's rank."""
    tables = {}
    for side in ("itemFactors", "userFactors"):
        rows = sorted((row["id"], row["features"]) for row in getattr(model, side).collect())
        if not rows:
            raise ValueError(f"items must be a fitted model, got {type(model).__name__} with empty {side}")
        tables[side] = [one for one, _ in rows], np.array([features for _, features in rows], dtype=float)
    names, items = tables["itemFactors"]
    return Model(items, tables["userFactors"][1], trained_by="Spark ALS", names=names)


def of_torch(module):
    """torch: two tables of embeddings, told apart by their names, and nothing else that was trained but biases."""
    tables = {name: np.shape(one.weight) for name, one in module.named_modules() if "Embedding" in type(one).__name__}
    wide = [name for name, shape in tables.items() if shape[1] > 1]
    items, users = ([name for name in wide if pattern.search(name)] for pattern in (ITEMS, USERS))
    weights = {f"{name}.weight".removeprefix(".") for name in tables}
    others = [name for name, one in module.named_parameters() if name not in weights and np.prod(np.shape(one)) > 1]
    if others or len(wide) != 2 or len(items) != 1 or len(users) != 1 or items == users:
        wanted = "two tables of embeddings, one named as items and one as users, and nothing else"
        got = f"{type(module).__name__} with {', '.join([*wide, *others])[:200] or 'none'}"
        raise ValueError(f"items must be a module of {wanted}, got {got}: {ARRAYS}, of the towers' outputs")
    read = f"items from {items[0]}, users from {users[0]}; a module does not say how it was trained"
    modules = dict(module.named_modules())
    items, users = (modules[name].weight.detach().cpu().float().numpy() for name in items + users)
    return Model(items, users, objective="unknown", read=(read,))


READERS = {
    ("implicit", "AlternatingLeastSquares"): partial(of_implicit, library="implicit ALS", otherwise="none"),
    ("implicit", "BayesianPersonalizedRanking"): partial(of_implicit, library="implicit BPR", otherwise="ranking"),
    ("implicit", "LogisticMatrixFactorization"): partial(of_implicit, library="implicit LMF", otherwise="ranking"),
    ("gensim", "KeyedVectors"): of_keyed_vectors,
    ("gensim", "Word2Vec"): of_word2vec,
    ("gensim", "FastText"): partial(of_word2vec, library="fastText"),
    ("gensim", "Doc2Vec"): partial(of_word2vec, library="doc2vec"),
    ("surprise", "SVD"): partial(of_surprise, library="Surprise SVD"),
    ("surprise", "SVDpp"): partial(of_surprise, library="Surprise SVDpp"),
    ("surprise", "NMF"): partial(of_surprise, library="Surprise NMF"),
    ("sklearn", "TruncatedSVD"): partial(of_decomposition, library="TruncatedSVD"),
    ("sklearn", "PCA"): partial(of_decomposition, library="PCA"),
    ("sklearn", "NMF"): of_nmf,
    ("sklearn", "LogisticRegression"): of_classifier,
    ("pyspark", "ALSModel"): of_spark,
    ("torch", "Module"): of_torch,
}
