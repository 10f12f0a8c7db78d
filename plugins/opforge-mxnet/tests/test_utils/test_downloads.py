import bz2
import os
import zipfile
from pathlib import Path

import pytest

import opforge as mx
from opforge import test_utils


def test_download_creates_folders_and_keeps_existing_files(weights_file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert test_utils.download(weights_file.as_uri()) == "weights.bin"
    target = test_utils.download(weights_file.as_uri(), "w", "new/folder")
    assert target == os.path.join("new/folder", "w")
    weights_file.write_bytes(b"others")
    assert test_utils.download(weights_file.as_uri(), "w", "new/folder") == target
    assert Path(target).read_bytes() == b"weights"
    test_utils.download(weights_file.as_uri(), target, overwrite=True)
    assert Path(target).read_bytes() == b"others"


def test_a_missing_file_is_named_without_further_tries(tmp_path, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda seconds: pytest.fail("it tried again"))
    address = (tmp_path / "none").as_uri()
    with pytest.raises(mx.MXNetError, match=f"cannot download {address}"):
        test_utils.download(address, dirname=str(tmp_path))
    with pytest.raises(AssertionError, match="retries"):
        test_utils.download(address, retries=-1)


def test_download_model(tmp_path, monkeypatch):
    monkeypatch.setenv("OPFORGE_DATA_REPO", (tmp_path / "repository").as_uri())
    folder = tmp_path / "repository" / "models" / "imagenet" / "inception-bn"
    folder.mkdir(parents=True)
    (folder / "Inception-BN-symbol.json").write_text("{}")
    (folder / "Inception-BN-0126.params").write_bytes(b"numbers")
    prefix, epoch = test_utils.download_model("imagenet1k-inception-bn", str(tmp_path / "models"))
    assert epoch == 0
    assert Path(f"{prefix}-symbol.json").read_text() == "{}"
    assert Path(f"{prefix}-0000.params").read_bytes() == b"numbers"
    assert test_utils.download_model("no-such-model") == (None, 0)
    own = {
        "mine": dict.fromkeys(("symbol", "params"), (folder / "Inception-BN-symbol.json").as_uri())
    }
    assert test_utils.download_model("mine", str(tmp_path), own) == (str(tmp_path / "mine"), 0)


def test_archives(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("inside.txt", "unpacked")
    (tmp_path / "b.bz2").write_bytes(bz2.compress(b"unpacked too"))
    data = tmp_path / "data"
    test_utils.get_zip_data(str(data), (tmp_path / "a.zip").as_uri(), "a.zip")
    assert (data / "inside.txt").read_text() == "unpacked"
    for _ in range(2):
        test_utils.get_bz2_data(str(data), "b", (tmp_path / "b.bz2").as_uri(), "b.bz2")
    assert (data / "b").read_bytes() == b"unpacked too"
    assert sorted(entry.name for entry in data.iterdir()) == ["a.zip", "b", "inside.txt"]


def test_im2rec(tmp_path, monkeypatch):
    monkeypatch.setenv("MXNET_HOME", str(tmp_path))
    with pytest.raises(OSError, match="set MXNET_HOME"):
        test_utils.get_im2rec_path()
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "im2rec.py").write_text("")
    assert test_utils.get_im2rec_path() == str(tmp_path / "tools" / "im2rec.py")
