"""The matrix of words and functions: what is committed, and how it is made."""

from numpy.testing import assert_array_equal

from experiments.documentation import word_matrix
from helpers import read_documentation


def test_words_are_counted_once_each_and_rare_ones_left_out():
    texts = [
        ("a.f", "An array, the Array; of 12 rows."),
        ("a.g", "The array is of rows"),  # the words of the first
        ("a.h", "array rows columns the"),
        ("b.i", "too short"),
    ]
    words, functions, X = word_matrix(texts, ["the"], least_words=2, least_functions=2)
    assert_array_equal(words, ["array", "rows"])
    assert_array_equal(functions, ["a.f", "a.h", "b.i"])
    assert_array_equal(X, [[1, 1, 0], [1, 1, 0]])


def test_the_committed_matrix_is_what_the_text_says():
    X, words, functions, modules = read_documentation()
    assert X.shape == (len(words), len(functions)) == (3_253, 1_197)
    assert len(set(modules)) == 24
    svd = X[:, list(functions).index("scipy.linalg.svd")]
    assert {"singular", "unitary", "decomposition"} <= set(words[svd == 1])
