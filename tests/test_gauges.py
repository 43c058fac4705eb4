"""Gauges, neighbors and verdicts, by routes that form the scores."""

import numpy as np
import pytest
from conftest import rotation
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors

from helpers import cosine_range, cosine_similarity, transform
from helpers import gauges as g
from helpers.verdicts import OBJECTIVES, Evidence, evidence, recommendation, verdict


def model(rng, n=60, p=40, k=5):
    """Users and items of unequal scales, both with a mean."""
    return rng.normal(size=(n, k)) * np.arange(1, k + 1) + 0.5, rng.normal(size=(p, k)) + rng.normal(size=k)


def ill(rng, k=5, cond=1e3):
    return rotation(rng, k) * np.geomspace(1, cond, k) @ rotation(rng, k)


def cosines(P, B, name, center=False):
    gauge = g.canonical_gauges(g.moments(P), g.moments(B), center)[name]
    U = g.directions(B, gauge)
    return U @ U.T


def by_scores(P, B, name, center=False):
    """The same cosines from the scores themselves."""
    scores = P @ B.T
    if name == "centered":
        scores = scores - scores.mean(axis=0)
        scores = scores - scores.mean(axis=1, keepdims=True) if center else scores
    _, s, Vt = np.linalg.svd(scores, full_matrices=False)
    kept = s > 1e-9 * s[0]
    power = {"balanced": 0.5, "whitened": 0, "back": 1, "centered": 1}[name]
    return cosine_similarity(Vt[kept].T * s[kept] ** power)


CANONICAL = ["balanced", "whitened", "back", "centered"]


@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("name", CANONICAL)
def test_gauges_are_functions_of_the_scores(rng, name, center):
    P, B = model(rng)
    np.testing.assert_allclose(cosines(P, B, name, center), by_scores(P, B, name, center), atol=1e-10)
    P_m, B_m = transform(*(np.vstack([E, np.zeros((60 - len(E), 5))]) for E in (P, B)), ill(rng))
    np.testing.assert_allclose(cosines(P_m, B_m[:40], name, center), by_scores(P, B, name, center), atol=1e-9)


@pytest.mark.parametrize("name", CANONICAL)
@given(seed=st.integers(0, 10**6), n=st.integers(3, 12), p=st.integers(5, 12), rank=st.integers(1, 3))
def test_gauges_of_small_and_flat_models(name, seed, n, p, rank):
    rng = np.random.default_rng(seed)
    P, B = rng.normal(size=(n, rank)) @ rng.normal(size=(rank, 4)), rng.normal(size=(p, 4))
    np.testing.assert_allclose(cosines(P, B, name), by_scores(P, B, name), atol=1e-6)


def test_what_a_bias_cannot_touch(rng):
    P, B = model(rng)
    for side, center in ((0, False), (1, True)):
        ones, bias = [np.ones((60, 1)), 5 * rng.normal(size=(60, 1))], [5 * rng.normal(size=(40, 1)), np.ones((40, 1))]
        P_b, B_b = np.hstack([P, ones[side]]), np.hstack([B, bias[side]])
        assert np.abs(cosines(P_b, B_b, "centered", center) - cosines(P, B, "centered", center)).max() < 1e-10
        assert np.abs(cosines(P_b, B_b, "back") - cosines(P, B, "back")).max() > 0.1
    shifted = B + 3 * rng.normal(size=5)
    assert np.abs(cosines(P, shifted, "centered", True) - cosines(P, B, "centered", True)).max() < 1e-10
    assert np.abs(cosines(P, shifted, "centered") - cosines(P, B, "centered")).max() > 0.1


def test_zero_rows_do_not_count(rng):
    P, B = model(rng)
    P0, B0 = np.vstack([P, np.zeros((7, 5))]), np.vstack([np.zeros((2, 5)), B])
    for name in CANONICAL:
        S = cosines(P0, B0, name, center=True)
        np.testing.assert_allclose(S[2:, 2:], cosines(P, B, name, center=True), atol=1e-12)
        assert not S[:2].any()
    E = g.in_gauge(B0, g.canonical_gauges(g.moments(P0), g.moments(B0), True)["centered"])
    assert not E[:2].any()
    np.testing.assert_allclose(cosine_similarity(E[2:]), cosines(P, B, "centered", True), atol=1e-12)


