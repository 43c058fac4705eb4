"""Gauges, evidence and neighbors, by routes that form the scores."""

import numpy as np
import pytest
from cosine_audit import gauges as g
from cosine_audit import neighbors as near
from cosine_audit.pair import hold, surely_free
from cosine_audit.space import chance, first_of_each, health

from .losses import cosines as cosine_matrix
from .losses import ill, on_both_spheres, rotation, turned, unit

CANONICAL = ["balanced", "whitened", "back", "safe"]


def model(rng, n=60, p=40, k=5):
    """Users and items of unequal scales, both with a mean."""
    return rng.normal(size=(n, k)) * np.arange(1, k + 1) + 0.5, rng.normal(size=(p, k)) + rng.normal(size=k)


def cosines(P, B, name, center=False):
    U = g.directions(B, g.canonical_gauges(g.moments(P), g.moments(B), center)[name])
    return U @ U.T


def by_scores(P, B, name, center=False):
    """The same cosines from the scores themselves."""
    scores = P @ B.T
    if name == "safe":
        scores = scores - scores.mean(axis=0)
        scores = scores - scores.mean(axis=1, keepdims=True) if center else scores
    _, s, Vt = np.linalg.svd(scores, full_matrices=False)
    kept = s > 1e-9 * s[0]
    return cosine_matrix(Vt[kept].T * s[kept] ** {"back": 1, "whitened": 0}.get(name, 0.5))


@pytest.mark.parametrize(("name", "center"), [*((name, False) for name in CANONICAL), ("safe", True)])
@pytest.mark.parametrize("size", [1, 1e-25, 1e25])
def test_gauges_are_functions_of_the_scores(rng, name, center, size):
    P, B = model(rng)
    expected = by_scores(P, B, name, center)
    np.testing.assert_allclose(cosines(P, B * size, name, center), expected, atol=1e-10)
    np.testing.assert_allclose(cosines(*turned(P, B, ill(rng)), name, center), expected, atol=1e-9)
    flat = P @ np.diag([1, 1, 1, 0, 0])  # directions that no user sees
    np.testing.assert_allclose(cosines(flat, B, name), by_scores(flat, B, name), atol=1e-6)


def test_what_a_bias_cannot_touch(rng):
    P, B = model(rng)
    for side, center in ((0, False), (1, True)):
        ones, bias = [np.ones((60, 1)), 5 * rng.normal(size=(60, 1))], [5 * rng.normal(size=(40, 1)), np.ones((40, 1))]
        P_b, B_b = np.hstack([P, ones[side]]), np.hstack([B, bias[side]])
        assert np.abs(cosines(P_b, B_b, "safe", center) - cosines(P, B, "safe", center)).max() < 1e-10
        assert np.abs(cosines(P_b, B_b, "back") - cosines(P, B, "back")).max() > 0.1


def test_moments(rng, monkeypatch):
    E, w = np.vstack([model(rng)[1] + 100, np.zeros((3, 5))]), rng.integers(0, 4, 43)
    for rows in (7, 1_000):
        monkeypatch.setattr(g, "ROWS_AT_ONCE", rows)
        about = g.moments(E)
        assert about.count == 40
        np.testing.assert_allclose(about.spread.T @ about.spread, 40 * np.cov(E[:40].T, bias=True), atol=1e-9)
        R = g.triangular_factor(g.moments(E, w))
        np.testing.assert_allclose(R.T @ R, E.T * w @ E, rtol=1e-12)


def test_imbalance(rng):
    P, B = model(rng)
    users, items, first, second = g.moments(P), g.moments(B), P.T @ P, B.T @ B
    distances = [np.linalg.norm(first - q * second) / np.linalg.norm(first) for q in np.linspace(0, 100, 20_001)]
    assert g.imbalance(users, items) == pytest.approx(min(distances), abs=1e-4)
    assert g.imbalance(items, users) == pytest.approx(g.imbalance(users, items))


def test_condition_is_the_c_of_the_error_bar(rng):
    P, B = model(rng)
    users, items = g.moments(P), g.moments(B)
    for name, gauge in g.canonical_gauges(users, items).items():
        c = g.condition(items, gauge)
        before, after = (np.arctanh(np.clip(cosines(P, B, x), -1 + 1e-9, 1 - 1e-9)) for x in ("given", name))
        assert np.abs((after - before)[np.triu_indices(40, 1)]).max() <= np.log(c) + 1e-6
    assert g.condition(items, g.Gauge(np.zeros(5), np.eye(5)[:, :3])) == np.inf
    assert g.condition(items, g.Gauge(np.ones(5), np.eye(5))) == np.inf


def test_parallel_rows(rng):
    U = rng.normal(size=(300, 4))
    U[7], U[9], U[11] = 3 * U[3] + 1e-9, -U[3], 0
    first = first_of_each(g.directions(U))
    assert set(range(300)) - set(first.tolist()) == {7, 11}


