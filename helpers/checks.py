"""What every function asks of its arguments, said once: errors name the argument and the value."""

from numbers import Integral

import numpy as np
import scipy.sparse as sp


def data_matrix(X):
    """X as a float64 array or CSR array, (n, p); ValueError if empty, not two-dimensional, NaN or infinite."""
    X = sp.csr_array(X, dtype=float) if sp.issparse(X) else np.asarray(X, dtype=float)
    if X.ndim != 2 or 0 in X.shape:
        raise ValueError(f"X must be a non-empty matrix, got shape {X.shape}")
    finite("X", X.data if sp.issparse(X) else X)
    return X


def finite(name, values):
    """values as a float64 array; ValueError naming the first entry that is NaN or infinite."""
    values = np.asarray(values, dtype=float)
    wrong = ~np.isfinite(values)
    if wrong.any():
        raise ValueError(f"{name} must be finite, got {values[wrong][0]}")
    return values


def matrix(name, values, n_columns=None):
    """values as a finite float64 matrix, with n_columns columns if that is given; ValueError otherwise."""
    values = finite(name, values)
    if values.ndim != 2 or 0 in values.shape or (n_columns is not None and values.shape[1] != n_columns):
        wanted = "a non-empty matrix" + (f" with {n_columns} columns" if n_columns is not None else "")
        raise ValueError(f"{name} must be {wanted}, got shape {values.shape}")
    return values


def regularization(lam):
    """lam as a float ≥ 0; ValueError if it is negative, NaN or infinite."""
    if not (np.isscalar(lam) and np.isfinite(lam) and lam >= 0):
        raise ValueError(f"lam must be a finite number >= 0, got {lam}")
    return float(lam)


def singular_values(s):
    """s as a float64 vector of finite numbers ≥ 0; ValueError otherwise."""
    s = finite("s", s)
    if s.ndim != 1 or s.size == 0 or s.min() < 0:
        raise ValueError(f"s must be a non-empty vector of numbers >= 0, got {s}")
    return s


def condition_number(cond):
    """cond as a float >= 1; ValueError if it is below 1, NaN or infinite."""
    if not 1 <= cond < np.inf:
        raise ValueError(f"cond must be a finite number >= 1, got {cond}")
    return float(cond)


def scale(d, k):
    """d as a float64 vector of k finite numbers other than 0; ValueError otherwise."""
    d = finite("d", d)
    if d.shape != (k,) or not d.all():
        raise ValueError(f"d must be {k} numbers other than 0, got {d}")
    return d


def integer(name, value, low, high):
    """value as an int between low and high, both included; ValueError otherwise."""
    if not isinstance(value, Integral) or isinstance(value, bool) or not low <= value <= high:
        raise ValueError(f"{name} must be an integer between {low} and {high}, got {value}")
    return int(value)
