"""The answer on one page: the code of the sheet as a reader would copy it, and what its four languages share."""

import ast
import re
import sys
from types import SimpleNamespace

import cosine_audit
import numpy as np
import pandas as pd
import pytest
from chapters import ROOT
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.spatial.distance import cdist
from scipy.stats import norm, ttest_1samp
from sklearn.decomposition import TruncatedSVD

import helpers as h
from experiments import read
from experiments.common import holm
from experiments.real_models import compared
from experiments.real_models_tuned import MODELS

ENGLISH = ROOT / "book/what-to-do.md"
PAGES = sorted((ROOT / "book").glob("what-to-do*.md"))


def blocks(path):
    """The blocks of Python on a page: safe_items and compare, then a dictionary of the libraries'."""
    text = path.read_text("utf-8")
    found = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
    safe, compare = (block for block in found if re.match("import numpy|def compare", block))
    calls = re.findall(r"^:::\{tab-item\} ([^\n]+)\n```python\n(.*?)^```$", text, re.M | re.S)
    return f"{safe}\n\n{compare}", dict(calls)


def run(library, **model):
    """Run the English page's first block and a library's, as a reader would, on a model; return what there is then."""
    definition, calls = blocks(ENGLISH)
    exec(definition, model)
    exec(calls[library], model)
    return model


def section(start, end):
    """What the English page says between two marks."""
    return ENGLISH.read_text("utf-8").partition(start)[2].partition(end)[0]


def table(text):
    """The cells of the rows of a text's table in Markdown, without its head."""
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in re.findall(r"^\|.*\|$", text, re.M)[2:]]


NAMES = {}
exec(blocks(ENGLISH)[0], NAMES)
safe_items, compare = NAMES["safe_items"], NAMES["compare"]


@pytest.fixture(scope="module")
def model():
    X = h.simulate_interactions(np.random.default_rng(0), 400, 30, 3).X
    return X, *h.product_norm_factors(*h.truncated_svd(X, 5), 30.0)


@pytest.mark.parametrize("ranking", [False, True])
@pytest.mark.parametrize("center", [False, True])
def test_it_depends_on_the_columns_of_the_scores_whatever_the_factors(model, center, ranking):
    """With center less each item's mean, with ranking less each user's: so biases and a constant do not count.

    Share 1 has the columns' cosines; share ½ is a root of it.
    """
    X, A, B = model
    scores = (X @ A) @ B.T
    scores = scores - center * scores.mean(axis=0)
    scores = scores - ranking * scores.mean(axis=1, keepdims=True)
    rng = np.random.default_rng(1)
    for stretch in np.geomspace(1, 1e3, 9):
        A_m, B_m = h.transform(A, B, rng.normal(size=(5, 5)) * np.geomspace(1, stretch, 5))
        whole = safe_items(A_m, B_m, X, center=center, ranking=ranking, share=1)
        half = safe_items(A_m, B_m, X, center=center, ranking=ranking)
        cosines = 1 - cdist(scores.T, scores.T, "cosine")
        assert_allclose(h.cosine_similarity(whole), cosines, atol=1e-8)
        assert_allclose(h.cosine_similarity(half @ half.T), cosines, atol=1e-8)


def test_the_example_prints_what_its_sentence_says(capsys):
    said, _, code = section("For example, ", "To see what").partition("```python\n")
    exec(code.partition("```")[0], {"np": np, "safe_items": safe_items})
    numbers = re.findall(r"−?0\.\d\d", said)
    assert [*numbers, numbers[-1]] == capsys.readouterr().out.replace("-", "−").split()


def test_it_takes_what_libraries_hold(model):
    X, A, B = model
    exact = safe_items(A, B, X)
    for table in (X, sparse.csr_matrix(X), X.toarray()):
        assert_allclose(safe_items(A, B, table), exact, atol=1e-9)
    single = safe_items((X @ A).astype(np.float32), B.astype(np.float32))
    assert single.dtype == float
    assert_allclose(h.cosine_similarity(single), h.cosine_similarity(exact), atol=1e-4)
    few = safe_items((X @ A)[:3], B, center=False, share=1)  # fewer users than dimensions
    assert_allclose(few @ few.T, B @ (X @ A)[:3].T @ (X @ A)[:3] @ B.T, atol=1e-9)


def by_norm(E):
    """Dot products of rows, at length one."""
    return E @ E.T / np.linalg.norm(E @ E.T)