def test_the_items_that_are_written_are_the_same_for_every_m(rng):
    P, B = model(rng)
    written = []
    for M in (np.eye(5), ill(rng), -ill(rng)):
        P_m, B_m = P @ M, B @ np.linalg.inv(M).T
        gauge = g.canonical_gauges(g.moments(P_m), g.moments(B_m))["centered"]
        written.append(g.in_gauge(B_m, gauge))
    np.testing.assert_allclose(written, [written[0]] * 3, atol=1e-8)
    assert g.in_gauge(B.astype(np.float32), gauge).dtype == np.float32


def all_cosines(P, B, name="centered", center=None):
    """Cosines of the items that are written, 0 for those without a direction."""
    about = g.moments(B)
    center = g.has_constant(about) if center is None else center
    U = g.directions(g.in_gauge(B, g.canonical_gauges(g.moments(P), about, center)[name]))
    return U @ U.T


def test_an_item_with_one_score_for_all_users_has_no_direction(rng):
    """Its correlation with others is 0 / 0: it must be zero, and not rounding errors that M chooses."""
    P, B = np.hstack([rng.normal(size=(90, 5)), np.ones((90, 1))]), rng.normal(size=(40, 6))
    B[[7, 9], :5] = 0
    before = all_cosines(P, B)
    assert not before[[7, 9]].any()
    assert (before.diagonal() > 0).sum() == 38
    for _ in range(3):
        M = ill(rng, 6, 100)
        np.testing.assert_allclose(all_cosines(*transform_rows(P, B, M)), before, atol=1e-8)
    mean = np.vstack([B, B.mean(axis=0)])  # the mean item, subtracted from itself
    assert not all_cosines(P, mean, center=True)[-1].any()


def transform_rows(P, B, M):
    return P @ M, B @ np.linalg.inv(M).T


@pytest.mark.parametrize(("p", "k"), [(20, 12), (14, 12), (12, 12), (9, 12), (30, 12)])
def test_the_cure_of_few_items_is_the_same_for_every_m(rng, p, k):
    B = np.hstack([rng.normal(size=(p, k - 1)), np.ones((p, 1))])
    P = rng.normal(size=(200, k)) + 0.3
    about = g.moments(B)
    assert g.has_constant(about) == (p > k)
    for _ in range(3):
        P_m, B_m = transform_rows(P, B, rng.normal(size=(k, k)))
        assert g.has_constant(g.moments(B_m)) == (p > k)
        np.testing.assert_allclose(all_cosines(P_m, B_m), all_cosines(P, B), atol=1e-6)


def test_few_items_without_a_constant_have_none(rng):
    for k in (5, 30):
        for p in range(k - 1, 2 * k + 2):
            assert not any(g.has_constant(g.moments(rng.normal(size=(p, k)))) for _ in range(10))


def test_users_and_items_that_do_not_meet_have_no_gauge(rng):
    turn = rotation(rng, 6)
    P = np.hstack([rng.normal(size=(50, 3)), np.zeros((50, 3))]) @ turn
    B = np.hstack([np.zeros((40, 3)), rng.normal(size=(40, 3))]) @ turn
    gauges = g.canonical_gauges(g.moments(P), g.moments(B))
    assert {gauge.matrix.shape[1] for name, gauge in gauges.items() if name != "given"} == {0}


def test_no_factor_is_the_c_of_a_gauge_that_moves_the_origin(rng):
    """A neighbor that every M of this condition number leaves in place is lost when the mean item is subtracted."""
    P, B = rng.normal(size=(400, 4)), rng.normal(size=(300, 4)) + 8
    about = g.moments(B)
    gauge = g.canonical_gauges(g.moments(P), about, True)["centered"]
    stretches = np.linalg.svd(gauge.matrix)[1]
    every = np.arange(300)
    before, after = g.nearest(g.directions(B), every, 2), g.nearest(g.directions(B, gauge), every, 1)
    safe = g.certified(before.distances, stretches[0] / stretches[-1])
    assert (after.rows[safe, 0] != before.rows[safe, 0]).any()
    assert g.condition(about, gauge) == np.inf


