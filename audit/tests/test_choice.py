"""Which share: what is hidden or judged decides, no M moves it, and noise is said to decide nothing."""

import numpy as np
import pytest
from cosine_audit import SafeItems, choose_share, cli, safe
from cosine_audit.safe import SHARES, recalls
from scipy.sparse import csr_array, save_npz
from scipy.stats import spearmanr

from . import losses as by
from .libraries import BPR, fitted


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    monkeypatch.setattr(safe, "DRAWS", 200)


def shop(seed, signal, noise, p=120, groups=4, k=24):
    """Items in groups, and directions of noise beside them; users take items of one group."""
    rng = np.random.default_rng(seed)
    group = rng.integers(groups, size=p)
    B = np.hstack([np.eye(groups)[group], rng.normal(size=(p, k - groups))])
    P = rng.normal(size=(300, k)) * np.repeat([signal, noise], [groups, k - groups])
    likes = group == rng.integers(groups, size=(150, 1))
    return B, P, (likes & (rng.random(likes.shape) < 0.3)).astype(float)


def test_what_finds_hidden_items_is_picked():
    B, P, X = shop(2, signal=10, noise=1)
    strong = choose_share(B, P, X)
    assert (strong.best, strong.share) == (1, 0.5)  # of what is alike the nearest to a half
    assert 0 not in strong.alike
    assert strong.decided
    assert strong.ahead == 1
    B, P, X = shop(0, signal=1, noise=10)
    weak = choose_share(B, P, csr_array(X))
    assert (weak.best, weak.share, weak.alike) == (0, 0, (0,))
    assert weak.scores[1.0] < weak.scores[0.0]


def test_recall_counts_what_is_found(rng):
    U = by.rotation(rng, 6)[:, :3]
    U = np.vstack([U, U + 0.1 * rng.normal(size=U.shape), rng.normal(size=(40, 3))])
    U /= np.linalg.norm(U, axis=1, keepdims=True)
    taken = [rng.permutation(len(U))[:n] for n in (2, 4, 5, 12, 30)]
    expected = []
    for items in taken:
        n_hidden = max(1, len(items) // 5)
        hidden, seen = set(items[:n_hidden]), items[n_hidden:]
        order = [j for j in np.argsort(-(U @ U[seen].T).sum(axis=1), kind="stable") if j not in seen]
        expected.append(len(hidden & set(order[:20])) / min(20, n_hidden))
    np.testing.assert_allclose(recalls(U, taken), expected)


FIRST, SECOND = np.random.default_rng(2).integers(120, size=(2, 60))


@pytest.mark.parametrize("share", SHARES)
def test_judged_pairs_pick_the_share_that_they_come_from(share):
    B, P, _ = shop(1, signal=3, noise=1)
    E = SafeItems.fit(B, P, share=share).transform(B)
    said = by.cosines(E)[FIRST, SECOND]
    choice = choose_share(B, P, pairs=(FIRST, SECOND, said))
    assert choice.best == choice.share == share
    assert choice.alike == (share,)
    assert choice.scores[share] == pytest.approx(1, abs=1e-6)
    assert choice.scores["given"] == pytest.approx(spearmanr(by.cosines(B)[FIRST, SECOND], said).statistic, abs=1e-4)
    assert choice.gain[0] == pytest.approx(choice.scores[share] - choice.scores["given"])
    assert choice.gain[1] < choice.gain[0] < choice.gain[2]


def test_judges_who_say_the_same_of_many_pairs():
    """Ties among judgments, and none among cosines."""
    B, P, _ = shop(1, signal=3, noise=1)
    said = np.random.default_rng(3).integers(3, size=60)
    choice = choose_share(B, P, pairs=(FIRST, SECOND, said))
    assert choice.scores["given"] == pytest.approx(spearmanr(by.cosines(B)[FIRST, SECOND], said).statistic, abs=1e-4)


def test_no_m_moves_the_choice():
    B, P, X = shop(3, signal=2, noise=1)
    Q, C = by.turned(P, B, by.ill(np.random.default_rng(0), 24, 5))
    one, other = choose_share(B, P, X), choose_share(C, Q, X)
    assert one.share == other.share
    for share in SHARES:
        assert one.scores[share] == pytest.approx(other.scores[share], abs=1e-9)
    assert one.scores["given"] != other.scores["given"]


def test_what_is_taken_by_chance_decides_nothing():
    rng, wrong = np.random.default_rng(4), 0
    for seed in range(12):
        B, P, _ = shop(seed, signal=2, noise=1)
        wrong += choose_share(B, P, rng.random((150, len(B))) < 0.1).decided
    assert wrong <= 3


def test_it_says_what_the_pick_changes():
    B, P, X = shop(0, signal=10, noise=1)
    other = choose_share(B, P, X)
    assert other.kept < 0.9
    assert "ahead of the items as given" in str(other)
    assert "hardly" not in str(other)
    half = SafeItems.fit(B, P, share=other.share)
    users = P @ np.linalg.inv(half.gauge.matrix).T
    same = choose_share(half.transform(B), users, X)
    assert same.kept == pytest.approx(1)
    assert same.gain == pytest.approx((0, 0, 0))
    assert "not told apart from the items as given" in str(same)
    assert "100% of the neighbors as given stay: it hardly matters" in str(same)
    assert choose_share(half.transform(B), users * np.geomspace(1, 1e4, 24), X).ahead == -1


JUDGED = [0, 1, 2], [1, 2, 3], [1, 2, 3]


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        ({"interactions": np.ones((3, 5))}, "interactions must have 120 columns, one for each item, got shape"),
        ({"interactions": np.eye(120)}, "with two items or more, got 0"),
        ({"pairs": ([0, 1], [1, 2], [1, 2])}, "pairs must be three columns of 3 pairs or more, got 2 2 2"),
        ({"pairs": ([0, 1, 2], [1, 2, 120], [1, 2, 3])}, "pairs must name items by 0 to 119, got 120"),
        ({}, "interactions or pairs must be given, got neither"),
        ({"interactions": np.ones((3, 120)), "pairs": JUDGED}, "interactions or pairs must be given, got both"),
        ({"interactions": np.full((3, 120), np.nan)}, "interactions must be finite and at least 0, got nan"),
        ({"interactions": csr_array(-np.eye(120))}, "interactions must be finite and at least 0, got -1.0"),
        ({"interactions": [["a"] * 120]}, "interactions must be numbers, got <U1"),
        ({"pairs": 5}, "pairs must be three columns of 3 pairs or more, got 5"),
        ({"pairs": JUDGED[:2]}, "pairs must be three columns of 3 pairs or more, got 3 3"),
        ({"pairs": (*JUDGED[:2], [4, 4, 4])}, "judgments of pairs must differ, got 4 alone"),
        ({"pairs": (*JUDGED[:2], [1, np.inf, 3])}, "judgments of pairs must be finite, got inf"),
        ({"pairs": ([0.5, 1, 2], *JUDGED[1:])}, "pairs must name items by integers, got float64"),
    ],
)
def test_errors_name_argument_and_value(wrong, what):
    B, P, _ = shop(0, 1, 1)
    with pytest.raises((ValueError, TypeError), match=what):
        choose_share(B, P, **wrong)


