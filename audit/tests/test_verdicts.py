"""Two models with the same predictions and other cosines: never are both told yes."""

import numpy as np
import pytest
from cosine_audit import audit, pair, thresholds
from cosine_audit.evidence import summaries
from cosine_audit.objectives import LIBRARIES, OBJECTIVES, ByLengths
from cosine_audit.words import percent
from scipy.linalg import eigh

from .losses import balanced, cosines, on_a_sphere, on_both_spheres, rotation, split, turned, unit, values


def classes(k=64, p=10, n=2_600):
    """Class vectors, orthogonal or at 0.7 of each other, and users with the same scores of them."""
    rng = np.random.default_rng(0)
    L = np.linalg.cholesky(0.3 * np.eye(p) + 0.7)
    P = unit(rng.normal(size=(3 * n, k)))
    along = np.linalg.solve(L, P[:, :p].T).T
    rest = 1 - np.sum(along**2, axis=1, keepdims=True)
    kept = np.flatnonzero(rest.ravel() > 0.01)[:n]
    moved = np.hstack([along, unit(P[:, p:]) * np.sqrt(np.maximum(rest, 0))])
    return (P[kept], np.eye(p, k)), (moved[kept], np.hstack([L, np.zeros((p, k - p))]))


def low_rank(k=12, r=6, p=30, n=400, g=0.8):
    """Items in six of twelve dimensions; shorter there, and lengthened where no user is (at another temperature)."""
    rng = np.random.default_rng(1)
    P, B = unit(rng.normal(size=(n, k))), np.hstack([unit(rng.normal(size=(p, r))), np.zeros((p, k - r))])
    beside = np.linalg.norm(P[:, r:], axis=1, keepdims=True)
    users = np.hstack([P[:, :r], beside, np.zeros((n, k - r - 1))])
    signs = rng.choice([-1, 1], (p, 1))
    items = np.hstack([g * B[:, :r], np.zeros((p, k - r - 1)), signs * np.sqrt(1 - g**2)])
    return (P, B), (users, items)


def two_blocks(half=10, n=900):
    """Two unit blocks side by side, with weights that users and items exchange."""
    rng = np.random.default_rng(2)
    u = [unit(rng.normal(size=(n, half))) for _ in range(4)]
    P, B = np.hstack([u[0] / 2, u[1] * np.sqrt(0.75)]), np.hstack(u[2:]) / np.sqrt(2)
    d = np.repeat(np.sqrt([2, 2 / 3]), half)
    return (P, B), (P * d, B / d)


N, T = np.diag([1.3, 0.8, 0.9, 1.2]), np.array([0.2, 0.1, -0.3, 0.1])


def on_a_quadric():
    """Items where |Nb + t| = 1, and users where |N⁻ᵀp| = 1: under one softmax, Nb + t and N⁻ᵀp are another model."""
    rng = np.random.default_rng(3)
    B = on_a_sphere(rng, lambda b: np.linalg.norm(b @ N.T + T, axis=1) - 1, 500)
    P = on_a_sphere(rng, lambda p: np.linalg.norm(p @ np.linalg.inv(N), axis=1) - 1, 900)
    return (P, B), (P @ np.linalg.inv(N), B @ N.T + T)


def under_two_softmaxes():
    """Users where |Np + t| = 1, whose squares span, and items in a hyperplane: the scores differ by one constant."""
    rng, low = np.random.default_rng(4), 0.1
    axes = np.linalg.svd(T[None])[2]
    lift = lambda c: low / np.linalg.norm(T) * axes[0] + np.sqrt(1 - low**2 / (T @ T)) * c @ axes[1:]  # noqa: E731
    items = lift(on_a_sphere(rng, lambda c: np.linalg.norm(lift(c) @ N, axis=1) - 1, 300, 3))
    P = on_a_sphere(rng, lambda p: np.linalg.norm(p @ N.T + T, axis=1) - 1, 900)
    return (P, items @ N), (P @ N.T + T, items)


def hardly_seen(k=6, h=0.7):
    """Items at ± h along an axis that users hardly see: longer there and shorter elsewhere, lengths stay to 1e-4."""
    rng = np.random.default_rng(7)
    B = np.hstack([rng.choice([-h, h], (400, 1)), np.sqrt(1 - h**2) * unit(rng.normal(size=(400, k - 1)))])
    P = unit(np.hstack([0.004 * rng.normal(size=(2_000, 1)), unit(rng.normal(size=(2_000, k - 1)))]))
    d = np.sqrt(np.r_[1.6, np.full(k - 1, 1 - 0.6 * h**2 / (1 - h**2))])
    return (P, B), (P / d * d[-1], B * d)


