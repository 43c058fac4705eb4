"""MovieLens' small data set, ml-latest-small, checked, from a folder or from GroupLens; interactions of any ratings.

Its licence allows research and asks for the citation of Harper and Konstan 2015; it is not part of this repository.
"""

import os
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from helpers.files import MissingDataError, checked

ADDRESS = "https://files.grouplens.org/datasets/movielens/ml-latest-small.zip"
ARCHIVE = "sha256:696d65a3dfceac7c45750ad32df2c259311949efec81f0f144fdfb91ebc9e436"
FILES = {  # sha256 of what this book was written with
    "ratings.csv": "aa289ca83157595d0df6aea1be6a4ded676ddc4385472e8313a8ed9805352646",
    "movies.csv": "5a5f32dd9bb3797b8e728a1b98958789d2b13f294a69fdfbc5727f8a9611aa07",
}
VARIABLE = "MOVIELENS"  # the environment variable that names a folder with these files
BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data" / "ml-latest-small"


def read_movielens():
    """The ratings and the films, as two DataFrames.

    The files come from the folder that MOVIELENS names, else from ../shared/data/ml-latest-small beside the repository,
    else from GroupLens, once, into the user's cache.
    Returns: ratings (100 836 rows of userId, movieId, rating, timestamp), movies (9 742 of movieId, title, genres).
    Raises MissingDataError if they cannot be had or are not the files that were expected.
    Source: Harper and Konstan 2015, https://grouplens.org/datasets/movielens/.
    """
    import pandas as pd  # here, as it would double the time that importing helpers takes

    return tuple(pd.read_csv(path) for path in movielens_files())


def interactions(frame, least_rating=None, least_users=10, most_items=None):
    """X (n, p) CSR of 0 and 1 from a table of users, items and, perhaps, ratings; and the items' names (p,).

    Parameters: frame, a DataFrame whose first columns these are; least_rating that counts (default: every row counts);
    least_users who took an item, below which it is left out; most_items, of which the most taken are kept.
    Raises ValueError if a user or an item is missing, ratings are asked for and are no numbers, or nothing is left.
    """
    import pandas as pd

    if frame.shape[1] < 2:
        raise ValueError(f"there must be a column of users and one of items, got {list(frame.columns)}")
    frame = frame.iloc[:, :3]
    users, items = frame.columns[:2]
    for name in (users, items):
        if (gaps := frame[name].isna()).any():
            raise ValueError(f"{name} must not be empty, row {gaps.argmax() + 1} is")
    if least_rating is not None and frame.shape[1] == 3:
        ratings = pd.to_numeric(frame.iloc[:, 2], errors="coerce")
        if (gaps := ratings.isna()).any():
            raise ValueError(f"{frame.columns[2]} must be numbers, row {gaps.argmax() + 1} has none")
        frame = frame[ratings >= least_rating]
    frame = frame[[users, items]].drop_duplicates()
    counts = frame[items].value_counts().sort_index().sort_values(ascending=False, kind="stable")
    kept = counts[counts >= least_users].index[:most_items]
    frame = frame[frame[items].isin(kept)]
    if frame.empty:
        raise ValueError(f"no item was taken by {least_users} users or more")
    rows, columns = pd.factorize(frame[users], sort=True)[0], pd.factorize(frame[items], sort=True)
    X = sp.csr_array((np.ones(len(frame)), (rows, columns[0])))
    return X, np.asarray(columns[1])


def movielens_files():
    """The paths of FILES, checked; MissingDataError if they cannot be had."""
    named = os.environ.get(VARIABLE)
    folder = Path(named) if named else BESIDE if BESIDE.is_dir() else download()
    if not folder.is_dir():
        raise MissingDataError(f"{VARIABLE} must name a folder that holds {' and '.join(FILES)}, got {folder}")
    return [checked(folder / name, sha256) for name, sha256 in FILES.items()]


def download():
    """The folder of FILES in the user's cache, to which GroupLens' archive is downloaded unless it is there."""
    import pooch

    pooch.get_logger().setLevel("WARNING")
    downloader = pooch.HTTPDownloader(timeout=20)  # seconds, after which GroupLens counts as out of reach
    unzip = pooch.Unzip([f"ml-latest-small/{name}" for name in FILES])
    cache = pooch.os_cache("cosine-similarity-companion")
    try:
        paths = pooch.retrieve(ADDRESS, ARCHIVE, "ml-latest-small.zip", cache, unzip, downloader)
    except (OSError, ValueError) as problem:  # requests' exceptions are OSErrors
        why = type(problem).__name__
        raise MissingDataError(
            f"MovieLens is not here and {ADDRESS} cannot be had ({why}): set {VARIABLE} to a folder that holds it"
        ) from None
    return Path(paths[0]).parent
