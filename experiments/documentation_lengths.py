"""Cosine or dot product on real text, the documentation of NumPy, SciPy and scikit-learn: ten splits, about 4 minutes.

documentation_lengths.csv has a row for each split, gauge, k, τ and power of the lengths in ⟨x, y⟩ / (‖x‖ ‖y‖)^power.
Each split learns from nine tenths of the words and divides the other words, and the 24 modules, into two halves, one to
choose by and one to test on. ap and purity are those of the functions of a half's modules (do ten nearest functions
share the module?); items and pairs are recall@20 of the item–item recommender and of the scores, for a half's words.
length_r is the correlation of the logarithms of a function's length and of its number of words.
"""

import numpy as np

from experiments.common import users_from
from experiments.cosine_or_dot import weights
from experiments.documentation_held_out import full_spectrum
from experiments.lengths import similarity
from helpers import read_documentation, recall_at, recovery_scores

TOLERANCE = 2e-3  # exact algebra; a function may change places with one as near
RANKS, TAUS, POWERS = (100, 800), (5, 10, 20, 40), {"D = I": (0, 0.5, 1)}


def halves(names, rng):
    """Which of the names lie in a random half of all different ones."""
    different = rng.permutation(np.unique(names))
    return np.isin(names, different[: len(different) // 2])


def measure(split, ranks=RANKS, taus=TAUS):
    """All rows of one split."""
    X, _, _, modules = read_documentation()
    rng = np.random.default_rng(split)
    held = rng.permutation(len(X)) < len(X) // 10
    seen, hidden = users_from(rng, X[held])
    words, here = np.arange(len(seen)) % 2 == 0, halves(modules, rng)
    parts = {"choose": (words, here), "test": (~words, ~here)}
    all_s, all_V = full_spectrum(X[~held], max(ranks))
    popularity, rows = np.log(X[~held].sum(axis=0)), []
    for k in ranks:
        s, V = all_s[:k], all_V[:, :k]
        for gauge, tau, f, h in weights(s, taus):
            B = V * f
            length_r = np.corrcoef(np.log(np.linalg.norm(B, axis=1) + 1e-12), popularity)[0, 1]
            for power in POWERS.get(gauge, (0, 1)):
                S = similarity(B, power)
                scores = seen @ V * h @ V.T if gauge == "projected back" else similarity(seen @ V * h, power, B)
                near = seen @ (S - np.diag(S.diagonal()))
                row = {"gauge": gauge, "k": k, "tau": tau, "power": power, "length_r": length_r}
                for name, (u, i) in parts.items():
                    _, row[f"ap_{name}"], row[f"purity_{name}"] = recovery_scores(S[i][:, i], modules[i])
                    row[f"items_{name}"] = recall_at(near[u], seen[u], hidden[u])
                    row[f"pairs_{name}"] = recall_at(scores[u], seen[u], hidden[u])
                rows.append(row)
    return rows


JOBS = [{"split": split} for split in range(10)]
