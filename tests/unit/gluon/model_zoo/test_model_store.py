"""Parameter files, found by a model's name."""

import hashlib

import pytest

from opforge.gluon.model_zoo import model_store
from opforge.gluon.model_zoo.model_store import get_model_file, purge


def test_the_plain_name_is_taken_first(tmp_path):
    for name in ("net.params", "net-12345678.params", "network.params"):
        (tmp_path / name).write_bytes(b"x")
    assert get_model_file("net", root=tmp_path) == str(tmp_path / "net.params")


def test_names_with_digits_contain_the_hash(tmp_path):
    digits = hashlib.sha1(b"weights").hexdigest()[:8]
    good = tmp_path / f"net-{digits}.params"
    good.write_bytes(b"weights")
    assert get_model_file("net", root=tmp_path) == str(good)
    good.write_bytes(b"damaged")
    with pytest.raises(ValueError, match=f"its SHA-1 does not begin with {digits}"):
        get_model_file("net", root=tmp_path)


def test_a_file_that_is_missing_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.setenv("OPFORGE_HOME", str(tmp_path))
    with pytest.raises(FileNotFoundError) as caught:
        get_model_file("net")
    assert f"looked for net.params and net-*.params in {tmp_path / 'models'}" in str(caught.value)


def test_packages_say_which_file_is_wanted(tmp_path, monkeypatch):
    monkeypatch.setitem(model_store._model_sha1, "net", "e25287c5a924b7025e08d626f02626d5fa3af2d1")
    with pytest.raises(FileNotFoundError, match=r"copy MXNet's file, net-e25287c5\.params"):
        get_model_file("net", root=tmp_path)


def test_purge_deletes_parameters_alone(tmp_path):
    for name in ("a.params", "b-1.params", "notes.txt"):
        (tmp_path / name).touch()
    purge(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
