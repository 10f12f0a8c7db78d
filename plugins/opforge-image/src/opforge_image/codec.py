"""Encoded images to arrays: the one place that gives untrusted bytes to OpenCV."""

import os

import cv2
import numpy as np

from opforge.plugin_api import OpforgeError, ShapeError

from .headers import image_size, missing_bytes

__all__ = ["PIXELS_VARIABLE", "PictureError", "check_pixels", "decode", "decode_as"]

#: Environment variable: the most pixels that an image may have.
PIXELS_VARIABLE = "OPFORGE_IMAGE_MAX_PIXELS"
#: 256 Mi: 768 MiB once it is decoded. A few kilobytes can claim to be 65,535 by 65,535 pixels.
_MOST_PIXELS = 1 << 28
_COLOR, _GRAY = 1, 0


class PictureError(OpforgeError):
    """Bytes hold no image that OpenCV can read."""


def decode(data: np.ndarray, flag: int = 1, to_rgb: bool = True, name: str = "") -> np.ndarray:
    """Return the image that encoded bytes hold.

    Parameters
    ----------
    data : numpy.ndarray, shape (n,), uint8
        A JPEG, PNG, BMP, WebP or TIFF file, or what else OpenCV reads.
    flag : int
        0: one gray channel; otherwise three of color.
    to_rgb : bool
        Red first; otherwise blue first, as OpenCV has it.
    name : str
        What errors call the image.

    Returns
    -------
    numpy.ndarray, shape (height, width, 1 or 3), uint8

    Raises
    ------
    OpforgeError
        There are no bytes, they are no image that OpenCV can read, or it is too large.
    """
    if not data.size:
        raise ShapeError(f"{_called(name)} is an empty buffer: it has no bytes")
    image = decode_as(data, _COLOR if flag else _GRAY, name)
    if image.ndim == 2:
        return image[:, :, None]
    return cv2.cvtColor(image, cv2.COLOR_BGR2RGB) if to_rgb else image


def decode_as(data: np.ndarray, flag: int, name: str = "") -> np.ndarray:
    """Return the image that encoded bytes hold, as OpenCV gives it.

    Parameters
    ----------
    data : numpy.ndarray, shape (n,), uint8
    flag : int
        OpenCV's, one of ``cv2.IMREAD_*``.
    name : str
        What errors call the image.

    Returns
    -------
    numpy.ndarray, shape (height, width) or (height, width, channels)
        Blue first.

    Raises
    ------
    PictureError
        The bytes are no image that OpenCV can read, or it is too large.
    """
    where = _called(name)
    _check_size(data, where)
    try:
        image = cv2.imdecode(data, flag) if data.size else None
    except cv2.error as error:
        raise PictureError(f"{where} cannot be decoded: {error}") from error
    if image is None:
        raise PictureError(
            f"{where} cannot be decoded: its {data.size} bytes, which begin with "
            f"{data[:8].tobytes()!r}, are no whole image of a format that OpenCV reads"
        )
    return image


def _called(name: str) -> str:
    return f"the image{name and f' {name}'}"


def _check_size(data: np.ndarray, where: str) -> None:
    """Reject an image by its header, before memory is taken for it."""
    size = image_size(data)
    if size is not None:
        check_pixels(*size, f"{where} says that it")
    missing = missing_bytes(data)
    if missing:
        raise PictureError(
            f"{where} cannot be decoded: its {data.size} bytes end {missing} before a part of it"
        )


def check_pixels(width: int, height: int, which: str) -> None:
    """Reject an image that has too many pixels.

    Parameters
    ----------
    width, height : int
    which : str
        What the error begins with.

    Raises
    ------
    PictureError
    """
    text = os.environ.get(PIXELS_VARIABLE, str(_MOST_PIXELS))
    if not text.isdecimal():
        raise OpforgeError(f"{PIXELS_VARIABLE} is {text!r}, expected a number of pixels")
    if width * height > int(text):
        raise PictureError(
            f"{which} is {width} pixels wide and {height} high, which are more "
            f"than {int(text)}; set {PIXELS_VARIABLE} if that is meant"
        )
