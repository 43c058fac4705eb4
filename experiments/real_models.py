"""Are safe items better on libraries' own models? Seven models, three real data sets, every readout, every judge.

real_models.csv has a row for each data set, model, training (seed), readout and judge: the judge's value, its
difference to the items as given with a 95 % interval and the standard error, from draws of the judge's rows with
replacement (10 000; of pairs, whose ranks are taken anew, 1 000 of pairs and 1 000 of words, the wider), and kept, the
share of the ten nearest neighbors as given that stay. Settings are those of real_models_tuned.csv, chosen by the
scores' recall.

Readouts are cosines of the library's vectors ("as given", with the biases that implicit leaves in them), of these
"without biases" and "centered" (less the mean item, without biases), of `cosine_audit.safe_items` with share ½
("balanced") and 1 ("projected back") of the scores as they are, and, centered as the library's objective demands,
"safe 0" to "safe 1"; "scores of one item" ranks all items for a user of that item alone, rows of ABᵀ, no cosines. The
share that `choose_share` picks by other users' hidden items is "chosen", that by the other list of words "chosen by
pairs"; best is the share that scores highest there, alike those that cannot be told apart from it, of which the pick is
the nearest to ½, and ahead what it says of the pick and the items as given: 1 ahead, −1 behind, 0 if it cannot tell.

Judges: "labels", of 500 items the share of the ten nearest in one's own section (Debian), or the genres shared of those
that either has (MovieLens); "hidden", recall@20 of a fifth of the items of users of whom nothing was learned, by sums
of similarities to their other items; "wordsim" and "simlex", Spearman's correlation with people's judgments. It needs
MovieLens, implicit 0.7 and gensim 4.4 (tests/requirements.txt). About 30 minutes on one thread.
"""

import functools
from ast import literal_eval

import numpy as np
import pandas as pd
from cosine_audit import SafeItems
from cosine_audit.neighbors import overlap, top
from cosine_audit.safe import SHARES, choose_share
from scipy.stats import norm

from experiments import read
from experiments.common import holm, likeness, likes, unit
from experiments.people import LISTS, pairs, read_judgments
from experiments.people_gaps import correlation_draws, correlations
from experiments.real_models_tuned import DATA, MODELS, divided
from helpers import read_debian, read_glosses

QUERIES, NEAREST, DRAWS, PAIR_DRAWS = 500, 10, 10_000, 1_000
JUDGES = {
    ("MovieLens", "labels"): "genres",
    ("Debian", "labels"): "sections",
    ("glosses", "wordsim"): "WordSim",
    ("glosses", "simlex"): "SimLex",
    ("MovieLens", "hidden"): "hidden films",
    ("Debian", "hidden"): "hidden packages",
    ("glosses", "hidden"): "hidden words",
}
TOLERANCE = 0.05  # float32 sums in another order, followed by a million steps


def setting(data, model):
    """The setting whose scores find most hidden items."""
    rows = read("real_models_tuned").query("data == @data and model == @model")
    return literal_eval(rows.loc[rows["recall"].idxmax(), "setting"])


@functools.lru_cache(maxsize=1)
def trained(data, model, seed):
    """A model at that setting; the last one stays for who asks again."""
    return MODELS[model](divided(data).X, seed, **setting(data, model))


def readouts(model):
    """{readout: (left, right)}: the similarity of items i and j is left[i] @ right[j]."""
    P, B = model.users, model.items
    plain = B[:, : B.shape[1] - model.biases]
    found = {"as given": B} | ({"without biases": plain} if model.biases else {})
    found["centered"] = plain - plain.mean(axis=0)
    for name, share in (("balanced", 0.5), ("projected back", 1)):
        found[name] = SafeItems.fit(B, P, share=share, center=False).transform(B)
    for share in SHARES:
        found[f"safe {share:g}"] = SafeItems.fit(B, P, share=share, ranking=model.ranking).transform(B)
    units = {name: (U, U) for name, U in ((name, unit(E)) for name, E in found.items())}
    return units | ({"scores of one item": model.asked} if model.asked else {})


def neighbors(left, right, queries):
    """The ten most similar others of each query."""
    S = (left[queries] @ right.T).round(10)
    S[np.arange(len(queries)), queries] = -np.inf
    return top(S, NEAREST)


@functools.cache
def labels_of(data):
    """The section of each package, or the genres of each film."""
    return (read_debian().sections if data == "Debian" else likes()[1])[divided(data).items]


