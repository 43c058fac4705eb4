"""Fitted models, as other people's libraries leave them, are audited as their arrays are."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from cosine_audit import audit, models
from cosine_audit.files import read_pair
from sklearn.decomposition import NMF, PCA, TruncatedSVD
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV

from . import losses as by
from .libraries import ALS, BPR, LMF, X, fitted, gensim, implicit, surprise

pytestmark = pytest.mark.filterwarnings("ignore:OpenBLAS:RuntimeWarning", "ignore::DeprecationWarning")


def same(model, items, users=None, **said):
    """The report of a model, which is that of its arrays."""
    report, wanted = audit(model), audit(items, users, **said)
    one, other = report.to_dict(), wanted.to_dict()
    assert one | {"read": []} == other
    if users is not None:
        np.testing.assert_array_equal(report.safe_items, wanted.safe_items)
    return report


@pytest.mark.parametrize(
    ("name", "said", "biases"),
    [(ALS, "implicit ALS", 0), (BPR, "implicit BPR", 1), (LMF, "implicit LMF", 2)],
)
def test_implicit(name, said, biases):
    model = fitted(name)
    items, users = model.item_factors, model.user_factors
    assert (len(items), len(users), items.shape[1]) == (by.ITEMS, by.USERS, by.K + biases)
    report = same(model, items[:, : by.K], users[:, : by.K], trained_by=said)
    assert f"penalty {model.regularization}, iterations {model.iterations}" in report.read[0]
    assert len(report.read) == 1 + bool(biases)


@pytest.mark.parametrize("name", [BPR, LMF])
def test_biases_do_not_move_the_safe_items(name):
    """The centered scores of all columns, biases and ones among them, are those of the factors alone."""
    model = fitted(name, iterations=10)
    scores = np.float64(model.user_factors) @ np.float64(model.item_factors).T
    scores -= scores.mean(axis=0)
    scores -= scores.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(by.cosines(audit(model).safe_items_of(1)), by.cosines(scores.T), atol=1e-4)


@pytest.mark.parametrize("name", [BPR, LMF, ALS])
def test_a_saved_model_is_read_as_the_model(name, tmp_path):
    """implicit's .npz says how many of the columns are factors; biases and ones stand behind these."""
    model = fitted(name)
    model.save(tmp_path / "m.npz")
    read, wanted = read_pair(tmp_path / "m.npz"), audit(model)
    np.testing.assert_array_equal(read[0].values, wanted.items)
    np.testing.assert_array_equal(read[1].values, wanted.users)


def test_without_a_penalty_als_is_not_a_balanced_minimum():
    assert audit(fitted(ALS, regularization=0.0)).objective == "none"
    assert audit(fitted(BPR, regularization=0.0)).verdict == "no"


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("Word2Vec", {"sg": 1}, "gensim skip-gram"),
        ("Word2Vec", {"sg": 0}, "gensim CBOW"),
        ("Word2Vec", {"sg": 1, "hs": 1, "negative": 0}, "gensim hs"),
        ("Word2Vec", {"sg": 1, "hs": 1, "negative": 5}, "gensim hs"),
        ("FastText", {"sg": 1}, "fastText"),
        ("Doc2Vec", {"dm": 0}, "doc2vec"),
        ("Doc2Vec", {"dm": 1}, "doc2vec"),
    ],
)
def test_gensim(name, options, said):
    model = gensim(name, **options)
    inputs = model.dv if name == "Doc2Vec" else model.wv
    outputs = [] if options.get("negative") == 0 else [model.syn1neg]
    users = np.vstack(outputs + ([model.syn1] if options.get("hs") else []))
    counts = None if name == "Doc2Vec" else [inputs.get_vecattr(word, "count") for word in inputs.index_to_key]
    report = same(model, inputs.vectors, users, trained_by=said, names=inputs.index_to_key, item_counts=counts)
    assert report.verdict == "no"


def test_keyed_vectors_alone_say_nothing_of_training():
    model = gensim("Word2Vec", sg=1)
    assert audit(model.wv).verdict == "unknown"
    assert audit(model.wv, model.syn1neg, trained_by="skip-gram").safe_items is not None
    with pytest.raises(ValueError, match="Doc2Vec without dm_concat"):
        audit(gensim("Doc2Vec", dm=1, dm_concat=1))


