import numpy as np
import pytest
import sympy as sp

from helpers import check, check_identity, check_that, show

x = sp.Symbol("x", positive=True)


def test_checks_print_what_agreed_and_the_tolerance_but_not_the_residual(capsys):
    check("C17", "predictions agree", [1.0, 2.0], [1.0, 2.0 + 1e-12])
    check("", "a step agrees", 0.25, 0.26, within=0.05)
    zero = (x + 1) ** 2 - x**2 - 2 * x - 1
    check_identity("C11", "the residual is 0", zero, sp.Matrix([[zero, 0]]), sp.ImmutableMatrix([zero]))
    check_that("C26", "every pair differs", np.array([[True, True]]))
    assert capsys.readouterr().out == (
        "C17 ✓ predictions agree (within 1e-10)\n✓ a step agrees (within 0.05)\n"
        "C11 ✓ the residual is 0 (symbolically)\nC26 ✓ every pair differs\n"
    )
    with pytest.raises(AssertionError, match="C11: statement: nothing to check"):
        check_identity("C11", "statement")


def test_check_fails_for_what_differs(capsys):
    for actual, expected, message in (
        ([1.0, 2.0], [1.0, 2.1], "differs by 0.1, more than 1e-10"),
        ([1.0, np.nan], [1.0, 2.0], "differs by nan"),
        ([np.nan], [np.nan], "differs by nan"),
        ([1.0, 1.0], 1.0, r"shapes \(2,\) and \(\)"),
        (np.ones((2, 1)), np.ones((1, 2)), r"shapes \(2, 1\) and \(1, 2\)"),
    ):
        with pytest.raises(AssertionError, match=f"C17: statement: {message}"):
            check("C17", "statement", actual, expected)
    assert capsys.readouterr().out == ""


def test_check_identity_fails_for_what_is_not_zero(capsys):
    left = {"x": x, "x - 2": sp.Matrix([[0, 0], [0, x - 2]]), "nan": sp.nan, "E-20": sp.Float(1e-20)}
    for text, residual in (left | {"M": sp.MatrixSymbol("M", 2, 2)}).items():
        with pytest.raises(AssertionError, match=f"C11: statement: .*{text} is left"):
            check_identity("C11", "statement", 0, residual)
    assert capsys.readouterr().out == ""


def test_check_that_fails_for_what_is_false_or_no_condition(capsys):
    for condition in (False, np.array([True, False]), np.bool_(False), [], np.nan, 1):
        with pytest.raises(AssertionError, match="C26: panels differ: false"):
            check_that("C26", "panels differ", condition)
    assert capsys.readouterr().out == ""


def test_show_rounds_and_never_prints_a_negative_zero(capsys):
    show([-1e-9, -0.0, 1 / 3, -2.0])
    show([[-0.04, 12.25]], digits=1)
    show(-1e-9)
    assert capsys.readouterr().out == "[ 0.000  0.000  0.333 -2.000]\n[[ 0.0 12.2]]\n0.0\n"
