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


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Folders that are searched by default: of the user, of opforge and of MXNet."""
    monkeypatch.setenv("OPFORGE_MODEL_DIR", str(tmp_path / "mine"))
    monkeypatch.setenv("OPFORGE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path))
    found = [tmp_path / "mine", tmp_path / "home" / "models", tmp_path / ".mxnet" / "models"]
    for folder in found:
        folder.mkdir(parents=True)
    return found


def test_folders_are_searched_in_order(folders):
    for folder in reversed(folders):
        digits = hashlib.sha1(str(folder).encode()).hexdigest()[:8]
        (folder / f"net-{digits}.params").write_text(str(folder))
        assert get_model_file("net") == str(folder / f"net-{digits}.params")


def test_a_damaged_file_is_skipped_for_one_in_another_folder(folders):
    (folders[0] / "net-12345678.params").write_bytes(b"damaged")
    (folders[2] / "net.params").write_bytes(b"weights")
    assert get_model_file("net") == str(folders[2] / "net.params")


def test_the_message_says_which_file_goes_where(folders, tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        get_model_file("resnet18_v1")
    assert (
        "put resnet18_v1.params, written by net.save_parameters(), or MXNet's "
        "resnet18_v1-a0666292.params (SHA-1 a0666292f0a30ff61f857b0b66efc0228eb6a54b) into "
        f"{folders[0]}; searched were also {folders[1]}, {folders[2]}"
    ) in str(caught.value)
    with pytest.raises(FileNotFoundError, match=rf"save_parameters\(\) into {tmp_path}$"):
        get_model_file("net", root=tmp_path)


def test_packages_add_files(tmp_path, monkeypatch):
    monkeypatch.setitem(model_store._model_sha1, "net", "e25287c5a924b7025e08d626f02626d5fa3af2d1")
    with pytest.raises(FileNotFoundError, match=r"MXNet's net-e25287c5\.params \(SHA-1 e25287c5a9"):
        get_model_file("net", root=tmp_path)


def test_purge_deletes_parameters_alone(tmp_path):
    for name in ("a.params", "b-1.params", "notes.txt"):
        (tmp_path / name).touch()
    purge(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