@pytest.mark.parametrize("ranking", [False, True])
@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_rows_of_zeros_do_not_count_here_nor_in_the_package(path, model, center, ranking):
    X, A, B = model
    taken = {}
    exec(blocks(path)[0], taken)
    rows, items = np.vstack([X.toarray(), np.zeros((300, 30))]), np.vstack([B, np.zeros((9, 5))])
    options = {"center": center, "ranking": ranking}
    for users, others in ((rows @ A, {}), (A, {"interactions": rows})):
        found = taken["safe_items"](users, items, **others, **options)
        package = cosine_audit.safe_items(items=items, users=users, **others, **options)
        assert_allclose(by_norm(found), by_norm(package), atol=1e-9)
        without = safe_items(X @ A, B, **options)
        assert_allclose(found @ found.T, np.pad(without @ without.T, (0, 9)), atol=1e-9)


def biased(table):
    """What LightFM returns for features: biases, and the factors."""
    return lambda features: (np.zeros(3), table)


def tensor(table):
    """What a tower of PyTorch returns, as far as the page uses it."""
    found = SimpleNamespace(numpy=lambda: table)
    found.float = found.cpu = lambda: found
    return found


def frame(table):
    """The factors of Spark's ALS, in no order."""
    order = np.random.default_rng(4).permutation(len(table))
    rows = pd.DataFrame({"id": order + 100, "features": [list(table[i]) for i in order]})
    return SimpleNamespace(toPandas=lambda: rows)


def stand_ins(P, B, folder):
    """For each library a model that holds P and B where the library's models do."""
    ids, on_gpu = SimpleNamespace(to_raw_iid=str), [SimpleNamespace(to_numpy=E.copy) for E in (P, B)]  # as on CUDA
    kept = SimpleNamespace(vectors=B, index_to_key=[f"w{i}" for i in range(len(B))])
    np.save(folder / "users.npy", P)
    np.save(folder / "items.npy", B)
    return {
        "implicit": {"model": SimpleNamespace(user_factors=on_gpu[0], item_factors=on_gpu[1])},
        "LightFM": {"model": SimpleNamespace(get_user_representations=biased(P), get_item_representations=biased(B))},
        "gensim": {"model": SimpleNamespace(syn1neg=P, wv=kept)},
        "Surprise": {"algo": SimpleNamespace(pu=P, qi=B, biased=True, trainset=ids)},
        "Spark": {"model": SimpleNamespace(userFactors=frame(P), itemFactors=frame(B))},
        "PyTorch": {"user_tower": tensor, "item_tower": tensor, "user_inputs": P, "item_inputs": B},
        "NumPy": {},
    }


def printed(capsys):
    """The neighbors before and after, and the share that stays, as compare printed them."""
    before, after, stay = capsys.readouterr().out.strip().splitlines()
    assert before.startswith("before: ")
    assert after.startswith("after: ")
    assert stay.endswith("% stay")
    return before.split()[1:], after.split()[1:], int(stay.partition("%")[0]) / 100


@pytest.mark.parametrize("library", blocks(ENGLISH)[1])
def test_each_librarys_block_runs_alone(library, model, tmp_path, monkeypatch, capsys):
    X, A, B = model
    A, B = h.transform(A, B, np.diag([9.0, 3, 1, 1 / 3, 1 / 9]))
    P = X @ A
    monkeypatch.chdir(tmp_path)
    if library == "PyTorch" and "torch" not in sys.modules:
        monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(no_grad=lambda: pytest.MonkeyPatch.context()))
    names = run(library, **stand_ins(P, B, tmp_path)[library])
    ranking = library in ("LightFM", "Surprise", "PyTorch")
    safe, first = names["safe"], 0
    if library == "Spark":  # which has its own order of rows
        back, first = np.argsort(names["names"]), names["names"][0] - 100
        safe = safe[back]
    assert_allclose(h.cosine_similarity(safe), h.cosine_similarity(safe_items(P, B, ranking=ranking)), atol=1e-8)
    before, after, stay = printed(capsys)
    for found, E in ((before, B), (after, safe)):
        nearest = np.argsort(-h.cosine_similarity(E)[first])[1:11]
        assert [int(name.strip("w")) % 100 for name in found] == list(nearest)
    assert 0 < stay < 1


def test_the_share_that_stays(capsys):
    """On a circle of 30 items ten neighbors are five to either side; those near in both orders stay."""
    circle = np.linspace(0, 2 * np.pi, 31)[:-1]
    far = np.stack([np.cos(circle), np.sin(circle)], axis=1)
    near = {s % 30 for s in range(-5, 6)} - {0}
    for step in (1, 7, 11):
        compare(far, far[np.arange(30) * step % 30])
        _, _, stay = printed(capsys)
        assert stay == pytest.approx(len(near & {s * pow(step, -1, 30) % 30 for s in near}) / 10, abs=0.0051)


def test_with_implicit(model, capsys):
    als = pytest.importorskip("implicit.als").AlternatingLeastSquares(8, iterations=2, num_threads=1, random_state=1)
    als.fit(sparse.csr_matrix(model[0]), show_progress=False)
    assert run("implicit", model=als)["safe"].shape == (30, 8)
    printed(capsys)


