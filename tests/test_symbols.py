import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose

from helpers import cosine_similarity, normalize_rows
from helpers.symbols import letters, omega, rotation, symbolic_cosines

a = sp.Symbol("a", real=True)


def test_letters_count_rows_and_columns_from_one_and_have_the_assumptions_they_are_given():
    M = letters("x", 2, 3, positive=True)
    assert [str(entry) for entry in M] == ["x11", "x12", "x13", "x21", "x22", "x23"]
    assert sp.latex(M[1, 2]) == "x_{23}"
    assert all(entry.is_positive for entry in M)
    assert letters("a", 1, 1, positive=True)[0] == sp.Symbol("a11", positive=True) != letters("a", 1, 1)[0]
    for size in ((10, 2), (2, 0)):
        with pytest.raises(ValueError, match=r"(rows|columns) must be an integer between 1 and 9, got"):
            letters("x", *size)


def test_a_rotation_is_a_rotation_for_any_angle():
    R = rotation(a)
    assert (R.T * R).applyfunc(sp.simplify) == sp.eye(2)
    assert sp.simplify(R.det()) == 1
    assert rotation(sp.pi / 2) * sp.Matrix([1, 0]) == sp.Matrix([0, 1])


def test_omega_and_cosines_agree_with_numbers():
    E = sp.Matrix([[3, 4], [1, -1], [0, 2]])
    numbers, units, cosines = (np.array(matrix, dtype=float) for matrix in (E, omega(E) * E, symbolic_cosines(E)))
    assert_allclose(units, normalize_rows(numbers))
    assert_allclose(cosines, cosine_similarity(numbers), atol=1e-15)
