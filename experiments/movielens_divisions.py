"""MovieLens' users in ten groups, divided in six ways: which objective predicts better, what centering does; 2 minutes.

movielens_divisions.csv has a row for each division, group, data (as given, or less the columns' means), method and
score, a mean over the group's users. Two other groups choose k and λ, seven train. "recall@20" and "nDCG@100" are those
of a fifth of a user's films, hidden, by each objective's scores, tuned for each of the two; "cosines" is the recall@20
of one hidden film by cosines with the user's other films, by each readout, tuned by the recall of its scores.
"""

import numpy as np
import pandas as pd

from experiments.common import likes, recommended, roles, spectrum_of_data
from experiments.documentation_held_out import by_row, predict
from experiments.judges import by_scores, embeddings, hidden_from

RANKS = 20, 50, 100, 200, 400, 609  # the last: all there are
TAUS = {"Eq. 1": (6, 9, 13, 18, 25), "Eq. 2": (3, 4.5, 6, 9, 13), "weight decay": (3, 5, 7, 9, 13)}
METRICS = ["recall@20", "nDCG@100"]
SETTING = ["name", "k", "tau"]
TOLERANCE = 3e-3  # closed forms; a tie may fall either way, and one user is one of 60


def divided(n, division):
    """The group, 0 to 9, of each of n users."""
    return np.random.default_rng([2, division - 1] if division else 2).permutation(n) % 10


def parts(X, group, i):
    """Users who learn, who choose and who test, where group i tests."""
    return tuple(X[who] for who in roles(group, i))


def scores_at_all_settings(users, s, V):
    """(name, k, τ, recall@20, nDCG@100) for users as (seen, hidden)."""
    for name, tau in [(name, tau) for name, taus in TAUS.items() for tau in taus]:
        for k, scores in predict(users[0], s, V, name, tau, RANKS):
            yield name, k, tau, *by_row(scores, *users).mean(axis=1)


def tuned_and_tested(X, group, i, chosen=None):
    """(s, V); the scores at all settings, of those who choose; those of each user who tests, at the best settings.

    chosen: the scores at all settings, if they are known.
    """
    train, choose, test = parts(X, group, i)
    basis, rng = spectrum_of_data(train), np.random.default_rng(i)
    users = hidden_from(rng, choose, 0.2)
    if chosen is None:
        rows = scores_at_all_settings(users, *basis)
        chosen = pd.DataFrame(rows, columns=SETTING + METRICS).set_index(SETTING)
    seen, hidden = hidden_from(rng, test, 0.2)
    often, tested = by_row(np.tile(train.sum(axis=0), (len(seen), 1)), seen, hidden), []
    for row, metric in enumerate(METRICS):
        found = {"group": i, "metric": metric, "popularity": often[row]}
        for name in TAUS:
            k, tau = chosen.loc[name][metric].idxmax()
            ((_, scores),) = predict(seen, *basis, name, tau, (k,))
            found[name] = by_row(scores, seen, hidden)[row]
        tested.append(pd.DataFrame(found))
    return basis, chosen, pd.concat(tested)


def found_by_cosines(X, group, i):
    """(data, readout, recall@20 of one hidden film) of every readout, of data as given and centered."""
    train, choose, test = parts(X, group, i)
    rng = np.random.default_rng(100 + i)
    _, users = (hidden_from(rng, part, 1e-6) for part in (choose, test))
    choose = hidden_from(np.random.default_rng(i), choose, 0.2)
    for data, means in ("given", 0 * train[0]), ("centered", train.mean(axis=0)):
        s, V = spectrum_of_data(train - means)
        for readout, *_, E in embeddings(train - means, s, V, by_scores(choose, s, V, means)):
            yield data, readout, recommended(E, *users).mean()


def measure(division, group):
    """All rows of one group."""
    X = likes()[0].toarray()
    groups, rows = divided(len(X), division), []
    tested = tuned_and_tested(X, groups, group)[2].groupby("metric")[["popularity", *TAUS]].mean()
    for (score, method), value in tested.stack().items():
        rows.append({"data": "given", "method": method, "score": score, "value": value})
    for data, readout, value in found_by_cosines(X, groups, group):
        rows.append({"data": data, "method": readout, "score": "cosines", "value": value})
    return rows


JOBS = [{"division": division, "group": group} for division in range(6) for group in range(10)]
