"""What an embedding's length carries, and what a power of it is worth: 40 smaller data sets, about two minutes.

4 000 users, 300 items, k = 20. lengths.csv has a row for each reading, seed, gauge and τ with length_r, the correlation
of the logarithms of an item's length and popularity. For D = I there is a row for each power in
⟨x, y⟩ / (‖x‖ ‖y‖)^power (0 is the dot product, 1 the cosine) with the scores of cosine_or_dot.csv; recall@20 of the
item–item recommender ("items_") and of a user's scores ("pairs_") is given for validation and for test users.
"""

import numpy as np

from experiments.common import DENSE_AND_SPARSE, TAUS, draw_smaller, jobs, leading, recall_of_items
from experiments.cosine_or_dot import PARTS, preferences, user_scores, weights
from helpers import cosine_similarity, recall_at, recovery_scores
from helpers.spectrum import gram

TOLERANCE = 2e-3  # exact algebra; an item may change places with one as near
POWERS = -0.5, 0, 0.25, 0.5, 0.75, 1, 1.5


def similarity(E, power, F=None):
    """⟨e, f⟩ / (‖e‖ ‖f‖)^power for the rows of E and F (E if None), over its largest magnitude."""
    F = E if F is None else F
    e, f = (np.maximum(np.linalg.norm(rows, axis=1), 1e-12) ** -float(power) for rows in (E, F))
    S = e[:, None] * (E @ F.T) * f
    return S / np.abs(S).max()


def worth(B, P, seen, power, truth, data):
    """The scores of one power: of items B, users P, all of whose items are seen, and of what is seen of PARTS."""
    S = similarity(B, power)
    _, precision, purity = recovery_scores(S, data.clusters)
    row = {"power": power, "items_ap": precision, "items_purity": purity}
    row["users_near"] = user_scores(similarity(P, power), truth)["users_near"]
    row |= {f"items_{part}": recall_of_items(S, getattr(data, part)) for part in PARTS}
    return row | {f"pairs_{part}": recall_at(similarity(seen[part], power, B), *getattr(data, part)) for part in PARTS}


def measure(reading, seed, taus=TAUS[4:-4:2]):  # four times 4, 8 … 128
    """All rows of one data set."""
    data = draw_smaller(reading, seed)
    G = gram(data.X)
    s, V = leading(G)
    truth, popularity = cosine_similarity(preferences(data)), np.log(G.diagonal())
    rows = []
    for gauge, tau, f, h in weights(s, taus / 4):
        B, A = V * f, V * h
        lengths = np.log(np.linalg.norm(B, axis=1) + 1e-12)
        row = {"gauge": gauge, "tau": tau, "length_r": np.corrcoef(lengths, popularity)[0, 1]}
        if gauge == "D = I":
            P, seen = (data.test.seen + data.test.hidden) @ A, {part: getattr(data, part).seen @ A for part in PARTS}
            rows += [row | worth(B, P, seen, power, truth, data) for power in POWERS]
        else:
            rows.append(row)
    return rows


JOBS = jobs(DENSE_AND_SPARSE)
