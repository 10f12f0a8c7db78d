"""Width and height of an image from the first bytes of its file, without decoding it."""

import struct

import numpy as np

__all__ = ["image_size", "missing_bytes"]

_PNG = b"\x89PNG\r\n\x1a\n"
#: What a chunk of PNG has around its bytes: their number, its kind, and a sum.
_AROUND_CHUNK = 12
#: Markers of JPEG's frames, which say the size: all SOFn, without DHT, JPG and DAC.
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
#: Markers without a length: TEM, RSTn, SOI.
_BARE = frozenset({0x01, *range(0xD0, 0xD9)})
#: Fields of a TIFF's directory, and the types that they may have.
_TIFF_SIDES = (256, 257)
_TIFF_TYPES = {3: "H", 4: "I", 16: "Q"}
#: Decoders refuse a directory of more.
_MOST_FIELDS = 4096


def image_size(data: np.ndarray) -> tuple[int, int] | None:
    """Return width and height of a JPEG, PNG, GIF, BMP or TIFF, or None where they are not told.

    Parameters
    ----------
    data : numpy.ndarray, shape (n,), uint8
        The file's bytes.
    """
    head = data[:26].tobytes()
    if head.startswith(b"\xff\xd8"):
        return _jpeg_size(data)
    if head[:4] in (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"):
        return _tiff_size(data)
    if len(head) < 26:
        return None
    if head.startswith(_PNG):
        return _pair(">II", head[16:])
    if head.startswith(b"GIF8"):
        return _pair("<HH", head[6:])
    if head.startswith(b"BM"):
        return _pair("<HH" if head[14] == 12 else "<ii", head[18:])
    return None


def missing_bytes(data: np.ndarray) -> int:
    """Return how many bytes a PNG says that it has behind its end, or 0.

    OpenCV 5 takes memory for a chunk by its length, which may say four gigabytes.

    Parameters
    ----------
    data : numpy.ndarray, shape (n,), uint8
        The file's bytes.
    """
    if data[:8].tobytes() != _PNG:
        return 0
    at = len(_PNG)
    while at + 8 <= data.size:
        length, kind = struct.unpack(">I4s", data[at : at + 8].tobytes())
        at += _AROUND_CHUNK + length
        if kind == b"IEND":
            break
    return max(0, at - data.size)


def _pair(form: str, head: bytes) -> tuple[int, int]:
    width, height = struct.unpack_from(form, head)
    return abs(width), abs(height)  # a BMP whose first row is the upper one has a negative height


def _tiff_size(data: np.ndarray) -> tuple[int, int] | None:
    """Return the largest sides that the first directory names."""
    order, is_big = ("<" if data[0] == ord("I") else ">"), ord("+") in data[2:4]
    place, count, entry = ("Q", "Q", "HHQ") if is_big else ("I", "H", "HHI")
    sides = dict.fromkeys(_TIFF_SIDES, 0)
    try:
        (at,) = _numbers(data, 8 if is_big else 4, order + place)
        (entries,) = _numbers(data, at, order + count)
        at += struct.calcsize(order + count)
        for _ in range(min(entries, _MOST_FIELDS)):
            tag, kind, _ = _numbers(data, at, order + entry)
            at += struct.calcsize(order + entry)
            if tag in sides and kind in _TIFF_TYPES:
                sides[tag] = max(sides[tag], *_numbers(data, at, order + _TIFF_TYPES[kind]))
            at += struct.calcsize(order + place)
    except struct.error:  # behind the end
        return None
    return sides[_TIFF_SIDES[0]], sides[_TIFF_SIDES[1]]


def _numbers(data: np.ndarray, at: int, form: str) -> tuple[int, ...]:
    return struct.unpack(form, data[at : at + struct.calcsize(form)].tobytes())


def _jpeg_size(data: np.ndarray) -> tuple[int, int] | None:
    """Walk over the segments to the frame."""
    at = 2
    while at + 9 <= data.size:
        if data[at] != 0xFF:
            at += 1  # decoders look for the next marker, too
            continue
        marker = int(data[at + 1])
        if marker in _FRAMES:
            height, width = struct.unpack(">HH", data[at + 5 : at + 9].tobytes())
            return width, height
        if marker == 0xFF:
            at += 1  # fill bytes
        elif marker in _BARE:
            at += 2
        else:
            at += 2 + max(2, int(data[at + 2]) << 8 | int(data[at + 3]))
    return None
