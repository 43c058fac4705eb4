"""What each kind of model deserves, row by row, if numbers decide: other people's libraries, and losses they minimize.

Two rows are stricter than theory at the exact minimum. A softmax with a penalty on both factors is *unknown*, though
converged: steps leave other models as balanced. One encoder on both sides is *unknown*: a head that reads its outputs,
distances, and queries that only meet passages leave maps free (`test_one_encoder_is_not_determined_by_theory`).
"""

from functools import cache

import numpy as np
import pytest
from cosine_audit import audit, pair
from cosine_audit.evidence import summaries
from sklearn.datasets import load_digits
from sklearn.decomposition import NMF, PCA, TruncatedSVD
from sklearn.linear_model import LogisticRegression

from . import losses as by
from .libraries import ALS, BPR, LMF, X, fitted

pytestmark = pytest.mark.filterwarnings("ignore:OpenBLAS:RuntimeWarning", "ignore::DeprecationWarning")

COUNTS = {"user_counts": X.sum(axis=1), "item_counts": X.sum(axis=0)}
EVEN = {"user_counts": np.ones(len(X)), "item_counts": np.ones(by.ITEMS)}  # each rates as many, in expectation


def of_implicit(name, **options):
    model = fitted(name, **options)
    return model.user_factors, model.item_factors


def of_sklearn(cls, **options):
    model = cls(by.K, random_state=0, **options).fit(X)
    return model.transform(X), model.components_.T


def logistic():
    features = np.random.default_rng(8).normal(size=(2_000, 4))
    labels = np.argmax(features @ np.random.default_rng(9).normal(size=(4, 9)), axis=1)
    return features, LogisticRegression(max_iter=1_000).fit(features, labels).coef_


def digits():
    """Pixels, of which some hardly vary: features of very unequal size."""
    data = load_digits()
    features = data.data / 16
    return features, LogisticRegression(max_iter=3_000).fit(features, data.target).coef_


def towers(rows=slice(None), columns=slice(None), k=by.K, steps=300):
    part = X[rows, columns]
    P, B = by.descend(by.on_spheres(by.softmax(part)), *by.start(10, 1, *part.shape, k), steps)
    return by.unit(P), by.unit(B)


L2, RANKING = ("objective", "factors"), ("objective", "penalized-ranking")
MODELS = {  # how it is trained; how it is named; other arguments; the verdict that it deserves
    "implicit ALS": (lambda: of_implicit(ALS), "implicit ALS", {}, "no"),
    "implicit ALS, converged": (lambda: of_implicit(ALS, regularization=3, iterations=300), "als", {}, "yes"),
    "implicit ALS, nearly": (lambda: of_implicit(ALS, regularization=1), "als", {}, "no, may be kept"),
    "implicit BPR": (lambda: of_implicit(BPR), "Implicit-BPR", {}, "no"),
    "implicit LMF": (lambda: of_implicit(LMF), "implicit LMF", {}, "no"),
    "BPR with a penalty": (lambda: by.bpr(X, 0.01), "BPR", {}, "no"),
    "softmax with L2": (lambda: by.descend(by.softmax(X, 2.0), *by.start(15)), RANKING, {}, "unknown"),
    "towers": (towers, "two towers normalized", {}, "yes"),
    "few towers": (lambda: towers(slice(39), slice(20), 12, 30), "two towers normalized", {}, "no"),
    "weighted ALS": (lambda: by.weighted_als(X), "Spark ALS", {}, "unknown"),
    "weighted ALS with counts": (lambda: by.weighted_als(X), "Spark ALS", COUNTS, "yes"),
    "Surprise, from a small start": (lambda: by.steps(X), "Surprise SVD", EVEN, "no"),
    "Surprise, stopped early": (lambda: by.weighted_als(X, 0.02, 3), "Surprise SVD", COUNTS, "no"),
    "TruncatedSVD": (lambda: of_sklearn(TruncatedSVD), "truncated svd", {}, "by convention"),
    "PCA": (lambda: of_sklearn(PCA), "pca", {}, "by convention"),
    "NMF with a penalty": (lambda: of_sklearn(NMF, alpha_W=0.005, max_iter=2_000), L2, {}, "unknown"),
    "what nothing trained": (lambda: by.start(17, 1, 20_000, 10_000, 8), "implicit ALS", {"sample": 100}, "unknown"),
    "LogisticRegression": (logistic, "LogisticRegression on fixed features", {}, "yes"),
    "LogisticRegression of digits": (digits, "LogisticRegression", {}, "unknown"),
    "towers, symmetric": (lambda: trained("towers"), "CLIP", {}, "yes"),
}


@cache
def trained(name):
    return tuple(np.asarray(E) for E in MODELS[name][0]())


