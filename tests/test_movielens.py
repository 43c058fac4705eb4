"""MovieLens' files: where they come from, and what is said where they are not or not whole."""

import hashlib
import socket
import zipfile
from pathlib import Path

import pooch
import pytest

from helpers import movielens
from helpers.files import MissingDataError
from helpers.movielens import read_movielens

RATINGS = b"userId,movieId,rating,timestamp\r\n1,7,4.0,11\r\n2,7,0.5,12\r\n"
MOVIES = 'movieId,title,genres\r\n7,"Misérables, Les (1995)",Drama|War\r\n'.encode()
FILES = {"ratings.csv": RATINGS, "movies.csv": MOVIES}


@pytest.fixture(autouse=True)
def small(monkeypatch, tmp_path):
    """A data set of two ratings in the place of the real one, no folder beside the repository, an empty cache."""
    digests = {name: hashlib.sha256(text).hexdigest() for name, text in FILES.items()}
    monkeypatch.setattr(movielens, "FILES", digests)
    monkeypatch.setattr(movielens, "BESIDE", tmp_path / "beside")
    monkeypatch.delenv("MOVIELENS", raising=False)
    monkeypatch.setattr(pooch, "os_cache", lambda name: tmp_path / "cache")


def put(folder):
    folder.mkdir(exist_ok=True)
    for name, text in FILES.items():
        (folder / name).write_bytes(text)
    return folder


@pytest.fixture
def grouplens(monkeypatch, tmp_path):
    """A server with a small archive in the place of GroupLens'; how often it was asked."""
    path, asked = tmp_path / "served.zip", []
    with zipfile.ZipFile(path, "w") as file:
        for name, text in FILES.items():
            file.writestr(f"ml-latest-small/{name}", text)

    def served(self, url, output_file, *_, **__):
        asked.append(url)
        Path(output_file).write_bytes(path.read_bytes())

    monkeypatch.setattr(pooch.HTTPDownloader, "__call__", served)
    monkeypatch.setattr(movielens, "ARCHIVE", "sha256:" + pooch.file_hash(path))
    return path, asked


def test_the_folder_beside_the_repository_is_read_and_the_named_one_goes_before(monkeypatch, tmp_path):
    ratings, movies = put(tmp_path / "beside") and read_movielens()
    assert ratings.values.tolist() == [[1, 7, 4.0, 11], [2, 7, 0.5, 12]]
    assert movies.values.tolist() == [[7, "Misérables, Les (1995)", "Drama|War"]]
    monkeypatch.setenv("MOVIELENS", str(tmp_path / "nowhere"))
    with pytest.raises(MissingDataError, match=r"MOVIELENS must name a folder that holds ratings.csv and movies.csv"):
        read_movielens()


def test_the_archive_is_downloaded_once(grouplens):
    _, asked = grouplens
    for _ in range(2):
        assert len(read_movielens()[0]) == 2
    assert asked == [movielens.ADDRESS]


def test_a_damaged_archive_is_said_and_downloaded_again(grouplens):
    path, asked = grouplens
    whole = path.read_bytes()
    path.write_bytes(whole[:-30])
    with pytest.raises(MissingDataError, match=r"cannot be had \(ValueError\): set MOVIELENS"):
        read_movielens()
    path.write_bytes(whole)
    assert len(read_movielens()[0]) == 2
    assert len(asked) == 2


def test_a_file_that_is_not_the_one_expected(monkeypatch, tmp_path):
    monkeypatch.setenv("MOVIELENS", str(put(tmp_path / "mine")))
    for file, text, message in (
        ("ratings.csv", RATINGS[:-5], "ratings.csv is not the file that this book was written with"),
        ("ratings.csv", RATINGS.replace(b"4.0", b"4.5"), "not the file that this book was written with"),
        ("movies.csv", None, "movies.csv cannot be read: No such file"),
    ):
        path = put(tmp_path / "mine") / file
        path.unlink() if text is None else path.write_bytes(text)
        with pytest.raises(MissingDataError, match=message):
            read_movielens()


def test_no_network(monkeypatch):
    def refuse(*_, **__):
        raise OSError("no network here")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(movielens, "ADDRESS", "http://localhost:9/ml-latest-small.zip")
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(MissingDataError, match=r"cannot be had \(\w+\): set MOVIELENS to a folder that holds it"):
        read_movielens()