@pytest.mark.parametrize(("m", "k"), [(3, 4), (9, 4), (10, 4), (400, 4), (60, 10), (75, 70)])
def test_directions_that_lengths_surely_leave_free(rng, m, k):
    E, one = rng.normal(size=(m, k)), np.eye(1, k)
    free = max(0, k * (k + 1) // 2 - m - 1)
    assert surely_free(E, one, k) == free
    assert surely_free(np.vstack([E, -2 * E]), one, k) == free
    assert surely_free(E, one, k - 1) == 0  # other M need not move the items' cosines
    assert surely_free(rng.normal(size=(500, k)), E, k) == (0 if k < 70 else 70 * 71 // 2 - 500 - m)


def test_users_and_items_do_not_exclude_another_scale_by_their_ranks_together(rng):
    """P √w and B / √w have unit rows and the same scores, too; only the rank of both sides together is full."""
    w = np.array([0.4, 0.6, 0.8, 0.9, 1.2, 1.5, 2, 3])
    P, B = on_both_spheres(rng, 5_000, w), on_both_spheres(rng, 1_000, 1 / w)
    for E in (P, B, P * np.sqrt(w), B / np.sqrt(w)):
        assert hold(E, np.eye(8), np.eye(8)) < 1e-3


def test_many_rows_in_few_directions_do_not_pin_many_scales(rng):
    """Two models of 70 dimensions: unit rows, the same predictions, other cosines."""
    angles = rng.uniform(-0.3, 0.3, 3000)
    rows = np.hstack([np.c_[np.cos(angles), np.sin(angles)], np.zeros((3000, 68))])
    assert hold(rows, np.eye(70), np.eye(70)) < 1e-3


def test_chance_keeps_the_mean(rng):
    B = rng.normal(size=(3_000, 20))
    assert [chance(B + mean) for mean in (0, 3, 10)] == pytest.approx([0.64, 0.95, 0.99], abs=0.03)
    assert chance(B @ rotation(rng, 20)) == pytest.approx(chance(B), abs=0.01)


def test_health(rng):
    U = unit(rng.normal(size=(500, 8)))
    mean, first, rank, skewness, twins = health(U)
    assert mean == pytest.approx((U @ U.T)[np.triu_indices(500, 1)].mean())
    assert first == pytest.approx(1 / 8, abs=0.03)
    assert rank == pytest.approx(8, abs=0.1)
    assert abs(skewness) < 1
    assert twins < 0.01
    assert health(unit(rng.normal(size=(500, 8)) + 9))[0] > 0.9


def test_nearest_of_a_table_of_cosines(rng):
    S = cosine_matrix(rng.normal(size=(40, 5)))
    for i, row in enumerate(near.nearest(S, 7)):
        assert row.tolist() == [j for j in np.argsort(-S[i], kind="stable") if j != i][:7]
    assert near.nearest(np.eye(4), 3).tolist() == [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]]
    noise = 1e-14 * rng.normal(size=(40, 40))
    tied = np.round(S, 1)
    np.testing.assert_array_equal(near.nearest(tied, 5), near.nearest(tied + noise + noise.T, 5))
    assert near.nearest(1e-12 * S, 3)[0].tolist() == [1, 2, 3]
    for wrong in (np.eye(3) * np.nan, np.ones((2, 3)), [[0, 1], [2, 0]]):
        with pytest.raises(ValueError, match="S must be a symmetric"):
            near.nearest(wrong, 1)
    for wrong in (0, 4, 1.5, True):
        with pytest.raises(ValueError, match="n_neighbors must be an integer between 1 and 3"):
            near.nearest(np.eye(4), wrong)


@pytest.mark.parametrize("dtype", [float, np.float32])
def test_search_finds_what_a_sort_finds(rng, dtype):
    U, shares = unit(rng.normal(size=(700, 9))).astype(dtype), []
    queries = np.sort(rng.choice(700, 600, replace=False))
    found = near.search(U, queries, 7, shares.append)
    S = np.where(np.eye(700), -2, U.astype(float) @ U.T)[queries]
    np.testing.assert_allclose(found.cosines, -np.sort(-S, axis=1)[:, :7], atol=1e-6)
    np.testing.assert_allclose(np.take_along_axis(S, found.rows, axis=1), found.cosines, atol=1e-6)
    assert shares == [512 / 600, 1]


def test_overlap():
    assert near.overlap([[1, 2, 3], [0, 2, 3]], [[3, 2, 1], [4, 5, 0]]) == pytest.approx((1 + 1 / 3) / 2)
    with pytest.raises(ValueError, match="lists of one shape"):
        near.overlap([[1], [2]], [[1, 2]])


def test_certified_neighbors_survive(rng):
    B = rng.normal(size=(300, 6))
    before = near.search(unit(B), np.arange(300), 2)
    for cond in (1.2, 1.5, 2):
        safe = near.certified(before.cosines, cond)
        assert 0 < safe.sum() < 300 or cond == 2
        for _ in range(6):
            after = near.search(unit(B @ ill(rng, 6, cond)), np.arange(300), 1)
            np.testing.assert_array_equal(after.rows[safe, 0], before.rows[safe, 0])
    assert near.certified(np.array([[0.5, -1], [-1, -1]]), 2).tolist() == [True, False]
