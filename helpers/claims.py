"""Checking a claim: assert it, and print a line that is the same on every machine."""

import numpy as np

from helpers.arguments import valid_reals


def check(claim, statement, actual, expected, within=1e-10):
    """Assert that two arrays obtained by independent routes agree, and print what agreed and the tolerance it met.

    Parameters: claim, an id of the ledger such as "C17", or "" for a step on the way to one; statement, what is
    claimed, in words; actual and expected, arrays of one shape; within, the largest absolute difference allowed.
    Raises AssertionError, naming the claim and the largest difference, if they differ by more, in shape, or are NaN;
    TypeError if they are no real numbers.
    """
    actual, expected = valid_reals("actual", actual), valid_reals("expected", expected)
    assert actual.shape == expected.shape, f"{claim}: {statement}: shapes {actual.shape} and {expected.shape}"
    difference = np.max(np.abs(actual - expected))
    assert difference <= within, f"{claim}: {statement}: differs by {difference:.3g}, more than {within:g}"
    print(f"{claim} ✓ {statement} (within {within:g})".lstrip())


def check_identity(claim, statement, *residuals):
    """Assert that sympy expressions or matrices simplify to exactly 0, and print the statement.

    Raises AssertionError, naming the claim and what is left, if one does not.
    """
    import sympy  # here, as it would double the time that importing helpers takes

    assert residuals, f"{claim}: {statement}: nothing to check"
    for residual in residuals:
        if isinstance(residual, str):  # which sympy would read as an expression
            raise TypeError(f"residuals must be sympy expressions or matrices, got {residual!r}")
        entries = residual if isinstance(residual, sympy.MatrixBase) else [residual]
        left = [rest for rest in map(sympy.simplify, entries) if rest != 0]
        assert not left, f"{claim}: {statement}: {left[0]} is left"
    print(f"{claim} ✓ {statement} (symbolically)".lstrip())


def check_that(claim, statement, condition):
    """Assert a condition, or an array of them, and print the statement.

    Raises AssertionError, naming the claim, if one is false, or if there is none.
    """
    condition = np.asarray(condition)
    assert condition.dtype == bool and condition.size and condition.all(), f"{claim}: {statement}: false"
    print(f"{claim} ✓ {statement}".lstrip())


def show(values, digits=3):
    """Print numbers rounded to so many decimals, never as −0."""
    with np.printoptions(suppress=True, floatmode="fixed", precision=digits, linewidth=100):
        print(np.round(valid_reals("values", values), digits) + 0.0)
