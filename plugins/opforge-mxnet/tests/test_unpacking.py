"""Archives of data sets and embeddings that unpack to far more than they should: an error."""

import bz2
import io
import tarfile
import zipfile

import pytest

from opforge import test_utils
from opforge.base.errors import MXNetError
from opforge.contrib.text.pretrained_files import local_file

MIB = 1 << 20


@pytest.fixture
def one_mib(monkeypatch):
    monkeypatch.setenv("OPFORGE_UNPACK_LIMIT_MB", "1")


def test_zip_archives(tmp_path, one_mib):
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in "ab":
            archive.writestr(name, bytes(MIB // 2 + 1))
    data = tmp_path / "data"
    with pytest.raises(MXNetError, match=r"a\.zip.*1048578 bytes.*OPFORGE_UNPACK_LIMIT_MB"):
        test_utils.get_zip_data(str(data), (tmp_path / "a.zip").as_uri(), "a.zip")
    assert not list(data.iterdir())


def test_bz2_files(tmp_path, one_mib):
    (tmp_path / "b.bz2").write_bytes(bz2.compress(bytes(MIB + 1)))
    data = tmp_path / "data"
    with pytest.raises(MXNetError, match=r"b\.bz2.*more than 1048576 bytes"):
        test_utils.get_bz2_data(str(data), "b", (tmp_path / "b.bz2").as_uri(), "b.bz2")
    assert [entry.name for entry in data.iterdir()] == ["b.bz2"]


@pytest.mark.parametrize("kind", ["zip", "gz"])
def test_embeddings(tmp_path, monkeypatch, one_mib, kind):
    monkeypatch.setattr("opforge.contrib.text.pretrained_files._MOST_BYTES", MIB)
    folder = tmp_path / "glove"
    folder.mkdir()
    if kind == "zip":
        with zipfile.ZipFile(folder / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a.txt", bytes(MIB + 1))
    else:
        with tarfile.open(folder / "a.gz", "w:gz") as tar:
            member = tarfile.TarInfo("a.txt")
            member.size = 2 * MIB
            tar.addfile(member, io.BytesIO(bytes(2 * MIB)))
    with pytest.raises(MXNetError, match=rf"a\.{kind}.*unpacks to.*at most 1048576"):
        local_file(tmp_path, "glove", "a.txt", f"a.{kind}", None, False)
    assert not (folder / "a.txt").exists()
