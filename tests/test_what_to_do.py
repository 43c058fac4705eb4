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
    cosine_range,
    cosine_similarity,
    normalize_rows,
    product_norm_factors,
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


def test_ranking_compares_scores_less_each_users_mean(safe_items, model):
    X, A, B = model
    P = X @ A
    scores = P @ B.T
    found = cosine_similarity(safe_items(P, B, ranking=True))
    assert_allclose(found, np.corrcoef((scores - scores.mean(axis=1, keepdims=True)).T), atol=1e-10)
    assert abs(found - np.corrcoef(scores.T)).max() > 1


def test_ranking_needs_the_whole_catalog(safe_items, model):
    X, A, B = model
    half, P = np.ix_(range(0, 30, 2), range(0, 30, 2)), X @ A
    moved = {
        ranking: abs(
            cosine_similarity(safe_items(P, B[::2], ranking=ranking))
            - cosine_similarity(safe_items(P, B, ranking=ranking))[half]
        ).max()
        for ranking in (False, True)
    }
    assert moved[False] < 1e-10
    assert moved[True] > 0.1


def test_centering_removes_popularity(safe_items, model):
    """A score that an item has from every user counts in the dot products only without centering."""
    X, A, B = model
    popularity = np.linspace(0, 50, len(B))
    P, E = np.hstack([X @ A, np.ones((X.shape[0], 1))]), np.hstack([B, popularity[:, None]])
    products = [[S @ S.T for S in (safe_items(X @ A, B, center=c), safe_items(P, E, center=c))] for c in (True, False)]
    assert_allclose(*products[0], atol=1e-8 * abs(products[0][0]).max())
    lengths = np.sqrt(np.diag(products[1][1]))
    assert (
        np.corrcoef(lengths, popularity)[0, 1] > 0.99 > np.corrcoef(np.sqrt(np.diag(products[0][1])), popularity)[0, 1]
    )


def test_users_without_interactions_are_dropped_by_counts(safe_items, model):
    """In implicit's BPR their rows are zeros and a 1 for the items' biases: not zero, and they move the cosines."""
    X, A, B = model
    some = np.arange(X.shape[0]) % 2 == 0
    P = np.where(some[:, None], X @ A, 0)
    users, items = np.hstack([P, np.ones((len(P), 1))]), np.hstack([B, np.random.default_rng(3).normal(size=(30, 1))])
    assert users.any(axis=1).all()
    kept = cosine_similarity(safe_items(users[some], items, ranking=True))
    assert_allclose(kept, cosine_similarity(safe_items(P[some], B, ranking=True)), atol=1e-8)
    assert abs(cosine_similarity(safe_items(users, items, ranking=True)) - kept).max() > 0.01


def two_towers(h, g, rng):
    """Unit users and items, all items in the hyperplane b₀ = h, and the same softmax with items in b₀ = g < h."""
    directions, users = normalize_rows(rng.normal(size=(50, 3))), normalize_rows(rng.normal(size=(300, 4)))
    items = [np.hstack([np.full((50, 1), at), np.sqrt(1 - at**2) * directions]) for at in (h, g)]
    rest = users[:, 1:] * np.sqrt((1 - h**2) / (1 - g**2))
    moved = np.hstack([np.sqrt(1 - (rest**2).sum(axis=1, keepdims=True)), rest])
    return (users, items[0]), (moved, items[1])


def test_a_softmax_of_unit_vectors_leaves_items_of_one_hyperplane_free(safe_items):
    (P, B), (P_too, B_too) = pairs = two_towers(0.8, 0.2, np.random.default_rng(0))
    for rows in (P, B, P_too, B_too):
        assert_allclose(np.linalg.norm(rows, axis=1), 1)
    assert np.linalg.matrix_rank(np.einsum("ui,uj->uij", P, P).reshape(300, 16)) == 10  # many and varied
    assert_allclose(softmax(10 * P @ B.T, axis=1), softmax(10 * P_too @ B_too.T, axis=1), atol=1e-12)
    assert abs(cosine_similarity(B) - cosine_similarity(B_too)).max() > 1
    safe = [cosine_similarity(safe_items(*pair, ranking=True)) for pair in pairs]
    assert_allclose(*safe, atol=1e-10)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_the_hyperplane_is_named(path):
    assert re.search("hyperplane|超平面|siêu phẳng", path.read_text("utf-8"))


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


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_scales_known_to_a_factor_either_way_have_its_square(path):
    """The largest and the least cosine of a pair at 0.7 if each of two scales is off by 1.2, up or down."""
    angles = np.linspace(0, np.pi, 2001)
    pair = np.stack([angles, angles + np.arccos(0.7)])
    scales = np.array([[1.2, 1 / 1.2], [1 / 1.2, 1.2]])
    x, y = (normalize_rows((np.stack([np.cos(a), np.sin(a)], axis=-1) * scales[:, None]).reshape(-1, 2)) for a in pair)
    reached = (x * y).sum(axis=1)
    assert_allclose([reached.min(), reached.max()], cosine_range(0.7, 1.44), atol=1e-5)
    said = rf"1\.44\D+{reached.min():.2f}\D+{reached.max():.2f}"
    assert re.search(said, path.read_text("utf-8").replace("{,}", ".").replace(",", "."))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_for_scales_the_bar_is_a_bound(path):
    """Here one item lies on a latent axis, and no two scales off by 1.2 take the pair to either end of its bar."""
    pair, scales = np.array([[1, 0], [0.7, np.sqrt(0.51)]]), np.geomspace(1 / 1.2, 1.2, 50)
    reached = [cosine_similarity(pair * [1, scale])[0, 1] for scale in scales]
    low, high = cosine_range(0.7, 1.2)
    assert low + 0.01 < min(reached) < max(reached) < high - 0.01
    assert not re.search("can be anything|どこにでも|任何值|bất cứ giá trị", path.read_text("utf-8"))


def test_the_sheets_print_is_legible():
    style = (ROOT / "book/assets/print.css").read_text("utf-8").partition("@page one-sheet")[2]
    sizes = re.findall(r"font-size: ([\d.]+)(pt|em|%)", style)
    assert len(sizes) == 4
    assert min(float(size) for size, unit in sizes if unit == "pt") >= 8
    assert all(float(size) >= {"em": 1, "%": 100}[unit] for size, unit in sizes if unit != "pt")
