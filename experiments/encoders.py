"""What one does to the vectors of text encoders, and whether it helps: by people, definitions and modules.

encoders.csv has a row for each encoder, judge, method and setting, with the score, and a row "tuned" for each method:
its setting chosen where it is not scored, the score, how far that is ahead of the cosine, and a 95 % interval of the
lead. Judges: Spearman's correlation with WordSim-353 and SimLex-999 (the other list chooses; draws of pairs and of
words with replacement, the wider interval); recall@10 of a word's definition among 1 500 (each half of the words
chooses for the other; draws of words); the share of a function's ten nearest, by its first sentence, that are of its
module (each half of the modules chooses for the other; draws of modules). Mean and covariance are those of texts of the
same kind, without their labels (words and definitions: a mean of each, the average of both covariances; judged words:
those of 1 500 other words, or of GloVe's 20 000 most frequent). An end is the outer end of the 95 % interval of
its quantile, from 4 000 draws.
The lists come with gensim (pip install gensim). Three minutes.
"""

import numpy as np
import pandas as pd

from experiments.people import LISTS, pairs, read_judgments
from experiments.people_gaps import correlation_draws, correlations
from helpers import nearest, normalize_rows, read_documentation, read_encoder

TIMES, TEN = 4_000, 10
TAIL = 0.025 - 1.96 * np.sqrt(0.025 * 0.975 / TIMES)  # the quantile's own error
GRIDS = {  # of each method, its settings; 0 where it has none
    "cosine": (0,),
    "dot": (0,),
    "centered": (0,),
    "centered by the judged": (0,),
    "one mean for both": (0,),
    "standardized": (0,),
    "directions removed": (0, 1, 2, 3, 5, 8, 12, 20, 32),
    "whitened": (0,),
    "whitened, shrunk": (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100),
    "first half of the dimensions": (2,),
    "first sixth": (6,),
    "half of the principal directions": (2,),
    "a sixth of the principal directions": (6,),
    "int8, one range": (0,),
    "int8, a range for each": (0,),
}
TUNED = [method for method, grid in GRIDS.items() if len(grid) > 1]
ENCODERS = "MiniLM", "4-bit e5-small", "GloVe"
TOLERANCE = 2e-3  # closed forms; pairs whose cosines nearly tie may change places