@functools.cache
def taken(data):
    """Of each user to be judged by: the items seen, and the fifth to be found."""
    X, rng = divided(data).test, np.random.default_rng(2)
    rows = [rng.permutation(row) for row in np.split(X.indices, X.indptr[1:-1])]
    return [(row[max(1, len(row) // 5) :], row[: max(1, len(row) // 5)]) for row in rows]


def recalls(left, right, users):
    """recall@20 of each user's hidden items by the sums of similarities to those seen."""
    S = np.stack([left[seen].sum(axis=0) for seen, _ in users]) @ right.T
    for row, (seen, _) in zip(S, users, strict=True):
        row[seen] = -np.inf
    lists = zip(top(S, 20), users, strict=True)
    return np.array([np.isin(hidden, best).sum() / min(20, len(hidden)) for best, (_, hidden) in lists])


@functools.cache
def judged(data):
    """{list: first and second items, and judgments}, of words."""
    words = read_glosses().words[divided(data).items]
    return {name: pairs(read_judgments(name), words) for name in LISTS}


@functools.cache
def weights(m):
    """How often each of m rows is in each draw, (DRAWS, m)."""
    return np.random.default_rng(0).multinomial(m, np.full(m, 1 / m), size=DRAWS).astype(np.float32)


def ends(values, draws):
    """{readout: columns of its row} from values (readouts,), the first as given, and their draws (draws, readouts)."""
    gaps = draws - draws[:, :1]
    low, high = np.quantile(gaps, [0.025, 0.975], axis=0)
    columns = values, values - values[0], low, high, gaps.std(axis=0)
    return [
        dict(zip(("value", "difference", "low", "high", "error"), row, strict=True))
        for row in zip(*columns, strict=True)
    ]


def widest(values, ways):
    """The same of the way to draw that has the wider interval."""
    found = zip(*(ends(values, draws) for draws in ways), strict=True)
    return [max(both, key=lambda row: row["high"] - row["low"]) for both in found]


def row_draws(table):
    """Values of readouts (readouts,), means over rows of the table (rows, readouts), and their draws, in a list."""
    return table.mean(axis=0), [weights(len(table)) @ table / len(table)]


def word_draws(similarities, first, second, score):
    """The same of Spearman's correlations of similarities of pairs (pairs, readouts); draws of pairs, and of words."""
    by_way = correlation_draws(similarities, first, second, score, PAIR_DRAWS)
    return correlations(similarities, score), list(by_way.values())


def judgments(data, tables):
    """{judge: the values of the tables, and one or two ways to draw them}."""
    found = {"hidden": row_draws(np.stack([recalls(*sides, taken(data)) for sides in tables], axis=1))}
    if data != "glosses":
        queries = some(data)
        lists = (neighbors(*sides, queries) for sides in tables)
        alike = [likeness(labels_of(data), queries[:, None], near).mean(axis=1) for near in lists]
        return found | {"labels": row_draws(np.stack(alike, axis=1))}
    for name, (first, second, score) in judged(data).items():
        similarities = [
            sum(np.sum(left[i] * right[j], axis=1) for i, j in ((first, second), (second, first)))
            for left, right in tables
        ]
        found[name] = word_draws(np.stack(similarities, axis=1).round(10), first, second, score)
    return found


@functools.cache
def some(data):
    """The items that are asked for their neighbors."""
    return np.sort(np.random.default_rng(3).permutation(len(divided(data).items))[:QUERIES])


def picks(data, model):
    """(readout, judge or None for all, Choice) of what choose_share picks."""
    B, P, ranking = model.items, model.users, model.ranking
    yield "chosen", None, choose_share(B, P, divided(data).choose, ranking=ranking)
    for name, other in (LISTS, LISTS[::-1]) if data == "glosses" else ():
        yield "chosen by pairs", name, choose_share(B, P, pairs=judged(data)[other], ranking=ranking)


def measure(data, model, seed):
    """All rows of one training."""
    of_library = trained(data, model, seed)
    tables = readouts(of_library)
    lists = [neighbors(*sides, some(data)) for sides in tables.values()]
    kept = dict(zip(tables, (overlap(lists[0], one) for one in lists), strict=True))
    shares = {f"safe {share:g}": share for share in SHARES}
    rows = [
        {"readout": name, "share": shares.get(name, np.nan), "judge": judge, **row, "kept": kept[name]}
        | {"best": np.nan, "alike": "", "ahead": np.nan}
        for judge, drawn_values in judgments(data, list(tables.values())).items()
        for name, row in zip(tables, widest(*drawn_values), strict=True)
    ]
    for readout, only, choice in picks(data, of_library):
        said = {"best": choice.best, "alike": " ".join(f"{s:g}" for s in choice.alike), "ahead": choice.ahead}
        chosen = [row for row in rows if row["readout"] == f"safe {choice.share:g}" and only in (None, row["judge"])]
        rows += [row | {"readout": readout} | said for row in chosen]
    return rows


def compared():
    """Of the table, means over trainings and whether each readout is ahead of the items as given (1) or behind (−1).

    A sign asks that the trainings' differences have one, and that the mean is told apart from 0 by a normal test with
    the largest of their standard errors and Holm's correction over all comparisons.
    Returns: a DataFrame with an index of judge (JUDGES), model and readout.
    """
    rows = read("real_models")
    rows = rows[~rows["readout"].str.startswith("chosen")]
    rows = rows.assign(by=[JUDGES[pair] for pair in zip(rows["data"], rows["judge"], strict=True)])
    each = rows.groupby(["by", "model", "readout"], sort=False)
    found = each[["value", "difference", "kept"]].mean().assign(error=each["error"].max())
    one_side = (each["difference"].min() > 0) | (each["difference"].max() < 0)
    sizes = (found["difference"].abs() / found["error"])[found["error"] > 0]  # as given has no error
    passed = holm(pd.Series(2 * norm.sf(sizes), sizes.index)).reindex(found.index) <= 0.05
    return found.assign(sign=np.where(passed & one_side, np.sign(found["difference"]), 0))


PROCESSES = 1
JOBS = [{"data": data, "model": model, "seed": seed} for data in DATA for model in MODELS for seed in (1, 2, 3)]
