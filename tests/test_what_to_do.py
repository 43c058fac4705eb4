"""The recipe of What should I do?: the code block of the page, as a reader would copy it, in every language."""

import ast
import re
from types import SimpleNamespace

import numpy as np
import pytest
from chapters import ROOT
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.decomposition import TruncatedSVD

import helpers as h

ENGLISH = ROOT / "book/what-to-do.md"
PAGES = sorted((ROOT / "book").glob("what-to-do*.md"))


def blocks(path):
    """The two blocks of Python on a page: the recipe, and how to call it for a library's model."""
    definition, calls = re.findall(r"^```python\n(.*?)^```$", path.read_text("utf-8"), re.M | re.S)
    return definition, calls


def recipe(path):
    return blocks(path)[0]


@pytest.fixture
def safe_items():
    names = {}
    exec(recipe(ENGLISH), names)
    return names["safe_items"]


@pytest.fixture(scope="module")
def model():
    X = h.simulate_interactions(np.random.default_rng(0), 400, 30, 3).X
    return X, *h.product_norm_factors(*h.truncated_svd(X, 5), 30.0)


@pytest.mark.parametrize("ranking", [False, True])
@pytest.mark.parametrize("center", [False, True])
def test_it_compares_the_columns_of_the_scores_whatever_the_factors(safe_items, model, center, ranking):
    """With center less each item's mean, with ranking less each user's: so biases and a constant do not count."""
    X, A, B = model
    scores = (X @ A) @ B.T
    scores = scores - center * scores.mean(axis=0)
    scores = scores - ranking * scores.mean(axis=1, keepdims=True)
    rng = np.random.default_rng(1)
    for stretch in np.geomspace(1, 1e3, 9):
        A_m, B_m = h.transform(A, B, rng.normal(size=(5, 5)) * np.geomspace(1, stretch, 5))
        found = h.cosine_similarity(safe_items(A_m, B_m, X, center=center, ranking=ranking))
        assert_allclose(found, 1 - cdist(scores.T, scores.T, "cosine"), atol=1e-8)


def test_it_takes_what_libraries_hold(safe_items, model):
    X, A, B = model
    exact = safe_items(A, B, X)
    for table in (X, sparse.csr_matrix(X), X.toarray()):
        assert_allclose(safe_items(A, B, table), exact, atol=1e-9)
    single = safe_items((X @ A).astype(np.float32), B.astype(np.float32))
    assert single.dtype == float
    assert_allclose(h.cosine_similarity(single), h.cosine_similarity(exact), atol=1e-4)
    few = safe_items((X @ A)[:3], B, center=False)  # fewer users than dimensions
    assert_allclose(few @ few.T, B @ (X @ A)[:3].T @ (X @ A)[:3] @ B.T, atol=1e-9)


def test_the_calls_for_libraries_run(model):
    """On stand-ins that hold what the libraries' models hold."""
    X, A, B = model
    P, biases = X @ A, np.zeros(3)
    seen = []

    def safe_items(users, items, **options):
        seen.append((users is P, items is B, options))

    holds = {"user_factors": P, "item_factors": B, "syn1neg": P, "wv": SimpleNamespace(vectors=B)}
    pairs = {"get_user_representations": lambda: (biases, P), "get_item_representations": lambda: (biases, B)}
    for biased in (True, False):
        algo = SimpleNamespace(pu=P, qi=B, biased=biased)
        names = {"model": SimpleNamespace(**holds, **pairs), "algo": algo, "safe_items": safe_items}
        exec(blocks(ENGLISH)[1], names)
    options = [{}, {"ranking": True}, {}, {"ranking": True}], [{}, {"ranking": True}, {}, {"ranking": False}]
    assert seen == [(True, True, option) for of_run in options for option in of_run]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_items_of_features_are_asked_for_with_the_features(path):
    """LightFM returns the rows of the features, not of the items, where the argument is missing."""
    (trap,) = re.findall(r"^- \*\*LightFM.*$", path.read_text("utf-8"), re.M)
    assert "get_item_representations(item_features)" in trap


