"""Which similarity of words agrees better with people, with intervals: settings chosen without the list scored on.

people_gaps.csv has a row for each list and each pair of similarities (and each alone, where second is empty): both
Spearman correlations, their difference, and its 95 % interval over pairs drawn with replacement, and over words drawn
with replacement (a pair counts as often as both of its words), from 10 000 draws each. An end is the outer end of the
95 % interval of its quantile, so that no sign hangs on the draws. "by glosses" is at the k and λ whose scores find most
held-out words (people_held_out.csv), "by the other list" at the k and setting that agree best with the other list
(people.csv). Skip-gram has three starts. Fifteen minutes.
"""

import functools

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from experiments import read
from experiments.documentation_cosines import WEIGHTS
from experiments.people import LISTS, RANKS, inputs, judgments
from experiments.skipgram import readings, train

RAW, POWER = "no decomposition", "f = σ^α"
TUNED = "Eq. 2", "weight decay"
BY_GLOSSES = "D = √g", "D = I", "D = 1/√g", "D = 1/√σ", "D = 1/(σ√g)", "Eq. 2"
PPMI = "PPMI, shift 1"
BEST = f"{POWER}, PPMI, by the other list"
DOTS = RAW, "D = I, by glosses", "Eq. 2, by glosses", BEST, "skip-gram, A", "skip-gram, A + B"
TIMES, STARTS, WAYS = 10_000, (1, 2, 3), ("pairs", "words")
TAIL = 0.025 - 1.96 * np.sqrt(0.025 * 0.975 / TIMES)  # the quantile's own error
TOLERANCE = 0.02  # as people.csv; the skip-gram is trained again


def by_glosses(objective):
    """The k and τ whose scores find most held-out words, on average over all splits."""
    found = read("people_held_out").query("method == @objective").groupby(["k", "setting"])["recall"].mean()
    return found.idxmax()


def by_other(name, method, scored):
    """The k and setting that agree best with the list that is not scored."""
    other = LISTS[1 - LISTS.index(scored)]
    rows = read("people").query("name == @name and method == @method")
    best = rows.loc[rows[other].idxmax()]
    return int(best["k"]), best["setting"]


@functools.cache
def all_inputs():
    """What is decomposed, and the skip-gram's vectors: for both lists."""
    trained = {}
    for start in STARTS:
        label = f", start {start}" if start > 1 else ""
        trained |= {name + label: E for name, E in readings(*train(start)).items()}
    return {name: inputs(name) for name in ("0/1", "centered", PPMI)}, trained


def similarities(scored):
    """{name: (first vectors, second vectors)} of the pairs of one list, to be compared."""
    used, judged = judgments()
    first, second, _ = judged[scored]
    (given, trained), vectors = all_inputs(), {}
    for name, label in (("0/1", ""), ("centered", ", centered"), (PPMI, ", PPMI")):
        raw, s, V, *_ = given[name]
        vectors[f"{RAW}{label}"] = raw

        def weighted(method, k, setting, s=s, V=V):
            return V[used, :k] * WEIGHTS[method][0](s[:k], setting)

        for method in (*TUNED, POWER) if name == "0/1" else (POWER,):
            place = by_other(name, method, scored)
            vectors[f"{method}{label}, by the other list"] = weighted(method, *place)
        if name == "0/1":
            for method in BY_GLOSSES:
                k, tau = by_glosses("Eq. 2" if method == "Eq. 2" else "Eq. 1")
                vectors[f"{method}, by glosses"] = weighted(method, k, tau)
        for alpha in (0, 0.5, 1) if name != "centered" else ():
            vectors[f"α = {alpha:g}{label}"] = weighted(POWER, RANKS[-1], alpha)
        if name == PPMI:
            vectors["α = 0.25, PPMI, without the first 40"] = weighted(POWER, RANKS[-1], 0.25)[:, 40:]
    for label, E in trained.items():
        vectors[f"skip-gram, {label}"] = E[used]
    return {name: (E[first], E[second]) for name, E in vectors.items()}


def cosines_and_dots(pairs):
    """Cosines of each, and dot products of some, named; numbers that agree to ten decimals are tied."""
    columns = {}
    for name, (P, Q) in pairs.items():
        dots = np.sum(P * Q, axis=1)
        lengths = np.linalg.norm(P, axis=1) * np.linalg.norm(Q, axis=1)
        columns[name] = dots / np.where(lengths > 0, lengths, 1)
        if name in DOTS:
            columns[f"{name}, dot"] = dots / lengths.max()
    return pd.DataFrame(columns).round(10)


