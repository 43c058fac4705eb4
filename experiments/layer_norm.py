"""Layer normalization after training and during it: 40 smaller data sets, about 12 minutes.

4 000 users, 300 items, k = 20. LN(b) subtracts the mean of an embedding's entries and divides by their standard
deviation. layer_norm.csv has rows of two kinds. *After training* (variant "after"): LN of the items of a closed form,
readout "axes of V" or "other axes", the same embeddings turned by a random rotation; setting is τ. *During training*:
squared error of γ⟨LN(x_u A), LN(b_i)⟩ + bias (variant "both"), and of the same with learned gains and shifts behind
both LN ("both + gain"); setting is the share of a user's items that is dropped. Training starts from Eq. 1's
embeddings, in three data sets of each reading from a random start, too. The readout of a gain says where it is when
cosines are taken: "before it"; "as trained", behind the items' gain and shift; "all on items", the users' gain moved
into the items', which changes no score.
"""

from functools import partial

import jax
import numpy as np
from jax import numpy as jnp

from experiments.adam import minimize
from experiments.common import DENSE_AND_SPARSE, cosines, draw_smaller, jobs, leading, scores
from experiments.curves import curves
from helpers import product_norm_factors, recall_at
from helpers.spectrum import gram

TOLERANCE = 0.02  # trained in float32: 480 steps of Adam carry rounding on
GAUGES = "D = I", "Eq. 2", "weight decay"
VARIANTS, DROPPED, STARTS = ("both", "both + gain"), (0.0, 0.3, 0.6, 0.8, 0.9, 0.95), ("Eq. 1", "random")
EPOCHS, BATCH, RATE = 30, 250, 0.02
TAUS = 2.0 ** np.arange(2, 8)  # 4, 8 … 128
RANDOM = 3  # seeds of each reading that are trained from a random start, too


def layer_norm(E):
    """Rows of mean 0 and length 1: layer normalization without gain, divided by √k."""
    E = E - E.mean(axis=1, keepdims=True)
    return E / jnp.sqrt(jnp.sum(E**2, axis=1, keepdims=True) + 1e-12)


def embeddings(theta, X, variant):
    """Users and items between which the score is a dot product."""
    P, B = layer_norm(X @ theta["A"]), layer_norm(theta["B"])
    if variant == "both + gain":
        P, B = P * theta["w_P"] + theta["h_P"], B * theta["w_B"] + theta["h_B"]
    return P, B


@partial(jax.jit, static_argnames="variant")
def predict(theta, X, variant):
    """Scores of users X."""
    P, B = embeddings(theta, X, variant)
    return jnp.exp(theta["log_scale"]) * P @ B.T + theta["bias"]


@partial(jax.jit, static_argnames="variant")
def train(theta, X, seed, dropped, variant):
    """Adam on the squared error of the scores of users a share of whose items is dropped; the last epoch's loss."""
    epoch = len(X) // BATCH

    def loss(theta, t):
        who, which = jax.random.split(jax.random.fold_in(jax.random.key(seed), t))
        Y = X[jax.random.randint(who, (BATCH,), 0, len(X), jnp.int32)]  # int64 draws others, where x64 is on
        kept = jax.random.bits(which, Y.shape, jnp.uint16) >= dropped * 2**16
        return jnp.sum((predict(theta, Y * kept, variant) - Y) ** 2) / BATCH

    theta, values = minimize(loss, theta, EPOCHS * epoch, RATE)
    return theta, values[-epoch:].mean()


def start(A, B):
    """Everything that is learned, before training: gains 1, shifts and biases 0."""
    k = A.shape[1]
    parts = {"A": A, "B": B, "bias": np.zeros(len(B)), "log_scale": 0.0}
    parts |= {"w_P": np.ones(k), "w_B": np.ones(k), "h_P": np.zeros(k), "h_B": np.zeros(k)}
    return {name: jnp.asarray(part, jnp.float32) for name, part in parts.items()}


def readouts(theta, variant):
    """(name, item embeddings whose cosines are taken)."""
    plain = theta["B"] - theta["B"].mean(axis=1, keepdims=True)  # no score sees what all dimensions share
    yield "before it", plain
    if variant == "both + gain":
        B = np.asarray(layer_norm(plain))
        yield "as trained", B * theta["w_B"] + theta["h_B"]
        yield "all on items", (B * theta["w_B"] + theta["h_B"]) * theta["w_P"]


def after_training(s, V, rng, taus):
    """(gauge, τ, axes, item embeddings)."""
    Q = np.linalg.qr(rng.normal(size=(len(s), len(s))))[0]
    for gauge, tau, f in curves(s, [], taus):
        if gauge in GAUGES:
            for readout, B in (("axes of V", V * f), ("other axes", V * f @ Q)):
                yield gauge, tau, readout, B - B.mean(axis=1, keepdims=True)


def while_training(data, s, V, seed):
    """(variant, start, share dropped, parameters, loss)."""
    X, pair = jnp.asarray(data.X.toarray(), jnp.float32), product_norm_factors(s, V, 32.0**2)
    for variant in VARIANTS:
        for dropped in DROPPED:
            for number, name in enumerate(STARTS if seed < RANDOM else STARTS[:1]):
                rng = np.random.default_rng([seed, number])
                A, B = pair if number == 0 else rng.normal(size=(2, *V.shape)) / 5
                theta, loss = train(start(A, B), X, seed, dropped, variant)
                yield variant, name, dropped, theta, float(loss)


def measure(reading, seed, taus=TAUS):
    """All rows of one data set."""
    data = draw_smaller(reading, seed)
    s, V = leading(gram(data.X))
    rows = []
    for gauge, tau, readout, B in after_training(s, V, np.random.default_rng(seed), taus):
        row = {"variant": "after", "start": gauge, "setting": tau, "readout": readout}
        rows.append(row | scores(cosines(B), data))
    for variant, name, dropped, theta, loss in while_training(data, s, V, seed):
        predicted = {}
        for column, users in (("score", data.validation), ("test", data.test)):
            predicted[column] = recall_at(np.asarray(predict(theta, users.seen, variant), float), *users)
        for readout, B in readouts(jax.tree.map(lambda w: np.asarray(w, float), theta), variant):
            row = {"variant": variant, "start": name, "setting": dropped, "readout": readout}
            rows.append(row | scores(cosines(B), data) | predicted | {"loss": loss})
    return rows


JOBS = jobs(DENSE_AND_SPARSE)