@pytest.mark.parametrize("rows", [1, 7, 1000])
def test_moments_do_not_depend_on_blocks(rng, monkeypatch, rows):
    monkeypatch.setattr(g, "ROWS_AT_ONCE", rows)
    E = np.vstack([model(rng)[1] + 100, np.zeros((3, 5))])
    about = g.moments(E)
    assert about.count == 40
    np.testing.assert_allclose(about.mean, E[:40].mean(axis=0))
    np.testing.assert_allclose(about.spread.T @ about.spread, 40 * np.cov(E[:40].T, bias=True), atol=1e-9)
    R, origin = g.triangular_factor(about, np.arange(5)), E[:40] - np.arange(5)
    np.testing.assert_allclose(R.T @ R, origin.T @ origin, rtol=1e-12)
    assert g.effective_rank(about) == pytest.approx(1, abs=0.01)


def test_imbalance(rng):
    P, B = model(rng)
    users, items = g.moments(P), g.moments(B)
    first, second = P.T @ P, B.T @ B
    factors = np.linspace(0, 100, 20_001)
    distances = [np.linalg.norm(first - q * second) / np.linalg.norm(first) for q in factors]
    assert g.imbalance(users, items) == pytest.approx(min(distances), abs=1e-4)
    assert g.imbalance(items, users) == pytest.approx(g.imbalance(users, items))
    U, s, Vt = np.linalg.svd(P @ B.T, full_matrices=False)
    root = np.sqrt(s[:5])
    turn = rotation(rng, 5)
    balanced = 3 * U[:, :5] * root @ turn, Vt[:5].T * root @ turn
    assert g.imbalance(*map(g.moments, balanced)) < 1e-12


def test_rebalanced_keeps_the_scores_and_balances(rng):
    P, B = model(rng)
    users, items = g.rebalanced(P, B)
    np.testing.assert_allclose(users @ items.T, P @ B.T, atol=1e-9)
    np.testing.assert_allclose(users.T @ users, items.T @ items, atol=1e-9)
    assert g.imbalance(*map(g.moments, (users, items))) < 1e-12
    gauge = g.canonical_gauges(g.moments(P), g.moments(B))["balanced"]
    np.testing.assert_allclose(np.abs(g.in_gauge(B, gauge)), np.abs(items), atol=1e-9)


def test_condition_is_the_c_of_the_error_bar(rng):
    P, B = model(rng)
    users, items = g.moments(P), g.moments(B)
    for name, gauge in g.canonical_gauges(users, items).items():
        cond = g.condition(items, gauge)
        assert cond == pytest.approx(np.linalg.cond(gauge.matrix))
        before, after = cosine_similarity(B), cosines(P, B, name)
        for s, t in zip(before[np.triu_indices(40, 1)], after[np.triu_indices(40, 1)], strict=True):
            low, high = cosine_range(s, cond)
            assert low - 1e-9 <= t <= high + 1e-9
    assert g.condition(items, g.Gauge(np.zeros(5), np.eye(5)[:, :3])) == np.inf


@pytest.mark.parametrize("zeros", [0, 5])
def test_nearest(rng, zeros):
    B = np.vstack([model(rng, p=200)[1], np.zeros((zeros, 5))])
    items = rng.choice(200, 60, replace=False)
    found = g.nearest(g.directions(B), items, 7)
    S = cosine_similarity(B[:200])
    np.fill_diagonal(S, -2)
    np.testing.assert_array_equal(found.rows, np.argsort(-S[items], axis=1)[:, :7])
    np.testing.assert_allclose(1 - found.distances**2 / 2, -np.sort(-S[items], axis=1)[:, :7], atol=1e-7)
    np.testing.assert_array_equal(found.items, items)
    shares = []
    g.nearest(g.directions(B), items, 7, shares.append)
    assert shares == [1.0]


def test_what_report_raises_ends_the_search(rng, monkeypatch):
    U, searched, search = g.directions(rng.normal(size=(2**17, 2))), [], g.nearest_of

    def counted(U, some, *others):
        searched.append(len(some))
        return search(U, some, *others)

    def refuse(share):
        raise KeyboardInterrupt

    monkeypatch.setattr(g, "nearest_of", counted)
    with pytest.raises(KeyboardInterrupt):
        g.nearest(U, np.arange(2_000), 3, refuse)
    assert sum(searched) < 1_000