@pytest.mark.parametrize(
    ("change", "verdict"),
    [(lambda W: W, "yes"), (lambda W: W + 0.2, "unknown"), (lambda W: 1.5 * W, "unknown"), (np.roll, "unknown")],
    ids=["honest", "shifted", "rescaled", "of another order"],
)
def test_labels_show_whether_classes_are_at_their_minimum(change, verdict):
    """Whatever features hardly vary: a strictly convex loss has one minimum, and the gradient bounds the way to it."""
    features, W = trained("LogisticRegression of digits")
    W = np.roll(W, 1, axis=0) if change is np.roll else change(W)
    labels = load_digits().target
    found = audit(W, features, trained_by="LogisticRegression", user_labels=labels)
    assert (found.verdict, "gradient" in found.reason) == (verdict, True)
    with pytest.raises(ValueError, match="user_labels must be rows from 0 to 9, got '10'"):
        audit(W, features, trained_by="LogisticRegression", user_labels=labels + 1)
    with pytest.raises(ValueError, match="user_labels must go with objective 'fixed-features', got 'factors'"):
        audit(W, features, trained_by="ALS", user_labels=labels)


def test_the_way_to_the_minimum_is_no_longer_than_the_gradient(rng):
    """Against a fit that went there, with and without an intercept, and with penalties of several sizes."""
    X, y = rng.normal(size=(300, 4)) * [1, 1, 1, 0.05], rng.integers(5, size=300)
    for options in ({"C": 0.1}, {"C": 10}, {"fit_intercept": False}):
        W = LogisticRegression(tol=1e-10, max_iter=9_999, **options).fit(X, y).coef_
        way = 1e-2 * W * rng.normal(size=W.shape)
        gone = np.mean(np.linalg.norm(way, axis=1) / np.linalg.norm(W, axis=1))
        there, away = (pair.Pair(E, X, summaries(E, X), y).to_go for E in (W, W + way))
        assert there < 1e-3 < gone < 1.02 * away


def test_how_far_classes_go_while_scores_change_by_one_percent(rng):
    """Along the direction in which features vary least, half of the classes one way and half the other."""
    X, W = rng.normal(size=(500, 4)) * [1, 1, 1, 0.1] + 3, rng.normal(size=(12, 4))
    centered = X - X.mean(axis=0)
    step = np.outer(np.repeat([1, -1], 6), np.linalg.svd(centered)[2][-1])
    step *= 0.01 * np.linalg.norm(centered @ (W - W.mean(axis=0)).T) / np.linalg.norm(centered @ step.T)
    way, lengths = np.linalg.norm(step[0]), np.linalg.norm(W, axis=1)
    loose = pair.Pair(W, X, summaries(W, X)).loose
    assert loose == pytest.approx(2 * way * np.sqrt(np.mean(lengths**-2.0)))
    assert np.abs(by.cosines(W + step) - by.cosines(W)).mean() < loose


def test_the_way_is_the_same_in_blocks(rng, monkeypatch):
    """Of 300 users and 5 classes, all at once and seven users at a time."""
    X, W, y = rng.normal(size=(300, 4)), rng.normal(size=(5, 4)), rng.integers(5, size=300)
    way = lambda: pair.Pair(W, X, summaries(W, X), y).to_go  # noqa: E731
    whole = way()
    monkeypatch.setattr(pair, "CELLS", 35)
    assert way() == pytest.approx(whole, rel=1e-6)


def examined(name, users, items):
    _, said, arguments, _ = MODELS[name]
    key, value = said if isinstance(said, tuple) else ("trained_by", said)
    return audit(items, users, **{key: value}, **arguments)


@pytest.mark.parametrize("name", MODELS)
def test_the_verdict_is_the_one_that_a_model_deserves(name):
    report = examined(name, *trained(name))
    kept = ", may be kept" if report.may_be_kept else ""
    assert f"{report.verdict}{kept}" == MODELS[name][3], report.reason


def test_a_balanced_model_that_a_second_run_contradicts_is_not_determined():
    """Steps from a small start stay nearly balanced wherever they end; so do two runs, balanced, with other cosines."""
    (users, items), (_, others) = (
        by.split(P @ B.T, by.K) for P, B in (trained("Surprise, from a small start"), by.steps(X, seed=1))
    )
    assert audit(items, users, objective="factors").verdict == "yes"
    report = audit(items, users, objective="factors", again=others)
    assert report.verdict == "unknown"
    assert "not at one minimum" in report.reason
    turned = items @ by.rotation(np.random.default_rng(0), by.K)
    assert audit(items, users, objective="factors", again=turned).verdict == "yes"


def test_towers_of_which_another_seed_keeps_half():
    """Of a row's neighbors 47 % stay, where chance keeps 17 %."""
    users, items = trained("towers")
    other = by.unit(items + 0.45 * np.random.default_rng(0).normal(size=items.shape))
    found = audit(items, users, trained_by="two towers normalized", again=other)
    assert found.verdict == "unknown"
    assert by.values(found)["neighbors kept, other run"] == pytest.approx(0.47, abs=0.05)
