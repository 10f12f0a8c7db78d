"""Decoding of images: the only module that passes untrusted bytes to OpenCV."""

import os

import cv2
import numpy as np

from opforge.plugin_api import OpforgeError, ShapeError

from .headers import image_size, missing_bytes

__all__ = ["PIXELS_VARIABLE", "ImageDecodingError", "check_pixels", "decode", "decode_as"]

#: Environment variable with the maximum number of pixels of an image.
PIXELS_VARIABLE = "OPFORGE_IMAGE_MAX_PIXELS"
#: 256 Mi, which decode to 768 MiB. A few kilobytes can claim to be 65,535 by 65,535 pixels.
_MAX_PIXELS = 1 << 28
_COLOR, _GRAY = 1, 0


class ImageDecodingError(OpforgeError):
    """Bytes are not an image that OpenCV can read."""


def decode(data: np.ndarray, flag: int = 1, to_rgb: bool = True, name: str = "") -> np.ndarray:
    """Return the decoded image.

    Parameters
    ----------
    data : numpy.ndarray, shape (n,), uint8
        A JPEG, PNG, BMP, WebP or TIFF file, or another format that OpenCV reads.
    flag : int
        0: one gray channel; otherwise three color channels.
    to_rgb : bool
        Red first; otherwise blue first, as in OpenCV.
    name : str
        Name of the image in errors.

    Returns
    -------
    numpy.ndarray, shape (height, width, 1 or 3), uint8

    Raises
    ------
    OpforgeError
        `data` is empty or not an image that OpenCV can read, or the image is too large.
    """
    if not data.size:
        raise ShapeError(f"{_describe(name)} is an empty buffer")
    image = decode_as(data, _COLOR if flag else _GRAY, name)
    if image.ndim == 2:
        return image[:, :, None]
    return cv2.cvtColor(image, cv2.COLOR_BGR2RGB) if to_rgb else image


def decode_as(data: np.ndarray, flag: int, name: str = "") -> np.ndarray:
    """Return the decoded image in OpenCV's format.

    Parameters
    ----------
    data : numpy.ndarray, shape (n,), uint8
    flag : int
        One of ``cv2.IMREAD_*``.
    name : str
        Name of the image in errors.

    Returns
    -------
    numpy.ndarray, shape (height, width) or (height, width, channels)
        Blue first.

    Raises
    ------
    ImageDecodingError
        `data` is not an image that OpenCV can read, or the image is too large.
    """
    where = _describe(name)
    _check_size(data, where)
    try:
        image = cv2.imdecode(data, flag) if data.size else None
    except cv2.error as error:
        raise ImageDecodingError(f"{where} cannot be decoded: {error}") from error
    if image is None:
        raise ImageDecodingError(
            f"{where} cannot be decoded: its {data.size} bytes, which begin with "
            f"{data[:8].tobytes()!r}, are not a complete image of a format that OpenCV reads"
        )
    return image


def _describe(name: str) -> str:
    return f"the image{name and f' {name}'}"


def _check_size(data: np.ndarray, where: str) -> None:
    """Raise if the header of an image claims too much memory, before it is allocated."""
    size = image_size(data)
    if size is not None:
        check_pixels(*size, f"the header of {where} says that it")
    missing = missing_bytes(data)
    if missing:
        raise ImageDecodingError(
            f"{where} cannot be decoded: a chunk ends {missing} bytes after its {data.size} bytes"
        )


def check_pixels(width: int, height: int, which: str) -> None:
    """Raise if an image has too many pixels.

    Parameters
    ----------
    width, height : int
    which : str
        Start of the error message.

    Raises
    ------
    ImageDecodingError
    """
    text = os.environ.get(PIXELS_VARIABLE, str(_MAX_PIXELS))
    if not text.isdecimal():
        raise OpforgeError(f"{PIXELS_VARIABLE} is {text!r}; expected a number of pixels")
    if width * height > int(text):
        raise ImageDecodingError(
            f"{which} is {width} pixels wide and {height} high, which exceeds the limit of "
            f"{int(text)} pixels; set {PIXELS_VARIABLE} to raise it"
        )