@pytest.mark.parametrize("dtype", [float, np.float32])
@pytest.mark.parametrize(("p", "k", "n"), [(5, 2, 4), (40, 1, 3), (3_000, 2, 10), (1_000, 30, 1), (2_001, 128, 17)])
def test_nearest_beside_scikit_learn(rng, p, k, n, dtype):
    U = g.directions(rng.normal(size=(p, k)) + 3 * rng.normal(size=k)).astype(dtype)
    found = g.nearest(U, np.arange(p), n)
    distances = NearestNeighbors(n_neighbors=n, algorithm="kd_tree").fit(U).kneighbors()[0]
    np.testing.assert_allclose(found.distances, distances, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(U[found.rows].astype(float) - U[:, None], axis=2), found.distances)


def test_nearest_where_float32_cannot_tell(rng):
    """An arc shorter than float32 resolves, in random order: each item's neighbors are those beside it."""
    place = rng.permutation(2_000)
    U = np.column_stack([np.cos(1e-6 * place), np.sin(1e-6 * place)])
    found = g.nearest(U, np.flatnonzero((place > 0) & (place < 1_999)), 2)
    np.testing.assert_array_equal(np.abs(place[found.rows] - place[found.items, None]), 1)


@pytest.mark.parametrize("dtype", [float, np.float32])
@pytest.mark.parametrize("spread", [1e-2, 1e-3, 1e-5])
def test_nearest_of_nearly_parallel_rows(rng, spread, dtype):
    U = g.directions(rng.normal(size=20) + spread * rng.normal(size=(3_000, 20))).astype(dtype)
    found = g.nearest(U, np.arange(0, 3_000, 10), 10)
    distances = cdist(U[::10].astype(float), U.astype(float))
    np.fill_diagonal(distances[:, ::10], np.inf)
    np.testing.assert_allclose(found.distances, np.sort(distances, axis=1)[:, :10], rtol=1e-6)
    kept = np.arange(3_000)
    assert g.nearest_by_float64(U, found.items, 10, kept).sum(axis=1).max() <= 21


def test_nearest_where_thousands_tie():
    """Blocks of four in the same plane: of all other blocks, at a right angle, the first come first."""
    U = np.kron(np.eye(500), np.ones((4, 1)))
    np.testing.assert_array_equal(g.nearest(U, np.array([0, 801]), 5).rows, [[1, 2, 3, 4, 5], [800, 802, 803, 0, 1]])


def test_rows_that_are_zero_only_shift_the_numbers_of_others(rng):
    U = g.directions(rng.normal(size=(50, 4)))
    shifted = np.vstack([np.zeros((3, 4)), U])
    found = g.nearest(shifted, np.arange(3, 53), 5)
    np.testing.assert_array_equal(found.rows - 3, g.nearest(U, np.arange(50), 5).rows)


def test_of_others_at_one_distance_the_first_come_first():
    U = np.repeat(np.eye(3), 400, axis=0)
    np.testing.assert_array_equal(g.nearest(U, np.array([0, 1, 800]), 2).rows, [[1, 2], [0, 2], [801, 802]])


def test_nearest_of_many_parallel_rows_are_never_the_item_itself(rng):
    U = g.directions(np.tile(rng.normal(size=(2, 4)), (20, 1)) * rng.uniform(1, 2, size=(40, 1)))
    found = g.nearest(U, np.arange(40), 5)
    assert np.all(found.rows != np.arange(40)[:, None])
    assert np.all(found.rows % 2 == np.arange(40)[:, None] % 2)


def test_kept_rows_only(rng):
    B = rng.normal(size=(6, 3))
    kept = np.array([True, False, True, True, False, True])
    U = g.directions(B, kept=kept)
    assert U.any(axis=1).tolist() == kept.tolist()


def test_overlap():
    assert g.overlap(np.array([[1, 2], [3, 4]]), np.array([[2, 1], [5, 3]])).tolist() == [1, 0.5]


def test_parallel_groups(rng):
    U = g.directions(np.vstack([rng.normal(size=(300, 4)), np.zeros((2, 4))]))
    U[7] = U[3]
    U[9] = -U[3]
    U[200] = U[100] + 1e-8
    groups = g.parallel_groups(U)
    assert groups[7] == groups[3] != groups[9]
    assert groups[200] == groups[100]
    assert len(set(groups)) == 300
    close = cdist(U[:300], U[:300]) < 1e-6
    np.testing.assert_array_equal(close, groups[:300, None] == groups[:300])


