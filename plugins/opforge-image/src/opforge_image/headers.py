"""Width and height of encoded images, read from their headers without decoding."""

import struct

import numpy as np

__all__ = ["image_size", "missing_bytes"]

_PNG = b"\x89PNG\r\n\x1a\n"
#: Bytes around the data of a PNG chunk: length, type and checksum.
_CHUNK_OVERHEAD = 12
#: Markers of JPEG frames, which hold the size: all SOFn, without DHT, JPG and DAC.
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
#: Markers without a length: TEM, RSTn, SOI.
_BARE = frozenset({0x01, *range(0xD0, 0xD9)})
#: Tags of width and height in a TIFF directory, and their possible types.
_TIFF_SIDES = (256, 257)
_TIFF_TYPES = {3: "H", 4: "I", 16: "Q"}
#: Decoders reject larger directories.
_MAX_FIELDS = 4096


def image_size(data: np.ndarray) -> tuple[int, int] | None:
    """Return width and height of a JPEG, PNG, GIF, BMP or TIFF, or None if unknown.

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
    """Return the number of bytes by which the chunks of a PNG exceed the file, or 0.

    OpenCV 5 allocates the length that a chunk claims, up to four gigabytes.

    Parameters
    ----------
    data : numpy.ndarray, shape (n,), uint8
        The file's bytes.
    """
    if data[:8].tobytes() != _PNG:
        return 0
    offset = len(_PNG)
    while offset + 8 <= data.size:
        length, kind = struct.unpack(">I4s", data[offset : offset + 8].tobytes())
        offset += _CHUNK_OVERHEAD + length
        if kind == b"IEND":
            break
    return max(0, offset - data.size)


def _pair(form: str, head: bytes) -> tuple[int, int]:
    width, height = struct.unpack_from(form, head)
    return abs(width), abs(height)  # top-down BMPs have a negative height


def _tiff_size(data: np.ndarray) -> tuple[int, int] | None:
    """Return the largest width and height in the first directory."""
    order, is_big = ("<" if data[0] == ord("I") else ">"), ord("+") in data[2:4]
    pointer, count, entry = ("Q", "Q", "HHQ") if is_big else ("I", "H", "HHI")
    sides = dict.fromkeys(_TIFF_SIDES, 0)
    try:
        (offset,) = _numbers(data, 8 if is_big else 4, order + pointer)
        (entries,) = _numbers(data, offset, order + count)
        offset += struct.calcsize(order + count)
        for _ in range(min(entries, _MAX_FIELDS)):
            tag, kind, _ = _numbers(data, offset, order + entry)
            offset += struct.calcsize(order + entry)
            if tag in sides and kind in _TIFF_TYPES:
                sides[tag] = max(sides[tag], *_numbers(data, offset, order + _TIFF_TYPES[kind]))
            offset += struct.calcsize(order + pointer)
    except struct.error:  # end of the file
        return None
    return sides[_TIFF_SIDES[0]], sides[_TIFF_SIDES[1]]


def _numbers(data: np.ndarray, offset: int, form: str) -> tuple[int, ...]:
    return struct.unpack(form, data[offset : offset + struct.calcsize(form)].tobytes())


def _jpeg_size(data: np.ndarray) -> tuple[int, int] | None:
    """Return the size in the first frame, skipping other segments."""
    offset = 2
    while offset + 9 <= data.size:
        if data[offset] != 0xFF:
            offset += 1  # like decoders, search for the next marker
            continue
        marker = int(data[offset + 1])
        if marker in _FRAMES:
            height, width = struct.unpack(">HH", data[offset + 5 : offset + 9].tobytes())
            return width, height
        if marker == 0xFF:
            offset += 1  # fill bytes
        elif marker in _BARE:
            offset += 2
        else:
            offset += 2 + max(2, int(data[offset + 2]) << 8 | int(data[offset + 3]))
    return None
