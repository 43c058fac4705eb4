"""What chapters share with the audit, how far factors are from balance; and the balanced factors."""

import numpy as np
from cosine_audit.gauges import imbalance, moments

__all__ = ["imbalance", "moments", "rebalanced"]


def rebalanced(P, B):
    r"""The factors with the same scores and :math:`P^\top P = B^\top B`, diagonal: P (n, k), B (p, k).

    .. math:: P B^\top = U\,\mathrm{diag}(s)\,V^\top, \qquad U\,\mathrm{diag}(s)^{1/2},\ V\,\mathrm{diag}(s)^{1/2}

    Parameters: P (n, k), B (p, k), k ≤ n, p; both are held in memory. Items are those of the gauge "balanced".
    """
    (basis_P, R_P), (basis_B, R_B) = map(np.linalg.qr, (P, B))
    U, s, Vt = np.linalg.svd(R_P @ R_B.T)
    return basis_P @ U * np.sqrt(s), basis_B @ Vt.T * np.sqrt(s)