def test_certified_neighbors_survive(rng):
    B = rng.normal(size=(300, 6))
    items = np.arange(300)
    before = g.nearest(g.directions(B), items, 2)
    for cond in (1.2, 1.5, 2):
        safe = g.certified(before.distances, cond)
        assert 0 < safe.sum() < 300
        z = np.arctanh(1 - before.distances**2 / 2)
        np.testing.assert_array_equal(safe, z[:, 0] - z[:, 1] > 2 * np.log(cond))
        for _ in range(6):
            after = g.nearest(g.directions(B @ ill(rng, 6, cond)), items, 1)
            np.testing.assert_array_equal(after.rows[safe, 0], before.rows[safe, 0])


def test_constants(rng):
    B = model(rng)[1]
    with_bias = np.hstack([B, np.full((40, 1), 2.0)])
    with_bias[:, -1] += 0.01 * rng.normal(size=40)
    assert g.constant_columns(g.moments(B)) == []
    assert g.constant_columns(g.moments(with_bias)) == [5]
    turned = with_bias @ ill(rng, 6)
    assert g.constant_columns(g.moments(turned)) == []
    assert g.has_constant(g.moments(turned))
    assert not g.has_constant(g.moments(B @ ill(rng)))
    assert g.has_constant(g.moments(np.hstack([np.ones((9, 1)), rng.normal(size=(9, 5))])))


