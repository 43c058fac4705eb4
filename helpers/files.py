"""Files that this book was written with: each is known by its checksum."""

import hashlib

import numpy as np
import scipy.sparse as sp


class MissingDataError(Exception):
    """The data are not here, or not those this book was written with; one sentence says why."""


def checked(path, sha256):
    """The path, if its file has that checksum; MissingDataError, which names it, otherwise."""
    try:
        with open(path, "rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as problem:
        raise MissingDataError(f"{path} cannot be read: {problem.strerror}") from None
    if found != sha256:
        raise MissingDataError(f"{path} is not the file that this book was written with: its sha256 differs")
    return path


def committed_arrays(path, sha256):
    """The arrays of an .npz file that is part of the book, as a dict; MissingDataError if its checksum is another."""
    with np.load(checked(path, sha256)) as stored:
        return dict(stored)


def rows_of_ones(columns, lengths, n_columns):
    """A CSR matrix of 0 and 1 from the columns of its ones, row after row, and how many each row has."""
    starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int32)])
    return sp.csr_array((np.ones(len(columns)), columns.astype(np.int32), starts), shape=(len(lengths), n_columns))
