"""What safe items change, by every judge of the book: one model each, tuned by its scores, read out in five ways.

judges.csv has a row for each judge, repetition, readout and score. A model is fitted once, as Eq. 1 at the k and λ
whose scores find most of what is hidden, or as gensim's skip-gram with ten epochs; "as trained" are its item embeddings
(of Eq. 1 D = I), "projected back" and "safe items" those whose cosines are the cosines and the correlations of the
items' columns of scores, "even split" the square roots of these. kept is the share of the ten nearest as trained that
stay. Of word pairs low and high are the wider of two 95 % intervals, over pairs and over words, of the lead over "as
trained".

Judges: the simulation, 4 000 users × 300 items, k = 20, 20 data sets each, dense and sparse (AP and purity);
documentation, ten splits (the same, by module); MovieLens, six divisions into ten groups (recall@20 of a hidden film);
glosses and skip-gram, three seeds (WordSim-353, SimLex-999). It needs MovieLens and gensim 4.4. About 15 minutes.
"""

import functools

import numpy as np

from experiments import run
from experiments.common import FEW, draw_smaller, recall
from experiments.curves import curves
from experiments.documentation_cosines import by_module
from experiments.documentation_held_out import divide
from experiments.held_out import KEPT
from experiments.people import agreement, judgments
from experiments.people_gaps import EPOCHS, by_glosses, correlations, drawn
from experiments.remedies import GRID, cosines
from experiments.skipgram import train
from helpers import hide, nearest, overlap, read_documentation, read_glosses, recovery_scores, truncated_svd
from helpers.movielens import interactions, read_movielens
from helpers.remedies import symmetric_root

DATA = {"dense": FEW[0], "sparse": FEW[2]}
DRAWS = 10_000
RANKS = 100, 200, 400, 800, 1_500  # the last: all there are
TAUS = np.array([3, 4, 6, 8, 11, 16, 22])  # of documentation and MovieLens


def spectrum(Y):
    """Nonzero singular values and right singular vectors."""
    values, vectors = np.linalg.eigh(Y @ Y.T if len(Y) < Y.shape[1] else Y.T @ Y)
    kept = values > 1e-9 * values[-1]
    s, W = np.sqrt(values[kept])[::-1], vectors[:, kept][:, ::-1]
    return s, Y.T @ W / s if len(Y) < Y.shape[1] else W


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
                    found[k, tau] = recall(scores, seen, hidden)
        best[objective] = max(found, key=found.get)
    return best


def embeddings(Y, s, V, best):
    """(readout, k, τ, item embeddings) of all readouts of prepared data Y."""
    yield "columns", 0, 0, Y.T
    for objective, (k, tau) in best.items():
        for readout, at, f in curves(s[:k], [], np.array([tau])):
            if at < np.inf and objective == (readout if readout in KEPT else "Eq. 1"):
                yield readout, k, tau, V[:, :k] * f


def recommended(E, seen, hidden):
    """recall@20 of the item–item recommender with the cosines of the rows of E."""
    U = E / np.maximum(np.linalg.norm(E, axis=1, keepdims=True), 1e-12)
    return recall(seen @ U @ U.T, seen, hidden)


def groups(X, split):
    """Users to learn from, to choose by and to test on, of MovieLens: ten groups in each of six divisions."""
    division, i = divmod(split, 10)
    group = np.random.default_rng(2 + division).permutation(len(X)) % 10
    choose = np.isin((group - i) % 10, [1, 2])
    return X[~choose & (group != i)], X[choose], X[group == i]


def hidden_from(rng, users, share):
    """What is seen and what is hidden of the users who took two items or more, dense."""
    return tuple(part.toarray() for part in hide(rng, users[users.sum(axis=1) >= 2], share))


def likes():
    """Users × films, 1 where a rating is 3.5 or more, of films with ten of these."""
    return interactions(read_movielens()[0], least_rating=3.5, least_users=10)[0].toarray()


def halved(E):
    """The even split of a table's Gram matrix: embeddings with the Gram matrix (E Eᵀ)^½."""
    U, t, _ = np.linalg.svd(E, full_matrices=False)
    return U * np.sqrt(t)


def read_out(B, gram, mean, n):
    """{readout: item embeddings} of items B and n users P, of which PᵀP and the mean are given."""
    back, safe = B @ symmetric_root(gram), B @ symmetric_root(gram - n * np.outer(mean, mean))
    found = {"as trained": B, "even split": halved(back), "projected back": back}
    return found | {"safe items": safe, "safe items, even split": halved(safe)}


def of_eq1(s, V, tau, mean, n):
    """The same of Eq. 1's minimizer with D = I at λ₁ = τ², whose users are XA; mean is that of X, n its rows."""
    g = KEPT["Eq. 1"](s, tau)
    B = V * np.sqrt(g)
    return read_out(B, np.diag(s**2 * g), mean @ B, n)


