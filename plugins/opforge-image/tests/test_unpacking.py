"""Archives and IDX files that unpack to far more than they should raise an error."""

import gzip
import io
import struct
import subprocess
import sys
import tarfile

import pytest

from opforge.base.errors import MXNetError
from opforge.gluon.data.vision import CIFAR10, CIFAR100
from opforge.io import idx

MIB = 1 << 20


class Zeros(io.RawIOBase):
    """An endless stream of zeros."""

    def read(self, size=-1):
        return bytes(size)


@pytest.fixture
def one_mib(monkeypatch):
    monkeypatch.setenv("OPFORGE_UNPACK_LIMIT_MB", "1")


def bomb(path, name, size):
    with tarfile.open(path, "w:gz", compresslevel=9) as tar:
        member = tarfile.TarInfo(name)
        member.size = size
        tar.addfile(member, Zeros())


@pytest.mark.parametrize(
    ("dataset", "archive", "name", "most"),
    [
        (CIFAR10, "cifar-10-binary.tar.gz", "test_batch.bin", 10_000 * 3073),
        (CIFAR100, "cifar-100-binary.tar.gz", "test.bin", 50_000 * 3074),
    ],
)
def test_cifar_files_have_a_known_size(tmp_path, dataset, archive, name, most):
    bomb(tmp_path / archive, name, most + 1)
    with pytest.raises(MXNetError) as raised:
        dataset(tmp_path, train=False)
    for part in (archive, name, f"{most + 1} bytes", f"at most {most} bytes", "delete it"):
        assert part in str(raised.value)
    assert not (tmp_path / name).exists()


def test_a_cifar_bomb_takes_little_memory(tmp_path):
    bomb(tmp_path / "cifar-10-binary.tar.gz", "test_batch.bin", 600 * MIB)
    code = """
import resource, sys
from opforge.base.errors import MXNetError
from opforge.gluon.data.vision import CIFAR10
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    CIFAR10(sys.argv[1], train=False)
except MXNetError as error:
    print(error)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print("MiB", (after - before) // 1024)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=True
    )
    assert "629145600 bytes, expected at most 30730000" in done.stdout
    assert int(done.stdout.rpartition("MiB ")[2]) < 100


def test_members_before_the_file_count_too(tmp_path):
    bomb(tmp_path / "cifar-10-binary.tar.gz", "something else", 8 * 10_000 * 3073 + MIB)
    with pytest.raises(MXNetError, match=r"its content unpacks to \d+ bytes, expected at most"):
        CIFAR10(tmp_path, train=False)


def test_gzipped_idx(tmp_path, one_mib):
    path = tmp_path / "images.gz"
    for size in (MIB, MIB + 1):
        path.write_bytes(gzip.compress(struct.pack(">4BI", 0, 0, 8, 1, size) + bytes(size)))
        if size == MIB:
            assert idx.read_idx(path).shape == (MIB,)
    with pytest.raises(MXNetError, match=r"images.gz.*1048577 bytes.*1048576.*OPFORGE_UNPACK_LIM"):
        idx.read_idx(path)


def test_plain_idx_has_no_limit(tmp_path, one_mib):
    (tmp_path / "images").write_bytes(struct.pack(">4BI", 0, 0, 8, 1, 2 * MIB) + bytes(2 * MIB))
    assert idx.read_idx(tmp_path / "images").shape == (2 * MIB,)