@pytest.mark.parametrize(("name", "said"), [("SVD", "Surprise SVD"), ("NMF", "Surprise NMF")])
def test_surprise(name, said):
    model = surprise(name)
    train = model.trainset
    counts = {"item_counts": [len(train.ir[i]) for i in range(train.n_items)]}
    counts["user_counts"] = [len(train.ur[u]) for u in range(train.n_users)]
    names = [train.to_raw_iid(i) for i in range(train.n_items)]
    report = same(model, model.qi, model.pu, trained_by=said, names=names, **counts)
    assert report.names[train.to_inner_iid("i7")] == "i7"


def test_users_of_svdpp_are_those_of_its_predictions():
    model = surprise("SVDpp")
    train, report = model.trainset, audit(model)
    scores = report.users @ report.items.T
    u, i = train.to_inner_uid("u3"), train.to_inner_iid("i7")
    wanted = model.estimate(u, i) - train.global_mean - model.bu[u] - model.bi[i]
    assert scores[u, i] == pytest.approx(wanted, abs=1e-12)
    assert (report.verdict, report.trained_by) == ("unknown", "Surprise SVDpp")


def test_without_a_penalty_surprise_leaves_every_m():
    report = audit(surprise("SVD", reg_all=0.0))
    assert (report.objective, report.verdict) == ("none", "no")
    assert audit(surprise("SVD", reg_pu=0.0)).objective == "unknown"


@pytest.mark.parametrize("cls", [TruncatedSVD, PCA, partial(NMF, max_iter=2_000)])
def test_decompositions(cls):
    model = cls(by.K, random_state=0).fit(X)
    name, items, users = type(model).__name__, model.components_.T, model.transform(X)
    report = same(model, items, trained_by=name)
    assert "model.transform(X)" in report.read[-1]
    assert audit(model, users).to_dict() | {"read": []} == audit(items, users, trained_by=name).to_dict()


def test_nmf_knows_its_penalties():
    for penalties, wanted in ({"alpha_W": 0.001}, "nonnegative-penalized"), ({"alpha_H": 0.001}, "unknown"):
        model = NMF(by.K, tol=1e-3, max_iter=2_000, random_state=0, **penalties)
        assert audit(model.fit(X)).objective == wanted


def test_classifiers_are_judged_with_their_features(rng):
    features = rng.normal(size=(2_000, 4))
    labels = np.argmax(features @ rng.normal(size=(4, 9)), axis=1)
    model = LogisticRegression(max_iter=1_000).fit(features, labels)
    same(model, model.coef_, trained_by="LogisticRegression", names=model.classes_)
    assert audit(model).verdict == "unknown"
    assert audit(model, features).verdict == "yes"
    found = audit(model, features, user_labels=labels)
    assert (found.verdict, "as the gradient shows" in found.reason) == ("yes", True)
    free = LogisticRegression(C=np.inf, max_iter=1_000).fit(features, labels)
    assert audit(free, features).objective == "unknown"


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore:l1_ratios parameter")
def test_classifiers_of_two_classes_and_by_cross_validation(rng):
    """One row that no class names; and a subclass whose settings have other names."""
    features = rng.normal(size=(300, 4))
    labels = np.argmax(features @ rng.normal(size=(4, 5)), axis=1)
    with pytest.raises(ValueError, match="items must have at least 4 different directions, got 1"):
        audit(LogisticRegression().fit(features, labels > 2))
    model = LogisticRegressionCV(Cs=[0.1, 1.0], l1_ratios=(0,), max_iter=999).fit(features, labels)
    assert audit(model).trained_by == "LogisticRegression on fixed features"
    model.refit = False  # then coefficients are means over the folds, and no minimum's
    assert audit(model).objective == "unknown"


def test_vectors_added_later_have_no_counts(rng):
    vectors = gensim("Word2Vec", sg=1).wv
    vectors.add_vectors(["new", "newer"], rng.normal(size=(2, by.K)))
    assert len(audit(vectors).items) == len(vectors) > by.ITEMS


def test_a_second_run_is_a_model_too():
    one, other = (gensim("Word2Vec", sg=1, sample=sample) for sample in (0, 0.01))
    wanted = audit(one, again=other.wv.vectors[[other.wv.key_to_index[word] for word in one.wv.index_to_key]])
    assert audit(one, again=other).to_dict() == wanted.to_dict()


def library(name, **attributes):
    """An object of a class as a library that is not here has it, with its documented attributes."""
    module, cls = name.rsplit(".", 1)
    one = type(cls, (), {"__module__": module})()
    vars(one).update(attributes)
    return one


