"""`imread`, `imdecode` and `imresize`: what is read, what is refused, and that nothing breaks."""

import struct
import zlib

import cv2
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import opforge as mx
from opforge import nd
from opforge.base.errors import OpforgeError

RNG = np.random.default_rng(0)
BYTES = cv2.resize(RNG.integers(0, 256, (5, 6, 3), dtype=np.uint8), (31, 23))


def encoded(picture, kind=".png"):
    return cv2.imencode(kind, picture)[1].tobytes()


PNG, JPEG = encoded(BYTES), encoded(BYTES, ".jpg")


def test_a_file_without_loss_is_read_as_it_was_written():
    for kind in (".png", ".bmp", ".tiff"):
        out = mx.image.imdecode(encoded(BYTES, kind))
        np.testing.assert_array_equal(out.asnumpy(), BYTES[:, :, ::-1])  # OpenCV has blue first
        assert out.dtype == np.uint8
    np.testing.assert_array_equal(mx.image.imdecode(PNG, to_rgb=0).asnumpy(), BYTES)
    gray = mx.image.imdecode(PNG, flag=0)
    assert gray.shape == (23, 31, 1)
    np.testing.assert_array_equal(
        gray.asnumpy()[:, :, 0], cv2.imdecode(np.frombuffer(PNG, "u1"), 0)
    )


def test_other_kinds_of_pictures_become_three_channels():
    deep = encoded(BYTES.astype(np.uint16) * 257)
    clear = encoded(np.dstack([BYTES, BYTES[:, :, 0]]))
    for file in (deep, clear):
        np.testing.assert_array_equal(mx.image.imdecode(file, to_rgb=False).asnumpy(), BYTES)
    assert mx.image.imdecode(encoded(BYTES[:, :, 0])).shape == (23, 31, 3)


def test_bytes_of_any_kind(tmp_path):
    want = mx.image.imdecode(JPEG).asnumpy()
    array = np.frombuffer(JPEG, np.uint8)
    for form in (bytearray(JPEG), memoryview(JPEG), array, nd.array(array, dtype="uint8")):
        np.testing.assert_array_equal(mx.image.imdecode(form).asnumpy(), want)
    path = tmp_path / "picture.jpg"
    path.write_bytes(JPEG)
    for name in (path, str(path)):
        np.testing.assert_array_equal(mx.image.imread(name).asnumpy(), want)
    out = nd.zeros(want.shape, dtype="uint8")
    mx.image.imread(path, out=out)
    np.testing.assert_array_equal(out.asnumpy(), want)


def test_what_is_no_picture(tmp_path):
    for file, words in (
        (b"", "empty buffer"),
        (b"hello", "begin with b'hello'"),
        (PNG[:40], "cannot"),
    ):
        with pytest.raises(OpforgeError, match=words):
            mx.image.imdecode(file)
    with pytest.raises(ValueError, match="buf is str, expected bytes"):
        mx.image.imdecode("name.jpg")
    with pytest.raises(OpforgeError, match="float32, expected uint8"):
        mx.image.imdecode(nd.zeros(9))
    with pytest.raises(OpforgeError, match="No such file or directory"):
        mx.image.imread(tmp_path / "none.png")
    (tmp_path / "text.png").write_text("no picture")
    with pytest.raises(OpforgeError, match=r"text.png' cannot be decoded"):
        mx.image.imread(tmp_path / "text.png")


def large_png(width, height):
    """Return a PNG of some hundred bytes that says it is large."""

    def chunk(kind, data):
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


def large_jpeg(width, height):
    """Return a JPEG whose frame says that it is large."""
    at = JPEG.index(b"\xff\xc0")
    return JPEG[: at + 5] + struct.pack(">HH", height, width) + JPEG[at + 9 :]


@pytest.mark.parametrize("bomb", [large_png, large_jpeg])
def test_pictures_that_say_they_are_huge_are_refused_before_memory_is_taken(bomb, monkeypatch):
    with pytest.raises(OpforgeError, match=r"30000 pixels wide and 30001 high.*MAX_PIXELS"):
        mx.image.imdecode(bomb(30000, 30001))
    monkeypatch.setenv("OPFORGE_IMAGE_MAX_PIXELS", str(31 * 23 - 1))
    for file in (PNG, JPEG):
        with pytest.raises(OpforgeError, match="31 pixels wide and 23 high"):
            mx.image.imdecode(file)
    monkeypatch.setenv("OPFORGE_IMAGE_MAX_PIXELS", str(31 * 23))
    assert mx.image.imdecode(JPEG).shape == (23, 31, 3)
    monkeypatch.setenv("OPFORGE_IMAGE_MAX_PIXELS", "many")
    with pytest.raises(OpforgeError, match="OPFORGE_IMAGE_MAX_PIXELS is 'many', expected a number"):
        mx.image.imdecode(JPEG)


@pytest.mark.parametrize("kind", [".png", ".jpg"])
def test_one_pixel(kind):
    file = encoded(np.full((1, 1, 3), 9, np.uint8), kind)
    assert mx.image.imdecode(file).asnumpy().tolist() == [[[9, 9, 9]]]
    assert mx.image.imresize(mx.image.imdecode(file), 50, 40).asnumpy().mean() == 9


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([PNG, JPEG]), st.data())
def test_damaged_files_are_errors_or_pictures(file, data):
    changed = bytearray(file)
    for _ in range(data.draw(st.integers(0, 4))):
        changed[data.draw(st.integers(0, len(file) - 1))] = data.draw(st.integers(0, 255))
    end = data.draw(st.integers(0, len(file)))
    try:
        out = mx.image.imdecode(bytes(changed[:end]))
    except OpforgeError:
        return
    assert out.ndim == 3 and out.dtype == np.uint8


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200), st.sampled_from([b"", b"\xff\xd8", b"\x89PNG\r\n\x1a\n", b"BM"]))
@example(b"\xff\xff\xff\xe0\x00\x00\xff\xc0\x00", b"\xff\xd8")
def test_any_bytes_are_an_error_or_a_picture(rest, head):
    try:
        out = mx.image.imdecode(head + rest)
    except OpforgeError:
        return
    assert out.ndim == 3 and out.dtype == np.uint8


def test_the_private_name_that_gluoncv_imports():
    choose = mx.image.image._get_interp_method
    sizes = [(5, 5, 9, 9), (9, 9, 5, 5), (5, 9, 9, 5), ()]
    assert [choose(9, each) for each in sizes] == [2, 3, 1, 2]


def test_resizing():
    picture = nd.array(BYTES, dtype="uint8")
    for interp in range(5):
        want = cv2.resize(BYTES, (17, 40), interpolation=interp)
        np.testing.assert_array_equal(mx.image.imresize(picture, 17, 40, interp).asnumpy(), want)
    assert mx.image.imresize(nd.concat(*[picture] * 3, dim=2), 4, 5).shape == (5, 4, 9)
    for bad, words in (((0, 3), "greater equal to 1"), ((3, -1), "greater equal to 1")):
        with pytest.raises(OpforgeError, match=words):
            mx.image.imresize(picture, *bad)
    with pytest.raises(OpforgeError, match="height, width, channels"):
        mx.image.imresize(picture[:, :, 0], 3, 3)
    with pytest.raises(OpforgeError, match="int32, expected one of"):
        mx.image.imresize(picture.astype("int32"), 3, 3)
