"""Agreement with people, forged: how far an M of condition c moves it, for one model whose predictions stay.

forged.csv has a row for each k, list and condition number c of M, for the balanced split of Eq. 1 (λ₁ = 2304) on
WordNet's glosses: the highest and the lowest Spearman's correlation with the list that a search found, which are lower
bounds of what can be attained; the other list's correlation there; bounds that no such M passes unless cosines tie,
and the least c at which the order may be perfect; the least and the most of 100 M drawn at random; and how far the same
search agrees with the list's judgments shuffled. Where words are at most k, also the M that gives the list's order
exactly, by way of orthogonal words, and the named D as condition numbers seen from the balanced split. Ten minutes.
"""

import functools

import jax
import numpy as np
from jax import numpy as jnp
from scipy.stats import rankdata

from experiments.common import cosines_of_pairs, unit
from experiments.people import LISTS, agreement, judgments, spearman, svd_of_glosses
from helpers import choices_of_d, realizing_transform, shrinkage

RANKS, CONDITIONS = (50, 400), (1.1, 1.25, 1.5, 2, 3, 5, 10)
LAM1, DRAWS, STEPS = 2304, 100, 120
NAMED = "D = √g", "D = I", "D = 1/√g", "D = 1/√σ", "D = 1/(σ√g)"
EXACT = "orthogonal", "highest, exact", "highest, exact price", "lowest, exact", "lowest, exact price"
TOLERANCE = 0.01  # a search; on another processor it takes another path


@functools.cache
def spectrum_of_glosses(k):
    """σ and V of the glosses, V for the words of both lists alone."""
    s, V = svd_of_glosses(k)
    return s, V[judgments()[0]]


def balanced(k):
    """The balanced split of Eq. 1, f = √(σg), for the words of both lists."""
    s, V = spectrum_of_glosses(k)
    return V * np.sqrt(s * shrinkage(s, LAM1))


def order_matrix(n_words, first, second, said):
    """J: the centered rank of a pair's judgment (the mean, of a pair listed twice), 0 elsewhere; of norm 1."""
    ranks, J, times = rankdata(said) - np.mean(rankdata(said)), np.zeros((n_words,) * 2), np.zeros((n_words,) * 2)
    for i, j in ((first, second), (second, first)):
        np.add.at(J, (i, j), ranks)
        np.add.at(times, (i, j), 1)
    J /= np.maximum(times, 1)
    return J / np.linalg.norm(J, 2)


def exact(E, first, second, said):
    """√κ of the words' cosines, and Spearman's correlation and the condition number of M as they become I ± J/100."""
    words, (i, j) = np.unique([first, second], return_inverse=True)
    U = unit(E[words])
    row = {"orthogonal": np.sqrt(np.linalg.cond(U @ U.T))}
    for name, step in (("highest", 0.01), ("lowest", -0.01)):
        M = realizing_transform(U, np.eye(len(words)) + step * order_matrix(len(words), i, j, said))
        agree = agreement(U @ np.linalg.inv(M).T, i, j, said)[0]
        row |= {f"{name}, exact": agree, f"{name}, exact price": np.linalg.cond(M)}
    return row


def least_price(cosines, said):
    """The condition number below which no M puts all these cosines into the order of the judgments."""
    heights = np.arctanh(cosines)
    wrong = (heights[:, None] > heights) & (said[:, None] < said)
    return np.exp(np.max((heights[:, None] - heights) * wrong) / 2)


@jax.jit
def correlation(K, E, first, second, wanted):
    """Pearson's correlation of the cosines under the inner product xᵀKy with unit, centered numbers; the cosines."""
    EK = E @ K
    lengths = jnp.sqrt(jnp.sum(EK * E, axis=1))
    cosines = jnp.sum(EK[first] * E[second], axis=1) / lengths[first] / lengths[second]
    centered = cosines - cosines.mean()
    return centered @ wanted / jnp.linalg.norm(centered), cosines


slope = jax.jit(jax.value_and_grad(correlation, has_aux=True))


