"""Every public function refuses every wrong type and value, naming the argument and what it got."""

import inspect
import re
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

import helpers
from helpers import arguments

NAN, INF = np.nan, np.inf

# A call of every function that works: 6 users, 4 items, k = 2
X = np.array([[1, 1, 0, 0], [1, 0, 0, 1], [0, 1, 1, 0], [0, 0, 1, 1], [1, 1, 1, 0], [0, 1, 0, 0]], dtype=float)
A, B = np.random.default_rng(0).normal(size=(2, 4, 2))
S, CLUSTERS = np.eye(4) / 2 + 0.5, np.array([0, 0, 1, 1])
SPECTRUM = {"s": np.array([3.0, 2.0]), "V": B, "lam": 1.0}
LOSS = {"X": X, "A": A, "B": B, "lam": 1.0}
RANKING = {"scores": np.arange(24.0).reshape(6, 4), "seen": X, "hidden": 1 - X, "n": 2}
MOMENTS = {"G": X.T @ X, "means": X.mean(axis=0), "n_users": 6}
PAIRS = {"S": S, "clusters": CLUSTERS}
SIMULATION = {"rng": np.random.default_rng(0), "n_users": 6, "n_items": 5, "n_clusters": 2, "max_activity": 3}
SIMULATION |= {"item_exponents": (0.25, 1.5), "user_exponent": 0.5, "normalize_popularity": True}
SIMULATION |= {"cluster_law": "uniform", "popularity_law": "rank"}
SIMULATION |= {"preference_law": "dirichlet", "activity_law": "power"}
GOOD = {
    "attainable_interval": {"x": B[0], "y": B[1]},
    "average_precision": PAIRS,
    "centered_gram": MOMENTS,
    "check": {"claim": "", "statement": "", "actual": 1.0, "expected": 1.0, "within": 1e-9},
    "choices_of_d": {"s": SPECTRUM["s"], "lam": 1.0},
    "chosen_elsewhere": {"scores": np.eye(3)},
    "cluster_auc": PAIRS,
    "cosine_moments": {"B": B, "scales": [[1.0, 2.0]]},
    "cosine_range": {"cosine": 0.5, "cond": 2.0},
    "cosine_similarity": {"E": A, "F": B},
    "factor_norm_factors": SPECTRUM,
    "factor_norm_loss": LOSS,
    "hide": {"rng": np.random.default_rng(0), "X": X, "share": 0.5},
    "layer_norm": {"E": B},
    "ndcg_at": RANKING,
    "neighbor_purity": PAIRS | {"n_neighbors": 2},
    "neighbor_transform": {"B": B, "i": 0, "j": 1, "cond": 2.0},
    "normalize_rows": {"E": B},
    "product_norm_factors": SPECTRUM,
    "product_norm_loss": LOSS,
    "project_items_back": {"G": X.T @ X, "A": A, "B": B},
    "project_users_back": {"X": X, "A": A, "B": B},
    "propensity_scaled": {"X": X, "item_power": 0.5, "user_power": 0.0},
    "readings": {"n_items": 30},
    "realizing_transform": {"B": B[:2], "T": np.eye(2)},
    "recall_at": RANKING,
    "recovery_scores": PAIRS | {"n_neighbors": 2},
    "rescale": {"A": A, "B": B, "d": np.array([1.0, 2.0])},
    "shifted_ppmi": {"counts": X.T @ X + 1, "exponent": 1.0, "n_negatives": 1},
    "show": {"values": 1.0, "digits": 3},
    "shrinkage": {"s": SPECTRUM["s"], "lam": 1.0},
    "simulate_interactions": SIMULATION,
    "standardized_gram": MOMENTS,
    "t_interval": {"values": [1.0, 2.0], "confidence": 0.9},
    "transform": {"A": A, "B": B, "M": np.eye(2)},
    "truncated_svd": {"X": X, "k": 2},
    "weight_decay_factors": SPECTRUM,
    "weight_decay_loss": LOSS,
    "whiten": {"B": B},
}
ELSEWHERE = {"check_identity", "check_that", "nearest", "overlap", "read_encoder", "table"}  # in tests of their own
UNCHECKED = {"claim", "statement", "within", "digits"}  # what a check says, and format specifications
NAN_TOO = {"check", "show"}

