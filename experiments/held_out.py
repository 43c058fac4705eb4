"""How well each objective predicts what held-out users took, at every λ and k: 80 data sets, about 40 minutes.

held_out.csv has a row for each reading, seed, objective, k and τ: recall@20 on the validation users, by which
parameters are chosen, and recall@20 and nDCG@100 on the test users. Eq. 2 and weight decay keep nothing at τ ≥ σ₁, but
λ₁ has no upper end: τ = ∞ is the limit, in which directions are kept in proportion to σ². Weight decay and prepared
data are fitted at k = 50. Two rows of each data set are no models: popularity, and the oracle, which knows the
probabilities by which the test users took items.
"""

import numpy as np

from experiments.common import FEW, KEPT, TAUS, baselines, draw, jobs, leading, worth
from experiments.remedies import preparations
from helpers.spectrum import gram

RANKS = 5, 10, 20, 50, 200
AT_ALL_RANKS = "Eq. 1", "Eq. 2"


def predict(users, V, kept, origin, unit):
    """Scores (users, p) in the units of X of the model V diag(kept) Vᵀ of prepared data."""
    return ((users.seen - origin) / unit @ V * kept @ V.T) * unit + origin


def measure(reading, seed, ranks=RANKS):
    """All rows of one data set."""
    data = draw(reading, seed)
    G = gram(data.X)
    rows = [{"objective": name, "k": 0, "tau": 0} | row for name, row in baselines(data).items()]
    for preparation, H, frame in preparations(data.X, G, powers=[]):
        prefix = "" if preparation == "as given" else f"{preparation} "
        s, V = leading(H, len(H))
        for objective, kept in KEPT.items():
            taus = [*TAUS, np.inf] if objective == "Eq. 1" else [tau for tau in TAUS if tau < s[0]]
            for k in ranks if prefix + objective in AT_ALL_RANKS else (50,):
                for tau in taus:
                    model = V[:, :k], kept(s[:k], tau), *frame
                    scores = (predict(users, *model) for users in (data.validation, data.test))
                    rows.append({"objective": prefix + objective, "k": k, "tau": tau} | worth(*scores, data))
    return rows


JOBS = jobs(FEW)
