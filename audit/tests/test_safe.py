"""Safe items as a map: what they are, that no M moves them, and that a file brings them back."""

import numpy as np
import pytest
from cosine_audit import SafeItems, audit, cli, safe_items
from cosine_audit.checks import InputError

from . import losses as by


def model(rng, n=90, p=40, k=5):
    return rng.normal(size=(n, k)) * np.geomspace(1, 4, k) + 0.5, rng.normal(size=(p, k)) + 0.3


def power(G, share):
    s, V = np.linalg.eigh(G)
    s = np.where(s > 1e-9 * s[-1], s, 0)
    return V * np.where(s > 0, s, 1) ** share * (s > 0) @ V.T


@pytest.mark.parametrize("share", [0, 0.3, 0.5, 1])
@pytest.mark.parametrize(("center", "ranking"), [(True, False), (False, False), (True, True), (False, True)])
@pytest.mark.parametrize("size", [1, 1e78, 1e-85])
def test_they_are_a_power_of_the_scores_products(rng, share, center, ranking, size):
    """Of any size, of users or of interactions; zero rows stay zero; the first largest of a column is positive."""
    P, B = model(rng)
    X, A = (rng.random((90, 30)) < 0.2).astype(float), rng.normal(size=(30, 5))
    items, options = np.vstack([size * B, np.zeros((1, 5))]), {"share": share, "center": center, "ranking": ranking}
    for users, others in ((P, {}), (A, {"interactions": X})):
        Y = (X @ A if others else P) @ B.T
        Y = Y - Y.mean(axis=0) if center else Y
        Y = Y - Y.mean(axis=1, keepdims=True) if ranking else Y
        E = safe_items(items=items, users=users / size, **others, **options)
        assert not E[-1].any()
        E = E[:-1] / np.abs(E).max()
        wanted, got = power(Y.T @ Y, share), E @ E.T
        np.testing.assert_allclose(got / np.linalg.norm(got), wanted / np.linalg.norm(wanted), atol=1e-10)
        assert (E[np.abs(E).argmax(axis=0), range(E.shape[1])] > 0).all()


def test_by_default_they_are_half_of_a_map(rng):
    P, B = model(rng)
    np.testing.assert_array_equal(safe_items(items=B, users=P), SafeItems.fit(B, P, share=0.5).transform(B))
    with pytest.raises(TypeError, match="positional"):
        safe_items(B, P)


@pytest.mark.parametrize("share", [0, 0.5, 0.8, 1])
@pytest.mark.parametrize("ranking", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_no_m_moves_them(share, ranking, seed):
    rng = np.random.default_rng(seed)
    (P, B), new, M = model(rng), rng.normal(size=(20, 5)), by.ill(rng)
    models = (P, B), by.turned(P, B, M)
    one, other = (SafeItems.fit(C, Q, share=share, ranking=ranking) for Q, C in models)
    for some in (B, new):
        after = other.transform(by.turned(P, some, M)[1])
        np.testing.assert_allclose(by.cosines(after), by.cosines(one.transform(some)), atol=1e-6)


def test_new_items_stand_among_the_old_ones(rng):
    P, B = model(rng)
    safe = SafeItems.fit(B, P, share=1)
    np.testing.assert_array_equal(safe.transform(B[7:9]), safe.transform(B)[7:9])
    scores = P @ rng.normal(size=(3, 5)).T
    new = np.linalg.lstsq(P, scores, rcond=None)[0].T
    both = np.hstack([P @ B.T, scores])
    E = np.vstack([safe.transform(B), safe.transform(new)])
    np.testing.assert_allclose(by.cosines(E), np.corrcoef(both, rowvar=False), atol=1e-10)


@pytest.mark.parametrize("size", [1, 1e-200, 1e200])
@pytest.mark.parametrize("center", [True, False])
def test_a_file_brings_them_back(rng, tmp_path, size, center):
    P, B = model(rng)
    safe = SafeItems.fit(B * size, P, share=0.5, center=center, ranking=True)
    safe.save(tmp_path / "safe.npz")
    again = SafeItems.load(tmp_path / "safe.npz")
    assert again.share == 0.5
    np.testing.assert_array_equal(again.transform(B * size), safe.transform(B * size))
    one = SafeItems.fit(B, P, share=0.5, center=center, ranking=True).transform(B)
    np.testing.assert_allclose(by.cosines(again.transform(B * size)), by.cosines(one), atol=1e-9)


def test_zeros_stay_and_float32_stays(rng):
    P, B = model(rng)
    B[3] = 0
    E = SafeItems.fit(np.float32(B), P, ranking=True).transform(np.float32(B))
    assert E.dtype == np.float32
    assert not E[3].any()


def test_errors_name_argument_and_value(rng, tmp_path):
    P, B = model(rng)
    for share in (-0.1, 1.1, True, "1", float("nan")):
        with pytest.raises(ValueError, match=f"share must be a number from 0 to 1, got {share!r}"):
            SafeItems.fit(B, P, share=share)
    with pytest.raises(ValueError, match="users must be a matrix, the other factor, got None"):
        SafeItems.fit(B, None)
    with pytest.raises(ValueError, match="new_items must have 5 columns, as items had, got 4"):
        SafeItems.fit(B, P).transform(B[:, :4])
    np.savez(tmp_path / "other.npz", a=B)
    np.save(tmp_path / "one.npy", B)
    (tmp_path / "text.npz").write_text("text")
    (tmp_path / "empty.npz").write_text("")
    for name in ("other.npz", "one.npy", "text.npz", "empty.npz"):
        with pytest.raises(InputError, match=f"{name}: expected a file that SafeItems.save wrote, got another"):
            SafeItems.load(tmp_path / name)


def test_an_audit_subtracts_the_mean_item_where_items_lie_in_a_plane(rng):
    P, B = model(rng)
    np.testing.assert_array_equal(audit(B, P).safe_items, safe_items(items=B, users=P))
    B[:, 0] = 1
    np.testing.assert_array_equal(audit(B, P).safe_items, safe_items(items=B, users=P, ranking=True))


def test_the_command_writes_the_share_that_is_asked(rng, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    P, B = model(rng)
    np.save("items.npy", B)
    np.save("users.npy", P)
    words = ["items.npy", "users.npy", "--objective", "ranking"]
    assert cli.main([*words, "--safe-items", "whole.npy", "--share", "1", "--report", "out"]) == 0
    np.testing.assert_array_equal(np.load("whole.npy"), safe_items(items=B, users=P, share=1, ranking=True))
    np.testing.assert_array_equal(np.load("out/safe-items.npy"), safe_items(items=B, users=P, ranking=True))
    capsys.readouterr()
    assert cli.main([*words, "--safe-items", "s.npy", "--share", "2"]) == 2
    assert "share must be a number from 0 to 1, got 2.0" in capsys.readouterr().err
    assert cli.main([*words, "--share", "0.5"]) == 2
    assert "--share: expected --safe-items" in capsys.readouterr().err