def fitted(method, setting, mean, C):
    """A function of vectors (m, d), given the mean (d,) and covariance C (d, d) of texts of their kind."""
    d = len(mean)
    if method in ("centered", "centered by the judged", "one mean for both"):
        return lambda E: E - mean
    if method == "standardized":
        spread = np.sqrt(np.diag(C))
        return lambda E: (E - mean) / np.where(spread > 0, spread, 1)  # two of MiniLM's dimensions are always 0
    if method.startswith("first"):
        return lambda E: E[:, : d // setting]
    values, V = np.linalg.eigh(C)  # ascending
    if method == "directions removed":
        return lambda E: (E - mean) @ V[:, : d - setting]
    if method.startswith("whitened"):
        some = values > 1e-9 * values[-1]
        return lambda E: (E - mean) @ V[:, some] / np.sqrt(values[some] + setting * values.mean())
    if "principal" in method:
        return lambda E: (E - mean) @ V[:, d - d // setting :]
    return lambda E: E


def int8(E, each):
    """Rounded to 255 steps, of one range or of each dimension's own."""
    step = np.abs(E).max(axis=0 if each else None) / 127
    return np.round(E / np.where(step > 0, step, 1)) * step


def moments(E):
    """Mean and covariance of rows."""
    return E.mean(axis=0), np.cov(E.T)


def prepared(method, setting, parts, others):
    """Each of parts (vectors of one or two kinds), as its cosines are to be taken; others: their moments."""
    if method.startswith("int8"):
        return [int8(E, "each" in method) for E in parts]
    means, covariances = zip(*others, strict=True)
    if method == "one mean for both":  # of equally many texts
        means = [sum(means) / len(means)] * len(means)
    C = sum(covariances) / len(covariances)  # one for all kinds, as they share their axes; each has its own mean
    return [fitted(method, setting, mean, C)(E) for E, mean in zip(parts, means, strict=True)]


def as_published(encoder):
    """What read_encoder returns, and its vectors by kind: MiniLM's brought to length one, as its library does."""
    given = read_encoder(encoder)
    return given, {kind: normalize_rows(E) if encoder == "MiniLM" else E for kind, E in given.vectors.items()}


def by_people(encoder):
    """Cosines of the judged pairs of both lists: {list: (DataFrame of settings, first, second, score)}."""
    given, vectors = as_published(encoder)
    background = (vectors["mean"], vectors["covariance"]) if encoder == "GloVe" else moments(vectors["words"])
    own = moments(vectors["judged"])
    columns = {}
    for method, setting in settings("words", encoder):
        fit = own if method == "centered by the judged" else background
        (E,) = prepared(method, setting, [vectors["judged"]], [fit])
        columns[method, setting] = given.vectors["judged"] if method == "dot" else normalize_rows(E)
    found = {}
    for scored in LISTS:
        first, second, score = pairs(read_judgments(scored), given.texts["judged"])
        table = {place: np.sum(E[first] * E[second], axis=1) for place, E in columns.items()}
        found[scored] = pd.DataFrame(table).round(10), first, second, score
    return found


def settings(kind, encoder):
    """Methods and settings that make sense there."""
    without = {"words": ["one mean for both"], "definitions": ["centered by the judged"]}
    without["functions"] = ["one mean for both", "centered by the judged"]
    no_dot = ["dot"] if encoder == "4-bit e5-small" else []  # its vectors have length one
    for method, grid in GRIDS.items():
        if method not in [*without[kind], *no_dot]:
            yield from ((method, setting) for setting in grid)


def score_people(encoder, scored):
    """All rows of one encoder and list."""
    found = by_people(encoder)
    table, first, second, score = found[scored]
    other, *_, other_score = found[LISTS[1 - LISTS.index(scored)]]
    values = pd.Series(correlations(table.to_numpy(), score), table.columns)
    chosen = best(pd.Series(correlations(other.to_numpy(), other_score), other.columns))
    places = [("cosine", 0), *chosen.values()]
    kept = table[list(dict.fromkeys(places))]
    by_way = correlation_draws(kept.to_numpy(), first, second, score, TIMES).values()
    by_way = [pd.DataFrame(found, columns=kept.columns) for found in by_way]
    tuned = {method: values[place] for method, place in chosen.items()}
    leads = {m: [found[place] - found["cosine", 0] for found in by_way] for m, place in chosen.items()}
    return rows(values, chosen, tuned, values["cosine", 0], leads)


def best(values):
    """The best setting of each method, {method: (method, setting)}, the first of equals."""
    return {m: (m, values[m].idxmax()) for m in values.index.unique(0) if m != "cosine"}


def rows(values, chosen, tuned, cosine, leads):
    """Rows of all settings, and one of each method, tuned, with the widest of its leads' intervals."""
    found = [{"method": m, "setting": s, "kind": "grid", "value": value} for (m, s), value in values.items()]
    for method in chosen:
        ends = [np.quantile(lead, [TAIL, 1 - TAIL]) for lead in leads[method]]
        low, high = max(ends, key=np.ptp)
        row = {"method": method, "setting": chosen[method][1], "kind": "tuned", "value": tuned[method]}
        found.append(row | {"lead": tuned[method] - cosine, "low": low, "high": high})
    return found


def hits(encoder, judge):
    """What each text scores by each setting, a DataFrame (texts, settings), and the groups that are drawn together."""
    given, vectors = as_published(encoder)
    kinds = ("words", "definitions") if judge == "definitions" else ("functions",)
    background = [moments(vectors[kind]) for kind in kinds]
    found, modules = {}, read_documentation().modules
    for method, setting in settings(judge, encoder):
        parts = [given.vectors[kind] if method == "dot" else vectors[kind] for kind in kinds]
        parts = prepared(method, setting, parts, background)
        P, *Q = parts if method == "dot" else [normalize_rows(E) for E in parts]
        if judge == "definitions":
            S = np.round(P @ Q[0].T, 10)
            own = np.diag(S)[:, None]
            found[method, setting] = np.sum(own < S, axis=1) + (np.sum(own == S, axis=1) - 1) / 2 < TEN  # ties: half
        else:
            near = nearest(P @ P.T, TEN)
            found[method, setting] = np.mean(modules[near] == modules[:, None], axis=1)
    groups = np.arange(len(P)) if judge == "definitions" else np.unique(modules, return_inverse=True)[1]
    return pd.DataFrame(found).astype(float), groups


def score_texts(encoder, judge):
    """All rows of one encoder and judge: each half of the groups chooses the setting for the other."""
    found, groups = hits(encoder, judge)
    n_groups = groups.max() + 1
    half = np.isin(groups, np.random.default_rng(0).permutation(n_groups)[: n_groups // 2])
    by_half = [best(found[part].mean()) for part in (half, ~half)]
    tuned = {m: np.where(half, found[by_half[1][m]], found[by_half[0][m]]) for m in by_half[0]}
    rng = np.random.default_rng(0)
    times = np.array([np.bincount(rng.integers(n_groups, size=n_groups), minlength=n_groups) for _ in range(TIMES)])
    weights = times[:, groups] / times[:, groups].sum(axis=1, keepdims=True)
    leads = {m: [weights @ (value - found["cosine", 0].to_numpy())] for m, value in tuned.items()}
    means = {m: value.mean() for m, value in tuned.items()}
    both = {m: (m, np.mean([one[m][1] for one in by_half])) for m in by_half[0]}
    return rows(found.mean(), both, means, found["cosine", 0].mean(), leads)


def measure(encoder, judge):
    """All rows of one encoder and judge."""
    return score_people(encoder, judge) if judge in LISTS else score_texts(encoder, judge)


JUDGES = {"MiniLM": (*LISTS, "definitions", "functions"), "4-bit e5-small": (*LISTS, "definitions"), "GloVe": LISTS}
JOBS = [{"encoder": encoder, "judge": judge} for encoder, judges in JUDGES.items() for judge in judges]
