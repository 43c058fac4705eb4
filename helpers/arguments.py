"""What every function asks of its arguments, said once: errors name the argument and the value.

Each function returns its argument ready for use, or raises: TypeError for what are no real numbers (text, complex
numbers, objects, masked entries, a generator that is none), ValueError for numbers that will not do.
"""

import sys
from numbers import Integral, Real

import numpy as np
import scipy.sparse as sp


def valid_data(X, name="X"):
    """X as a float64 array or CSR array, (n, p), non-empty and finite."""
    if not sp.issparse(X):
        return valid_matrix(name, X)
    if X.ndim != 2 or 0 in X.shape:
        raise ValueError(f"{name} must be a non-empty matrix, got shape {X.shape}")
    X = sp.csr_array(X)
    X.data = valid_numbers(name, X.data)
    return X


def valid_reals(name, values):
    """values as a float64 array of real numbers, NaN and infinity among them, of any shape."""
    try:
        values = np.ma.asarray(values)  # which keeps the masks that np.asarray would drop
    except ValueError:
        raise ValueError(f"{name} must have rows of one length, got {values}") from None
    if np.ma.is_masked(values):
        raise TypeError(f"{name} must not have masked entries, got {np.ma.count_masked(values)}")
    if values.dtype.kind not in "biuf" and not all(isinstance(value, Real) for value in values.data.flat):
        raise TypeError(f"{name} must be real numbers, got {values.dtype.name}: {values}")
    try:
        return np.asarray(values.data, dtype=float)
    except OverflowError:
        raise ValueError(f"{name} must be finite, got {values}") from None


def valid_numbers(name, values):
    """values as a float64 array of finite numbers, of any shape."""
    values = valid_reals(name, values)
    wrong = ~np.isfinite(values)
    if wrong.any():
        raise ValueError(f"{name} must be finite, got {values[wrong][0]}")
    return values


def valid_matrix(name, values, n_columns=None):
    """values as a non-empty, finite float64 matrix, with n_columns columns if that is given."""
    values = valid_numbers(name, values)
    if values.ndim != 2 or 0 in values.shape or (n_columns is not None and values.shape[1] != n_columns):
        wanted = "a non-empty matrix" + (f" with {n_columns} columns" if n_columns is not None else "")
        raise ValueError(f"{name} must be {wanted}, got shape {values.shape}")
    return values


def valid_square(name, values, size=None):
    """values as a finite, symmetric float64 matrix (of that size)."""
    values = valid_matrix(name, values, size)
    wanted = "a symmetric matrix" if size is None else f"a symmetric {size}×{size} matrix"
    if values.shape[0] != values.shape[1]:
        raise ValueError(f"{name} must be {wanted}, got shape {values.shape}")
    if np.array_equal(values, values.T):
        return values
    difference = np.abs(values - values.T)
    if np.any(difference > 1e-9 * np.abs(values).max()):
        i, j = np.unravel_index(difference.argmax(), values.shape)
        raise ValueError(f"{name} must be {wanted}, got {values[i, j]} at ({i}, {j}) and {values[j, i]} at ({j}, {i})")
    return values


def valid_rows(name, values, n_columns=None):
    """values as a finite float64 matrix without a zero row, which has no direction."""
    values = valid_matrix(name, values, n_columns)
    zero = ~values.any(axis=1)
    if zero.any():
        raise ValueError(f"{name} must not have a zero row, which has no direction; row {zero.argmax()} is zero")
    return values


def valid_number(name, value, low=-np.inf, high=np.inf, strictly=False):
    """value as a finite float between low and high, both included unless strictly."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise TypeError(f"{name} must be a number, got {value!r}")
    within = low < value < high if strictly else low <= value <= high
    if not within or abs(value) > sys.float_info.max:  # NaN is never within
        raise ValueError(f"{name} must be a finite number{bounds(low, high, strictly)}, got {value}")
    return float(value)


def bounds(low, high, strictly):
    """What valid_number asks for, in words."""
    if high < np.inf:
        return f" strictly between {low} and {high}" if strictly else f" between {low} and {high}"
    if low > -np.inf:
        return f" > {low}" if strictly else f" >= {low}"
    return ""


def valid_integer(name, value, low, high):
    """value as an int between low and high, both included."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise TypeError(f"{name} must be an integer, got {value!r}")
    if not isinstance(value, Integral) or not low <= value <= high:
        raise ValueError(f"{name} must be an integer between {low} and {high}, got {value}")
    return int(value)


def valid_flag(name, value):
    """value, True or False; TypeError otherwise."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def valid_generator(rng):
    """rng, if it is a numpy Generator: neither a seed, nor NumPy's global or legacy random state."""
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng must be a numpy Generator, such as np.random.default_rng(0), got {rng!r}")
    return rng


def valid_lam(lam):
    """lam as a float ≥ 0."""
    return valid_number("lam", lam, low=0)


def valid_singular_values(s):
    """s as a float64 vector of finite numbers ≥ 0."""
    s = valid_numbers("s", s)
    if s.ndim != 1 or s.size == 0 or s.min() < 0:
        raise ValueError(f"s must be a non-empty vector of numbers >= 0, got {s}")
    return s


def valid_scale(d, k):
    """d as a float64 vector of k finite numbers other than 0."""
    d = valid_numbers("d", d)
    if d.shape != (k,) or not d.all():
        raise ValueError(f"d must be {k} numbers other than 0, got {d}")
    return d


def valid_factors(A, B):
    """A and B as finite (p, k) arrays of one shape."""
    A, B = valid_matrix("A", A), valid_matrix("B", B)
    if A.shape != B.shape:
        raise ValueError(f"B must have the shape of A, {A.shape}, got {B.shape}")
    return A, B


def valid_model(X, A, B):
    """X (n, p), dense or CSR, and A, B (p, k), finite and of shapes that agree."""
    X, (A, B) = valid_data(X), valid_factors(A, B)
    if X.shape[1] != len(A):
        raise ValueError(f"X must have as many columns as A has rows ({len(A)}), got shape {X.shape}")
    return X, A, B


def valid_spectrum(s, V):
    """s (k,) and V (p, k) as finite arrays that agree."""
    s = valid_singular_values(s)
    return s, valid_matrix("V", V, len(s))


def valid_labels(name, labels):
    """labels, numbers or text, as integers from 0: a non-empty vector, none of them missing."""
    try:
        each, labels = np.asarray(labels, dtype=object), np.ma.asarray(labels)
        missing = np.ma.is_masked(labels) or any(label is None or label != label for label in each.ravel())
        integers = [] if missing else np.unique(labels.data, return_inverse=True)[1]
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be labels of one kind, got {labels}") from None
    if labels.ndim != 1 or labels.size == 0:
        raise ValueError(f"{name} must be a non-empty vector of labels, got shape {labels.shape}")
    if missing:
        raise ValueError(f"{name} must not have missing labels, got {labels}")
    return integers
