import hashlib
from pathlib import Path

import pytest

import opforge as mx
from opforge.gluon import utils


def test_download_to_a_file_a_folder_and_here(weights_file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    address = weights_file.as_uri()
    assert utils.download(address) == "weights.bin"
    assert utils.download(address, str(tmp_path)) == str(tmp_path / "weights.bin")
    assert utils.download(address, "~/new/w") == str(tmp_path / "new" / "w")
    assert (tmp_path / "new" / "w").read_bytes() == b"weights"


def test_existing_files_with_a_matching_digest_are_kept(weights_file, tmp_path):
    target = tmp_path / "w"
    target.write_bytes(b"old")
    utils.download(weights_file.as_uri(), target)
    assert target.read_bytes() == b"old"
    digest = hashlib.sha1(b"weights").hexdigest()
    utils.download(weights_file.as_uri(), target, sha1_hash=digest)
    assert target.read_bytes() == b"weights"
    weights_file.unlink()
    utils.download(weights_file.as_uri(), target, sha1_hash=digest)
    assert utils.check_sha1(target, digest)
    with pytest.raises(mx.MXNetError, match="cannot download"):
        utils.download(weights_file.as_uri(), target, overwrite=True)
    assert target.read_bytes() == b"weights"


def test_bad_arguments(weights_file):
    with pytest.raises(ValueError, match="retries=-1"):
        utils.download(weights_file.as_uri(), retries=-1)
    with pytest.raises(ValueError, match="does not end with a file name"):
        utils.download("http://example.org/folder/")


def test_the_repository(monkeypatch):
    monkeypatch.delenv("OPFORGE_GLUON_REPO", raising=False)
    monkeypatch.delenv("MXNET_GLUON_REPO", raising=False)
    assert utils._get_repo_url().startswith("https://apache-mxnet")
    monkeypatch.setenv("MXNET_GLUON_REPO", "file:///data")
    assert utils._get_repo_url() == "file:///data/"
    assert utils._get_repo_file_url("gluon/dataset", "a.zip") == "file:///data/gluon/dataset/a.zip"


def test_replace_file(tmp_path):
    new, old = tmp_path / "new", tmp_path / "old"
    new.write_text("new")
    old.write_text("old")
    utils.replace_file(new, old)
    assert (old.read_text(), new.exists()) == ("new", False)
    assert Path(tmp_path).is_dir()
