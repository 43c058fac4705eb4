"""The matrix of words and functions: what is committed, and how it is made."""

from numpy.testing import assert_array_equal

from experiments.documentation import word_matrix


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
