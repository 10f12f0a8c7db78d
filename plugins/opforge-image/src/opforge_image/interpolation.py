"""Resizing by OpenCV, and MXNet's numbers for the ways to do it."""

import random
from typing import Any

import cv2
import numpy as np

from opforge.plugin_api import DTypeError, ShapeError

__all__ = ["choose_interpolation", "resize"]

#: OpenCV's, and thus MXNet's: nearest, linear, cubic, area, Lanczos, exact linear.
_METHODS = range(6)
_AUTOMATIC, _RANDOM = 9, 10
#: What OpenCV resizes.
_DTYPES = ("uint8", "float32", "float64")


def choose_interpolation(interp: int, sizes: Any = ()) -> int:
    """Return a way of OpenCV's for a way of MXNet's.

    Parameters
    ----------
    interp : int
        0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos; 9: cubic to enlarge, area to shrink, linear
        else; 10: any of 0 to 4 by chance.
    sizes : tuple of int
        Old height and width, new height and width, for 9.

    Raises
    ------
    ValueError
        It is none of these.

    Examples
    --------
    >>> choose_interpolation(9, (100, 100, 50, 50)), choose_interpolation(9, (50, 50, 100, 100))
    (3, 2)
    """
    if interp == _AUTOMATIC:
        if not sizes:
            return 2
        old_height, old_width, height, width = sizes
        if height > old_height and width > old_width:
            return 2
        return 3 if height < old_height and width < old_width else 1
    if interp == _RANDOM:
        return random.randint(0, 4)
    if interp not in range(5):
        raise ValueError(f"Unknown interp method {interp!r}; expected 0 to 4, 9 or 10")
    return interp


def resize(picture: np.ndarray, width: int, height: int, interp: int) -> np.ndarray:
    """Return a picture (h, w, c) in another size, with any number of channels.

    Raises
    ------
    ShapeError, DTypeError, ValueError
        It is no picture with elements, of no type that OpenCV resizes, or `interp` is unknown.
    """
    if picture.ndim != 3 or not picture.size:
        raise ShapeError(
            f"resize: the picture has shape {picture.shape}, expected (height, width, channels), "
            "none of them 0"
        )
    if picture.dtype.name not in _DTYPES:
        raise DTypeError(
            f"resize: the picture has elements of {picture.dtype}, expected one of "
            f"{', '.join(_DTYPES)}; cast it before"
        )
    if interp not in _METHODS:
        raise ValueError(f"resize: interp is {interp}, expected a way of OpenCV's from 0 to 5")
    resized = cv2.resize(picture, (width, height), interpolation=interp)
    return resized.reshape(height, width, -1)