def test_a_model_brings_users_and_what_is_free():
    bpr = fitted(BPR, iterations=5)
    later = np.random.default_rng(0).random((99, by.ITEMS)) < 0.1
    B, P = (E[:, : by.K] for E in (bpr.item_factors, bpr.user_factors))
    assert choose_share(bpr, interactions=later) == choose_share(B, P, later, ranking=True)


def test_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    B, P, X = shop(0, signal=10, noise=1)
    B, P = (E @ by.rotation(np.random.default_rng(1), 24) for E in (B, P))
    np.savez("model.npz", items=B, users=P)
    np.save("users.npy", P)
    np.save("X.npy", X)
    save_npz("X.npz", csr_array(X))
    wanted = str(choose_share(B, P, X))
    for file in ("X.npy", "X.npz"):
        assert cli.main(["share", "model.npz", "--interactions", file]) == 0
        assert capsys.readouterr().out.endswith(f"\n\n{wanted}\n")
    free = str(choose_share(B, P, X, ranking=True))
    assert cli.main(["share", "model.npz", "--interactions", "X.npz", "--trained-by", "LightFM"]) == 0
    assert free != wanted
    assert free in capsys.readouterr().out
    rows = np.random.default_rng(0).integers(len(B), size=(60, 3)).astype(float)
    np.savetxt("pairs.csv", rows, delimiter=",")
    assert cli.main(["share", "model.npz", "--pairs", "pairs.csv"]) == 0
    first, second = rows[:, :2].T.astype(int)
    assert str(choose_share(B, P, pairs=(first, second, rows[:, 2]))) in capsys.readouterr().out
    np.savetxt("two.csv", rows[:, :2], delimiter=",")
    np.save("words.npy", np.array([["a", "b"]]))
    np.save("one.npy", B)
    for words, message in (
        (["model.npz", "--interactions", "model.npz"], "model.npz: expected numbers from scipy.sparse.save_npz"),
        (["model.npz", "--interactions", "words.npy"], "words.npy: expected numbers from scipy.sparse.save_npz"),
        (["model.npz", "--interactions", "users.npy"], "interactions must have 120 columns"),
        (["model.npz", "--pairs", "two.csv"], "two.csv: expected"),
        (["one.npy", "--interactions", "X.npz"], "one.npy: expected users, too"),
    ):
        assert cli.main(["share", *words]) == 2
        error = capsys.readouterr().err
        assert message in error
        assert error.count("\n") == 1