def test_truncated_svd_as_the_table_says(safe_items, model):
    X = model[0].toarray()
    svd = TruncatedSVD(5, algorithm="arpack").fit(X)
    (column,) = re.findall(r"`(svd\.components_\.T.*?)`", ENGLISH.read_text("utf-8"))
    told = eval(column)
    found = safe_items(svd.transform(X), svd.components_.T, center=False)
    assert_allclose(h.cosine_similarity(told), h.cosine_similarity(found), atol=1e-8)


def meaning(source):
    """Code without comments and docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            assert ast.get_docstring(node)
            del node.body[0]
    return ast.dump(tree)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_language_says_the_same(path):
    text, english = path.read_text("utf-8"), ENGLISH.read_text("utf-8")
    assert meaning(recipe(path)) == meaning(recipe(ENGLISH))
    assert blocks(path)[1] == blocks(ENGLISH)[1]
    columns = r"`(svd\.components_\.T.*?)`"
    assert re.findall(columns, text) == re.findall(columns, english)
    targets = r"\]\(((?:sec-(?!do-)|[\w-]+\.ipynb)[\w-]*)\)"
    assert set(re.findall(targets, english)) <= set(re.findall(targets, text))
    others = {other.name for other in PAGES} - {path.name}
    assert others <= set(re.findall(r"\]\((what-to-do[\w-]*\.md)\)", text))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_the_error_bars_of_a_cosine_of_07(path):
    text = path.read_text("utf-8")
    for c in (1.2, 1.5, 2):
        assert re.search(r"{:.2f}\D+{:.2f}".format(*h.cosine_range(0.7, c)), text.replace(",", "."))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_scales_known_to_a_factor_either_way_have_its_square(path):
    """The largest and the least cosine of a pair at 0.7 if each of two scales is off by 1.2, up or down."""
    angles = np.linspace(0, np.pi, 2001)
    pair = np.stack([angles, angles + np.arccos(0.7)])
    scales = np.array([[1.2, 1 / 1.2], [1 / 1.2, 1.2]])
    x, y = (
        h.normalize_rows((np.stack([np.cos(a), np.sin(a)], axis=-1) * scales[:, None]).reshape(-1, 2)) for a in pair
    )
    reached = (x * y).sum(axis=1)
    assert_allclose([reached.min(), reached.max()], h.cosine_range(0.7, 1.44), atol=1e-5)
    said = rf"1\.44\D+{reached.min():.2f}\D+{reached.max():.2f}"
    assert re.search(said, path.read_text("utf-8").replace("{,}", ".").replace(",", "."))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_for_scales_the_bar_is_a_bound(path):
    """Here one item lies on a latent axis, and no two scales off by 1.2 take the pair to either end of its bar."""
    pair, scales = np.array([[1, 0], [0.7, np.sqrt(0.51)]]), np.geomspace(1 / 1.2, 1.2, 50)
    reached = [h.cosine_similarity(pair * [1, scale])[0, 1] for scale in scales]
    low, high = h.cosine_range(0.7, 1.2)
    assert low + 0.01 < min(reached) < max(reached) < high - 0.01
    assert not re.search("can be anything|どこにでも|任何值|bất cứ giá trị", path.read_text("utf-8"))


def test_the_sheets_print_is_legible():
    style = (ROOT / "book/assets/print.css").read_text("utf-8").partition("@page one-sheet")[2]
    sizes = re.findall(r"font-size: ([\d.]+)(pt|em|%)", style)
    assert len(sizes) == 4
    assert min(float(size) for size, unit in sizes if unit == "pt") >= 8
    assert all(float(size) >= {"em": 1, "%": 100}[unit] for size, unit in sizes if unit != "pt")