def forge(E, first, second, said, c):
    """The M of condition number at most c, and the highest Spearman's correlation, that a projected ascent finds.

    It climbs the correlation with the ranks of the judgments over K = (MMᵀ)⁻¹ with eigenvalues from 1 to c², by
    steps along the normalized gradient with momentum, from K = cI. EM⁻ᵀ has the cosines.
    """
    words, (i, j) = np.unique([first, second], return_inverse=True)
    wanted = rankdata(said) - np.mean(rankdata(said))
    wanted, vectors = wanted / np.linalg.norm(wanted), E[words]
    K, speed, best = c * np.eye(E.shape[1]), 0, (-1, None)
    for step in range(STEPS):
        (_, cosines), G = slope(K, vectors, i, j, wanted)
        if (found := spearman(cosines, said)) > best[0]:
            best = found, K
        G = np.asarray(G)
        speed = 0.8 * speed + (G + G.T) / np.linalg.norm(G + G.T)
        K = K + 0.1 * (c**2 - 1) * np.sqrt(len(K)) * (1 + np.cos(np.pi * step / STEPS)) * speed
        values, vectors_K = np.linalg.eigh(K)
        K = vectors_K * np.clip(values, 1, c**2) @ vectors_K.T
    values, vectors_K = np.linalg.eigh(best[1])
    return vectors_K / np.sqrt(values) @ vectors_K.T, best[0]


def bound(cosines, said, c):
    """What Spearman's correlation with judgments no M of condition number at most c passes, unless two cosines tie.

    Two cosines keep their order if their artanh differ by more than 2 ln c (cor-arbitrary-order). Each order that is
    kept and wrong costs the difference of the two judgments' ranks.
    """
    heights, ranks = np.arctanh(cosines), rankdata(said)
    wrong = (heights[:, None] - heights > 2 * np.log(c)) & (ranks[:, None] < ranks)
    sums = np.sort(ranks) @ np.arange(1, len(ranks) + 1) - np.sum(wrong * (ranks - ranks[:, None]))
    places = np.arange(len(ranks))
    return (sums / len(ranks) - np.mean(ranks) * (np.mean(places) + 1)) / np.std(ranks) / np.std(places)


def drawn(rng, k, c):
    """M with singular values 1, c and log-uniform ones between, in random directions."""
    sizes = np.r_[0, 1, rng.uniform(size=k - 2)]
    return np.linalg.qr(rng.normal(size=(k, k)))[0] * c**sizes


def measure(k, scored, condition):
    """One row."""
    E, judged = balanced(k), judgments()[1]
    first, second, said = judged[scored]
    other = judged[LISTS[1 - LISTS.index(scored)]]
    row = {"balanced": agreement(E, *judged[scored])[0], "balanced, other": agreement(E, *other)[0]}
    sigma = spectrum_of_glosses(k)[0]
    for D in NAMED:
        stretch = choices_of_d(sigma, LAM1)[D] * np.sqrt(sigma)
        row[f"{D}, condition"] = stretch.max() / stretch.min()
    cosines = cosines_of_pairs(E, first, second)
    if k >= len(np.unique([first, second])):
        row |= exact(E, first, second, said)
    else:
        row |= dict.fromkeys(EXACT, np.nan)
    for name, sign in (("highest", 1), ("lowest", -1)):
        M, found = forge(E, first, second, sign * said, condition)
        row[name] = sign * found
        row[f"{name}, other"] = agreement(E @ np.linalg.inv(M).T, *other)[0]
        row[f"{name}, least price"] = least_price(cosines, sign * said)
        row[f"{name}, bound"] = sign * bound(cosines, sign * said, condition)
    rng = np.random.default_rng(0)
    row["highest, shuffled"] = forge(E, first, second, rng.permutation(said), condition)[1]
    used, places = np.unique([first, second], return_inverse=True)
    found = [agreement(E[used] @ drawn(rng, k, condition), *places, said)[0] for _ in range(DRAWS)]
    return [row | {"drawn, least": min(found), "drawn, most": max(found)}]


JOBS = [{"k": k, "scored": name, "condition": c} for k in RANKS[::-1] for name in LISTS for c in CONDITIONS]
