"""Sizes, crops and resizing of images, shared by operators, augmenters and record iterators."""

import random
from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np

from opforge.plugin_api import DTypeError, ShapeError

__all__ = [
    "center_window",
    "choose_interpolation",
    "crop",
    "resize",
    "resize_by_method",
    "shorter_side_size",
]

#: OpenCV's and MXNet's methods: nearest, linear, cubic, area, Lanczos, exact linear.
_METHODS = range(6)
_AUTOMATIC, _RANDOM = 9, 10
#: Element types that OpenCV resizes.
_DTYPES = ("uint8", "float32", "float64")


def choose_interpolation(interp: int, sizes: Any = (), rng: Any = random) -> int:
    """Return the OpenCV interpolation method for MXNet's `interp`.

    Parameters
    ----------
    interp : int
        0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos; 9: cubic to enlarge, area to shrink, linear
        otherwise; 10: one of 0 to 4 at random.
    sizes : tuple of int
        Old height and width, new height and width, for 9.
    rng : random.Random, optional
        Source of the random choice; default: the global generator of ``random``.

    Raises
    ------
    ValueError
        `interp` is not one of these.

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
        chosen: int = rng.randint(0, 4)
        return chosen
    if interp not in range(5):
        raise ValueError(f"Unknown interp method {interp!r}; expected 0 to 4, 9 or 10")
    return interp


def resize(image: np.ndarray, width: int, height: int, interp: int) -> np.ndarray:
    """Return a resized image (h, w, c) with any number of channels.

    Raises
    ------
    ShapeError, DTypeError, ValueError
        `image` is empty or not three-dimensional, OpenCV cannot resize its type, or `interp` is
        unknown.
    """
    if image.ndim != 3 or not image.size:
        raise ShapeError(
            f"resize: the image has shape {image.shape}; expected (height, width, channels), "
            "none of them 0"
        )
    if image.dtype.name not in _DTYPES:
        raise DTypeError(
            f"resize: the image has type {image.dtype}; expected one of "
            f"{', '.join(_DTYPES)}; cast it first"
        )
    if interp not in _METHODS:
        raise ValueError(
            f"resize: interp is {interp}; expected an interpolation method of OpenCV from 0 to 5"
        )
    resized = cv2.resize(image, (width, height), interpolation=interp)
    return resized.reshape(height, width, -1)


def resize_by_method(
    image: np.ndarray, height: int, width: int, method: int, rng: random.Random
) -> np.ndarray:
    """Return a resized image (h, w) or (h, w, c), using MXNet's `inter_method`."""
    chosen = choose_interpolation(method, (*image.shape[:2], height, width), rng)
    return cv2.resize(image, (width, height), interpolation=chosen)


def shorter_side_size(shape: Sequence[int], side: int) -> tuple[int, int]:
    """Return the height and width of a shape (h, w, ...) with the shorter side scaled to `side`.

    Examples
    --------
    >>> shorter_side_size((20, 30, 3), 10)
    (10, 15)
    """
    height, width = shape[:2]
    if height > width:
        return side * height // width, side
    return side, side * width // height


def center_window(height: int, width: int, rows: int, columns: int) -> tuple[int, int]:
    """Return the top row and left column of a centered window of `rows` by `columns`."""
    return (height - rows) // 2, (width - columns) // 2


def crop(image: np.ndarray, top: int, left: int, height: int, width: int) -> np.ndarray:
    """Return a view of a rectangle of an image."""
    return image[top : top + height, left : left + width]
