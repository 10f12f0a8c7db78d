"""Archives that unpack to far more than they should raise an error and use little memory."""

import bz2
import gzip
import io
import tarfile

import pytest

from opforge.base.errors import MXNetError
from opforge.base.unpacking import copy_unpacked, open_tar, unpack_limit

MIB = 1 << 20


def test_a_huge_extended_header_is_not_read(tmp_path):
    path = tmp_path / "a.tar.gz"
    header = tarfile.TarInfo("paxheader")
    header.type, header.size = tarfile.XHDTYPE, 64 * MIB
    path.write_bytes(gzip.compress(header.tobuf() + bytes(64 * MIB), 1))
    with (
        pytest.raises(MXNetError, match="a header of the archive unpacks to"),
        open_tar(path, 1 << 30) as tar,
    ):
        tar.getnames()


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress)])
def test_tar_archives_within_the_limit(tmp_path, suffix, pack):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        member = tarfile.TarInfo("folder/file")
        member.size = 3
        tar.addfile(member, io.BytesIO(b"abc"))
    (tmp_path / suffix).write_bytes(pack(stream.getvalue()))
    with open_tar(tmp_path / suffix, 1 << 20) as tar:
        assert tar.extractfile("folder/file").read() == b"abc"


def test_copies_stop_at_the_limit():
    target = io.BytesIO()
    copy_unpacked(io.BytesIO(b"abc"), target, "a", 3)
    assert target.getvalue() == b"abc"
    with pytest.raises(MXNetError, match="more than 2 bytes"):
        copy_unpacked(io.BytesIO(b"abc"), io.BytesIO(), "a", 2)


def test_the_limit_is_a_setting(monkeypatch):
    assert unpack_limit() == 1024 * MIB
    monkeypatch.setenv("OPFORGE_UNPACK_LIMIT_MB", "3")
    assert unpack_limit() == 3 * MIB