@pytest.mark.parametrize("tree", [False, True])
def test_with_gensim(capsys, tree):
    word2vec = pytest.importorskip("gensim.models.word2vec")
    texts = [[f"w{i}" for i in row] for row in np.random.default_rng(6).integers(0, 40, (100, 10))]
    options = {"hs": 1, "negative": 0} if tree else {"hs": 0, "negative": 5}
    fitted = word2vec.Word2Vec(texts, vector_size=6, min_count=1, workers=1, seed=1, **options)
    if tree:  # as the comment on the page says
        assert not hasattr(fitted, "syn1neg")
        fitted.syn1neg = fitted.syn1
    found = run("gensim", model=fitted)
    P = fitted.syn1neg[fitted.syn1neg.any(axis=1)]  # a tree of 40 words has 39 nodes
    scores = fitted.wv.vectors @ (P - P.mean(axis=0)).T
    assert_allclose(h.cosine_similarity(found["safe"] @ found["safe"].T), h.cosine_similarity(scores), atol=1e-3)
    assert set(printed(capsys)[0]) < set(fitted.wv.index_to_key)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_in_blocks_it_is_the_same(path, model):
    """The line on memory, with blocks of users."""
    X, A, B = model
    P, k = X @ A, B.shape[1]
    start, step = re.findall(r"`(R = np\.[^`]+)`", path.read_text("utf-8"))
    names = {"np": np, "k": k, "mean": P.mean(axis=0)}
    exec(start, names)
    for names["block"] in np.array_split(P, 7):
        exec(step, names)
    assert names["R"].shape == (k, k)
    (call,) = re.findall(r"`(safe_items\(R, [^`]+)`", path.read_text("utf-8"))
    found = eval(call, {"safe_items": safe_items, "items": B} | names)
    assert_allclose(h.cosine_similarity(found), h.cosine_similarity(safe_items(P, B)), atol=1e-10)


WAYS = "as trained", "even split", "projected back", "safe items", "safe items, even split"
WORDS = "glosses", "skip-gram"
SCORED = {"AP": "ap", "purity": "purity", "recall": "recall", "WordSim": "wordsim", "SimLex": "simlex"}


def sure(tuned):
    """Leads over "as trained" that are more than noise, {(judge, score, way)}: Holm's correction over the table.

    The pairs are data sets, modules or groups of users; of words every model's wider interval excludes 0.
    """
    rows = read("judges").query("tuned == @tuned")
    keys = ["judge", "score", "unit", "readout"]
    values = rows[~rows.judge.isin(WORDS)].groupby(keys).value.mean().unstack()
    leads = values.sub(values.pop("as trained"), axis=0).stack().groupby(["judge", "score", "readout"])
    adjusted = holm(leads.apply(lambda lead: ttest_1samp(lead, 0).pvalue))
    words = rows[rows.judge.isin(WORDS) & (rows.readout != "as trained")].groupby(["judge", "score", "readout"])
    apart = words.apply(lambda each: (each.low > 0).all() or (each.high < 0).all())
    return {*adjusted.index[adjusted < 0.05], *apart.index[apart]}


def judged(tuned):
    """The rows of a table of judges.csv: [judge, score, *values, neighbors of ten that change]."""
    rows, marked = read("judges").query("tuned == @tuned"), sure(tuned)
    for (judge, score), each in rows.groupby(["judge", "score"], sort=False):
        means = each.groupby("readout")[["value", "kept"]].mean()
        values = [f"{means.value[way]:.3f}{'†' * ((judge, score, way) in marked)}" for way in WAYS]
        changed = ", ".join(f"{10 * (1 - means.kept[way]):.1f}" for way in WAYS[1:])
        yield [judge, score, *values, *([changed] if tuned == "by predictions" else [])]


def test_the_judges_tables_are_the_experiments():
    _, *tables = section("(sec-do-judges)=", "\n(sec-do-libraries)=").split(":::{table}")
    for tuned, text in zip(("by predictions", "for itself"), tables, strict=True):
        rows = [[judge.removeprefix("simulation, "), SCORED[score], *values] for judge, score, *values in table(text)]
        assert rows == list(judged(tuned))


def of_libraries():
    """The rows of the table of real_models.csv: [model, differences by each judge, neighbors of ten that change]."""
    found = compared()
    for model in MODELS:
        row, changed = [model], []
        for judge in ("genres", "sections", "WordSim", "SimLex"):
            both = [found.loc[judge, model, f"safe {share}"] for share in ("0.5", "1")]
            row.append(", ".join(f"{one.difference:+.3f}{'†' if one.sign else ''}" for one in both).replace("-", "−"))
            changed.append([f"{10 * (1 - one.kept):.1f}" for one in both])
        yield [*row, *(", ".join(share) for share in zip(*changed[:3], strict=True))]