# What is wrong, and what the message says that it got: for any argument, and for each validator
ANYWHERE = [(1j, ("complex128", "1j", "()")), (NAN, ("nan", "()"))]
REALS = [
    (np.ma.array(np.ones((2, 2)), mask=[[False, True], [False, False]]), "1"),
    ([["1.0", "2.0"]], "str"),
    (np.full((2, 2), object()), "object"),
    (None, "object: None"),
    ([[10**400, 1]], "1" + 400 * "0"),
    ([[1.0, 2.0], [3.0]], "[[1.0, 2.0], [3.0]]"),
    (sp.csr_array(np.ones((2, 2))), "object"),
]
MATRIX = [*REALS, ([[INF, 1.0]], "inf"), (np.ones((2, 2, 2)), "(2, 2, 2)"), (np.ones((0, 2)), "(0, 2)")]
SPARSE = [(1j * np.eye(2), "complex128"), (NAN * np.eye(2), "nan"), (np.ones((0, 2)), "(0, 2)"), (np.ones(2), "(2,)")]
NUMBER = [(value, repr(value)) for value in ("1", None, True, 1j, [1], np.ma.masked, NAN)]
LABELS = [
    ([0.0, 0.0, 1.0, NAN], "nan"),
    (["a", "a", "b", None], "None"),
    (np.array(["2024", "NaT"], dtype="M8[D]"), "NaT"),
    (np.ma.array([0, 0, 1, 1], mask=[0, 0, 0, 1]), "--"),
    (np.array([0, 0, "a", 1], dtype=object), "'a'"),
    ([[0, 0], [1]], "[[0, 0], [1]]"),
    (np.eye(2), "(2, 2)"),
    ([], "(0,)"),
]
WRONG = {
    "valid_reals": REALS,
    "valid_matrix": MATRIX,
    "valid_data": [*REALS[:-1], *MATRIX[-3:], *((sp.coo_array(E), got) for E, got in SPARSE)],
    "valid_number": [*NUMBER, (10**400, "1" + 400 * "0")],
    "valid_integer": [*NUMBER, (2.0, "2.0"), (Fraction(5, 2), "5/2")],
    "valid_flag": [(1, "1"), ("yes", "'yes'"), (None, "None")],
    "valid_generator": [(rng, repr(rng)[:15]) for rng in (np.random, np.random.RandomState(0), 0, None)],
    "valid_labels": LABELS,
}


def refused(argument, got, function, *arguments, **named):
    """The call raises an error that names the argument, and says what it got: one of these."""
    message = ""
    try:
        function(*arguments, **named)
    except (TypeError, ValueError) as error:
        message = str(error)
    assert message, f"{function.__name__} accepts a wrong {argument} ({got[0]}): validate it by helpers/arguments.py"
    name, _, said = message.partition(", got ")
    assert re.search(rf"\b{argument}\b", name), message
    assert any(each in said for each in got), message


@pytest.mark.parametrize("validator", WRONG)
def test_a_validator_refuses_what_is_wrong(validator):
    function = getattr(arguments, validator)
    first = next(iter(inspect.signature(function).parameters))
    limits = {"low": 1, "high": 5} if "integer" in validator else {}
    for value, got in WRONG[validator]:
        given = ("X", value) if first == "name" else (value,)
        refused("X" if first == "name" else first, [got], function, *given, **limits)