def weak_directions():
    """A strong popular direction, under which weak ones are rescaled by 3 and 1/3: 3.4 % out of balance."""
    rng = np.random.default_rng(0)
    kinds = np.repeat(rng.normal(size=(12, 5)), 11, axis=0) + 0.003 * rng.normal(size=(132, 5))
    popular = np.hstack([np.full((8, 1), 500), 0.01 * rng.normal(size=(8, 5))])
    users = rng.normal(size=(500, 6)) + np.array([3, 0, 0, 0, 0, 0])
    scores = users @ np.vstack([popular, np.hstack([np.full((132, 1), 0.02), kinds])]).T
    (P, B), d = split(scores, 6), np.array([1, 3, 1, 1 / 3, 1, 1])
    return (P, B), (P * d, B / d)


def two_groups(rng, m, weak, scale, k=6):
    """A model of a thousand items, of which m have four weak directions of their own; and two of these rescaled."""
    P, B = np.zeros((1_000, k + 4)), np.zeros((1_000, k + 4))
    for E in (P, B):
        E[m:, :k] = 30 * np.linalg.svd(rng.normal(size=(1_000 - m, k)), full_matrices=False)[0]
        E[:m, k:] = weak * np.linalg.svd(rng.normal(size=(m, 4)), full_matrices=False)[0]
    d = np.r_[np.ones(k), 1.2, 1.2, scale, scale]
    return (P, B), (P * d, B / d)


def thin_directions():
    """Forty items of a thousand in directions of some thousandths, rescaled by 12, below what a condition looks at."""
    return two_groups(np.random.default_rng(0), 40, 0.03 * np.array([1.1, 1.1, 2.5, 2.5]), 12)


def lost_directions():
    """Four hundred items of a thousand whose scores are below a millionth of the largest, rescaled by 5."""
    rng = np.random.default_rng(0)
    models = two_groups(rng, 400, 0.015 * np.array([1.1, 1.1, 1.3, 1.3]), 5)
    turn = rotation(rng, 10)
    return [(P @ turn, B @ turn) for P, B in models]


def clusters_under_giants():
    """Six hundred items in tight clusters, in two directions that are thin beside ten giants: all neighbors stay."""
    rng = np.random.default_rng(0)
    kinds = np.repeat(rng.normal(size=(30, 4)), 20, axis=0)
    giants = np.hstack([3e6 * np.linalg.qr(rng.normal(size=(10, 2)))[0], np.zeros((10, 2))])
    items = np.vstack([giants, kinds + 1e-3 * rng.normal(size=kinds.shape)])
    P, B = split(rng.normal(size=(2_000, 4)) @ items.T, 4)
    return tuple((P * d, B / d) for d in (np.array([1, 1, 4, 12]), np.array([1, 1, 12, 4])))


def in_a_cone(k=17, cone=0.05, step=0.5):
    """Users in a narrow cone, who hardly see other scales; items have equal parts in two blocks, of other sizes."""
    rng, half = np.random.default_rng(0), (k - 1) // 2
    P = unit(np.hstack([np.ones((5_000, 1)), cone * rng.normal(size=(5_000, k - 1))]))
    height = rng.uniform(-0.5, 0.5, (900, 1))
    blocks = [unit(rng.normal(size=(900, half))) * np.sqrt((1 - height**2) / 2) for _ in "PB"]
    d = np.sqrt(np.repeat([1, 1 + step, 1 - step], [1, half, half]))
    return (P, np.hstack([height, *blocks])), (unit(P / d), np.hstack([height, *blocks]) * d)


def seen_by_few_dimensions(k=70, share=0.01, growth=9):
    """Items at ± h along an axis of seventy: longer there and shorter elsewhere; users see one dimension less."""
    rng = np.random.default_rng(0)
    signs, rest = rng.choice([-1, 1], (800, 1)), unit(rng.normal(size=(800, k - 1)))
    first, second = (np.hstack([signs * np.sqrt(h), rest * np.sqrt(1 - h)]) for h in (share, growth * share))
    P = unit(np.hstack([0.7 * rng.normal(size=(6_000, 1)), rng.normal(size=(6_000, k - 1))]))
    d = np.r_[growth**-0.5, np.full(k - 1, np.sqrt((1 - share) / (1 - growth * share)))]
    return (P, first), (unit(P * d), second)


def outside_the_features():
    """Classes with and without a part that no feature reaches."""
    rng = np.random.default_rng(0)
    X, W, part = (rng.normal(size=(m, 8)) for m in (300, 20, 20))
    reach = np.array([1, 1, 1, 1, 1, 1, 0, 0])
    W -= W.mean(axis=0)
    W, X, part = W * reach, X * reach, part * (1 - reach)
    return (X, W), (X, W + part)


def where_features_hardly_reach():
    """Classes of another part along two features of a hundredth of the others' size."""
    rng, size = np.random.default_rng(0), np.array([1, 1, 1, 1, 1, 1, 0.01, 0.01])
    X, W, part = (rng.normal(size=(m, 8)) for m in (300, 20, 20))
    W, part = (E - E.mean(axis=0) for E in (W, part))
    return (X * size, W), (X * size, np.where(size < 1, part, W))