def frame(ids, E):
    rows = [{"id": int(i), "features": list(map(float, row))} for i, row in zip(ids, E, strict=True)]
    return SimpleNamespace(collect=lambda: rows)


def test_spark_by_its_documented_attributes(rng):
    P, B = by.start(1)
    ids = rng.permutation(by.ITEMS)
    model = library(
        "pyspark.ml.recommendation.ALSModel", itemFactors=frame(ids, B), userFactors=frame(range(by.USERS), P)
    )
    report = same(model, B[np.argsort(ids)], P, trained_by="Spark ALS", names=np.arange(by.ITEMS))
    assert report.verdict == "unknown"


def test_users_that_are_given_have_no_counts_of_the_model_s(rng, monkeypatch):
    model = models.Model(*rng.normal(size=(2, 40, 5)), objective="factors", user_counts=np.ones(40))
    monkeypatch.setitem(models.READERS, ("mine", "Model"), lambda _: model)
    assert len(audit(library("mine.Model"), rng.normal(size=(20, 5))).users) == 20


class Weight(np.ndarray):
    """A parameter of torch, as far as it is asked."""

    detach = cpu = float = lambda self: self

    def numpy(self):
        return np.asarray(self)


def torch(**tables):
    """A module of tables: those whose names begin with linear are none of embeddings."""
    kinds = {name: "Linear" if name.startswith("linear") else "Embedding" for name in tables}
    inner = {n: library(f"torch.nn.{kinds[n]}", weight=E.view(Weight)) for n, E in tables.items()}
    base = type("Module", (), {"__module__": "torch.nn.modules.module"})
    one = type("Towers", (base,), {"__module__": "mine"})()
    one.named_modules = lambda: [("", one), *inner.items()]
    one.named_parameters = lambda: [(f"{name}.weight", part.weight) for name, part in inner.items()]
    return one


def test_torch_by_its_documented_attributes(rng):
    P, B = by.start(1)
    biases = {"item_bias": rng.normal(size=(by.ITEMS, 1)), "user_bias": rng.normal(size=(by.USERS, 1))}
    same(torch(user_embedding=P, item_embedding=B, **biases), B, P)
    assert audit(torch(customers=P, products=B), trained_by="two towers dot").verdict == "no"
    for wrong in ({"a": P, "b": B}, {"users": P}, {"users": P, "items": B, "linear": rng.normal(size=(6, 6))}):
        with pytest.raises(ValueError, match=r"items must be a module of two tables .* got Towers .* pass its arrays"):
            audit(torch(**wrong))


def test_what_is_not_fitted_is_named():
    for name in (ALS, BPR, LMF):
        with pytest.raises(ValueError, match=f"items must be a fitted model, got {name} without item_factors"):
            audit(implicit(name))
    word2vec = pytest.importorskip("gensim.models", reason="gensim is a test extra").Word2Vec
    with pytest.raises(ValueError, match="items must be a fitted model, got Word2Vec without syn1neg"):
        audit(word2vec(vector_size=5))
    with pytest.raises(ValueError, match="got KeyedVectors without vectors"):
        audit(word2vec(vector_size=5).wv)
    for cls in (TruncatedSVD, PCA, NMF):
        with pytest.raises(ValueError, match=f"got {cls.__name__} without components_"):
            audit(cls())
    with pytest.raises(ValueError, match="got LogisticRegression without coef_"):
        audit(LogisticRegression())
    empty = library("pyspark.ml.recommendation.ALSModel", itemFactors=frame([], []), userFactors=frame([], []))
    with pytest.raises(ValueError, match="got ALSModel with empty itemFactors"):
        audit(empty)


def test_surprise_that_is_not_fitted_is_named():
    library = pytest.importorskip("surprise", reason="scikit-surprise is a test extra")
    with pytest.raises(ValueError, match="got SVD without qi"):
        audit(library.SVD())


def test_an_unknown_type_is_named_with_what_to_pass(rng):
    known = r"items must be an array or a model that is known \(gensim's Doc2Vec, .*\), got .*Mine: pass its arrays"
    with pytest.raises(TypeError, match=known):
        audit(type("Mine", (), {})())
    with pytest.raises(TypeError, match="again must be an array or a model"):
        audit(rng.normal(size=(40, 5)), again=object())
    ball = pytest.importorskip("implicit.nearest_neighbours", reason="implicit is a test extra").CosineRecommender()
    with pytest.raises(TypeError, match=r"got implicit\.nearest_neighbours\.CosineRecommender: pass its arrays"):
        audit(ball)