OUT_OF_RANGE = [  # numbers that will not do: what is changed in the good call, and what the message says
    ("attainable_interval", {"x": [0, 0]}, r"x and y must be nonzero vectors of one length, got \[0. 0.\]"),
    ("attainable_interval", {"y": [1, 2, 3]}, "x and y must be nonzero vectors of one length, got"),
    ("centered_gram", {"G": -np.eye(4)}, "^G must be positive semi-definite, got an eigenvalue of -1"),
    ("centered_gram", {"means": [0, 0]}, r"means must be 4 numbers, one for each item, got shape \(2,\)"),
    ("centered_gram", {"means": [0, 0, 0, 2]}, r"means must satisfy n_users \* means\*\*2 <= diag\(G\), got 2"),
    ("centered_gram", {"G": np.eye(4), "means": [0.4] * 4}, "^G - n_users .* must be .*, got an eigenvalue of -2.8"),
    ("centered_gram", {"n_users": 0}, "n_users must be an integer between 1 and inf, got 0"),
    ("choices_of_d", {"s": [1, 0]}, "s must be .*, got"),
    ("chosen_elsewhere", {"scores": [[1.0, 2.0]]}, "scores must hold at least two data sets, got 1"),
    ("cluster_auc", {"clusters": [4, 4, 4, 4]}, "must have pairs within and across clusters, got 1 clusters"),
    ("cluster_auc", {"clusters": [0, 0, 1]}, r"S must be a non-empty matrix with 3 columns, got shape \(4, 4\)"),
    ("cosine_moments", {"scales": []}, "scales must hold at least one d, got none"),
    ("cosine_range", {"cosine": 1.01}, "cosine must be a finite number between -1 and 1, got 1.01"),
    ("cosine_range", {"cond": 0.99}, "cond must be a finite number >= 1, got 0.99"),
    ("cosine_similarity", {"E": [[1, 0], [0, 0]]}, "E must not have a zero row, which has no direction; row 1 is zero"),
    ("cosine_similarity", {"F": [[1, 2, 3]]}, r"F must be a non-empty matrix with 2 columns, got shape \(1, 3\)"),
    ("factor_norm_factors", {"s": [2.0, -1.0]}, r"s must be a non-empty vector of numbers >= 0, got \[ 2. -1.\]"),
    ("hide", {"share": 1.1}, "share must be a finite number between 0 and 1, got 1.1"),
    ("layer_norm", {"E": [[1, 2], [0, 0]]}, "E must not have a row of equal entries.*row 1 is one"),
    ("ndcg_at", {"seen": X[:1]}, r"seen must have the shape of scores, \(6, 4\), got \(1, 4\)"),
    ("ndcg_at", {"hidden": np.ones((6, 4))}, f"hidden must not have items that were seen, got {int(X.sum())} of them"),
    ("ndcg_at", {"hidden": 0 * X}, "hidden must have at least one item, got none"),
    ("ndcg_at", {"n": 5}, "n must be an integer between 1 and 4, got 5"),
    ("neighbor_purity", {"n_neighbors": 4}, "n_neighbors must be an integer between 1 and 3, got 4"),
    ("neighbor_transform", {"j": 4}, "j must be an integer between 0 and 3, got 4"),
    ("neighbor_transform", {"j": 0}, "items i and j must not be parallel, got 0 and 0"),
    ("neighbor_transform", {"B": [[1, 2], [0, 0]]}, "items i and j of B must not have a zero row"),
    ("neighbor_transform", {"cond": 0.5}, "cond must be a finite number >= 1, got 0.5"),
    ("product_norm_loss", {"X": X[:, :3]}, r"X must have as many columns as A has rows \(4\), got shape \(6, 3\)"),
    ("product_norm_loss", {"B": B[:3]}, r"B must have the shape of A, \(4, 2\), got \(3, 2\)"),
    ("product_norm_loss", {"lam": -3.0}, "lam must be a finite number >= 0, got -3.0"),
    ("project_items_back", {"G": np.eye(2)}, "G must be a non-empty matrix with 4 columns, got .*2, 2"),
    ("propensity_scaled", {"X": -X}, "X must be >= 0, got -1.0"),
    ("readings", {"n_items": 9}, "n_items must be an integer between 10 and inf, got 9"),
    ("realizing_transform", {"T": [[1, 1], [1, 1]]}, "T must be positive definite, got a smallest eigenvalue of"),
    ("realizing_transform", {"T": [[1, 0], [0, 0.5]]}, "T must have ones on its diagonal, got 0.5"),
    ("realizing_transform", {"B": [[1, 1], [2, 2]]}, "B must have linearly independent rows, got 2 of rank 1"),
    ("rescale", {"d": [1.0, 0.0]}, r"d must be 2 numbers other than 0, got \[1. 0.\]"),
    ("shifted_ppmi", {"counts": -np.ones((2, 2))}, "counts must be >= 0, .*got a smallest entry of -1"),
    ("shifted_ppmi", {"counts": np.diag([1.0, 0])}, "counts must be >= 0, without a zero row or column"),
    ("shifted_ppmi", {"exponent": -0.5}, "exponent must be a finite number >= 0, got -0.5"),
    ("shifted_ppmi", {"n_negatives": 0}, "n_negatives must be a finite number > 0, got 0"),
    ("simulate_interactions", {"max_activity": 6}, "max_activity must be an integer between 1 and 5, got 6"),
    ("simulate_interactions", {"n_users": 0}, "n_users must be an integer between 1 and inf, got 0"),
    ("simulate_interactions", {"user_exponent": -0.5}, "user_exponent must be a finite number >= 0, got -0.5"),
    ("simulate_interactions", {"item_exponents": (-1, 1)}, r"item_exponents must be 0 <= low <= high, got \[-1.  1.\]"),
    ("simulate_interactions", {"item_exponents": (2, 1)}, r"item_exponents must be 0 <= low <= high, got \[2. 1.\]"),
    ("simulate_interactions", {"activity_law": "zipf"}, "activity_law must be one of power, rank, got zipf"),
    ("standardized_gram", {"G": np.diag([1, 0]), "means": [0.1, 0]}, "X must not have a constant column.*: column 1"),
    ("t_interval", {"values": [1.0]}, r"values must hold at least two data sets, got shape \(1,\)"),
    ("t_interval", {"confidence": 1}, "confidence must be a finite number strictly between 0 and 1, got 1"),
    ("transform", {"M": [[1, 0], [0, 1e-17]]}, r"M must be an invertible 2×2 matrix, got \[\[1.e\+00 0.e\+00\]\n"),
    ("transform", {"M": np.eye(3)}, r"M must be a non-empty matrix with 2 columns, got shape \(3, 3\)"),
    ("truncated_svd", {"X": X[:2], "k": 3}, "k must be an integer between 1 and 2, got 3"),
    ("whiten", {"B": np.ones((3, 2))}, "B must have linearly independent columns, got rank below 2"),
]


