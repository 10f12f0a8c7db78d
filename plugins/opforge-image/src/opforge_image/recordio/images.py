"""Records that are images: `pack_img` encodes one, `unpack_img` decodes it."""

from typing import Any

import cv2
import numpy as np

from opforge.plugin_api import OpforgeError

from ..codec import decode_as
from .header import HEADER, pack, unpack

__all__ = ["pack_img", "unpack_img"]

#: Suffix -> (OpenCV's setting, the greatest value, beyond which OpenCV takes it and says so).
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
        Of a JPEG, 1 to 100; compression of a PNG, 1 to 9, and 9 for all that is more.
    img_fmt : str, default '.jpg'
        Suffix of the format.

    Raises
    ------
    OpforgeError
        OpenCV does not encode this.

    Examples
    --------
    >>> record = pack_img((0, 4.0, 7, 0), np.zeros((2, 3, 3), np.uint8), quality=9, img_fmt=".png")
    >>> unpack_img(record)[1].shape
    (2, 3, 3)
    """
    setting, greatest = _QUALITY.get(img_fmt.lower(), (None, 0))
    settings = [] if setting is None else [setting, min(quality, greatest)]
    try:
        done, encoded = cv2.imencode(img_fmt, img, settings)
        if not done:
            raise cv2.error("OpenCV gave no reason")
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
        1: channels blue, green, red; 0: grey; -1: as it is, with the channel of transparency.

    Raises
    ------
    PictureError
        The record is not an image that OpenCV decodes.
    """
    header, content = unpack(s)
    return header, decode_as(np.frombuffer(content, np.uint8), iscolor, f"of record {header.id}")
