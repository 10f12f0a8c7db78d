import gzip
import struct

import numpy as np
import pytest
from opforge_image.io.idx import read_idx

from opforge.base.errors import OpforgeError


def idx(array, code=0x08):
    return (
        struct.pack(f">BBBB{array.ndim}I", 0, 0, code, array.ndim, *array.shape) + array.tobytes()
    )


@pytest.fixture
def path(tmp_path):
    return tmp_path / "some-images"


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize(
    ("dtype", "code"),
    [("u1", 8), ("i1", 9), (">i2", 0x0B), (">i4", 0x0C), (">f4", 0x0D), (">f8", 0x0E)],
)
def test_types_and_shapes(path, pack, dtype, code):
    for shape in ((4,), (2, 3, 4), (0, 3)):
        array = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
        path.write_bytes(pack(idx(array, code)))
        read = read_idx(path)
        np.testing.assert_array_equal(read, array)
        assert read.dtype == array.dtype.newbyteorder("=")
        assert read.flags.writeable


WHOLE = idx(np.arange(256, dtype=np.uint8).reshape(4, 8, 8))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "starts with b''"),
        (b"<html>", "not an IDX header"),
        (b"\0\0\x07\1" + bytes(8), "not an IDX header"),
        (b"\0\0\x08\xff" + bytes(8), "not an IDX header"),
        (WHOLE[:9], "within its header"),
        (WHOLE[:-1], "256 bytes; got 255"),
        (WHOLE + b"!", "got more"),
        (b"\0\0\x08\4" + b"\xff" * 16, "got 0 bytes"),
        (gzip.compress(WHOLE)[:-20], "gzip stream is broken"),
        (gzip.compress(WHOLE)[:-4] + b"zzzz", "256 bytes; got more|gzip stream is broken"),
        (b"\x1f\x8b\x00", "gzip stream is broken"),
    ],
)
def test_damaged_files_are_named_with_advice(path, content, message):
    path.write_bytes(content)
    with pytest.raises(OpforgeError, match=message) as caught:
        read_idx(path)
    assert str(path) in str(caught.value)
    assert "Delete it" in str(caught.value)


def test_a_missing_file(path):
    with pytest.raises(FileNotFoundError):
        read_idx(path)
