"""What users and items show together of how far their scores determine the items."""

from functools import cached_property

import numpy as np

from cosine_audit import gauges as g
from cosine_audit.thresholds import FIRM, HARDLY, STIFF, TIED

CELLS = 2**20  # scores at once


class Pair:
    """What items B (p, k) and users P (n, k) show together; found out when it is asked for.

    Two models with the same scores differ by an M, and their items' cosines by :math:`S = M M^\top`.
    """

    def __init__(self, B, P, about, labels=None):
        """about, the Moments of both; labels (n,), each user's item, where users are features and items classes."""
        self.sides, self.about, self.labels = {"users": P, "items": B}, about, labels

    @cached_property
    def roots(self):
        """R (·, k) of each side, whose RᵀR is its second moment."""
        return {side: self.about[side].root for side in self.sides}

    @cached_property
    def sizes(self):
        """The singular values of each side over the largest, (k,); those that few rows lack are 0."""
        return {side: singular_values(R) / np.linalg.norm(R, 2) for side, R in self.roots.items()}

    @cached_property
    def rank(self):
        """The rank of the items."""
        return int(np.sum(self.sizes["items"] > g.NEGLIGIBLE))

    @cached_property
    def faintest(self):
        """The least ratio of users' to items' mean square along a direction, of items of rank k."""
        return float(singular_values(np.linalg.solve(self.roots["items"].T, self.roots["users"].T).T)[-1] ** 2)

    @cached_property
    def free(self):
        """In how many directions other solutions surely exist, of rows of length one."""
        return surely_free(self.sides["items"], self.sides["users"], self.rank)

    @cached_property
    def raised(self):
        """How much the items' cosines may change if all items are raised along one direction, see `rise`."""
        return rise(self.about["items"].mean, shown_by_lengths(self.sides["items"], self.about["items"], self.roots))

    @cached_property
    def raised_unseen(self):
        """The same, where only a softmax over the users shows it: by how their parts in that direction vary."""
        spread = self.about["users"].deviations
        size = np.linalg.norm(spread @ self.roots["items"].T)
        return rise(self.about["items"].mean, spread.T @ spread / size**2)

    def drift(self, both=False):
        r"""How much items' cosines may change if each is moved by ±δ along the direction that users see least, or less.

        .. math:: \delta^2 = (0.01\,\|S\| / s_k)^2

        for the scores S less what is free, each user's mean or, of both softmaxes, the mean: the scores then change by
        1 %, root mean square. Lengths of one stay at another temperature, as δ is the same for all.
        """
        users, items = (self.about[side] for side in ("users", "items"))
        size = np.linalg.norm(self.roots["users"] @ items.deviations.T)
        if both:
            size = np.hypot(size, np.linalg.norm(users.deviations @ items.mean))
        return float((0.01 * size / singular_values(self.roots["users"])[-1]) ** 2)

    def hold(self, side, shifted=False):
        """How firmly the directions of a side, all of length one, hold every scale, see `hold`."""
        other = {"users": "items", "items": "users"}[side]
        return hold(self.sides[side], self.roots["items"], self.about[other].deviations, shifted)

    def held_by(self, side, shifted=False):
        """At most how much items' cosines change on average by other scales, if these change scores by 1 %."""
        firm = self.hold(side, shifted)
        if firm == 0 or (side == "users" and not self.stiff(shifted)):
            return np.inf
        return 0.02 * np.sqrt(2 / np.pi / firm)

    def stiff(self, shifted=False):
        """Whether users would notice a direction that shrinks to half, though few items fill it, or all fill it alike.

        `hold` speaks of small changes of S. Users see S, and items its inverse, which grows without bounds as a
        direction of S shrinks to 0. Either users see that, or items, which then have to hold all scales, too.
        """
        spread = self.about["items"].deviations
        firm = self.hold("items") >= FIRM
        return firm or hold(self.sides["users"], np.eye(spread.shape[1]), spread, shifted, STIFF) >= STIFF

    @cached_property
    def outside(self):
        """The share of items of which a part of 0.05 or more, of length one, lies where users hardly reach.

        There users have, along a direction, less than 0.05 of the scores' size over the items': what is left changes
        the scores by 1 %, root mean square, before it changes a cosine by about 0.04.
        """
        R_P, R_B = (self.roots[side] for side in ("users", "items"))
        _, s, Vt = np.linalg.svd(R_P, full_matrices=False)
        kept = Vt[s > HARDLY * np.linalg.norm(R_P @ R_B.T) / np.linalg.norm(R_B)]
        rows = (g.unit(some[some.any(axis=1)]) for _, some in g.blocks(self.sides["items"]))
        lost = np.concatenate([np.linalg.norm(some - some @ kept.T @ kept, axis=1) for some in rows])
        return float(np.mean(lost > HARDLY))

    @cached_property
    def loose(self):
        r"""At most how much classes' cosines change on average, if scores change by 1 %, root mean square.

        Along the direction in which features vary least a class then changes by :math:`0.01 \|S\| / s_k`, and its
        cosine by that over its length; an intercept takes the features' mean. ∞ where some direction is not seen.
        """
        R_P, R_B = (self.about[side].deviations for side in ("users", "items"))
        s = singular_values(R_P)
        if s[-1] <= g.NEGLIGIBLE * s[0]:
            return np.inf
        return float(2 * 0.01 * np.linalg.norm(R_P @ R_B.T) / s[-1] * self.inverse_length)

    @cached_property
    def to_go(self):
        r"""At most how far classes W are from the minimum, over their lengths, on average.

        .. math:: F(W, b) = \tfrac12 \|W\|^2 + C \sum_u \bigl(\log \textstyle\sum_c e^{x_u^\top w_c + b_c}
            - x_u^\top w_{y_u} - b_{y_u}\bigr)

        less ½‖W‖² is convex, so that the minimum is no farther than the gradient is long, for the best b, or b = 0, and
        the C for which it is shortest. ∞ where no C > 0 is.
        """
        from scipy.optimize import minimize

        X, W = (np.asarray(self.sides[side], dtype=float) for side in ("users", "items"))
        best = minimize(
            self.loss, np.zeros(len(W)), jac=True, method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-9}
        ).x
        found = []
        for b in (best, np.zeros(len(W))):
            G = -sum(slopes.T @ X[rows] for rows, slopes, _ in self.slopes(b))
            found.append(np.linalg.norm(W - max(0, np.sum(W * G) / np.sum(G**2)) * G))
        return float(min(found) * self.inverse_length / np.sqrt(len(W)))

    def loss(self, b):
        """The mean loss of a softmax with intercepts b, without a penalty, and its gradient in b."""
        parts = [(np.sum(losses), slopes.sum(axis=0)) for _, slopes, losses in self.slopes(b)]
        return sum(part[0] for part in parts) / len(self.labels), sum(part[1] for part in parts) / len(self.labels)

    def slopes(self, b):
        """The gradient in the scores, and the loss, of many users at a time: which rows; (m, p); (m,)."""
        from scipy.special import log_softmax

        X, W = (np.asarray(self.sides[side], dtype=float) for side in ("users", "items"))
        step = max(1, CELLS // len(W))
        for rows in (slice(start, start + step) for start in range(0, len(X), step)):
            log = log_softmax(X[rows] @ W.T + b, axis=1)
            own = np.arange(len(log)), self.labels[rows]
            losses, slopes = -log[own], np.exp(log, out=log)
            slopes[own] -= 1
            yield rows, slopes, losses

    def lengths(self, side):
        """Of the rows of a side that are not zero."""
        lengths = np.concatenate([np.linalg.norm(rows, axis=1) for _, rows in g.blocks(self.sides[side])])
        return lengths[lengths > 0]

    @property
    def inverse_length(self):
        """The root mean square of one over an item's length."""
        return np.sqrt(np.mean(self.lengths("items") ** -2.0))

    def shift(self, side="items"):
        """The length of a side's mean, over that of nearly its shortest row (one in a hundred is shorter)."""
        return float(np.linalg.norm(self.about[side].mean) / np.quantile(self.lengths(side), 0.01))

    @cached_property
    def off_center(self):
        """How far both means are from 0: over nearly the shortest row, and over the spread along any direction."""
        return max(max(self.shift(side), 1 / flatness(self.about[side])) for side in self.sides)

    @cached_property
    def crossed(self):
        r"""The largest cosine of two rows of :math:`V^\top B`, with V of the scores' decomposition: 0 for V, V√Σ, VΣ.

        Then :math:`P^\top P` and :math:`B^\top B` commute. Rows of tied σ have no directions of their own: none counts.
        """
        R_P, R_B = (self.roots[side] for side in ("users", "items"))
        T, s = g.projection(R_P, R_B)
        rows = g.unit(((R_B @ T) / s).T @ R_B)
        apart = np.abs(np.subtract.outer(s, s)) > TIED * np.maximum.outer(s, s)
        return float(np.abs((rows @ rows.T)[apart]).max(initial=0))


def hold(E, metric, other, shifted=False, least=FIRM):
    r"""How firmly rows e of length one hold every scale: 0, not at all, to about 2, where both sides are even spheres.

    Lengths of one before and after M say that :math:`e^\top S e` is the same for all e, so that S is a multiple of I if
    the :math:`e e^\top` span the symmetric matrices; the other side's lengths set the multiple. How firmly they do is

    .. math:: \min_{\|N\|_F = 1,\ \operatorname{tr} N = 0} \operatorname{var}_w(\hat e^\top N \hat e),
        \qquad \hat e = R^{-\top} e, \quad w \propto \|T e\|^2

    by Lanczos' method, with no matrix of size k²; asked for one value alone, it may stop at another that is near.
    Parameters: E (m, k); metric R (k, k), so that for the items' second moment RᵀR the norm of N is the root mean
    square by which the cosines of two items change; other T (·, k), so that TᵀT is the other side's covariance: a row
    counts as much as its scores vary. shifted: linear functions of e are free, too, so that S and a translation are
    held. 0 where there are too few rows. Of many rows 20 000, or 4k² if that is more, are looked at, chosen at random
    but always the same. Error: at most a quarter of least, the threshold.

    Scores that change by 1 % (root mean square) change the squared lengths by 2 %, and cosines by 0.02/√hold.
    """
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

    k = E.shape[1]
    E = np.asarray(E[g.drawn(len(E), max(20_000, 4 * k * (k + 1)))], dtype=float)
    E = E[E.any(axis=1)]
    root = np.linalg.norm(E @ other.T, axis=1, keepdims=True)
    root /= np.linalg.norm(root)
    free = np.linalg.qr(root * (np.hstack([np.ones_like(root), E]) if shifted else 1))[0]
    if len(E) < k * (k + 1) // 2 + free.shape[1] - 1:
        return 0.0
    Z = np.linalg.solve(metric.T, E.T).T
    largest = np.linalg.norm(root * np.linalg.norm(Z, axis=1, keepdims=True) * Z, 2) ** 2  # as (zᵀNz)² ≤ |z|² |Nz|²
    traceless = lambda N: N - np.trace(N) / k * np.eye(k)  # noqa: E731

    def below_it(x):
        N = traceless(x.reshape(k, k) + x.reshape(k, k).T) / 2
        q = root * np.sum(Z @ N * Z, axis=1, keepdims=True)
        q -= free @ (free.T @ q)
        return (largest * N - traceless((Z * root * q).T @ Z)).ravel()

    seed = np.random.default_rng(0).normal(size=k * k)
    operator = LinearOperator((k * k, k * k), below_it, dtype=float)
    try:
        top = eigsh(operator, 3, which="LA", v0=seed, tol=least / 4 / largest, return_eigenvectors=False)
    except ArpackNoConvergence:
        return 0.0
    return max(0.0, float(largest - top.max()))


def shown_by_lengths(B, items, roots):
    r"""Q (k, k), by which the scores of unit items b show that all were raised along u, and brought back to length one.

    To first order :math:`g b + u` at length one is :math:`b + u - \delta b` up to g, where
    :math:`\delta = (b - \bar b)^\top u`. A softmax over the items does not see u, nor a learned temperature g. What is
    left of the scores, :math:`\delta p^\top b` less each user's mean and its part along the scores, has the mean square
    :math:`u^\top Q u` over theirs; dimensionless.
    Of many items 20 000 are looked at, chosen at random but always the same.
    """
    rows = np.asarray(B[g.drawn(len(B), 20_000)], dtype=float)
    D, T = rows - items.mean, rows @ roots["users"].T
    centered = T - T.mean(axis=0)
    mean, size = D.T @ T / len(D), np.mean(np.sum(centered**2, axis=1))
    along = D.T @ np.sum(T * centered, axis=1) / len(D)
    Q = D.T @ (D * np.sum(T**2, axis=1, keepdims=True)) / len(D) - mean @ mean.T
    return (Q - np.outer(along, along) / size) / size


def rise(mean, Q, share=0.01):
    r"""At most how much cosines of unit items change on average, where all are raised and scores change by share.

    A cosine c becomes :math:`c + (1 - c)(1 - g^2)`, :math:`1 - g^2 \leq 2 \bar b^\top u + |u|^2`, where
    :math:`u^\top Q u` is share squared at most. With :math:`d = share^2 / s`, and a the mean times its root along the
    axes of Q, the maximum is :math:`\min_{\mu > \max d} \mu + \sum a^2 / (\mu - d)`, its dual: every μ is an upper
    bound. ∞ where a direction of Q is zero.
    """
    from scipy.optimize import minimize_scalar

    s, V = np.linalg.eigh(Q)
    if s[0] <= 1e-12 * max(1.0, s[-1]):
        return np.inf
    d, a = share**2 / s, share * (V.T @ mean) / np.sqrt(s)
    top, wide = d.max(), np.linalg.norm(a) + 1e-3 * d.max()
    dual = lambda x: top + x + np.sum(a**2 / (top + x - d))  # noqa: E731
    return float(minimize_scalar(dual, bounds=(1e-6 * wide, wide), method="bounded").fun * (1 - mean @ mean))


def surely_free(B, P, rank):
    """In how many directions other solutions surely exist: k(k + 1)/2 less the number of different rows' directions.

    If the :math:`e e^\top` of all rows are independent and the items have rank k, these solutions are a surface around
    S = I, and each has other cosines. 0 where there is none, or where there are more than 2 000 directions.
    """
    k = B.shape[1]
    if rank < k or len(B) + len(P) > 20_000:
        return 0
    rows = np.vstack([g.directions(E).astype(float) for E in (B, P)])
    rows *= np.sign(rows @ np.random.default_rng(0).normal(size=(k, 1)))
    rows = np.unique(np.round(rows[rows.any(axis=1)], 9), axis=0)
    if len(rows) >= min(k * (k + 1) // 2, 2_000):
        return 0
    sizes = np.linalg.eigvalsh((rows @ rows.T) ** 2)  # the inner products of the matrices e eᵀ
    return k * (k + 1) // 2 - len(rows) if sizes[0] > 1e-10 * sizes[-1] else 0


def singular_values(R):
    """The singular values of R (·, k), the largest first, (k,): 0 in place of those that few rows lack."""
    s = np.linalg.svd(R, compute_uv=False)
    return np.pad(s, (0, R.shape[1] - len(s)))


def flatness(about):
    r"""How nearly the rows of E lie in a common hyperplane that misses the origin: the same answer for every E M.

    .. math:: \min_v \frac{\mathrm{sd}(Ev)}{|\mathrm{mean}(Ev)|} = (\bar e^\top C^{-1} \bar e)^{-1/2}

    for the mean row ē and the covariance C. k rows or fewer that are independent always do: then it is 0. It is ∞ where
    the mean is 0, as of rows in a hyperplane through the origin that have no other such direction.
    """
    k = len(about.mean)
    _, s, Vt = np.linalg.svd(np.vstack([about.deviations, np.zeros((k, k))]), full_matrices=False)
    floor = 1e-10 * max(s[0], np.linalg.norm(about.mean))
    steep = np.linalg.norm(Vt @ about.mean / np.maximum(s, floor))
    return float(1 / steep) if steep > 0 else np.inf