def shifted_classes():
    """Classes that sum to zero, and the same shifted by one vector, which no softmax sees."""
    rng = np.random.default_rng(0)
    X, W = rng.normal(size=(300, 8)), rng.normal(size=(20, 8))
    return (X, W - W.mean(axis=0)), (X, W - W.mean(axis=0) + 2)


def opposite_sides(k=2, c=1.045):
    """Two models on opposite sides of the balanced one, in directions under a strong popular one."""
    rng = np.random.default_rng(0)
    items = rng.normal(size=(40, k))
    popular = np.hstack([np.full((3, 1), 500.0), 0.01 * rng.normal(size=(3, k))])
    users = rng.normal(size=(500, k + 1)) + np.r_[3, np.zeros(k)]
    scores = users @ np.vstack([popular, np.hstack([np.full((40, 1), 0.001), items])]).T
    (P, B), d = split(scores, k + 1), np.sqrt([1, c, 1 / c])
    return (P / d, B * d), (P * d, B / d)


def along_an_axis_that_users_hardly_see(k=6, move=0.28):
    """Items moved by ± 0.28 along an axis in which users have little part: lengths stay, scores change by 1 %."""
    rng = np.random.default_rng(0)
    P = unit(rng.normal(size=(4_000, k)) * np.r_[np.ones(k - 1), 0.021])
    B = unit(rng.normal(size=(1_500, k)) * np.r_[np.ones(k - 1), 0.14])
    moved = [np.sqrt(1 - move**2) * unit(B[:, :-1]), move * rng.choice([-1, 1], (1_500, 1))]
    return (P, B), (P, np.hstack(moved))


def all_but_every_thousandth():
    """Users of whom all but every thousandth lie on a quadric, and items on its dual."""
    rng, w = np.random.default_rng(0), np.array([0.4, 0.5, 0.6, 1.3, 1.5, 1.7])
    P, B = on_both_spheres(rng, 42_000, w), on_both_spheres(rng, 500, 1 / w)
    P[::1_000] = unit(rng.normal(size=(42, 6)))
    return (P, B), (unit(P * np.sqrt(w)), B / np.sqrt(w))


