"""Which share of safe items do genres and sections prefer, and does `choose_share` find it from judged pairs?

shares.csv has rows of the first training of each model of real_models.csv, on MovieLens and on Debian's packages, of
safe items of share 0 to 1, centered. by "judge": share is the one that the judge likes best, alike those it cannot tell
apart from it; difference is the judge's value of share ½ less that of share 1, with its standard error and 95 %
interval. by "50 pairs", "400 pairs": what `choose_share` picks from so many pairs (three draws), and which shares it
cannot tell apart; difference is the judge's value of the pick less that of share ½. The pairs are among the ten nearest
by one of the five shares, of items that the judge does not ask, and judged by genres or sections. Judges, draws and
intervals are those of real_models.csv; those of the best and another share are 95 % for all four together. It needs
what real_models.csv needs. Six minutes on one thread.
"""

from itertools import product

import numpy as np
from cosine_audit import SafeItems, choose_share
from cosine_audit.safe import SHARES

from experiments import real_models as rm
from experiments.common import likeness, unit
from experiments.real_models_tuned import MODELS, divided

PAIRS, ASKED, TIMES = (50, 400), 200, 3
HALF, WHOLE = SHARES.index(0.5), SHARES.index(1)
TOLERANCE = rm.TOLERANCE


def told(values, draws):
    """Which share is best, which are not told apart from it, and share ½ less share 1."""
    best, gap = int(np.argmax(values)), draws[:, HALF] - draws[:, WHOLE]
    apart = np.quantile(draws[:, [best]] - draws, 0.025 / (len(SHARES) - 1), axis=0) > 0
    low, high = np.quantile(gap, [0.025, 0.975])
    error = {"difference": values[HALF] - values[WHOLE], "low": low, "high": high, "error": gap.std()}
    return {"share": SHARES[best], "alike": names(np.array(SHARES)[~apart])} | error


def names(shares):
    """Shares as text."""
    return " ".join(f"{share:g}" for share in shares)


def pairs_of(data, tables, n, rng):
    """Judged pairs (n,): first and second items, and judgments."""
    others = np.setdiff1d(np.arange(len(divided(data).items)), rm.some(data))
    asked = rng.permutation(others)[:ASKED]
    first = np.repeat(asked, rm.NEAREST * len(tables))
    second = np.hstack([rm.neighbors(*sides, asked) for sides in tables]).ravel()
    chosen = np.sort(rng.permutation(len(first))[:n])
    return first[chosen], second[chosen], likeness(rm.labels_of(data), first[chosen], second[chosen])


def measure(data, model):
    """All rows of one training."""
    first = rm.trained(data, model, 1)
    B, P, ranking = first.items, first.users, first.ranking
    units = [unit(SafeItems.fit(B, P, share=share, ranking=ranking).transform(B)) for share in SHARES]
    tables = [(U, U) for U in units]
    values, (draws,) = rm.judgments(data, tables)["labels"]
    rows = [{"by": "judge", "draw": 0} | told(values, draws)]
    for n, draw in product(PAIRS, range(TIMES)):
        choice = choose_share(B, P, pairs=pairs_of(data, tables, n, np.random.default_rng(draw)), ranking=ranking)
        gained = values[SHARES.index(choice.share)] - values[HALF]
        picked = {"share": choice.share, "alike": names(choice.alike), "difference": gained}
        rows.append({"by": f"{n} pairs", "draw": draw} | picked)
    return rows


PROCESSES = 1
JOBS = [{"data": data, "model": model} for data in ("MovieLens", "Debian") for model in MODELS]
