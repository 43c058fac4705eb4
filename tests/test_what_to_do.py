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
from scipy.special import softmax
from sklearn.decomposition import TruncatedSVD

from helpers import (
    centered_gram,
    cosine_range,
    cosine_similarity,
    product_norm_factors,
    project_items_back,
    simulate_interactions,
    transform,
    truncated_svd,
)

ENGLISH = ROOT / "book/what-to-do.md"
PAGES = sorted((ROOT / "book").glob("what-to-do*.md"))


def blocks(path):
    """The two blocks of Python on a page: the recipe, and how to call it for a library's model."""
    definition, calls = re.findall(r"^```python\n(.*?)^```$", path.read_text("utf-8"), re.M | re.S)
    return definition, calls


def recipe(path):
    return blocks(path)[0]


@pytest.fixture(params=PAGES, ids=lambda path: path.stem)
def safe_items(request):
    names = {}
    exec(recipe(request.param), names)
    return names["safe_items"]


@pytest.fixture(scope="module")
def model():
    X = simulate_interactions(np.random.default_rng(0), 400, 30, 3).X
    return X, *product_norm_factors(*truncated_svd(X, 5), 30.0)


def changes(A, B, n=20):
    """The same model in other factors: random invertible M, some of them far from a rotation."""
    rng = np.random.default_rng(1)
    for stretch in np.geomspace(1, 1e3, n):
        yield transform(A, B, rng.normal(size=(5, 5)) * np.geomspace(1, stretch, 5))


@pytest.mark.parametrize("options", [{}, {"center": False}, {"ranking": True}, {"center": False, "ranking": True}])
def test_no_change_of_factors_moves_a_cosine(safe_items, model, options):
    X, A, B = model
    before = cosine_similarity(safe_items(A, B, X, **options))
    raw = cosine_similarity(B)
    for A_m, B_m in changes(A, B):
        assert_allclose(cosine_similarity(safe_items(A_m, B_m, X, **options)), before, atol=1e-8)
        assert abs(cosine_similarity(B_m) - raw).max() > 0.1


def test_it_is_projecting_back(safe_items, model):
    X, A, B = model
    G, means = (X.T @ X).toarray(), np.asarray(X.mean(axis=0)).ravel()
    plain, centered = (safe_items(A, B, X, center=center) for center in (False, True))
    assert plain.shape == B.shape
    assert_allclose(cosine_similarity(plain), cosine_similarity(project_items_back(G, A, B)), atol=1e-10)
    back = project_items_back(centered_gram(G, means, X.shape[0]), A, B)
    assert_allclose(cosine_similarity(centered), cosine_similarity(back), atol=1e-10)


def test_it_compares_the_columns_of_the_scores(safe_items, model):
    X, A, B = model
    P = X @ A
    scores = P @ B.T
    by_scipy = {name: 1 - cdist(scores.T, scores.T, name) for name in ("correlation", "cosine")}
    assert_allclose(cosine_similarity(safe_items(P, B)), by_scipy["correlation"], atol=1e-10)
    assert_allclose(cosine_similarity(safe_items(P, B, center=False)), by_scipy["cosine"], atol=1e-10)
    assert_allclose(safe_items(P, B, center=False) @ safe_items(P, B, center=False).T, scores.T @ scores, rtol=1e-9)


def test_a_constant_for_each_user_is_free_where_the_page_says_so(safe_items, model):
    X, A, B = model
    P, t = X @ A, np.array([3.0, -1, 2, 0.5, 4])
    assert_allclose(softmax(P @ (B + t).T, axis=1), softmax(P @ B.T, axis=1), atol=1e-12)
    before, after = (cosine_similarity(safe_items(P, E, ranking=True)) for E in (B, B + t))
    assert_allclose(after, before, atol=1e-8)
    plain = [cosine_similarity(safe_items(P, E)) for E in (B, B + t)]
    assert abs(plain[1] - plain[0]).max() > 0.1


def test_bias_columns_do_not_count(safe_items, model):
    """As implicit has them: BPR an item's bias beside a user's 1, LMF a user's bias beside an item's 1, too."""
    X, A, B = model
    P, rng = X @ A, np.random.default_rng(2)
    one_user, one_item = np.ones((len(P), 1)), np.ones((len(B), 1))
    of_items, of_users = rng.normal(size=(len(B), 1)), rng.normal(size=(len(P), 1))
    bpr = np.hstack([P, one_user]), np.hstack([B, of_items])
    assert_allclose(cosine_similarity(safe_items(*bpr)), cosine_similarity(safe_items(P, B)), atol=1e-8)
    lmf = np.hstack([P, one_user, of_users]), np.hstack([B, of_items, one_item])
    with_bias, without = (safe_items(*pair, ranking=True) for pair in (lmf, (P, B)))
    assert_allclose(cosine_similarity(with_bias), cosine_similarity(without), atol=1e-8)


def test_it_takes_what_libraries_hold(safe_items, model):
    X, A, B = model
    exact = safe_items(A, B, X)
    for table in (X, sparse.csr_matrix(X), X.toarray()):
        assert_allclose(safe_items(A, B, table), exact, atol=1e-9)
    single = safe_items((X @ A).astype(np.float32), B.astype(np.float32))
    assert single.dtype == float
    assert_allclose(cosine_similarity(single), cosine_similarity(exact), atol=1e-4)
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
    names = {"model": SimpleNamespace(**holds, **pairs), "algo": SimpleNamespace(pu=P, qi=B), "safe_items": safe_items}
    exec(blocks(ENGLISH)[1], names)
    assert seen == [(True, True, {}), (True, True, {"ranking": True}), (True, True, {}), (True, True, {})]


def test_truncated_svd_as_the_table_says(safe_items, model):
    X = model[0].toarray()
    svd = TruncatedSVD(5, algorithm="arpack").fit(X)
    (column,) = re.findall(r"`(svd\.components_\.T.*?)`", ENGLISH.read_text("utf-8"))
    told = eval(column)
    found = safe_items(svd.transform(X), svd.components_.T, center=False)
    assert_allclose(cosine_similarity(told), cosine_similarity(found), atol=1e-8)


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
        assert re.search(r"{:.2f}\D+{:.2f}".format(*cosine_range(0.7, c)), text.replace(",", "."))


def test_the_pages_are_found():
    assert {path.stem for path in PAGES} == {"what-to-do", "what-to-do-ja", "what-to-do-vi", "what-to-do-zh"}