def hardly_firm(k=16, f=0.6, s=0.009):
    """Rows that are 1 % off a quadric: at length one, the scores hardly change, and cosines do."""
    rng, w = np.random.default_rng(0), np.repeat([1 - f, 1 + f], k // 2)
    P, B = on_both_spheres(rng, 1_500, w), on_both_spheres(rng, 500, 1 / w)
    low = np.sum(P[:, : k // 2] ** 2, axis=1, keepdims=True)
    wanted = (1 + f - (1 + rng.choice([-1, 1], low.shape) * s) ** 2) / (2 * f)
    P = P * np.repeat(np.sqrt(np.hstack([wanted / low, (1 - wanted) / (1 - low)])), k // 2, axis=1)
    return (P, B), (unit(P * np.sqrt(w)), B / np.sqrt(w))


def shifted_under_biases():
    """Balanced factors of mean zero, and others of the same scores up to biases, balanced, too."""
    rng = np.random.default_rng(0)
    P, B = rng.normal(size=(300, 6)), rng.normal(size=(80, 6))
    P, B = P - P.mean(axis=0), B - B.mean(axis=0)
    return split(P @ B.T, 6), split((P + 0.5) @ (B + 1).T, 6)


PAIRS = {  # two models; objectives; up to what their scores agree; their verdicts
    "ten classes": (classes, ("normalized", "symmetric-contrastive"), "", "no, no"),
    "items of rank six in twelve dimensions": (low_rank, ("normalized", "symmetric-contrastive"), "scale", "no, no"),
    "two blocks": (two_blocks, ("normalized",), "", "unknown, unknown"),
    "items and users on quadrics": (on_a_quadric, ("normalized",), "user", "unknown, unknown"),
    "users on a quadric, items in a plane": (
        under_two_softmaxes,
        ("symmetric-contrastive",),
        "constant",
        "unknown, unknown",
    ),
    "users hardly see it": (hardly_seen, ("normalized", "symmetric-contrastive"), "scale", "unknown, unknown"),
    "shifted under biases": (shifted_under_biases, ("biased-factors",), "biases", "yes, unknown"),
    "weak directions": (weak_directions, ("factors",), "", "yes, no"),
    "thin directions": (thin_directions, ("factors",), "", "yes, no"),
    "lost directions": (lost_directions, ("factors",), "", "no, no"),
    "clusters under giants": (clusters_under_giants, ("factors",), "", "no, no"),
    "outside the features": (outside_the_features, ("fixed-features",), "", "unknown, unknown"),
    "shifted classes": (shifted_classes, ("fixed-features",), "user", "yes, unknown"),
}
NEARLY = {  # the same, where the scores are nearly the same, or the cosines differ by less
    "opposite sides": (opposite_sides, "factors", 1e-9, "no, no"),
    "all but every thousandth": (all_but_every_thousandth, "normalized", 1.0, "unknown, unknown"),
    "hardly firm": (hardly_firm, "normalized", 0.01, "unknown, unknown"),
    "in a cone": (in_a_cone, "normalized", 0.1, "unknown, unknown"),
    "where features hardly reach": (where_features_hardly_reach, "fixed-features", 0.02, "unknown, unknown"),
    "an axis that users hardly see": (along_an_axis_that_users_hardly_see, "normalized", 0.15, "unknown, unknown"),
    "one dimension of seventy": (seen_by_few_dimensions, "normalized", 0.1, "unknown, unknown"),
}


@pytest.mark.parametrize("name", NEARLY)
def test_two_models_with_nearly_the_same_predictions_are_not_both_told_yes(name):
    make, objective, agree, verdict = NEARLY[name]
    models = make()
    first, second = (P[:2_000] @ B.T for P, B in models)
    assert np.abs(second - first).max() < agree * np.abs(first).max()
    assert np.sqrt(np.mean((second - first) ** 2)) < 0.05 * first.std()
    assert np.abs(np.subtract(*(cosines(B[:300]) for _, B in models))).max() > 0.05
    assert ", ".join(audit(B, P, objective=objective, sample=100).verdict for P, B in models) == verdict


def raised(heights, t, k=8, n=2_000):
    """Users; items at these heights along an axis; these raised by t, at length one; the temperature."""
    rng, z = np.random.default_rng(0), heights[:, None]
    items = np.hstack([unit(rng.normal(size=(len(z), k - 1))) * np.sqrt(1 - z**2), z])
    u, h = t * np.eye(k)[-1], heights.mean()
    g = np.sqrt(1 - t**2 * (1 - h**2)) - t * h
    return unit(rng.normal(size=(n, k))), items, unit(g * items + u), g


HEIGHTS = np.linspace(-np.sqrt(3), np.sqrt(3), 400)  # of standard deviation one


@pytest.mark.parametrize(("heights", "t"), [(0.3 + 0.03 * HEIGHTS, 0.2), (0.02 * HEIGHTS, 0.3)])
def test_height_is_held_only_if_lengths_show_it(heights, t):
    """Flatness does not say that: a thin direction of mean zero, of flatness infinite, is as open as a high one."""
    P, B, other, g = raised(heights, t)
    first, second = (S - S.mean(axis=1, keepdims=True) for S in (P @ B.T, P @ other.T / g))
    assert np.linalg.norm(first - second) < 0.01 * np.linalg.norm(first)
    assert np.abs(cosines(B) - cosines(other)).mean() > 0.05
    assert "yes" not in [audit(E, P, objective="normalized", sample=100).verdict for E in (B, other)]


def test_what_lengths_show_is_what_scores_change(rng):
    """The bound, against raising the items by a little along the direction that the lengths show least."""
    P, B = unit(rng.normal(size=(900, 5)) * [1, 2, 1, 1, 3]), unit(rng.normal(size=(600, 5)) * [1, 1, 2, 1, 0.3] + 0.2)
    both = pair.Pair(B, P, summaries(B, P))
    Q = pair.shown_by_lengths(B, both.about["items"], both.roots)
    s, V = np.linalg.eigh(Q)
    u = 1e-4 * V[:, 0] / np.sqrt(s[0])
    first, second = (S - S.mean(axis=1, keepdims=True) for S in (P @ B.T, P @ unit(B + u).T))
    second *= np.sum(first * second) / np.sum(second**2)
    assert np.linalg.norm(first - second) / np.linalg.norm(first) == pytest.approx(1e-4, rel=0.02)
    moved = np.abs(cosines(unit(B + u)) - cosines(B)).mean()
    assert moved < 1.1 * pair.rise(both.about["items"].mean, Q, 1e-4)


@pytest.mark.parametrize("name", PAIRS)
def test_two_models_with_the_same_predictions_are_not_both_told_yes(name):
    make, objectives, agree, verdict = PAIRS[name]
    models = make()
    first, second = (P @ B.T for P, B in models)
    gap = second * (first.std() / second.std() if agree == "scale" else 1) - first
    gap -= gap.mean(axis=1, keepdims=True) if agree in ("user", "biases") else 0
    gap -= gap.mean(axis=0) if agree == "biases" else gap.mean() if agree == "constant" else 0
    assert np.abs(gap).max() < 1e-9 * np.abs(first).max()
    assert np.abs(np.subtract(*(cosines(B[:300]) for _, B in models))).max() > 0.2
    for objective in objectives:
        if objective in ("normalized", "symmetric-contrastive"):
            assert np.allclose([np.linalg.norm(E, axis=1).mean() for pair in models for E in pair], 1)
        assert ", ".join(audit(B, P, objective=objective, sample=100).verdict for P, B in models) == verdict


def hold(E, other, shifted=False):
    return pair.Pair(other, E, summaries(other, E)).hold("users", shifted)


def test_users_whose_squares_span_may_lie_on_a_quadric():
    """So the second softmax needs more of them than their squares: that no other quadric contains them."""
    (P, B), _ = under_two_softmaxes()
    assert hold(P, B) > thresholds.FIRM
    assert hold(P, B, shifted=True) < 1e-6


@pytest.mark.parametrize("k", [2, 5, 20])
def test_random_directions_hold_every_scale(rng, k):
    """Less than it takes of them, or all on a cone, and none is held; rotations and signs change nothing."""
    E, B = unit(rng.normal(size=(2 * k * (k + 1) - 1, k))), unit(rng.normal(size=(900, k)))
    turn = rotation(rng, k)
    assert hold(E, B) > hold(E, B, shifted=True) - 0.01 > thresholds.FIRM
    assert hold(E, B) == pytest.approx(hold(-E @ turn, B @ turn), abs=0.01)
    assert hold(E[: k * (k + 1) // 2 - 1], B) == 0
    cone = unit(np.hstack([unit(E[:, : k // 2]), unit(E[:, k // 2 :])]))  # two halves of equal length
    assert hold(cone, B) < 0.01


@pytest.mark.parametrize("seed", [77, 153, 191])
def test_hold_is_the_least_where_others_are_near(seed):
    """Against all eigenvalues, which are near each other: Lanczos' method may stop at the second or third."""
    rng, k = np.random.default_rng(seed), 12
    P, B = unit(rng.normal(size=(260, k))), unit(rng.normal(size=(400, k)))
    root = np.linalg.norm(P @ (B - B.mean(axis=0)).T, axis=1, keepdims=True)
    Z = P @ np.linalg.inv(np.linalg.cholesky(B.T @ B / len(B))).T
    i, j = np.triu_indices(k)
    seen, free = root * Z[:, i] * Z[:, j] * np.where(i == j, 1, np.sqrt(2)), root * np.hstack([np.ones_like(root), P])
    seen -= free @ np.linalg.lstsq(free, seen, rcond=None)[0]
    traceless = np.linalg.svd(np.eye(k)[i, j][None])[2][1:]
    least = np.linalg.svd(seen @ traceless.T, compute_uv=False)[-1] ** 2 / np.sum(root**2)
    assert hold(P, B, shifted=True) == pytest.approx(least, abs=thresholds.FIRM / 4)


def worst_scales(P, B):
    """The symmetric N that users see least, relative to what it does to the items' cosines: by a dense route."""
    k, C, centered = P.shape[1], B.T @ B / len(B), B - B.mean(axis=0)
    i, j = np.triu_indices(k)
    basis = np.zeros((len(i), k, k))
    basis[range(len(i)), i, j] = basis[range(len(i)), j, i] = 1
    weights = np.sum((P @ centered.T) ** 2, axis=1)
    seen = np.einsum("uk,akl,ul->ua", P, basis, P)
    seen = (seen - np.average(seen, axis=0, weights=weights)) * np.sqrt(weights / weights.sum())[:, None]
    done = np.einsum("kl,alm,mn,bnk->ab", C, basis, C, basis)
    trace = np.einsum("kl,akl->a", C, basis)  # what the items' lengths fix
    free = np.linalg.svd(trace[None])[2][1:].T
    least, x = eigh(free.T @ seen.T @ seen @ free, free.T @ done @ free, subset_by_index=(0, 0))
    return least[0], np.tensordot(free @ x[:, 0], basis, 1)


@pytest.mark.parametrize("decay", [0, 0.7])
@pytest.mark.parametrize("cone", [0, 3])
def test_hold_says_how_far_cosines_move_when_scores_move_a_little(rng, decay, cone):
    """Of even and uneven directions, and of users in a narrow cone: by the worst other scales."""
    P = unit(rng.normal(size=(3_000, 5)) * np.arange(1.0, 6) ** -decay + np.r_[cone, 0, 0, 0, 0])
    B = unit(rng.normal(size=(2_000, 5)))
    least, N = worst_scales(P, B)
    assert hold(P, B) == pytest.approx(least, abs=0.01)
    M = np.linalg.cholesky(np.eye(5) + 1e-3 * N)
    users, items = unit(P @ M), unit(B @ np.linalg.inv(M).T)
    scores = P @ (B - B.mean(axis=0)).T
    moved = users @ (items - items.mean(axis=0)).T
    moved = moved * (np.sum(moved * scores) / np.sum(moved**2)) - scores  # at another temperature
    cosines_moved = np.sqrt(np.mean((items @ items.T - B @ B.T) ** 2))
    scores_moved = np.sqrt(np.mean(moved**2) / np.mean(scores**2))
    assert cosines_moved < 1.3 * 2 * scores_moved / np.sqrt(least)


def test_a_hyperplane_needs_two_softmaxes():
    """One of them does not see another height of the items; together they do. A learned temperature is no help."""
    rng = np.random.default_rng(5)
    P, B = unit(rng.normal(size=(400, 4))), np.hstack([np.full((300, 1), 0.8), 0.6 * unit(rng.normal(size=(300, 3)))])
    assert [audit(B, P, trained_by=name).verdict for name in ("two towers normalized", "CLIP")] == ["no", "yes"]
    assert [audit(P, B, trained_by=name).verdict for name in ("two towers normalized", "CLIP")] == ["yes", "yes"]
    assert audit(B, trained_by="CLIP").verdict == audit(B, P[:8], trained_by="CLIP").verdict == "unknown"


def test_k_rows_lie_in_a_hyperplane(rng):
    about = summaries(rng.normal(size=(5, 8)))["items"]
    assert pair.flatness(about) < 1e-6
    centered = rng.normal(size=(300, 5))
    assert pair.flatness(summaries(centered - centered.mean(axis=0))["items"]) > 1e6


def deserving(rng, said):
    """A model that is told yes, and no more than that: balanced, classes that sum to zero, or rows of length one."""
    P, B = rng.normal(size=(400, 5)), rng.normal(size=(90, 5))
    if "factors" in said:
        return split(P @ B.T, 5)
    return (P, B - B.mean(axis=0)) if "features" in said else (unit(P), unit(B))


SURE = ["factors", "normalized", "fixed-features", "symmetric-contrastive"]


@pytest.mark.parametrize("said", SURE)
def test_another_run_takes_yes_away(rng, said):
    P, B = deserving(rng, said)
    other = rng.normal(size=B.shape)
    assert audit(B, P, objective=said).verdict == "yes"
    assert audit(B, P, objective=said, again=B @ rotation(rng, 5)).verdict == "yes"
    found = audit(B, P, objective=said, again=other)
    assert found.verdict == "unknown"
    assert "not at one minimum" in found.reason


@pytest.mark.parametrize("p", [9, 15, 21])
def test_another_run_of_few_items_has_to_be_better_than_chance(p):
    """Half of the neighbors are the same by chance where there are nine items."""
    found = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        P, B = balanced(rng, 80, p, 3)
        found.append(audit(B, P, objective="factors", again=rng.normal(size=(p, 3))).verdict)
        assert audit(B, P, objective="factors", again=B @ rotation(rng, 3)).verdict == "yes"
    assert found == ["unknown"] * 3


def test_collapse_is_the_reason(rng):
    """Of all rows near one line, whatever balance and hyperplanes say."""
    P, B = rng.normal(size=(300, 5)), np.outer(rng.normal(size=80), np.ones(5)) + 1e-3 * rng.normal(size=(80, 5))
    for said, users in (("factors", P), ("normalized", unit(P))):
        found = audit(unit(B), users, objective=said)
        assert found.verdict != "yes"
        assert found.reason.startswith("the items have collapsed")
    assert "The items have collapsed" in audit(B, P, objective="none").warnings[0]
    with pytest.raises(ValueError, match="got 2: the model has collapsed to one direction"):
        audit(np.outer([1, 2, -1, 3, 4], np.ones(5)))


@pytest.mark.parametrize(("scale", "answer", "keep"), [(1.005, "yes", False), (1.08, "no", True), (9.0, "no", False)])
def test_the_grade_between_yes_and_no(rng, scale, answer, keep):
    P, B = balanced(rng, 400, 300)
    d = np.array([1, 1, 1, 1, scale])
    found = audit(B / d, P * d, objective="factors")
    assert (found.verdict, found.may_be_kept) == (answer, keep)
    if keep:
        share = percent(1 - values(found)["neighbors kept, balanced"])
        assert found.headline == f"No, but you may keep these cosines: balancing would change {share} of the neighbors."
        assert found.advice.startswith("Keep these cosines, if")


@pytest.mark.parametrize("said", SURE)
@pytest.mark.parametrize("side", ["users", "items"])
def test_no_yes_counts_on_rows_that_nothing_trained(rng, said, side):
    P, B = deserving(rng, said)
    counts = {"user_counts": np.ones(400), "item_counts": np.ones(90)}
    assert audit(B, P, objective=said, **counts).verdict == "yes"
    counts[f"{side[:-1]}_counts"][20:] = 0
    found, cold = audit(B, P, objective=said, **counts), {"users": 380, "items": 70}[side]
    assert (found.verdict, found.reason.startswith(f"{cold} rows with a count of 0 are ")) == ("unknown", True)
    assert values(found)["untrained rows"] == (70 if side == "items" else 0)


def test_a_penalty_times_a_count_of_0_leaves_a_row_where_it_started(rng):
    """Rows of zeros are none of these."""
    P, B = balanced(rng, 400, 90)
    B = np.vstack([B, 0.001 * rng.normal(size=(7, 5)), np.zeros((3, 5))])
    counts = {"user_counts": np.ones(400), "item_counts": np.repeat([1, 0], [90, 10])}
    found = audit(B, P, objective="weighted-factors", **counts)
    assert (found.verdict, found.reason[:29]) == ("unknown", "7 rows with a count of 0 are ")
    assert audit(B[:90], P, objective="weighted-factors", **counts | {"item_counts": np.ones(90)}).verdict == "yes"


def test_a_start_that_nothing_trained_is_round_about_its_mean():
    """implicit's ALS starts with numbers from 0 to 0.01, as even around their mean as normal ones around zero."""
    rng = np.random.default_rng(0)
    P, B = (0.01 * rng.random((m, 4), dtype=np.float32) for m in (60_000, 20_000))
    found = audit(B, P, trained_by="implicit ALS", sample=100)
    assert found.verdict == "unknown"
    assert "nothing trained" in found.reason


def test_factors_of_noise_are_round_and_trained(rng):
    """Balanced, and as large in every direction, which random tables are, too, but out of balance by chance."""
    U, s, Vt = np.linalg.svd(rng.normal(size=(900, 600)), full_matrices=False)
    P, B = U[:, :6] * np.sqrt(s[:6]), Vt[:6].T * np.sqrt(s[:6])
    assert audit(B, P, trained_by="implicit ALS", sample=100).verdict == "yes"


@pytest.mark.parametrize("power", [0, 0.5, 1])
def test_an_m_on_both_factors_is_no_convention(rng, power):
    """V, V√Σ and VΣ are, rotated or not, and where singular values are tied."""
    U, s, Vt = np.linalg.svd(rng.normal(size=(300, 40)), full_matrices=False)
    for sizes in (s[:6], np.array([3, 3, 3, 2, 2, 1])):
        P, B, M = U[:, :6] * sizes ** (1 - power), Vt[:6].T * sizes**power, rng.normal(size=(6, 6))
        for turn in (np.eye(6), rotation(rng, 6)):
            assert audit(B @ turn, P @ turn, trained_by="PCA").verdict == "by convention"
        other = audit(*turned(P, B, M)[::-1], trained_by="PCA")
        assert (other.verdict, "do not commute" in other.reason) == ("unknown", True)


def test_advice_asks_for_what_could_settle_it(rng):
    B = rng.normal(size=(90, 5))
    for name in ("sentence encoder", "OpenAI", "LightGCN"):
        assert "other factor" not in audit(B, trained_by=name).advice
    assert "the other factor" in audit(B, trained_by="implicit ALS").advice
    assert "how the model was trained" in audit(B).advice


def test_one_encoder_is_not_determined_by_theory(rng):
    """The same predictions: of a head that reads u, v and |u − v|, of distances, and of queries that meet passages."""
    E, Q, D, t = rng.normal(size=(80, 5)), rng.normal(size=(90, 5)), np.exp(rng.normal(size=5)), np.ones(5)
    W, gaps = rng.normal(size=(3, 15)), E[:-1] - E[1:]
    head = lambda E, W: np.hstack([E[1:], E[:-1], np.abs(E[1:] - E[:-1])]) @ W.T  # noqa: E731
    np.testing.assert_allclose(head(E * D, W / np.tile(D, 3)), head(E, W))
    np.testing.assert_allclose((E + t)[:-1] - (E + t)[1:], gaps, atol=1e-12)
    np.testing.assert_allclose((Q * D) @ (E / D).T, Q @ E.T)
    for items in (E, E * D, E + t, E / D):
        assert audit(items, trained_by="SBERT").verdict == "unknown"


def test_a_few_items_do_not_hide_behind_an_average():
    """Three items of a hundred live in a direction that is rescaled; the others hardly notice."""
    rng = np.random.default_rng(6)
    B = np.hstack([rng.normal(size=(400, 4)), 1e-4 * rng.normal(size=(400, 2))])
    B[:12] = np.hstack([1e-4 * rng.normal(size=(12, 4)), rng.normal(size=(12, 2))])
    (P, B), d = split(rng.normal(size=(900, 6)) @ B.T, 6), np.array([1, 1, 1, 1, 1.06, 1 / 1.06])
    assert audit(B, P, objective="factors").verdict == "yes"
    found = audit(B / d, P * d, objective="factors")
    assert max(values(found)[name] for name in ("imbalance", "moved by balancing", "changed by balancing")) < 0.05
    assert found.verdict == "no"
    P, B = thin_directions()[1]
    found = audit(B, P, objective="factors", sample=400)
    assert max(values(found)[name] for name in ("moved by balancing", "changed by balancing")) < 0.05
    assert (found.verdict, found.may_be_kept, "half or more of those of 19 items" in found.reason) == (
        "no",
        False,
        True,
    )


def test_nothing_is_computed_that_no_rule_needs(rng, monkeypatch):
    def refuse(*_):
        raise AssertionError("not asked for")

    for name in ("hold", "surely_free"):
        monkeypatch.setattr(pair, name, refuse)
    P, B = unit(rng.normal(size=(400, 5))), unit(rng.normal(size=(90, 5)))
    of_rules = {repr(one.rule): name for name, one in OBJECTIVES.items() if not isinstance(one.rule, ByLengths)}
    for name in of_rules.values():
        audit(B, P, objective=name)


@pytest.mark.parametrize(
    ("name", "verdict", "reason"),
    [
        ("OpenAI", "unknown", "nothing public says"),
        ("Cohere", "unknown", "nothing public says"),
        ("BGE", "unknown", "the users' rows would show"),
        ("e5", "unknown", "the users' rows would show"),
        ("GloVe", "no", "the sum of both factors"),
        ("LightFM", "no", "differences of scores"),
        ("two towers dot", "no", "differences of scores"),
        ("softmax output layer", "no", "differences of scores"),
        ("autoencoder", "no", "a penalty on the product"),
        ("gensim skip-gram", "no", "without a penalty"),
        ("gensim CBOW", "no", "without a penalty"),
        ("gensim hs", "no", "without a penalty"),
        ("fastText", "no", "without a penalty"),
        ("doc2vec", "no", "without a penalty"),
        ("node2vec", "no", "without a penalty"),
        ("LightGCN", "unknown", "before they are added or averaged"),
        ("TensorFlow Recommenders", "no", "differences of scores"),
        ("Surprise NMF", "unknown", "nonnegative"),
        ("CLIP", "unknown", "the users' rows would show"),
        ("NMF", "no", "positive scale"),
        ("PCA", "by convention", "the decomposition is unique"),
        ("sentence encoder", "unknown", "one encoder makes both sides"),
        ("logistic regression on fixed features", "unknown", "the features are fixed"),
    ],
)
def test_names_that_people_say(rng, name, verdict, reason):
    found = audit(rng.random((90, 5)), trained_by=name)
    assert found.trained_by.casefold().replace(" ", "") == name.casefold().replace(" ", "")
    assert (found.verdict, found.rests_on) == (verdict, "theory alone")
    assert found.headline.startswith({"no": "No: "}.get(verdict, verdict.capitalize()))
    assert reason in found.reason
    assert LIBRARIES[found.trained_by].objective == found.objective


def test_steps_from_zero_have_span_and_sum_wherever_they_end(rng):
    """Classes of other parts along a feature that hardly varies: nearly the same scores, so neither is told yes."""
    size, W = np.r_[np.ones(7), 0.07], rng.normal(size=(60, 8))
    X = rng.normal(size=(3_000, 8)) * size
    W[:, -1] = 1.5 * (-1.0) ** np.arange(60)
    W -= W.mean(axis=0)
    for part in (1, 0.6):
        found = audit(W * np.r_[np.ones(7), part], X, objective="fixed-features")
        assert (found.verdict, "came to the minimum" in found.reason) == ("unknown", True)
    assert audit(W, X / size, objective="fixed-features").verdict == "yes"


def test_features_that_are_no_more_than_their_dimensions_show_no_minimum(rng):
    X, W = rng.normal(size=(5, 5)), rng.normal(size=(20, 5))
    found = audit(W - W.mean(axis=0), X, objective="fixed-features")
    assert (found.verdict, "change the classes' cosines by any amount" in found.reason) == ("unknown", True)


def test_a_plus_is_part_of_a_name(rng):
    B = rng.normal(size=(90, 5))
    assert audit(B, trained_by="SVD++").objective == "propagated"
    for name, near in {
        "iALS++": "do you mean implicit ALS",
        "WALS": "implicit ALS",
        "SVD": "do you mean TruncatedSVD, or Surprise SVD, which is another model",
        "implicit AsL": "do you mean implicit ALS",
        "xyzzy": "got 'xyzzy'$",
    }.items():
        with pytest.raises(ValueError, match=f"trained_by must be one of .*{near}"):
            audit(B, trained_by=name)


def test_plain_balance_is_no_warning_where_counts_weigh_it(rng):
    P, B = rng.normal(size=(400, 5)), rng.normal(size=(90, 5))
    counts = {"user_counts": rng.integers(1, 9, 400), "item_counts": rng.integers(1, 9, 90)}
    levels = {one.name: one.level for one in audit(B, P, trained_by="Spark ALS", **counts).findings}
    assert (levels["imbalance"], levels["weighted imbalance"]) == ("note", "warning")
