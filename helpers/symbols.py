"""Sympy building blocks shared by the derivations."""

import sympy as sp

from helpers.arguments import valid_integer


def letters(name, rows, columns, **assumptions):
    """The matrix of symbols name11, name12, …, each with the given assumptions, such as positive=True.

    Parameters: name, text; rows and columns from 1 to 9, so that no two symbols have one name.
    Raises TypeError or ValueError for any other size.
    """
    rows, columns = valid_integer("rows", rows, 1, 9), valid_integer("columns", columns, 1, 9)
    return sp.Matrix(rows, columns, lambda i, j: sp.Symbol(f"{name}{i + 1}{j + 1}", **assumptions))


def rotation(theta):
    """The 2×2 rotation by theta."""
    return sp.Matrix([[sp.cos(theta), -sp.sin(theta)], [sp.sin(theta), sp.cos(theta)]])


def squared_norm(M):
    """Squared Frobenius norm of an explicit matrix with real entries."""
    return sum(entry**2 for entry in M)


def omega(E):
    """The diagonal matrix Ω that brings the rows of E to unit length (Eq. 4)."""
    return sp.diag(*[1 / sp.sqrt(squared_norm(E.row(i))) for i in range(E.rows)])


def symbolic_cosines(E):
    """Ω E Eᵀ Ω, simplified: the cosines between the rows of E."""
    return (omega(E) * E * E.T * omega(E)).applyfunc(sp.simplify)