@pytest.mark.parametrize(("function", "changes", "message"), OUT_OF_RANGE)
def test_numbers_that_will_not_do_are_an_error_that_says_why(function, changes, message):
    with pytest.raises(ValueError, match=message):
        getattr(helpers, function)(**GOOD[function] | changes)


def test_every_helper_that_has_arguments_has_a_good_call():
    functions = {name: each for name, each in vars(helpers).items() if inspect.isfunction(each)}
    public = {name for name, each in functions.items() if inspect.signature(each).parameters}
    lacking = sorted(public - GOOD.keys() - ELSEWHERE)
    assert not lacking, f"tests/test_arguments.py: add to GOOD a call that works of {', '.join(lacking)}"
    gone = sorted((GOOD.keys() | ELSEWHERE) - public)
    assert not gone, f"helpers/__init__.py imports no {', '.join(gone)}: delete it in tests/test_arguments.py"


@pytest.mark.parametrize("function", GOOD)
def test_a_good_call_names_every_parameter_and_leaves_it_alone_and_each_is_checked(function):
    function, good = getattr(helpers, function), GOOD[function]
    assert inspect.signature(function).parameters.keys() == good.keys()
    copies = {name: value.copy() for name, value in good.items() if isinstance(value, np.ndarray)}
    function(**good)
    for name, copy in copies.items():
        assert_array_equal(good[name], copy)
    for argument in good.keys() - UNCHECKED:
        for value, got in ANYWHERE[: 1 if function.__name__ in NAN_TOO else 2]:
            refused(argument, got, function, **good | {argument: value})


@pytest.mark.parametrize("values", [[1, 2], (1.0, 2.0), np.array([1, 2], np.int8), np.float32([1, 2]), range(1, 3)])
def test_numbers_of_any_kind_become_float64(values):
    valid = arguments.valid_numbers("values", values)
    assert (type(valid), valid.dtype) == (np.ndarray, float)
    assert_array_equal(valid, [1, 2])


@pytest.mark.parametrize("kind", [sp.csc_matrix, sp.coo_array, sp.dok_array, sp.dia_array])
def test_sparse_data_of_any_kind_become_csr_and_float64_is_not_copied(kind):
    valid = arguments.valid_data(kind(np.eye(3, 2, dtype=bool)))
    assert (type(valid), valid.dtype) == (sp.csr_array, float)
    assert_array_equal(valid.toarray(), np.eye(3, 2))
    assert np.shares_memory(arguments.valid_data(valid).data, valid.data)


@pytest.mark.parametrize(
    ("bounds", "good", "bad"),
    [((), [-5], []), ((0,), [0, 1e300], [-1e-300]), ((0, 1), [0, 1], [-1, 2]), ((0, 1, True), [0.5], [0, 1])],
)
def test_bounds_are_included_unless_strictly(bounds, good, bad):
    for value in good:
        assert arguments.valid_number("lam", value, *bounds) == value
    for value in bad:
        refused("lam", [str(value)], arguments.valid_number, "lam", value, *bounds)


def test_a_matrix_is_symmetric_up_to_rounding():
    M = np.array([[1.0, 0.3], [0.1 + 0.2, 1.0]])
    assert M[0, 1] != M[1, 0]
    for unit in (1e-200, 1.0, 1e200):
        assert_array_equal(arguments.valid_square("S", unit * M), unit * M)
        with pytest.raises(ValueError, match="S must be a symmetric 2×2 matrix, got"):
            arguments.valid_square("S", unit * (M + 1e-8 * np.eye(2, k=1)), 2)


def test_labels_of_any_one_kind_become_integers():
    series, objects, dates = pd.Series(["y", "x"]), np.array(["b", "a"], object), np.array(["2025", "2024"], "M8[Y]")
    assert arguments.valid_labels("clusters", [3, 1, 3]).tolist() == [1, 0, 1]
    for labels in (["b", "a"], objects, [0.5, -1.0], [True, False], np.ma.array([7, 5]), series, dates):
        assert arguments.valid_labels("clusters", labels).tolist() == [1, 0]
