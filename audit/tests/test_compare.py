"""Two trainings compared: what a rotation, another M, chance and other items do to the neighbors that stay."""

import json

import numpy as np
import pytest
from cosine_audit import cli, compare, safe_items

from . import losses as by
from .libraries import BPR, fitted, gensim


def model(rng, n=90, p=60, k=5):
    return rng.normal(size=(n, k)) * np.geomspace(1, 4, k), rng.normal(size=(p, k))


def test_a_rotation_keeps_all(rng):
    P, B = model(rng)
    R = by.rotation(rng, 5)
    assert compare((B, P), (B @ R, P @ R)).kept == {"given": 1, "safe": 1, "rotated": 1}


def test_another_m_keeps_the_safe_items_neighbors_alone(rng):
    P, B = model(rng)
    Q, C = by.turned(P, B, by.ill(rng, 5, 100))
    found = compare((B, P), (C, Q))
    assert found.kept["safe"] == 1
    assert found.kept["given"] == pytest.approx(by.shared(by.nearest(B), by.nearest(C)))
    assert found.kept["given"] < 0.7
    assert found.beyond_chance["given"] == pytest.approx((found.kept["given"] - 10 / 59) / (49 / 59))
    assert "safe" not in compare(B, C).kept


def test_chance_keeps_nothing_beyond_chance(rng):
    found = compare(rng.normal(size=(800, 6)), rng.normal(size=(800, 6)))
    assert abs(found.beyond_chance["given"]) < 0.01
    assert found.looked_up == 800
    assert compare(*rng.normal(size=(2, 1_500, 6))).looked_up == 1_000


def test_rotated_is_what_new_vectors_find_among_the_old(rng):
    B, noise, R = rng.normal(size=(60, 5)), rng.normal(size=(60, 5)), by.rotation(rng, 5)
    C = (B + 0.3 * noise) @ R
    U, V = by.unit(B), by.unit(C)
    left, _, right = np.linalg.svd(V.T @ U)
    S = V @ left @ right @ U.T
    np.fill_diagonal(S, -2)
    wanted = by.shared(by.nearest(B), np.argsort(-S, axis=1)[:, :10])
    assert compare(B, C).kept["rotated"] == pytest.approx(wanted)
    assert 0.5 < wanted < 1
    assert compare(B, np.hstack([B, np.zeros((60, 2))]) @ by.rotation(rng, 7)).kept["rotated"] == 1


def test_items_are_joined_by_name(rng):
    P, B = model(rng)
    names, order = [f"i{i}" for i in range(60)], rng.permutation(60)[:50]
    both = names, [*np.array(names)[order], "another"]
    new = np.vstack([B[order], rng.normal(size=(1, 5))])
    found = compare(B, new, both)
    assert found.kept["given"] == 1
    assert (found.items, found.only_old, found.only_new, found.by_name) == (50, 10, 1, True)
    safe = compare((B, P), (B[order], P), (names, np.array(names)[order]))
    lists = (by.nearest(E) for E in (safe_items(items=B, users=P)[order], safe_items(items=B[order], users=P)))
    assert safe.kept["safe"] == pytest.approx(by.shared(*lists))
    assert compare(B, B, names).by_name
    B[4] = 0
    assert compare(B, B).items == 59


def test_models_bring_names_and_users():
    one, other = gensim("Word2Vec", sg=1), gensim("Word2Vec", sg=1, sample=0.01)
    found = compare(one, other)
    assert (found.by_name, set(found.kept)) == (True, {"given", "safe", "rotated"})
    assert compare(one, one).beyond_chance["given"] == 1
    model = fitted(BPR)
    assert set(compare(model, model).kept.values()) == {1}


B = np.random.default_rng(1).normal(size=(20, 4))
A, C = ([f"{letter}{i}" for i in range(20)] for letter in "ac")
WRONG = [
    ((B, B, (A, C)), r"names must have items that old and new share, got 'a0' … and 'c0' …, which share none"),
    ((B, B[1:]), "names must join the items where their numbers differ, got none for 20 and 19 items"),
    ((B, B, (A, None)), "names must be those of both trainings, or of none, got none of the new items"),
    ((B, B, (A, A[1:])), "names must have 20 entries, as the new items have rows, got 19"),
    ((B, B, ["x"] * 20), "names must differ, got 'x' twice among the old items"),
    ((B, B, (A, [*A[:3], *C[3:]])), "old and new must share at least 5 items that are not zero, got 3"),
    (((B, B[:, 1:]), B), "old users must have 4 columns"),
    ((B, (B, np.nan * B)), "new users must be finite"),
    ((B, np.nan * B), "new items must be finite"),
    ((None, B), "old items must be a matrix with rows and columns, got None"),
]


@pytest.mark.parametrize(("given", "message"), WRONG, ids=range(len(WRONG)))
def test_errors_name_argument_and_value(given, message):
    with pytest.raises(ValueError, match=message):
        compare(*given)


def test_the_command(rng, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    P, B = model(rng)
    Q, C = by.turned(P, B, rng.normal(size=(5, 5)))
    names = np.array([f"i{i}" for i in range(60)])
    np.savez("old.npz", items=B, users=P, names=names)
    np.savez("new.npz", items=C[::-1], users=Q, names=names[::-1])
    assert cli.main(["compare", "old.npz", "new.npz", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["kept"]["safe"] == 1
    between = said["beyond_chance"]["given"]
    assert 0 < between < said["kept"]["given"] < 1
    for below, status in ((between - 0.01, 0), (between + 0.01, 1)):
        assert cli.main(["compare", "old.npz", "new.npz", "--fail-below", str(below)]) == status
    assert "By safe items, which depend on the scores alone: 100 % of the 10 nearest stay" in capsys.readouterr().out
    np.save("one.npy", B)
    np.save("users.npy", P)
    words = ["compare", "one.npy", "one.npy", "--old-users", "users.npy", "--new-users", "users.npy"]
    assert cli.main(words) == 0
    assert "60 items joined by row, 60 looked up" in capsys.readouterr().out
    np.savez("other.npz", items=B, users=P, names=np.array([f"x{i}" for i in range(60)]))
    for wrong, message in (
        (["other.npz"], "which share none"),
        (["new.npz", "--fail-below", "8"], "--fail-below: "),
    ):
        assert cli.main(["compare", "old.npz", *wrong]) == 2
        error = capsys.readouterr().err
        assert message in error
        assert error.count("\n") == 1
