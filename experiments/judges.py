"""What safe items change, by every judge of the book: one model each, read out in five ways, tuned in two.

judges.csv has a row for each judge, repetition, tuning, readout, score and unit. Models are Eq. 1's, or gensim's
skip-gram with ten epochs; "as trained" are their item embeddings (of Eq. 1 D = I), "projected back" and "safe items"
those whose cosines are the cosines and the correlations of the items' columns of scores, "even split" the square roots
of these. Tuned "by predictions" is one model, with the k and λ whose scores find most of what is hidden. Tuned "for
itself" each readout has the setting that this judge prefers on other data: the other data sets, the other modules, the
users that choose, the other list of words.

A unit is what an interval is over: a data set, a module (of the documentation, 24), a group of users (of MovieLens, 30
that are the same in all divisions). kept is the share of the ten nearest as trained that stay. Of word pairs low and
high are the wider of two 95 % intervals, over pairs and over words, of the lead over "as trained".

Judges: the simulation, 4 000 users × 300 items in 5 or 20 clusters, k = 20, 20 data sets each, dense and sparse (AP and
purity); documentation, ten splits of the words, "for itself" two (the same, of each module); MovieLens, six divisions
into ten groups (recall@20 of a hidden film); glosses and skip-gram, three seeds (WordSim-353, SimLex-999). It needs
MovieLens and gensim 4.4. About 15 minutes.
"""

import functools
from itertools import product

import numpy as np
import pandas as pd
from cosine_audit import SafeItems

from experiments.common import (
    KEPT,
    SEEDS,
    cosines,
    cosines_of_pairs,
    draw_smaller,
    likes,
    recommended,
    roles,
    spectrum_of_data,
    tuned,
    users_from,
)
from experiments.curves import curves
from experiments.documentation_cosines import by_module
from experiments.documentation_held_out import divide
from experiments.leads import DATA
from experiments.people import LISTS, agreement, judgments
from experiments.people import RANKS as WORD_RANKS
from experiments.people import TAUS as WORD_TAUS
from experiments.people_gaps import by_glosses, correlation_draws, wider
from experiments.remedies import GRID
from experiments.skipgram import train
from helpers import (
    nearest,
    overlap,
    read_documentation,
    read_glosses,
    recall_at,
    recovery_scores,
    truncated_svd,
)

DRAWS = 10_000
RANKS = 100, 200, 400, 800, 1_500  # the last: all there are
TAUS = np.array([3, 4, 6, 8, 11, 16, 22])  # of documentation and MovieLens
OWN = list(product((20, 50, *RANKS), (3, 6, 11, 22, 45, np.inf)))  # the same, for a readout's own setting
GROUPS = 30  # of MovieLens' users
TWICE = 2  # splits of the words in which a readout has its own setting: each has all modules


def by_scores(users, s, V, origin, taus=TAUS, objectives=tuple(KEPT)):
    """{objective: (k, τ) whose scores have the best recall@20} for users as (seen, hidden)."""
    seen, hidden = users
    W = V.T.astype(np.float32)
    coordinates, best = ((seen - origin) @ V).astype(np.float32), {}
    for objective in objectives:
        kept, found = KEPT[objective], {}
        for tau in taus if objective == "Eq. 1" else taus[taus < s[0]]:
            weighted, scores = coordinates * kept(s, tau).astype(np.float32), origin.astype(np.float32)
            for first, k in zip((0, *RANKS), RANKS, strict=False):
                if first < len(s):
                    scores = scores + weighted[:, first:k] @ W[first:k]
                    found[k, tau] = recall_at(scores, seen, hidden)
        best[objective] = max(found, key=found.get)
    return best


def embeddings(Y, s, V, best):
    """(readout, k, τ, item embeddings) of all readouts of prepared data Y."""
    yield "columns", 0, 0, Y.T
    for objective, (k, tau) in best.items():
        for readout, at, f in curves(s[:k], [], np.array([tau])):
            if at < np.inf and objective == (readout if readout in KEPT else "Eq. 1"):
                yield readout, k, tau, V[:, :k] * f


def hidden_from(rng, users, share):
    """Those of the users who took two items or more, of whom this share is hidden."""
    return users_from(rng, users[users.sum(axis=1) >= 2], share)


