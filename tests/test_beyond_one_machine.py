"""The model from blocks: in one order. That a worker may die, or a block be damaged, is shown by the chapter itself."""

from itertools import islice, pairwise

import dask
import numpy as np
import pytest
import scipy.sparse as sp
from conftest import SEEDS, rotation
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from experiments.scaling import eq2_items, gram_of_block, krylov, start, summed, write_blocks
from helpers import cosine_similarity, factor_norm_factors, simulate_interactions
from helpers.spectrum import spectrum_of_gram


def test_parts_are_added_in_a_fixed_order():
    for numbers in ([1e16, 1.0, -1e16, 1.0], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]):
        expected = list(numbers)
        while len(expected) > 1:
            expected = [sum(expected[i : i + 2]) for i in range(0, len(expected), 2)]
        assert summed([dask.delayed(number) for number in numbers]).compute() == expected[0]


@pytest.mark.parametrize("n_blocks", [1, 2, 3, 8, 13])
@pytest.mark.parametrize("values", ["0/1", "real"])
def test_blocks_give_the_gram_matrix_of_one_machine(n_blocks, values, rng, tmp_path):
    X = simulate_interactions(np.random.default_rng(0), n_users=600, n_items=60, max_activity=20).X
    if values == "real":
        X = sp.csr_array((rng.normal(size=X.nnz), X.indices, X.indptr), X.shape)
    ends = np.unique(np.linspace(0, 1, n_blocks + 1) ** 2 * 600).astype(int)  # of unequal sizes
    blocks = write_blocks(tmp_path, [X[first:last] for first, last in pairwise(ends)])
    with dask.config.set(scheduler="threads"):
        G = summed([dask.delayed(gram_of_block)(block) for block in blocks]).compute()
    assert_allclose(G, (X.T @ X).toarray(), atol=1e-12 if values == "real" else 0)


@settings(max_examples=30)
@given(SEEDS, st.sampled_from([8.0, 9.0, 9.9]), st.integers(1, 3))
def test_the_bound_on_eq2_holds_after_every_pass(seed, lam2, passes):
    rng = np.random.default_rng(seed)
    basis, values = rotation(rng, 40), np.r_[rng.uniform(100, 900, 6), rng.uniform(0, 60, 34)]
    G = (basis * values) @ basis.T
    s, V = spectrum_of_gram(G, 40)
    B = factor_norm_factors(s, V, lam2)[1]
    theta, V_now, R = next(islice(krylov(lambda Q: G @ Q, start(len(G), 12), 10), passes - 1, None))
    assert np.abs(V_now.T @ R).max() < 1e-9 * theta[0]
    if (theta > lam2**2).sum() < 6:  # something is still missed
        return
    B_now, bound = eq2_items(theta, V_now, R, lam2)
    assert np.linalg.norm(B @ B.T - B_now @ B_now.T) <= bound * (1 + 1e-9) + 1e-10
    lengths = np.sum(B_now**2, axis=1)
    if bound < lengths.min():
        error = np.abs(cosine_similarity(B) - cosine_similarity(B_now)).max()
        assert error <= 2 * bound / lengths.min() + 1e-9
