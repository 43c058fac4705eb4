"""The experiments on remedies, on small data and by routes that do not use their formulas."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from experiments import centering, common, inputs, layer_norm, lengths
from experiments.remedies import cosines
from helpers import cosine_similarity

SMALL = {"n_items": 60, "n_users": 250, "n_held_out": 40}


@pytest.fixture
def data(monkeypatch):
    """One small data set, which every experiment draws."""
    one = common.draw("default", 3, **SMALL)
    for module in (centering, inputs, layer_norm, lengths):
        monkeypatch.setattr(module, "draw_smaller", lambda reading, seed: one)
    return one


def right(X, k=20):
    _, s, Vt = np.linalg.svd(X, full_matrices=False)
    return s[:k], Vt[:k].T


def test_biases_are_those_of_columns_and_of_rows(data):
    X = data.X.toarray()
    items = X - X.mean(axis=0)
    users = items - items.mean(axis=1, keepdims=True)
    found = centering.compare("default", 3, np.array([4.0]))
    rows = {row["readout"]: row for row in found if row["setting"] in (0, 4)}
    assert set(rows) == set(centering.READOUTS)
    for readout in ("D = I", "Eq. 2"):
        weigh = (lambda s: np.sqrt(s**2 / (s**2 + 16))) if readout == "D = I" else (lambda s: np.sqrt(s - 4))
        given, less, both = (cosines(V * weigh(s)) for s, V in map(right, (X, items, users)))
        pairs = np.triu_indices(len(given), 1)
        assert_allclose(rows[readout]["items_moved"], np.abs(given - less)[pairs].mean(), rtol=1e-6)
        assert_allclose(rows[readout]["both_moved"], np.abs(given - both)[pairs].mean(), rtol=1e-6)
        near, after = (np.argsort(-S + 2 * np.eye(len(S)), axis=1)[:, :10] for S in (given, both))
        stay = np.mean([len(set(a) & set(b)) for a, b in zip(near, after, strict=True)]) / 10
        assert_allclose(rows[readout]["both_kept"], stay, atol=0.005)


def test_nothing_changes_if_there_is_no_bias():
    X = np.kron(np.eye(4), np.ones((3, 3)))[:, np.random.default_rng(0).permutation(12)]
    items, both = centering.without_biases(X, X.T @ X)
    assert_allclose(items, both, atol=1e-12)  # all rows have one mean


def test_a_gain_that_moves_from_users_to_items_changes_no_score(data):
    rng = np.random.default_rng(0)
    theta = layer_norm.start(*rng.normal(size=(2, 60, 5)))
    theta |= {name: theta[name] + rng.normal(size=5).astype(np.float32) for name in ("w_P", "w_B", "h_P", "h_B")}
    theta["h_P"] *= 0  # without a shift on the users' side; with one, it is divided likewise
    X = data.X.toarray()
    scores = layer_norm.predict(theta, X, "both + gain")
    *_, (_, gained), (_, moved) = layer_norm.readouts(theta, "both + gain")
    users = layer_norm.layer_norm(X @ theta["A"])
    assert_allclose(users @ moved.T, scores, atol=1e-4)
    assert_allclose((users * theta["w_P"]) @ gained.T, scores, atol=1e-4)
    assert np.abs(cosine_similarity(np.asarray(gained)) - cosine_similarity(np.asarray(moved))).max() > 0.1
    normed = np.asarray(layer_norm.layer_norm(theta["B"]))
    assert_allclose(normed.mean(axis=1), 0, atol=1e-6)
    assert_allclose(np.linalg.norm(normed, axis=1), 1, atol=1e-5)


def test_powers_go_from_the_dot_product_to_the_cosine():
    E = np.random.default_rng(0).normal(size=(6, 3))
    for power, expected in ((0, E @ E.T), (1, cosine_similarity(E))):
        assert_allclose(lengths.alike(E, power), expected / np.abs(expected).max(), atol=1e-12)


def test_which_models_see_d(data, monkeypatch):
    monkeypatch.setattr(inputs, "LABELED", 40)
    rows = inputs.compare("default", 3, np.array([4.0]))
    same = {(row["model"], row["version"]): row["same"] for row in rows}
    diagonal = "D = √g", "D = 1/√g", "D = 1/√σ", "random D"
    for model in ("tree", "ridge, scaled columns", "least squares", "popularity: least squares"):
        assert_allclose([same[model, version] for version in diagonal], 1, atol=1e-6)
    assert_allclose([same[f"{prefix}least squares", "random M"] for prefix in ("", "popularity: ")], 1, atol=1e-6)
    assert min(same["k-means", version] for version in diagonal) < 0.9
