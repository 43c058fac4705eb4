"""The experiment on a reader's own interactions, on small files."""

import compare_models
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from compare_models import main, models, split

from helpers import factor_norm_factors, product_norm_factors, truncated_svd
from helpers.movielens import interactions

FRAME = pd.DataFrame(
    {"who": ["b", "b", "a", "a", "a", "c"], "what": [9, 7, 7, 9, 5, 7], "stars": [4, 4, 5, 1, 5, 3.5], "when": range(6)}
)


def two_tastes(rng, n_users=240, n_items=24):
    """Users of two kinds, who take three in four of their half's items and few of the other's."""
    kind = np.arange(n_users)[:, None] % 2 == np.arange(n_items) % 2
    return sp.csr_array((rng.random((n_users, n_items)) < np.where(kind, 0.7, 0.05)).astype(float))


def test_interactions_count_what_was_liked_once_and_without_ratings_every_row():
    X, items = interactions(pd.concat([FRAME, FRAME]), least_rating=3.5, least_users=1)
    assert items.tolist() == [5, 7, 9]
    assert X.toarray().tolist() == [[1, 1, 0], [0, 1, 1], [0, 1, 0]]
    X, items = interactions(FRAME[["who", "what"]], least_rating=3.5, least_users=2)
    assert (items.tolist(), X.toarray().tolist()) == ([7, 9], [[1, 1], [1, 1], [1, 0]])
    assert interactions(FRAME, least_users=1, most_items=1)[1].tolist() == [7]


def test_interactions_refuse_what_they_cannot_read():
    for frame, message in (
        (FRAME[["who"]], "a column of users and one of items"),
        (FRAME.assign(who=[None, *"bcdef"]), "who must not be empty, row 1 is"),
        (FRAME.assign(stars=["5", "five", "4", "3", "2", "1"]), "stars must be numbers, row 2 has none"),
        (FRAME.iloc[:0], "no item was taken by 2 users or more"),
    ):
        with pytest.raises(ValueError, match=message):
            interactions(frame, least_rating=3.5, least_users=2)


def test_nobody_is_both_learned_from_and_tested(rng):
    X = two_tastes(rng)
    train, validation, test = split(X, 0, 40)
    assert train.shape[0] == X.shape[0] - 80
    assert np.allclose(sum(part.sum(axis=0) for part in (train, *validation, *test)), X.sum(axis=0))
    assert [part.shape[0] for part in (*validation, *test)] == [40] * 4


def test_models_are_those_of_the_closed_forms_and_ridge_regressions(rng, monkeypatch):
    monkeypatch.setattr(compare_models, "RANKS", [6])
    monkeypatch.setattr(compare_models, "HALVINGS", [3.0])
    X = two_tastes(rng).toarray()
    s, V = truncated_svd(X, 6)
    tau, others = s[0] / 8, np.delete(np.arange(24), 3)
    found = {(name, k): predict(np.eye(24)) for name, k, *_, predict in models(X.T @ X)}
    for name, factors, lam in (("Eq. 1", product_norm_factors, tau**2), ("Eq. 2", factor_norm_factors, tau)):
        A, B = factors(s, V, lam)
        assert np.allclose(found[name, 6], A @ B.T)
    assert np.allclose(found["popularity", 0], X.sum(axis=0))
    ridge = np.linalg.solve(X[:, others].T @ X[:, others] + tau**2 * np.eye(23), X[:, others].T @ X[:, 3])
    assert np.allclose(found["EASE", 24][others, 3], ridge)
    assert abs(found["EASE", 24][3, 3]) < 1e-12


def test_the_command_line(rng, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(compare_models, "RANKS", (2, 4))
    monkeypatch.setattr(compare_models, "HALVINGS", np.array([1.0, 2, 3]))
    rows, columns = two_tastes(rng, n_items=60).nonzero()
    frame = pd.DataFrame({"user": rows, "item": columns, "rating": 4.0})
    frame.to_csv(tmp_path / "mine.csv", index=False)
    main([str(tmp_path / "mine.csv"), "--splits", "2", "--held-out", "40", "--out", str(tmp_path / "out.csv")])
    printed = capsys.readouterr().out
    assert all(said in printed for said in ("240 users, 60 items", "split 2 of 2", "Eq. 1"))
    written = pd.read_csv(tmp_path / "out.csv")
    assert len(written) == 10
    assert not written.loc[written["model"] == "popularity", "edge"].any()  # which has no grid
    assert written.loc[written["k"] == 2, "edge"].all()


def test_the_command_line_says_what_is_wrong_in_one_sentence(tmp_path):
    (tmp_path / "latin.csv").write_bytes(b"user,item\n\xff\xfe,2\n")
    for name, message in {"none.csv": "No such file", "latin.csv": "codec can't decode"}.items():
        with pytest.raises(SystemExit, match=message) as stop:
            main([str(tmp_path / name)])
        assert str(tmp_path / name) in str(stop.value)
        assert "\n" not in str(stop.value)
