"""The protocol of every comparison: parameters chosen without the data they are scored on, and one X for all methods.

On small data sets; the long runs themselves are in experiments/.
"""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import average_precision_score, roc_auc_score

from experiments import (
    autoencoder,
    centering,
    common,
    cosine_or_dot,
    curves,
    dropout,
    held_out,
    judges,
    networks,
    people_gaps,
    remedies,
    skipgram,
)
from helpers import cosine_similarity as cosines
from helpers import readings, recall_at, simulate_interactions

N_ITEMS, N_USERS, N_HELD_OUT = 120, 300, 40
SMALL = {"n_items": N_ITEMS, "n_users": N_USERS, "n_held_out": N_HELD_OUT}


@pytest.mark.parametrize("reading", readings(N_ITEMS))
def test_each_user_is_drawn_once_and_is_in_one_part_only(reading):
    data = common.draw(reading, 3, **SMALL)
    rng, options = np.random.default_rng(3), readings(N_ITEMS)[reading]
    sim = simulate_interactions(rng, N_USERS + 2 * N_HELD_OUT, N_ITEMS, **options)
    assert data.validation.seen.shape == data.test.seen.shape == (N_HELD_OUT, N_ITEMS)
    held_out = [users.seen + users.hidden for users in (data.validation, data.test)]
    assert_array_equal(np.vstack([data.X.toarray(), *held_out]), sim.X.toarray())
    assert_array_equal(data.clusters, sim.clusters)
    assert_allclose(data.weights, sim.preferences[-N_HELD_OUT:, sim.clusters] * sim.popularity)


def test_in_ten_turns_every_user_tests_once_and_chooses_twice():
    turns = np.array([common.roles(np.random.default_rng(0).permutation(103), i) for i in range(10)])
    assert_array_equal(turns.sum(axis=1), 1)  # one role in each turn
    assert_array_equal(turns.sum(axis=0), np.repeat([[7], [2], [1]], 103, axis=1))


def garbage(users):
    """Users who look for the items that the others do not."""
    return common.Users(np.zeros_like(users.seen), 1.0 - users.hidden)


def test_scores_by_which_parameters_are_chosen_do_not_know_the_test_users():
    data = common.draw("default", 3, **SMALL)
    S = (data.X.T @ data.X).toarray()
    expected = common.scores(S, data)
    assert common.scores(S, data._replace(test=None, weights=None)) == expected
    assert common.scores(S, data._replace(validation=garbage(data.validation)))["recall"] != expected["recall"]


class Whole(sp.csr_array):
    """Data whose users cannot be left out."""

    def __getitem__(self, key):
        assert isinstance(key, tuple) and key[0] == slice(None), f"a method was given only {key} of the data"  # noqa: PT018
        return super().__getitem__(key)


@pytest.fixture
def whole(monkeypatch):
    """One small data set, handed to every experiment; what each asked for is recorded."""
    asked = []

    def draw(*arguments, **options):
        asked.append((arguments, options))
        data = common.draw(*arguments, **options | SMALL)
        return data._replace(X=Whole(data.X))

    for module in (curves, held_out, dropout, networks):
        monkeypatch.setattr(module, "draw", draw)
    for module in (remedies, cosine_or_dot):
        monkeypatch.setattr(module, "draw_smaller", draw)
    return asked


def expected_scores(S, data):
    """The row of a similarity matrix, by scikit-learn and by a loop over users."""
    pairs = np.triu_indices(len(S), 1)
    same, similarity = (data.clusters[pairs[0]] == data.clusters[pairs[1]]), np.round(S[pairs], 10)
    users = data.validation
    return {
        "auc": roc_auc_score(same, similarity),
        "ap": average_precision_score(same, similarity),
        "recall": recall_at(users.seen @ S - users.seen, *users),
    }


def assert_scores(row, S, data):
    for name, value in expected_scores(S, data).items():
        assert_allclose(row[name], value, atol=2e-3, err_msg=f"{row}: {name}")


@pytest.fixture
def exact():
    """The data set of ("default", 3), its singular values and vectors from all users, by the dense SVD."""
    data = common.draw("default", 3, **SMALL)
    _, s, Vt = np.linalg.svd(data.X.toarray(), full_matrices=False)
    return data, s, Vt.T


WEIGHTS = {  # item weights f by method, at λ₁ = τ² and λ₂ = τ or at the exponent of a power
    "f = 1": lambda s, tau: s**0,
    "power": lambda s, alpha: (s / s[0]) ** alpha,
    "D = I": lambda s, tau: (s**2 / (s**2 + tau**2)) ** 0.5,
    "f = g": lambda s, tau: s**2 / (s**2 + tau**2),
    "f = √(σg)": lambda s, tau: (s**3 / (s**2 + tau**2)) ** 0.5,
    "projected back": lambda s, tau: s**3 / (s**2 + tau**2),
    "Eq. 2": lambda s, tau: np.sqrt(np.maximum(s - tau, 0)),
    "weight decay": lambda s, tau: np.sqrt(np.maximum(s**2 - tau**2, 0)) / s,
}