@pytest.mark.parametrize(("m", "k"), [(3, 4), (9, 4), (10, 4), (40, 4), (400, 4), (60, 10)])
def test_scales_that_unit_lengths_leave(rng, m, k):
    E = rng.normal(size=(m, k))
    free = max(0, k * (k + 1) // 2 - m)
    assert g.free_scales(E) == (free, free, free > 0 and m >= k)
    assert g.free_scales(E * rng.uniform(1, 9, size=(m, 1))) == g.free_scales(E)
    assert g.free_scales(np.vstack([E, -2 * E])) == g.free_scales(E)
    flat = np.hstack([E, np.zeros((m, 1))])  # rows in a subspace decide nothing about the rest
    assert g.free_scales(flat).pooled >= k + 1
    assert not g.free_scales(flat).surely  # other M need not move the items' cosines
    assert g.free_scales(rng.normal(size=(5, 70))) == (70 * 71 // 2 - 5,) * 2 + (False,)
    assert g.free_scales(rng.normal(size=(75, 70))) == (70 * 71 // 2 - 75,) * 2 + (True,)
    assert g.free_scales(np.eye(k), np.eye(k)) == (k * (k - 1) // 2,) * 2 + (k == 1,)
    assert g.free_scales(E, rng.normal(size=(500, k))) == (0, 0, False)


def test_many_rows_in_few_directions_do_not_pin_many_scales(rng):
    """Two models of 70 dimensions: unit rows, the same predictions, other cosines."""
    angles = rng.uniform(-0.3, 0.3, 3000), rng.uniform(1.2, 1.8, 3000)
    P, B = (np.hstack([np.c_[np.cos(a), np.sin(a)], np.zeros((3000, 68))]) for a in angles)
    stretch = np.sqrt([0.95, 1.05])
    P_2, B_2 = P.copy(), B.copy()
    P_2[:, :2], B_2[:, :2] = P[:, :2] * stretch, B[:, :2] / stretch
    P_2[:, 2], B_2[:, 3] = (np.sqrt(1 - np.sum(E[:, :2] ** 2, axis=1)) for E in (P_2, B_2))
    turn = rotation(rng, 70)
    np.testing.assert_allclose(P_2 @ B_2.T, P @ B.T, atol=1e-12)
    assert np.abs(B_2 @ B_2.T - B @ B.T).max() > 0.005
    for users, items in ((P, B), (P_2, B_2)):
        assert g.free_scales(users @ turn, items @ turn).surely is False
        assert verdict("normalized", evidence(items @ turn, users @ turn)).determined != "yes"
    assert g.free_scales(rng.normal(size=(3000, 70))).alone == 0


def test_free_scales_are_free(rng):
    """With 7 users and 6 items in 5 dimensions, another model has the same predictions, and other cosines."""
    from scipy.optimize import least_squares

    P, B = (g.directions(E) for E in model(rng, 7, 6))
    L = np.tril_indices(5)

    def lengths(flat):
        M = np.zeros((5, 5))
        M[L] = flat
        return np.concatenate([np.sum((P @ M) ** 2, axis=1), np.sum((B @ np.linalg.inv(M).T) ** 2, axis=1)]) - 1

    found = least_squares(lengths, np.eye(5)[L] + 0.1 * rng.normal(size=15), xtol=1e-15, ftol=1e-15, gtol=1e-15)
    M = np.zeros((5, 5))
    M[L] = found.x
    P_m, B_m = P @ M, B @ np.linalg.inv(M).T
    assert g.free_scales(P, B) == (8, 2, True)
    assert np.abs(lengths(found.x)).max() < 1e-10
    assert np.abs(P_m @ B_m.T - P @ B.T).max() < 1e-10
    assert np.abs(B_m @ B_m.T - B @ B.T).max() > 0.01


def on_both_spheres(rng, m, w):
    """Rows e of length one with Σ w e² = 1, so that e √w have length one, too: mixtures of pairs of axes."""
    k = len(w)
    low, high = (rng.choice(np.flatnonzero(some), (m, k)) for some in (w < 1, w > 1))
    share = (w[high] - 1) / (w[high] - w[low])
    weights = rng.dirichlet(np.ones(k), m)
    squares = np.zeros((m, k))
    for axes, part in ((low, share), (high, 1 - share)):
        np.add.at(squares, (np.arange(m)[:, None], axes), weights * part)
    return np.sqrt(squares) * rng.choice([-1, 1], (m, k))


def test_users_and_items_do_not_exclude_another_scale_by_their_ranks_together(rng):
    """Unit rows on both sides, equal scores, another cosine; only the rank of both sides together is full."""
    w = np.array([0.4, 0.6, 0.8, 0.9, 1.2, 1.5, 2, 3])
    P, B = on_both_spheres(rng, 5_000, w), on_both_spheres(rng, 1_000, 1 / w)
    P_2, B_2 = P * np.sqrt(w), B / np.sqrt(w)
    for E in (P, B, P_2, B_2):
        np.testing.assert_allclose(np.linalg.norm(E, axis=1), 1, atol=1e-12)
    np.testing.assert_allclose(P_2 @ B_2.T, P @ B.T, atol=1e-12)
    assert np.abs(B_2 @ B_2.T - B @ B.T).max() > 0.5
    turn = rotation(rng, 8)
    for users, items in ((P @ turn, B @ turn), (P_2 @ turn, B_2 @ turn)):
        assert g.free_scales(users, items) == (1, 0, False)
        found = verdict("normalized", evidence(items, users))
        assert found.determined == "unknown"
        assert "exclude other solutions nearby" in found.reason
    assert verdict("normalized", evidence(B, g.directions(rng.normal(size=(99, 8))))).determined == "yes"
    assert verdict("normalized", evidence(g.directions(rng.normal(size=(99, 8))), P)).determined == "yes"


def test_directions_that_no_user_sees(rng):
    P, B = model(rng)
    assert g.unseen_directions(g.moments(P), g.moments(B)) == 0
    flat = P * [1, 1, 1, 0, 0]
    M = ill(rng)
    assert g.unseen_directions(g.moments(flat @ M), g.moments(B @ np.linalg.inv(M).T)) == 2
    assert g.unseen_directions(g.moments(flat), g.moments(B * [0, 0, 0, 1, 1])) == 2
    assert verdict("normalized", evidence(g.directions(B), g.directions(flat))).determined == "no"


def test_models_at_the_edge(rng):
    B = rng.normal(size=(30, 4))
    for P in (rng.normal(size=(1, 4)), np.ones((3, 4))):  # the mean user is all there is
        gauges = g.canonical_gauges(g.moments(P), g.moments(B))
        assert gauges["centered"].matrix.shape == (4, 0)
        assert not g.directions(B, gauges["centered"]).any()
        assert g.directions(B, gauges["back"]).shape == (30, 1)
    scales = np.array([1e-12, 1, 1e6, 1e12])
    P = rng.normal(size=(60, 4))
    S = cosines(P / scales, B * scales, "back")
    np.testing.assert_allclose(S, by_scores(P, B, "back"), atol=1e-6)


def test_null_cosines(rng):
    B = rng.normal(size=(3_000, 20))
    null = g.null_cosines(rng, B)
    assert null.shape == (1_000, 1_000)
    assert null.std() == pytest.approx(20**-0.5, rel=0.02)
    assert null.mean() == pytest.approx(0, abs=0.01)
    turned = g.null_cosines(np.random.default_rng(1), B @ rotation(rng, 20))
    assert np.quantile(turned, 0.999) == pytest.approx(np.quantile(null, 0.999), abs=0.01)
    thresholds = [np.quantile(g.null_cosines(rng, B + mean), 0.999) for mean in (0, 3, 10)]
    assert thresholds == pytest.approx([0.64, 0.95, 0.99], abs=0.03)  # a mean stays: chance cosines are large
    with pytest.raises(TypeError, match="rng must be a numpy Generator"):
        g.null_cosines(0, B)
    sparse = np.vstack([sign * size * np.eye(4) for sign in (1, -1) for size in (1, 2)])
    assert np.isfinite(g.null_cosines(rng, sparse)).all()


def test_average_precisions(rng):
    from sklearn.metrics import average_precision_score

    U, labels = g.directions(rng.normal(size=(50, 4))), rng.integers(4, size=50)
    labels[0] = 9
    items = np.array([0, 5, 17])
    found = g.average_precisions(U, items, labels, np.arange(50))
    assert np.isnan(found[0])
    for item, ours in zip(items[1:], found[1:], strict=True):
        others = np.delete(np.arange(50), item)
        assert ours == pytest.approx(average_precision_score(labels[others] == labels[item], U[others] @ U[item]))
    neighbors = g.nearest(U, items, 3)
    assert g.precision(neighbors, labels)[0] == 0
    assert g.mean_cosine(U) == pytest.approx((np.sum(U @ U.T) - 50) / (50 * 49))
    assert g.occurrence(neighbors, 50).sum() == 9


# Verdicts


def balanced(rng, n=60, p=40, k=5):
    P, B = model(rng, n, p, k)
    U, s, Vt = np.linalg.svd(P @ B.T, full_matrices=False)
    turn = rotation(rng, k)
    return U[:, :k] * np.sqrt(s[:k]) @ turn, Vt[:k].T * np.sqrt(s[:k]) @ turn


@pytest.mark.parametrize("objective", ["product", "ranking", "none"])
def test_what_only_sees_scores_decides_nothing(rng, objective):
    P, B = balanced(rng)
    assert verdict(objective, evidence(B)).determined == "no"
    assert verdict(objective, evidence(B, P, 0.0)).determined == "no"


def test_a_penalty_on_both_factors_is_checked(rng):
    P, B = balanced(rng)
    assert verdict("factors", evidence(B)).determined == "unknown"
    assert verdict("factors", evidence(B, 3 * P, 0.0)).determined == "yes"
    assert verdict("factors", evidence(B, P, 0.2)).determined == "no"  # small directions are out of balance
    M = np.diag([2.0, 1, 1, 1, 1])
    broken = verdict("factors", evidence(B @ np.linalg.inv(M), P @ M, 0.0))
    assert broken.determined == "no"
    assert "out of balance" in broken.reason
    P_b, B_b = np.hstack([P, np.ones((60, 1))]), np.hstack([B, rng.normal(size=(40, 1))])
    stored = verdict("factors", evidence(B_b, P_b, 0.0))
    assert stored.determined == "no"
    assert "users:5 is constant" in stored.reason


def test_dropout_sees_only_the_scores_if_it_is_at_the_input(rng):
    """Its variance, of one user x: dropping inputs is free to every M, dropping hidden units is not."""
    x, A, B = rng.normal(size=8), rng.normal(size=(8, 3)), rng.normal(size=(8, 3))
    M = ill(rng, 3, 10)

    def variances(A, B):
        return np.sum((x[:, None] * (A @ B.T)) ** 2), np.sum(((x @ A) * B) ** 2)

    (at_input, hidden), (at_input_m, hidden_m) = variances(A, B), variances(A @ M, B @ np.linalg.inv(M).T)
    assert at_input_m == pytest.approx(at_input)
    assert hidden_m != pytest.approx(hidden, rel=0.1)
    assert "at the input" in verdict("product", evidence(B)).reason


def test_a_constant_column_is_no_bias_if_it_is_balanced(rng):
    """The closed form of Eq. 2 where everybody takes nearly everything: its first column is nearly constant."""
    X = 1 + 0.02 * rng.normal(size=(400, 50))
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    P, B = (E[:, :5] * np.sqrt(s[:5] - 0.05) for E in (U, Vt.T))
    seen = evidence(B, P, 0.0)
    assert seen.biases == ["items:0", "users:0"]
    assert verdict("factors", seen).determined == "yes"


def test_a_few_items_that_balancing_tears_apart_are_counted(rng):
    P, B = balanced(rng)
    found = verdict("factors", evidence(B, P, np.array([0.0] * 37 + [0.5, 0.7, 0.4])))
    assert found.determined == "yes"
    assert found.warnings == [
        "Balancing exchanges half of the nearest neighbors of 2 items, or more: these are not determined."
    ]
    assert verdict("factors", evidence(B, P, np.zeros(40))).warnings == []


def test_a_softmax_does_not_see_the_height_of_a_circle(rng):
    """Unit rows on both sides, the same probabilities, and other cosines."""
    turns, w = rng.uniform(0, 2 * np.pi, 60), rng.normal(size=(500, 2))
    w *= rng.uniform(0, 0.55, (500, 1)) / np.linalg.norm(w, axis=1, keepdims=True)
    models = []
    for height in (0.5, 0.7):
        radius = np.sqrt(1 - height**2)
        P = w * np.sqrt(0.75) / radius
        P = np.c_[P, np.sqrt(1 - np.sum(P**2, axis=1))]
        B = np.c_[radius * np.cos(turns), radius * np.sin(turns), np.full(60, height)]
        models.append((P, B))
    (P, B), (P_2, B_2) = models
    assert np.ptp(P @ B.T - P_2 @ B_2.T, axis=1).max() < 1e-12
    assert np.abs(B @ B.T - B_2 @ B_2.T).max() > 0.4
    assert "A direction of the items is nearly constant" in verdict("normalized", evidence(B, P)).warnings[0]


def test_a_recommendation_says_what_its_cosines_are(rng):
    P, B = balanced(rng)
    answer = verdict("ranking", evidence(B, P, 0.0))
    assert "columns of scores, each less its user's mean, which" in recommendation(answer, True, True, True)[1]
    assert "correlations of the items' columns of scores, which" in recommendation(answer, True)[1]
    assert "cosines of the items' columns of scores, which" in recommendation(answer, True, False, True)[1]


def test_cosines_inside_the_loss_are_checked(rng):
    P, B = (g.directions(E) for E in model(rng))
    assert verdict("normalized", evidence(B, P)) == ("yes", verdict("normalized", evidence(B, P)).reason, [])
    assert "without a penalty" in verdict("ranking", evidence(B, P)).reason
    few = verdict("normalized", evidence(B[:6], P[:7]))
    assert few.determined == "no"
    assert "leave 2 scales free" in few.reason
    same = verdict("normalized", evidence(np.eye(5), np.eye(5)))
    assert same.determined == "unknown"
    assert "to first order" in same.reason
    long = verdict("normalized", evidence(2 * B, 3 * P))
    assert long.determined == "yes"
    assert "on trust" in long.warnings[0]
    after = verdict("normalized", evidence(B, 3 * P))
    assert "Only items have length one" in after.warnings[0]
    assert verdict("normalized", evidence(B)).determined == "yes"


def test_other_objectives(rng):
    P, B = balanced(rng)
    assert verdict("unknown", evidence(B, P, 0.0)).determined == "unknown"
    with pytest.raises(ValueError, match=r"objective must be one of product, .* got 'bpr'"):
        verdict("bpr", evidence(B))
    assert {verdict(name, Evidence(None, None, [], [], None, None)).determined for name in OBJECTIVES} == {
        "yes",
        "no",
        "unknown",
    }
