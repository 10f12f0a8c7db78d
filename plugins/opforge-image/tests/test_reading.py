"""Tests of `imread`, `imdecode` and `imresize`: results and rejected input."""

import struct
import zlib

import cv2
import numpy as np
import pytest

import opforge as mx
from opforge import nd
from opforge.base.errors import OpforgeError

RNG = np.random.default_rng(0)
BYTES = cv2.resize(RNG.integers(0, 256, (5, 6, 3), dtype=np.uint8), (31, 23))


def encoded(array, kind=".png"):
    return cv2.imencode(kind, array)[1].tobytes()


PNG, JPEG = encoded(BYTES), encoded(BYTES, ".jpg")


def test_lossless_files_round_trip():
    for kind in (".png", ".bmp", ".tiff"):
        out = mx.image.imdecode(encoded(BYTES, kind))
        np.testing.assert_array_equal(out.asnumpy(), BYTES[:, :, ::-1])  # OpenCV stores blue first
        assert out.dtype == np.uint8
    np.testing.assert_array_equal(mx.image.imdecode(PNG, to_rgb=0).asnumpy(), BYTES)
    gray = mx.image.imdecode(PNG, flag=0)
    assert gray.shape == (23, 31, 1)
    np.testing.assert_array_equal(
        gray.asnumpy()[:, :, 0], cv2.imdecode(np.frombuffer(PNG, "u1"), 0)
    )


def test_gray_and_transparent_images_have_three_channels():
    deep = encoded(BYTES.astype(np.uint16) * 257)
    clear = encoded(np.dstack([BYTES, BYTES[:, :, 0]]))
    for file in (deep, clear):
        np.testing.assert_array_equal(mx.image.imdecode(file, to_rgb=False).asnumpy(), BYTES)
    assert mx.image.imdecode(encoded(BYTES[:, :, 0])).shape == (23, 31, 3)


def test_bytes_like_objects(tmp_path):
    expected = mx.image.imdecode(JPEG).asnumpy()
    array = np.frombuffer(JPEG, np.uint8)
    for form in (bytearray(JPEG), memoryview(JPEG), array, nd.array(array, dtype="uint8")):
        np.testing.assert_array_equal(mx.image.imdecode(form).asnumpy(), expected)
    path = tmp_path / "image.jpg"
    path.write_bytes(JPEG)
    for name in (path, str(path)):
        np.testing.assert_array_equal(mx.image.imread(name).asnumpy(), expected)
    out = nd.zeros(expected.shape, dtype="uint8")
    mx.image.imread(path, out=out)
    np.testing.assert_array_equal(out.asnumpy(), expected)


def test_invalid_images_are_rejected(tmp_path):
    for file, message in (
        (b"", "empty buffer"),
        (b"hello", "begin with b'hello'"),
        (PNG[:40], "cannot"),
    ):
        with pytest.raises(OpforgeError, match=message):
            mx.image.imdecode(file)
    with pytest.raises(ValueError, match="buf is str; expected bytes"):
        mx.image.imdecode("name.jpg")
    with pytest.raises(OpforgeError, match="float32; expected uint8"):
        mx.image.imdecode(nd.zeros(9))
    with pytest.raises(OpforgeError, match="No such file or directory"):
        mx.image.imread(tmp_path / "none.png")
    (tmp_path / "text.png").write_text("no image")
    with pytest.raises(OpforgeError, match=r"text.png' cannot be decoded"):
        mx.image.imread(tmp_path / "text.png")


def large_png(width, height):
    """Return a PNG of some hundred bytes whose header claims a large size."""

    def chunk(kind, data):
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


def large_jpeg(width, height):
    """Return a JPEG whose frame claims a large size."""
    at = JPEG.index(b"\xff\xc0")
    return JPEG[: at + 5] + struct.pack(">HH", height, width) + JPEG[at + 9 :]


def large_gif(width, height):
    return b"GIF89a" + struct.pack("<HH", width, height) + bytes(16)


def large_bmp(width, height):
    """Return a top-down BMP."""
    return b"BM" + bytes(12) + struct.pack("<Iii", 40, width, -height)


