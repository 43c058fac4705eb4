"""The held-out comparison on interactions of your own: ``python tools/compare_models.py ratings.csv``.

The file is a CSV with a header: users in the first column, items in the second, and, if there is a third, ratings, of
which those of --least-rating or more count; so MovieLens' ratings.csv of any size. ml-latest-small takes about a
minute. Time grows with the cube of --most-items, and memory with its square. No table is committed, as no data are:
those who publish results on MovieLens' data cite Harper and Konstan 2015, as the licence asks.

Strong generalization, as in Liang et al. 2018: nothing is learned from the users who are tested; of each a fifth of
the items is hidden, the rest is seen. Every model's parameters are chosen by recall@20 of other held-out users. Per
split, the rows of --out (default: printed only) name the model, its parameters, whether they lie at an edge of the
grid, and on the test users recall@20, recall@50 and nDCG@100; popularity and EASE (Steck 2019) are the baselines.
Intervals are over splits, as if these were independent; they share users.
"""

import argparse
import sys

import numpy as np
import pandas as pd

from experiments.common import KEPT, Users, leading
from helpers import hide, ndcg_at, recall_at, t_interval
from helpers.movielens import interactions
from helpers.spectrum import gram

RANKS = 50, 100, 200, 400, 800
HALVINGS = np.arange(2, 8.5, 0.5)  # τ from σ₁/4 down to σ₁/256: λ₁ = τ², λ₂ = τ, λ_w = τ²
AT_ONCE = 2_000  # test users, for whom dense scores are held


def split(X, seed, held_out):
    """The users to learn from (CSR), those to choose parameters by, and those to test on, held_out each."""
    rng = np.random.default_rng(seed)
    X = X[np.diff(X.indptr) >= 2]  # one to see and one to find
    order = rng.permutation(X.shape[0])
    parts = [X[np.sort(order[start : start + held_out])] for start in (0, held_out)]
    return X[np.sort(order[2 * held_out :])], *(Users(*hide(rng, part)) for part in parts)


def average(measure, predict, users, n):
    """A measure at n, or at all items if there are fewer, of the users, some at a time, as their scores are dense."""
    values, sizes, n = [], [], min(n, users.seen.shape[1])
    for start in range(0, users.seen.shape[0], AT_ONCE):
        seen, hidden = (part[start : start + AT_ONCE].toarray() for part in users)
        values.append(measure(predict(seen), seen, hidden, n))
        sizes.append(np.sum(hidden.any(axis=1)))
    return np.average(values, weights=sizes)


def models(G):
    """Every model of the grid: name, k, halving (τ = σ₁/2^halving), τ, and its scores from what users are seen to take.

    Parameters: G (p, p) the Gram matrix. Beyond RANKS the full one is added.
    """
    s, V = leading(G, len(G))
    full = int(np.sum(s > 1e-6 * s[0]))
    yield "popularity", 0, None, 0, lambda seen: np.broadcast_to(G.diagonal(), seen.shape)
    for halving in HALVINGS:
        tau = s[0] / 2**halving
        inverse = np.linalg.inv(G + tau**2 * np.eye(len(G)))
        W = np.eye(len(G)) - inverse / inverse.diagonal()
        yield "EASE", full, halving, tau, lambda seen, W=W: seen @ W
        for k in [*[k for k in RANKS if k < full], full]:
            for name, kept in KEPT.items():
                weights = kept(s[:k], tau)
                yield name, k, halving, tau, lambda seen, k=k, w=weights: seen @ V[:, :k] * w @ V[:, :k].T


def compare(X, seed, held_out):
    """One split: a row for each model, its parameters chosen on the validation users and its scores on the test users.

    A choice at an edge of the grid is marked, unless it is the full rank, beyond which there is nothing.
    """
    train, validation, test = split(X, seed, held_out)
    best = {}
    for name, *setting, predict in models(gram(train)):
        recall = average(recall_at, predict, validation, 20)
        if name not in best or recall > best[name][0]:
            best[name] = recall, *setting, predict
    rows = []
    for name, (recall, k, halving, tau, predict) in best.items():
        edge = halving in (HALVINGS[0], HALVINGS[-1]) or k == min(RANKS)
        row = {"seed": seed, "model": name, "k": k, "tau": tau, "edge": edge, "validation": recall}
        measures = (("recall20", recall_at, 20), ("recall50", recall_at, 50), ("ndcg100", ndcg_at, 100))
        rows.append(row | {key: average(measure, predict, test, n) for key, measure, n in measures})
    return rows


def summary(table):
    """Mean of each model over splits, and the interval of its difference to Eq. 2."""
    columns = {}
    for measure in ("recall20", "recall50", "ndcg100"):
        wide = table.pivot(index="seed", columns="model", values=measure)
        differences = {name: t_interval(wide[name] - wide["Eq. 2"]) for name in wide}
        columns[measure] = wide.mean()
        columns[f"minus Eq. 2 {measure}"] = {name: f"[{d.low:+.4f}, {d.high:+.4f}]" for name, d in differences.items()}
    return pd.DataFrame(columns).sort_values("recall20", ascending=False)


def parser():
    """What the command line may say."""
    options = argparse.ArgumentParser(prog="python tools/compare_models.py", description=__doc__.split("\n")[0])
    options.add_argument("file", help="a CSV: users, items and, perhaps, ratings")
    options.add_argument("--least-rating", type=float, default=3.5, help="that counts, if there are ratings (3.5)")
    options.add_argument("--least-users", type=int, default=10, help="that an item must have (10)")
    options.add_argument("--most-items", type=int, default=5_000, help="of which the most taken are kept (5000)")
    options.add_argument("--held-out", type=int, help="users to validate on, and to test on (a tenth, 10 000 at most)")
    options.add_argument("--splits", type=int, default=5, help="how often users are drawn (5)")
    options.add_argument("--out", help="a CSV for the rows")
    return options


def main(arguments=None):
    """Read, split, compare, print; write the rows if asked to."""
    options = parser().parse_args(arguments)
    try:
        frame = pd.read_csv(options.file)
        X, _ = interactions(frame, options.least_rating, options.least_users, options.most_items)
    except (OSError, ValueError, UnicodeDecodeError) as problem:  # pandas' errors are ValueErrors
        sys.exit(f"{options.file}: {problem}")
    held_out = options.held_out or min(X.shape[0] // 10, 10_000)
    if not 1 <= held_out <= X.shape[0] // 3:
        sys.exit(f"--held-out must be between 1 and a third of {X.shape[0]} users, got {held_out}")
    print(f"{X.shape[0]} users, {X.shape[1]} items, {X.nnz} interactions; {held_out} users held out, twice")
    if options.splits < 1:
        sys.exit(f"--splits must be >= 1, got {options.splits}")
    rows = []
    for seed in range(options.splits):
        rows += compare(X, seed, held_out)
        print(f"split {seed + 1} of {options.splits}", flush=True)
    table = pd.DataFrame(rows)
    if options.out:
        table.to_csv(options.out, index=False, float_format="%.4g")
    print(table.round(4).to_string(index=False) if options.splits < 2 else summary(table).round(4).to_string())
    if table["edge"].any():
        print("At an edge of the grid:", *sorted(set(table.loc[table["edge"], "model"])))


if __name__ == "__main__":
    main()