def read_out(B, P):
    """{readout: item embeddings} of items B (p, k) and users P (n, k)."""
    ways = {  # share of the singular values, and whether scores are centered
        "even split": (0.5, False),
        "projected back": (1, False),
        "safe items": (1, True),
        "safe items, even split": (0.5, True),
    }
    fitted = {name: SafeItems.fit(B, P, share=share, center=center) for name, (share, center) in ways.items()}
    return {"as trained": B} | {name: safe.transform(B) for name, safe in fitted.items()}


def of_eq1(s, V, tau, mean, n):
    """The same of Eq. 1's minimizer with D = I at λ₁ = τ², whose users are XA; mean is that of X, n its rows."""
    root = np.sqrt(KEPT["Eq. 1"](s, tau))
    along = mean @ V
    C = np.outer(root, root) * (np.diag(s**2) - n * np.outer(along, along)) * np.outer(root, root)
    values, Q = np.linalg.eigh(C)
    safe = V @ (Q * np.sqrt(np.maximum(values, 0)))
    found = {"as trained": V * root, "even split": V * np.sqrt(s) * root, "projected back": V * s * root**2}
    return found | {"safe items": safe, "safe items, even split": V @ (Q * np.maximum(values, 0) ** 0.25)}


def cut(s, V, train, k, tau):
    """of_eq1 of training rows with this spectrum, at rank k."""
    return of_eq1(s[:k], V[:, :k], tau, train.mean(axis=0), len(train))


def predicting(s, V, users, taus=TAUS):
    """The k and τ at which Eq. 1's scores predict best."""
    return by_scores(users, s, V, 0 * V[:, 0], taus, ["Eq. 1"])["Eq. 1"]


def by_predictions(tables, judge):
    """A row for each readout, score and unit of one model, and which neighbors stay."""
    lists = {readout: nearest(cosines(E)) for readout, E in tables.items()}
    kept = {readout: overlap(lists["as trained"], lists[readout]) for readout in lists}
    return [row | {"tuned": "by predictions", "kept": kept[row["readout"]]} for row in values_of(tables, judge)]


def values_of(tables, judge):
    """A row for each readout, score and unit."""
    return [
        {"readout": readout, "score": score, "unit": unit, "value": value}
        for readout, E in tables.items()
        for (score, unit), value in judge(E).items()
    ]


def for_itself(tried):
    """Of rows with a setting: each unit's at the setting that is best, for this readout and score, in the others."""
    rows, columns = [], ["readout", "score", "unit", "setting", "value"]
    for (readout, score), each in pd.DataFrame(tried, columns=columns).groupby(["readout", "score"], sort=False):
        chosen, _ = tuned(each.rename(columns={"unit": "seed"}), "value", "elsewhere")
        rows += [
            {"readout": readout, "score": score, "unit": unit, "value": value, "tuned": "for itself"}
            for unit, value in chosen.items()
        ]
    return rows


def simulated(kind, clusters, _):
    """AP and purity of all data sets."""
    rows, tried, taus = [], [], np.r_[GRID, np.inf]
    for seed in SEEDS:
        data = draw_smaller(DATA[kind], seed, n_clusters=clusters)

        def judge(E, seed=seed, truth=data.clusters):
            _, precision, purity = recovery_scores(cosines(E), truth)
            return {("ap", seed): precision, ("purity", seed): purity}

        X = data.X.toarray()
        s, V = (part[..., :20] for part in spectrum_of_data(X))
        model = functools.partial(cut, s, V, X)
        rows += by_predictions(model(*predicting(s, V, data.validation, taus)), judge)
        tried += [row | {"setting": tau} for tau in taus for row in values_of(model(20, tau), judge)]
    return rows + for_itself(tried)


def documented(split):
    """AP and purity of each module, for one split of the words."""
    X, _, _, module_of = read_documentation()
    train, choose, _ = divide(X, split)
    s, V = spectrum_of_data(train)
    model = functools.partial(cut, s, V, train)

    def judge(E):
        return by_module(cosines(E), module_of).stack()

    tried = OWN if split < TWICE else []
    rows = by_predictions(model(*predicting(s, V, choose)), judge)
    return rows + for_itself(row | {"setting": str(at)} for at in tried for row in values_of(model(*at), judge))


def best_of(models, judge):
    """{readout: the item embeddings that a judge prefers} of the tables of several models."""
    best = {}
    for tables in models:
        for readout, E in tables.items():
            value = judge(E)
            if readout not in best or value > best[readout][0]:
                best[readout] = value, E
    return {readout: E for readout, (_, E) in best.items()}