def test_the_table_of_libraries_is_the_experiment():
    assert table(section("(sec-do-libraries)=", "(sec-do-ask)=")) == list(of_libraries())


def record():
    """The rows of the table of what choose_share picks, from shares.csv and real_models.csv."""
    rows, keys = read("shares"), ["data", "model"]
    best = rows.query("by == 'judge'").set_index(keys)["alike"].str.split()
    hidden = read("real_models").query("readout == 'chosen' and judge == 'labels' and seed == 1")
    asked = {"other users' hidden items": hidden}
    asked |= {f"{n} judged pairs, three draws": rows[rows["by"] == f"{n} pairs"] for n in (50, 400)}
    for name, picks in asked.items():
        right = [f"{share:g}" in best[data, model] for data, model, share in picks[[*keys, "share"]].to_numpy()]
        silent = (picks["alike"] == "0 0.25 0.5 0.75 1").sum()
        yield [name, f"{sum(right)} of {len(picks)}", f"{silent} of {len(picks)}"]
    yield ["nothing: always ½", f"{sum('0.5' in alike for alike in best)} of {len(best)}", "–"]


def test_the_record_of_choose_share_is_the_experiments():
    assert table(section("(sec-do-ask)=", "\n## What does")) == list(record())
    picks = read("shares").query("by != 'judge' and share != 0.5").groupby("by")["difference"]
    assert picks.size().to_dict() == {"400 pairs": 8, "50 pairs": 1}
    assert picks.min().round(3).to_dict() == {"400 pairs": 0, "50 pairs": -0.025}


def test_share_half_is_ahead_of_share_one_in_eight_of_fourteen_and_behind_in_two():
    rows = read("shares").query("by == 'judge'").reset_index()
    sure = holm(pd.Series(2 * norm.sf((rows["difference"] / rows["error"]).abs()))).sort_index() <= 0.05
    signs = np.sign(rows["difference"])[sure]
    assert (sum(signs > 0), sum(signs < 0), len(rows)) == (8, 2, 14)


def test_holms_correction_is_no_weaker_than_none_and_no_stronger_than_bonferronis():
    p = pd.Series([0.03, 0.001, 0.02, 0.5], list("abcd"))
    assert holm(p).to_dict() == pytest.approx({"b": 0.004, "c": 0.06, "a": 0.06, "d": 0.5})


def test_how_far_share_half_is_from_share_one():
    text = section("(sec-do-judges)=", "(sec-do-libraries)=")
    for _, rows in read("judges").groupby("tuned"):
        values = rows.groupby(["judge", "score", "readout"]).value.mean().unstack()
        less = values["safe items, even split"] - values["safe items"]
        assert f"{less.min():.3f} to {less.max():.3f}".replace("-", "−") in text


def test_truncated_svd_as_the_table_says(model):
    X = model[0].toarray()
    svd = TruncatedSVD(5, algorithm="arpack").fit(X)
    (column,) = re.findall(r"`(svd\.components_\.T.*?)`", ENGLISH.read_text("utf-8"))
    found = safe_items(svd.transform(X), svd.components_.T, center=False, share=1)
    assert_allclose(h.cosine_similarity(eval(column)), h.cosine_similarity(found), atol=1e-8)


def meaning(source):
    """Code without comments and docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            assert ast.get_docstring(node)
            del node.body[0]
    return ast.dump(tree)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_language_has_the_same_code(path):
    text, english = path.read_text("utf-8"), ENGLISH.read_text("utf-8")
    assert meaning(blocks(path)[0]) == meaning(blocks(ENGLISH)[0])
    calls, theirs = blocks(ENGLISH)[1], blocks(path)[1]
    assert list(theirs) == list(calls)
    for library, code in calls.items():
        assert meaning(theirs[library]) == meaning(code)
    for same in re.findall(r"^```(?:sh|python\n(?:rng|from)).*?^```$", english, re.M | re.S):
        assert same in text
    columns = r"`(svd\.components_\.T.*?)`"
    assert re.findall(columns, text) == re.findall(columns, english)
    others = {other.name for other in PAGES} - {path.name}
    assert others <= set(re.findall(r"\]\((what-to-do[\w-]*\.md)\)", text))


def test_the_sheets_print_is_legible():
    style = (ROOT / "book/assets/print.css").read_text("utf-8").partition("@page one-sheet")[2]
    sizes = re.findall(r"font-size: ([\d.]+)(px|em|%)", style)
    assert sizes
    assert all(float(size) >= {"px": 8 / 0.75, "em": 1, "%": 100}[unit] for size, unit in sizes)