def correlations(columns, score):
    """Spearman's correlation of every column with the scores."""
    ranks, wanted = rankdata(columns, axis=0), rankdata(score)
    ranks, wanted = ranks - ranks.mean(axis=0), wanted - wanted.mean()
    return wanted @ ranks / np.linalg.norm(ranks, axis=0) / np.linalg.norm(wanted)


def drawn(rng, first, second, way):
    """Places of the pairs of one draw: pairs with replacement, or those of words with replacement."""
    if way == "pairs":
        return rng.integers(len(first), size=len(first))
    n_words = max(first.max(), second.max()) + 1
    times = np.bincount(rng.integers(n_words, size=n_words), minlength=n_words)
    return np.repeat(np.arange(len(first)), times[first] * times[second])


def correlation_draws(columns, first, second, score, n_draws):
    """Each column's correlation with the scores in draws of pairs, and of words: {way: (n_draws, columns)}.

    Parameters: columns (pairs, columns); first, second, the words of each pair, as any numbers; score (pairs,).
    """
    words = np.unique([first, second], return_inverse=True)[1]
    found = {}
    for way in WAYS:
        rng = np.random.default_rng(0)
        places = (drawn(rng, *words, way) for _ in range(n_draws))
        found[way] = np.array([correlations(columns[place], score[place]) for place in places])
    return found


def wider(ways, tail):
    """Of each column the wider of its intervals, (2, columns), low and high, from each way's draws (draws, columns)."""
    ends = np.array([np.quantile(found, [tail, 1 - tail], axis=0) for found in ways])
    widest = np.argmax(ends[:, 1] - ends[:, 0], axis=0)
    return np.take_along_axis(ends, widest[None, None], axis=0)[0]


def rows_of(columns, first, second, score):
    """A row for each similarity, a column of pairs, and for each comparison of two of them."""
    values = dict(zip(columns, correlations(columns.to_numpy(), score), strict=True))
    by_way = correlation_draws(columns.to_numpy(), first, second, score, TIMES)
    by_way = {way: pd.DataFrame(found, columns=columns.columns) for way, found in by_way.items()}
    rows = []
    for name, other in compared(columns):
        row = {"first": name, "second": other, "value": values[name], "other": values.get(other, np.nan)}
        row["gap"] = values[name] - values.get(other, 0)
        for way, found in by_way.items():
            gap = found[name] - (found[other] if other else 0)
            row |= {f"{way} low": gap.quantile(TAIL), f"{way} high": gap.quantile(1 - TAIL)}
        rows.append(row)
    return rows


def measure(scored):
    """All rows of one list."""
    first, second, score = judgments()[1][scored]
    return rows_of(cosines_and_dots(similarities(scored)), first, second, score)


def compared(columns):
    """Which are compared: each alone, and the pairs that are there."""
    yield from ((name, "") for name in columns)
    yield from (pair for pair in asked() if set(pair) <= set(columns))


def asked():
    """Pairs whose difference is of interest."""
    yield from (("D = 1/√g, by glosses", f"{D}, by glosses") for D in BY_GLOSSES if D != "D = 1/√g")
    yield "Eq. 2, by glosses", "D = 1/√σ, by glosses"
    for method in (*TUNED, POWER):
        yield RAW, f"{method}, by the other list"
        yield BEST, f"{method}, by the other list"
    yield from ((BEST, name) for name in (RAW, f"{RAW}, PPMI", "skip-gram, A", "skip-gram, A + B"))
    for label in ("", ", PPMI"):
        yield f"α = 0.5{label}", f"α = 1{label}"
        yield f"α = 0{label}", f"α = 1{label}"
    yield f"{POWER}, centered, by the other list", f"{POWER}, by the other list"
    yield f"{RAW}, PPMI", RAW
    yield "α = 0.25, PPMI, without the first 40", "α = 0.5, PPMI"
    for label in ("", ", start 2", ", start 3"):
        for name in ("A + B", "rows of ABᵀ", "even split", "whitened"):
            yield f"skip-gram, {name}{label}", f"skip-gram, A{label}"
    yield from ((name, f"{name}, dot") for name in DOTS)


PROCESSES = 1  # two would need too much memory
JOBS = [{"scored": scored} for scored in LISTS]
