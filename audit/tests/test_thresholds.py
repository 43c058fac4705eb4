"""What thresholds and error bars mean: cases on either side, coverage, and the usual definitions."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from cosine_audit import audit
from cosine_audit import findings as f
from cosine_audit import gauges as g
from cosine_audit.space import health
from scipy.stats import skew

from .losses import cosines, ill, split, turned, unit


def holds(sentence, truth):
    """Whether a share lies within what a sentence says of it, "30 ± 3 %"."""
    mean, error = (int(number) for number in re.search(r"(\d+) ± (\d+) %", sentence).groups())
    return abs(mean - 100 * truth) <= error


def test_nineteen_of_twenty_error_bars_of_labels_hold_the_truth(rng):
    held = []
    for _ in range(300):
        labels = rng.random(2_000) < 0.3
        near = SimpleNamespace(rows=rng.integers(2_000, size=(100, 10)), items=np.full(100, labels.argmax()))
        (said,) = f.about_labels(SimpleNamespace(found={"given": near}), labels)
        held.append(holds(said.sentence, labels.mean()))
    assert 0.92 < np.mean(held) < 0.99


def test_nineteen_of_twenty_error_bars_of_kept_neighbors_hold_the_truth(rng, monkeypatch):
    near = SimpleNamespace(rows=np.zeros((1, 10), int), cosines=np.ones((1, 11)))
    monkeypatch.setattr(f, "condition", lambda about, gauge: 2.0)
    held = []
    for _ in range(300):
        moved, queries = rng.random(400), rng.permutation(400)[:200]
        monkeypatch.setattr(f, "moved_by", lambda space, name: moved[queries])  # noqa: B023
        space = {"found": {"given": near, "back": near}, "gauges": {"back": None}, "queries": queries}
        said = next(f.about_neighbors(SimpleNamespace(**space, distinct=np.arange(400)), None))
        held.append(holds(said.sentence, 1 - moved.mean()))
    assert 0.92 < np.mean(held) < 0.99


@pytest.mark.parametrize("offset", [0, 0.5, 2])
def test_skewness_of_hubs_is_that_of_how_often_an_item_is_among_the_ten_nearest(rng, offset):
    U = unit(rng.normal(size=(300, 6)) + offset)
    S = cosines(U) - 2 * np.eye(len(U))
    times = np.bincount(np.argsort(-S, axis=1)[:, :10].ravel(), minlength=len(U))
    assert health(U)[3] == pytest.approx(skew(times))


def test_an_item_with_the_same_score_for_every_user_has_no_direction_and_one_that_differs_hardly_has(rng):
    P = np.c_[np.ones(80), rng.normal(size=(80, 3))]
    B = rng.normal(size=(30, 4))
    B[0] = 5, 0, 0, 0
    B[1] = 5, 1e-6, 0, 0
    for users, items in ((P, B), turned(P, B, ill(rng, 4))):
        U = g.directions(items, g.canonical_gauges(g.moments(users), g.moments(items))["safe"])
        assert np.linalg.norm(U[:2], axis=1) == pytest.approx([0, 1])
        half = split((P - P.mean(axis=0)) @ B.T, 3)[1]
        assert U[1] @ U[1:].T == pytest.approx(cosines(half[1:])[0], abs=1e-4)


@pytest.mark.parametrize(("spread", "verdict"), [(0.01, "no"), (0.03, "unknown"), (0.2, "yes")])
def test_the_nearer_items_are_to_a_plane_the_less_a_softmax_sees_its_height(rng, spread, verdict):
    users, sides = unit(rng.normal(size=(800, 4))), unit(rng.normal(size=(300, 3)))
    heights = 0.8 * (1 + spread * rng.choice([-1, 1], size=(300, 1)))
    items = np.hstack([heights, np.sqrt(1 - heights**2) * sides])
    lower = np.hstack([np.full((300, 1), 0.4), np.sqrt(1 - 0.4**2) * sides])  # one height, and so other cosines
    rest = users[:, 1:] * 0.6 / np.sqrt(1 - 0.4**2)
    theirs = np.hstack([np.sqrt(1 - np.sum(rest**2, axis=1, keepdims=True)), rest])
    moved = users @ items.T - theirs @ lower.T
    moved = moved - moved.mean(axis=1, keepdims=True)  # which a softmax over items does not see
    assert spread / 2 < np.std(moved) < spread
    assert np.abs(items @ items.T - lower @ lower.T).max() > 0.5
    assert audit(items, users, trained_by="two towers normalized").verdict == verdict