def rows_of(tables, judge):
    """A row for each readout and score, and which neighbors stay."""
    lists = {readout: nearest(cosines(E)) for readout, E in tables.items()}
    return [
        {"readout": readout, "score": score, "value": value, "kept": overlap(lists["as trained"], lists[readout])}
        | {"low": np.nan, "high": np.nan}
        for readout, E in tables.items()
        for score, value in judge(E).items()
    ]


def fitted(train, users, k=None, taus=TAUS):
    """The readouts of Eq. 1 of the training rows, at the τ, and without k at the k, whose scores predict best."""
    s, V = spectrum(train)
    s, V = s[:k], V[:, :k]
    k, tau = by_scores(users, s, V, 0 * V[:, 0], taus, ["Eq. 1"])["Eq. 1"]
    return of_eq1(s[:k], V[:, :k], tau, train.mean(axis=0), len(train))


def simulated(kind, seed):
    """AP and purity of one data set."""
    data = draw_smaller(DATA[kind], seed)

    def judge(E):
        _, precision, purity = recovery_scores(cosines(E), data.clusters)
        return {"ap": precision, "purity": purity}

    return rows_of(fitted(data.X.toarray(), data.validation, 20, np.r_[GRID, np.inf]), judge)


def documented(split):
    """AP and purity of one split of the words, means over modules."""
    X, _, _, module_of = read_documentation()
    train, choose, _ = divide(X, split)
    return rows_of(fitted(train, choose), lambda E: by_module(cosines(E), module_of).mean(axis=1).to_dict())


def filmed(split):
    """Recall of one hidden film of each user of one group."""
    train, choose, test = groups(likes(), split)
    rng = np.random.default_rng(split)
    users, tested = (hidden_from(rng, *part) for part in ((choose, 0.2), (test, 1e-6)))
    return rows_of(fitted(train, users), lambda E: {"recall": recommended(E, *tested)})


def glossed(_):
    """Both lists, by Eq. 1 of all glosses."""
    X = read_glosses().X
    k, tau = by_glosses("Eq. 1")
    s, V = truncated_svd(X, int(k))
    return worded(of_eq1(s, V, tau, X.mean(axis=0), X.shape[0]))


def skipped(seed):
    """Both lists, by gensim's skip-gram."""
    words, contexts = train(seed, EPOCHS)
    return worded(read_out(words, contexts.T @ contexts, contexts.mean(axis=0), len(contexts)))


def worded(tables):
    """Rank correlations with people, and the wider interval of each lead."""
    used, judged = judgments()
    rows = rows_of(tables, lambda E: {name: agreement(E[used], *judged[name])[0] for name in judged})
    for name, (first, second, score) in judged.items():
        units = {readout: E[used] / np.linalg.norm(E[used], axis=1, keepdims=True) for readout, E in tables.items()}
        columns = np.array([np.sum(U[first] * U[second], axis=1) for U in units.values()]).T.round(10)
        leads = np.array([leads_of(columns, first, second, score, way) for way in ("pairs", "words")])
        widest = np.argmax(leads[:, 1] - leads[:, 0], axis=0)
        for row in (row for row in rows if row["score"] == name):
            i = list(tables).index(row["readout"])
            row["low"], row["high"] = leads[widest[i], :, i]
    return rows


def leads_of(columns, first, second, score, way):
    """Ends of the 95 % intervals of each column's lead over the first, (2, columns)."""
    first, second = np.split(np.unique(np.concatenate([first, second]), return_inverse=True)[1], 2)
    rng, found = np.random.default_rng(0), []
    for _ in range(DRAWS):
        place = drawn(rng, first, second, way)
        values = correlations(columns[place], score[place])
        found.append(values - values[0])
    return np.quantile(found, [0.025, 0.975], axis=0)


JUDGES = {
    "dense": functools.partial(simulated, "dense"),
    "sparse": functools.partial(simulated, "sparse"),
    "documentation": documented,
    "MovieLens": filmed,
    "glosses": glossed,
    "skip-gram": skipped,
}
REPETITIONS = {"dense": 20, "sparse": 20, "documentation": 10, "MovieLens": 60, "glosses": 1, "skip-gram": 3}
JOBS = [{"judge": judge, "repetition": i} for judge, n in REPETITIONS.items() for i in range(n)]


def score_judge(judge, repetition):
    """All rows of one repetition; of the skip-gram the seeds start with 1."""
    return JUDGES[judge](repetition + (judge == "skip-gram"))


if __name__ == "__main__":
    run("judges", JOBS, score_judge, processes=1, tolerance=0.05)  # a tie in k or τ; the skip-gram is trained again
