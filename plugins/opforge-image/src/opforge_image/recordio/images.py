"""Encoding and decoding of image records: `pack_img` and `unpack_img`."""

from typing import Any

import cv2
import numpy as np

from opforge.plugin_api import OpforgeError

from ..codec import decode_as
from .header import HEADER, pack, unpack

__all__ = ["pack_img", "unpack_img"]

#: Suffix -> (OpenCV's setting, its maximum, above which OpenCV would print a warning).
_QUALITY = {
    ".jpg": (cv2.IMWRITE_JPEG_QUALITY, 100),
    ".jpeg": (cv2.IMWRITE_JPEG_QUALITY, 100),
    ".png": (cv2.IMWRITE_PNG_COMPRESSION, 9),
}


def pack_img(header: Any, img: Any, quality: int = 95, img_fmt: str = ".jpg") -> bytes:
    """Return a record of header and encoded image.

    Parameters
    ----------
    header : IRHeader or tuple
    img : numpy.ndarray
        (height, width), or (height, width, channels) with channels blue, green, red.
    quality : int, default 95
        Quality of a JPEG, 1 to 100; compression of a PNG, 1 to 9, clipped to 9.
    img_fmt : str, default '.jpg'
        Suffix of the format.

    Raises
    ------
    OpforgeError
        OpenCV cannot encode the image.

    Examples
    --------
    >>> record = pack_img((0, 4.0, 7, 0), np.zeros((2, 3, 3), np.uint8), quality=9, img_fmt=".png")
    >>> unpack_img(record)[1].shape
    (2, 3, 3)
    """
    setting, maximum = _QUALITY.get(img_fmt.lower(), (None, 0))
    settings = [] if setting is None else [setting, min(quality, maximum)]
    try:
        done, encoded = cv2.imencode(img_fmt, img, settings)
        if not done:
            raise cv2.error("OpenCV returned no reason")
    except cv2.error as error:
        raise OpforgeError(
            f"recordio.pack_img: failed to encode image of shape {np.shape(img)} as {img_fmt!r}: "
            f"{error}"
        ) from error
    return pack(header, encoded.tobytes())


def unpack_img(s: bytes, iscolor: int = -1) -> tuple[HEADER, np.ndarray]:
    """Return header and decoded image of a record.

    Parameters
    ----------
    s : bytes
        As `MXRecordIO.read` returns it.
    iscolor : int, default -1
        1: channels blue, green, red; 0: gray; -1: unchanged, including an alpha channel.

    Raises
    ------
    ImageDecodingError
        The record is not an image that OpenCV can decode.
    """
    header, content = unpack(s)
    return header, decode_as(np.frombuffer(content, np.uint8), iscolor, f"of record {header.id}")