def test_every_weighting_is_scored_on_all_users(whole, exact):
    rows = curves.measure("default", 3)
    assert whole == [(("default", 3), {})]
    assert {row["method"] for row in rows} <= WEIGHTS.keys() | {"columns of X"}
    data, s, V = exact
    for method, weight in WEIGHTS.items():
        if settings := [row for row in rows if row["method"] == method and row["setting"] < np.inf]:
            row = settings[len(settings) // 3]
            assert_scores(row, cosines(V[:, :50] * weight(s[:50], row["setting"])), data)
    columns = next(row for row in rows if row["method"] == "columns of X")
    assert_scores(columns, cosines(data.X.toarray().T), data)


@pytest.fixture
def untrained(monkeypatch):
    """Training replaced by random networks that depend on the setting only; what it was asked for is recorded."""
    asked = []

    def train_all(starts, draws, settings, X, activation, n_steps):
        asked.append((list(starts), list(draws), X, activation, n_steps))
        rng, p, k = np.random.default_rng(1), X.shape[1], 4
        shapes = {"A": (p, k), "a": (k,), "B": (p, k), "b": (p,)}
        lead = len(draws), len(starts), len(settings)
        return {name: rng.normal(size=lead + shape) for name, shape in shapes.items()}

    for module in (dropout, networks):
        assert module.train_all is autoencoder.train_all
        monkeypatch.setattr(module, "train_all", train_all)
    return asked


def held_out_rows(data, monkeypatch):
    monkeypatch.setattr(held_out, "draw", lambda reading, seed: data)
    return held_out.measure("default", 3, ranks=(50,))


def dropout_rows(data, monkeypatch):
    monkeypatch.setattr(dropout, "draw", lambda reading, seed, n_users: data)
    rows = dropout.measure("default", 500, 3, 1_000)
    return [row for row in rows if row["activation"] != "oracle"]


@pytest.mark.parametrize("rows_of", [held_out_rows, dropout_rows])
def test_held_out_users_are_validated_on_and_tested_on_apart(rows_of, monkeypatch, untrained):
    data = common.draw("default", 3, **SMALL)
    rows = rows_of(data, monkeypatch)
    other_test = rows_of(data._replace(test=garbage(data.test)), monkeypatch)
    other_validation = rows_of(data._replace(validation=garbage(data.validation)), monkeypatch)
    for row, with_test, with_validation in zip(rows, other_test, other_validation, strict=True):
        assert_array_equal(with_test["validation"], row["validation"])  # the oracle's is NaN
        assert (with_validation["recall"], with_validation["ndcg"]) == (row["recall"], row["ndcg"])
    assert np.mean([row["recall"] != other["recall"] for row, other in zip(rows, other_test, strict=True)]) > 0.9


@pytest.mark.parametrize(
    "compute", [lambda: dropout.measure("default", 500, 3, 1_000), lambda: networks.measure(2_000, 3)]
)
def test_every_network_learns_from_all_users_of_one_data_set(compute, whole, untrained, exact):
    compute()
    assert whole == [(("default", 3), {"n_users": 500})]
    assert {activation for *_, activation, _ in untrained} == {"ReLU", "linear"}
    assert all(np.array_equal(X, exact[0].X.toarray()) for *_, X, _, _ in untrained)
    assert all((starts, draws) == untrained[0][:2] for starts, draws, *_ in untrained)


def test_start_and_draws_of_a_network_are_varied_apart():
    X = common.draw("default", 3, **SMALL).X.toarray()
    nets = autoencoder.train_all([0, 1], [0, 0, 1], [(0.5, 0.0)], X, "ReLU", 0)
    assert_array_equal(nets["B"][0], nets["B"][2])  # before the first step, draws do nothing
    assert np.abs(nets["B"][:, 0] - nets["B"][:, 1]).min() > 0
    nets = autoencoder.train_all([0, 1], [0, 0, 1], [(0.5, 0.0)], X, "ReLU", 2)
    assert_array_equal(nets["B"][0], nets["B"][1])
    assert np.abs(nets["B"][0] - nets["B"][2]).max() > 1e-6


def test_fixing_the_symmetry_of_a_network_undoes_any_rescaling():
    rng = np.random.default_rng(3)
    net = {"A": rng.normal(size=(9, 3)), "a": rng.normal(size=3), "B": rng.normal(size=(9, 3)), "b": np.zeros(9)}
    d, M, t = np.array([0.1, 1, 7]), rng.normal(size=(3, 3)), rng.normal(size=3)
    rescaled = {**net, "A": net["A"] * d, "a": net["a"] * d, "B": net["B"] / d + t}
    assert_allclose(cosines(networks.fixed(rescaled, "ReLU")), cosines(networks.fixed(net, "ReLU")), atol=1e-10)
    one, other = (networks.similarities(each, np.eye(9), "ReLU") for each in (net, rescaled))
    assert_allclose(other["scores"], one["scores"], atol=1e-10)  # t adds one number to all of a user's scores
    changed = {**net, "A": net["A"] @ M, "a": net["a"] @ M, "B": np.linalg.solve(M, net["B"].T).T + t}
    assert_allclose(cosines(networks.fixed(changed, "linear")), cosines(networks.fixed(net, "linear")), atol=1e-10)
    assert np.abs(cosines(networks.fixed(changed, "ReLU")) - cosines(networks.fixed(net, "ReLU"))).max() > 0.01


def test_every_remedy_is_scored_on_all_users(whole, exact):
    rows = remedies.measure(5, "default", 3, np.array([6.0]))
    assert whole == [(("default", 3), {"n_clusters": 5})]
    data, size, _ = exact
    X = data.X.toarray()
    for preparation, Y in (("as given", X), ("centered", X - X.mean(axis=0))):
        _, s, Vt = np.linalg.svd(Y, full_matrices=False)
        unit = np.linalg.norm(s) / np.linalg.norm(size)
        for readout in ("D = I", "projected back", "Eq. 2", "weight decay"):
            cells = preparation, readout, 6.0
            row = next(row for row in rows if (row["preparation"], row["readout"], row["setting"]) == cells)
            assert_scores(row, cosines(Vt[:20].T * WEIGHTS[readout](s[:20] / unit, 6.0)), data)


def test_cosines_and_dot_products_are_those_of_all_users(whole, exact):
    rows = cosine_or_dot.measure("default", 3, taus=np.array([6.0]))
    assert whole == [(("default", 3), {"n_clusters": 5})]
    data, s, V = exact
    B = V[:, :20] * np.sqrt(s[:20] ** 2 / (s[:20] ** 2 + 36))
    of_d_i = {row["similarity"]: row for row in rows if row["gauge"] == "D = I"}
    for name, users in (("pairs_validation", data.validation), ("pairs_test", data.test)):
        scores = users.seen @ B @ B.T
        assert_allclose(of_d_i["dot product"][name], recall_at(scores, *users), atol=2e-3)
        assert_allclose(of_d_i["cosine"][name], recall_at(scores / np.linalg.norm(B, axis=1), *users), atol=2e-3)
    assert_allclose(of_d_i["cosine"]["items_ap"], expected_scores(cosines(B), data)["ap"], atol=2e-3)
    truth = cosines(data.weights[:, np.searchsorted(data.clusters, range(5))])
    similar = cosines((data.test.seen + data.test.hidden) @ B)
    pairs = np.triu_indices(N_HELD_OUT, 1)
    assert_allclose(of_d_i["cosine"]["users_r"], np.corrcoef(similar[pairs], truth[pairs])[0, 1], rtol=1e-6)
    nearest = np.argsort(-(similar - 2 * np.eye(N_HELD_OUT)), axis=1)[:, :10]
    assert_allclose(of_d_i["cosine"]["users_near"], np.take_along_axis(truth, nearest, axis=1).mean(), rtol=1e-6)
    back = next(row for row in rows if (row["gauge"], row["similarity"]) == ("projected back", "cosine"))
    assert_allclose(back["items_ap"], expected_scores(cosines(B @ (data.X @ B).T), data)["ap"], atol=2e-3)


def test_the_nearest_items_and_how_popular_they_are():
    S = cosines(np.random.default_rng(0).normal(size=(60, 4)))
    near, popular = centering.neighbors(S, np.arange(60)[::-1], n=5)
    order = [[j for j in np.argsort(-row) if j != i][:5] for i, row in enumerate(S)]
    assert [sorted(nearest) for nearest in order] == [np.flatnonzero(row).tolist() for row in near]
    assert_allclose(popular, np.mean(1 - np.array(order) / 59))
    assert_allclose(centering.neighbors(S, np.ones(60), n=5)[1], 0.5)  # the same rank for all, wherever they stand


def test_a_skip_gram_is_read_from_its_scores_alone():
    rng = np.random.default_rng(2)
    A, B = rng.normal(size=(2, 30, 4))
    U, s, _ = np.linalg.svd(A @ B.T)
    U, s = U[:, :4], s[:4]
    expected = {"rows of ABᵀ": A @ B.T, "even split": U * np.sqrt(s), "whitened": U}
    M = np.linalg.qr(rng.normal(size=(4, 4)))[0] * [0.1, 1, 3, 9]
    for one, other in ((A, B), (A @ M, B @ np.linalg.inv(M).T)):
        found = skipgram.readings(one, other)
        for name, E in expected.items():
            assert_allclose(cosines(found[name]), cosines(E), atol=1e-9)
        assert_array_equal(found["A + B"], one + other)


def test_a_skip_gram_is_trained_on_every_word_of_every_gloss(monkeypatch):
    """Words of one gloss are contexts of each other, and of no word of another; a word that occurs once counts, too."""
    pytest.importorskip("gensim")
    glosses = sp.csr_array(np.kron(np.eye(2), np.ones((200, 4))) * np.r_[np.ones(7), 0])
    glosses = sp.vstack([glosses, sp.csr_array(np.eye(1, 8, 7))], format="csr")
    monkeypatch.setattr(skipgram, "read_glosses", lambda: (glosses, np.array(list("abcdefgh"))))
    A, B = skipgram.train(1, 20)
    assert A.shape == B.shape == (8, skipgram.DIMENSIONS)
    together = np.kron(np.eye(2), np.ones((4, 4)))[:7, :7] > 0
    scores = (A @ B.T)[:7, :7]
    assert scores[together].min() > scores[~together].max()


def test_a_setting_is_tuned_on_the_other_data_sets_or_by_its_own_column():
    best_of, predicts = {0: [3, 1, 2], 1: [3, 9, 1], 2: [0, 1, 7]}, {0: [0, 1, 0], 1: [0, 0, 1], 2: [1, 0, 0]}
    cells = [(seed, tau) for seed in best_of for tau in range(3)]
    rows = pd.DataFrame(cells, columns=["seed", "tau"])
    rows["ap"] = [best_of[seed][tau] for seed, tau in cells]
    rows["recall"] = [predicts[seed][tau] for seed, tau in cells]
    found, chosen = common.tuned(rows, "ap", "elsewhere", keys=["tau"])
    assert (found.to_list(), chosen.to_list()) == ([1, 1, 1], [1, 2, 1])
    found, chosen = common.tuned(rows, "ap", "recall", keys=["tau"])
    assert (found.to_list(), chosen.to_list()) == ([1, 1, 0], [1, 2, 0])
    given = pd.Series([2, 1, 0], [2, 1, 0])
    found, chosen = common.tuned(rows, "ap", given, keys=["tau"])
    assert (found.to_list(), chosen.to_list()) == ([3, 9, 7], [0, 1, 2])
    found, chosen = common.tuned(rows.drop(index=4), "ap", "elsewhere", keys=["tau"])  # data set 1 has no τ = 1
    assert chosen.to_list() == [2, 2, 0]
    rows = rows.rename(columns={"tau": "setting"}).assign(power=1.0)
    assert common.tuned(rows, "ap", "elsewhere", ["power", "setting"])[1].to_list() == [(1, 1), (1, 2), (1, 1)]


def test_words_are_compared_by_skip_grams_one_from_each_start(monkeypatch):
    monkeypatch.setattr(people_gaps, "inputs", lambda name: name)
    monkeypatch.setattr(people_gaps, "train", lambda start: [start])
    monkeypatch.setattr(people_gaps, "readings", lambda *model: {"A": model})
    _, trained = people_gaps.all_inputs.__wrapped__()
    assert sorted(start for (start,) in trained.values()) == sorted(people_gaps.STARTS)
    assert skipgram.train.__defaults__ == (max(skipgram.EPOCHS),)  # that saw the glosses most often


def test_a_lead_on_word_pairs_has_the_wider_of_its_two_intervals(monkeypatch, rng):
    (first, second), score = np.triu_indices(9, 1), rng.random(36)
    tables = {readout: rng.normal(size=(9, 3)) for readout in ("as trained", "even split", "projected back")}
    monkeypatch.setattr(judges, "asked", lambda: (np.arange(9), {"wordsim": (first, second, score)}))
    monkeypatch.setattr(judges, "DRAWS", 50)
    rows = judges.with_leads([{"score": "wordsim", "readout": readout} for readout in tables], tables)
    columns = np.array([cosines(E)[first, second] for E in tables.values()]).T.round(10)
    by_way = people_gaps.correlation_draws(columns, first, second, score, 50).values()
    both = [np.quantile(found - found[:, :1], [0.025, 0.975], axis=0) for found in by_way]
    for i, row in enumerate(rows):
        assert [row["low"], row["high"]] == max((list(ends[:, i]) for ends in both), key=lambda ends: ends[1] - ends[0])
