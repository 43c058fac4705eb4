"""Hypothesis settings, and the random matrices that several test files draw."""

import os

import browser
import contents
import kernels
import missing_data
import nbformat
import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from threadpoolctl import threadpool_limits

BUSY = [HealthCheck.too_slow]  # a busy machine is no fault of a test
settings.register_profile(
    "book", derandomize=True, deadline=None, database=None, max_examples=50, suppress_health_check=BUSY
)
settings.load_profile("book")
kernels.prepare()
os.environ.update(kernels.QUICK | os.environ)

NUMBERS = st.integers(-10_000, 10_000).map(lambda i: i / 1000)
SCALES = st.integers(-3000, 3000).filter(bool).map(lambda i: np.sign(i) * 10 ** (abs(i) / 1000 - 1.5))  # 0.03 to 30
SEEDS = st.integers(0, 2**32 - 1)
GRADES = st.sampled_from([-1.0, 0.0, 0.3, 1.0])  # few, so that ties are common


@pytest.fixture(scope="module")
def chromium():
    """A browser; without one the test is skipped."""
    if not all(browser.find_browser()):
        pytest.skip("needs Chromium or Chrome, and chromedriver")
    started = browser.start_browser()
    yield started
    started.quit()


def matrices(n_rows, n_columns):
    return arrays(float, (n_rows, n_columns), elements=NUMBERS)


def scales(k):
    return arrays(float, k, elements=SCALES)


def rotation(rng, k):
    return np.linalg.qr(rng.normal(size=(k, k)))[0]


@st.composite
def invertible(draw, k):
    left, right = (rotation(np.random.default_rng(draw(SEEDS)), k) for _ in range(2))
    return left * draw(scales(k)) @ right


@pytest.fixture(autouse=True, scope="session")
def one_blas_thread():  # the matrices are small: a second thread only waits
    with threadpool_limits(1):
        yield


@pytest.fixture
def rng():
    return np.random.default_rng(20240313)


def pytest_collection_modifyitems(items):
    """Skip chapters whose data or libraries are not here, and say why."""
    for item in items:
        if item.path.suffix == ".ipynb" and (reason := missing_data.missing(contents.name(item.path))):
            item.add_marker(pytest.mark.skip(reason=reason))


def pytest_sessionfinish(session):
    """In make test, keep the chapters as they were executed: make book need not do it again."""
    if not contents.EXECUTED.is_dir() or (contents.EXECUTED / "state").exists():
        return
    cells = [item for item in session.items if getattr(item, "test_outputs", None) is not None]
    for item in cells:
        item.cell.outputs = item.test_outputs
    for chapter in {item.parent for item in cells}:
        path = contents.EXECUTED / f"{contents.name(chapter.path)}.ipynb"
        path.parent.mkdir(exist_ok=True)
        nbformat.write(chapter.nb, path)