def large_tiff(width, height, order="<"):
    fields = struct.pack(order + "HHIIHHII", 256, 4, 1, width, 257, 4, 1, height)
    return {"<": b"II*\0", ">": b"MM\0*"}[order] + struct.pack(order + "IH", 8, 2) + fields


def large_tiff_of_motorola(width, height):
    return large_tiff(width, height, ">")


def large_big_tiff(width, height):
    fields = struct.pack("<HHQQHHQQ", 256, 16, 1, width, 257, 16, 1, height)
    return b"II+\0\x08\0\0\0" + struct.pack("<QQ", 16, 2) + fields


@pytest.mark.parametrize(
    "bomb",
    [
        large_png,
        large_jpeg,
        large_gif,
        large_bmp,
        large_tiff,
        large_tiff_of_motorola,
        large_big_tiff,
    ],
)
def test_huge_images_are_rejected_before_allocation(bomb, monkeypatch):
    with pytest.raises(OpforgeError, match=r"30000 pixels wide and 30001 high.*MAX_PIXELS"):
        mx.image.imdecode(bomb(30000, 30001))
    monkeypatch.setenv("OPFORGE_IMAGE_MAX_PIXELS", str(31 * 23 - 1))
    for file in (PNG, JPEG, encoded(BYTES, ".bmp"), encoded(BYTES, ".tiff")):
        with pytest.raises(OpforgeError, match="31 pixels wide and 23 high"):
            mx.image.imdecode(file)
    monkeypatch.setenv("OPFORGE_IMAGE_MAX_PIXELS", str(31 * 23))
    assert mx.image.imdecode(JPEG).shape == (23, 31, 3)
    monkeypatch.setenv("OPFORGE_IMAGE_MAX_PIXELS", "many")
    with pytest.raises(OpforgeError, match="OPFORGE_IMAGE_MAX_PIXELS is 'many'; expected a number"):
        mx.image.imdecode(JPEG)


def test_png_chunks_beyond_the_file_are_rejected_before_allocation(monkeypatch):
    monkeypatch.setattr(cv2, "imdecode", lambda *_: pytest.fail("OpenCV has been asked"))
    at = PNG.index(b"IDAT") - 4
    with pytest.raises(OpforgeError, match=f"a chunk ends 2.* bytes after its {len(PNG)} bytes"):
        mx.image.imdecode(PNG[:at] + struct.pack(">I", 2**31) + PNG[at + 4 :])
    with pytest.raises(OpforgeError, match=f"a chunk ends 1 bytes after its {len(PNG) - 1} bytes"):
        mx.image.imdecode(PNG[:-1])


def test_png_may_have_trailing_bytes():
    np.testing.assert_array_equal(mx.image.imdecode(PNG + b"\xff" * 9, to_rgb=0).asnumpy(), BYTES)


@pytest.mark.parametrize("kind", [".png", ".jpg"])
def test_one_pixel(kind):
    file = encoded(np.full((1, 1, 3), 9, np.uint8), kind)
    assert mx.image.imdecode(file).asnumpy().tolist() == [[[9, 9, 9]]]
    assert mx.image.imresize(mx.image.imdecode(file), 50, 40).asnumpy().mean() == 9


def test_the_private_name_that_gluoncv_imports():
    choose = mx.image.image._get_interp_method
    sizes = [(5, 5, 9, 9), (9, 9, 5, 5), (5, 9, 9, 5), ()]
    assert [choose(9, each) for each in sizes] == [2, 3, 1, 2]


def test_resizing():
    array = nd.array(BYTES, dtype="uint8")
    for interp in range(5):
        expected = cv2.resize(BYTES, (17, 40), interpolation=interp)
        np.testing.assert_array_equal(mx.image.imresize(array, 17, 40, interp).asnumpy(), expected)
    assert mx.image.imresize(nd.concat(*[array] * 3, dim=2), 4, 5).shape == (5, 4, 9)
    for bad, message in (((0, 3), "greater equal to 1"), ((3, -1), "greater equal to 1")):
        with pytest.raises(OpforgeError, match=message):
            mx.image.imresize(array, *bad)
    with pytest.raises(OpforgeError, match="height, width, channels"):
        mx.image.imresize(array[:, :, 0], 3, 3)
    with pytest.raises(OpforgeError, match="int32; expected float32"):
        mx.image.imresize(array.astype("int32"), 3, 3)