def filmed(division):
    """Recall of one hidden film of each user, means over groups of users."""
    X, rows = likes()[0].toarray(), []
    order = np.random.default_rng(2 + division).permutation(len(X))
    for i in range(10):
        train, choose, test = roles(order, i)
        rng = np.random.default_rng(10 * division + i)
        users, tested = (hidden_from(rng, X[who], share) for who, share in ((choose, 0.2), (test, 1e-6)))
        names = np.flatnonzero(test & (X.sum(axis=1) >= 2))

        def judge(E, names=names, tested=tested):
            return {("recall", name): value for name, value in zip(names, recommended(E, *tested), strict=True)}

        s, V = spectrum_of_data(X[train])
        model = functools.partial(cut, s, V, X[train])
        rows += by_predictions(model(*predicting(s, V, users)), judge)
        tried = (model(k, tau) for k, tau in OWN if k < 2 * len(s))  # 426 directions: 800 stands for all
        best = best_of(tried, lambda E, users=users: recommended(E, *users).mean())
        rows += [row | {"tuned": "for itself", "kept": np.nan} for row in values_of(best, judge)]
    rows = pd.DataFrame(rows)
    rows["unit"] %= GROUPS
    return rows.groupby(["tuned", "readout", "score", "unit"], sort=False).mean().reset_index().to_dict("records")


asked = functools.cache(judgments)


def agreements(E, names=LISTS):
    """Rank correlations of cosines with people, of each list."""
    used, judged = asked()
    return {(name, ""): agreement(E[used], *judged[name])[0] for name in names}


def glossed(_):
    """Both lists, by Eq. 1 of all glosses."""
    X = read_glosses().X
    s, V = truncated_svd(X, WORD_RANKS[-1])

    def model(k, tau):
        return of_eq1(s[:k], V[:, :k], tau, X.mean(axis=0), X.shape[0])

    tables = model(*map(int, by_glosses("Eq. 1")))
    rows = with_leads(by_predictions(tables, agreements), tables)
    for name, other in (LISTS, LISTS[::-1]):
        tried = (model(*at) for at in product(WORD_RANKS, WORD_TAUS))
        best = best_of(tried, lambda E, other=other: agreements(E)[other, ""])
        own = values_of(best, functools.partial(agreements, names=[name]))
        rows += with_leads([row | {"tuned": "for itself"} for row in own], best)
    return rows


def skipped(seed):
    """Both lists, by gensim's skip-gram."""
    tables = read_out(*train(seed))
    return with_leads(by_predictions(tables, agreements), tables)


def with_leads(rows, tables):
    """Rows of word pairs with the wider interval of each readout's lead over "as trained"."""
    used, judged = asked()
    for name in {row["score"] for row in rows}:
        first, second, score = judged[name]
        columns = np.array([cosines_of_pairs(E[used], first, second) for E in tables.values()]).T.round(10)
        by_way = correlation_draws(columns, first, second, score, DRAWS).values()
        ends = wider([found - found[:, :1] for found in by_way], 0.025)
        for row in (row for row in rows if row["score"] == name):
            row["low"], row["high"] = ends[:, list(tables).index(row["readout"])]
    return rows


JUDGES = {
    f"{kind}, {clusters} clusters": functools.partial(simulated, kind, clusters)
    for clusters in (5, 20)
    for kind in DATA
} | {"documentation": documented, "MovieLens": filmed, "glosses": glossed, "skip-gram": skipped}
REPETITIONS = {"documentation": 10, "MovieLens": 6, "skip-gram": 3}
TOLERANCE = 0.05  # a tie in k or τ; the skip-gram is trained again
PROCESSES = 1  # two would need too much memory
JOBS = [{"judge": judge, "repetition": i} for judge in JUDGES for i in range(REPETITIONS.get(judge, 1))]
COLUMNS = "tuned", "readout", "score", "unit", "value", "kept", "low", "high"


def measure(judge, repetition):
    """All rows of one repetition; of the skip-gram the seeds start with 1."""
    rows = JUDGES[judge](repetition + (judge == "skip-gram"))
    return [{column: row.get(column, np.nan) for column in COLUMNS} | {"unit": str(row["unit"])} for row in rows]
