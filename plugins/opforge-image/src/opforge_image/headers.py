"""Width and height of a picture from the first bytes of its file, without decoding it."""

import struct

import numpy as np

__all__ = ["picture_size"]

_PNG = b"\x89PNG\r\n\x1a\n"
#: Markers of JPEG's frames, which say the size: all SOFn, without DHT, JPG and DAC.
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
#: Markers without a length: TEM, RSTn, SOI.
_BARE = frozenset({0x01, *range(0xD0, 0xD9)})


def picture_size(data: np.ndarray) -> tuple[int, int] | None:
    """Return width and height of a JPEG or a PNG, or None where they are not told.

    Parameters
    ----------
    data : numpy.ndarray, shape (n,), uint8
        The file's bytes.
    """
    head = data[:24].tobytes()
    if head.startswith(_PNG) and len(head) == 24:
        width, height = struct.unpack(">II", head[16:24])
        return width, height
    if head.startswith(b"\xff\xd8"):
        return _jpeg_size(data)
    return None


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
