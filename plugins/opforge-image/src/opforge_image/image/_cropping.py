"""Cropping of images: at a position, at the center and at random.

Random numbers come from Python's ``random``, drawn in the same order as by MXNet.
"""

import random
import warnings
from math import exp, log, sqrt
from typing import Any

from opforge.plugin_api import F, ShapeError

from ..geometry import center_window
from ._resizing import force_resize

__all__ = ["center_crop", "fixed_crop", "random_crop", "random_size_crop", "scale_down"]

#: x, y, width and height of a crop.
Part = tuple[int, int, int, int]
#: Number of random crops to try before falling back to the center.
_TRIALS = 10


def scale_down(src_size: tuple[int, int], size: tuple[int, int]) -> tuple[int, int]:
    """Return a size scaled down, keeping its aspect ratio, to fit into an image.

    Parameters
    ----------
    src_size : (int, int)
        Width and height of the image.
    size : (int, int)
        Desired width and height.

    Examples
    --------
    >>> scale_down((640, 480), (720, 120))
    (640, 106)
    """
    (max_width, max_height), (width, height) = src_size, size
    exact_width, exact_height = float(width), float(height)
    if max_height < exact_height:
        exact_width, exact_height = exact_width * max_height / exact_height, max_height
    if max_width < exact_width:
        exact_width, exact_height = max_width, exact_height * max_width / exact_width
    return int(exact_width), int(exact_height)


def fixed_crop(
    src: Any, x0: int, y0: int, w: int, h: int, size: Any = None, interp: int = 2
) -> Any:
    """Return the crop of an image at a position, resized if `size` is passed.

    Parameters
    ----------
    src : NDArray, shape (height, width, channels)
    x0, y0 : int
        Left column and top row.
    w, h : int
        Width and height of the crop.
    size : (int, int), optional
        Width and height of the result.
    interp : int, default 2
        As for `imresize`.

    Raises
    ------
    ShapeError
        The crop has no pixels.

    Examples
    --------
    >>> fixed_crop(F.zeros((9, 9, 3)), 1, 2, 3, 4).shape
    (4, 3, 3)
    """
    part = F.slice(src, begin=(y0, x0), end=(y0 + h, x0 + w))
    if w < 1 or h < 1 or 0 in part.shape[:2]:
        height, width = src.shape[:2]
        raise ShapeError(
            f"crop: the crop at x={x0}, y={y0} of size {w} x {h} has no pixels in the image of "
            f"size {width} x {height} (width x height); expected a width and a height of at least "
            "1, and a position in the image"
        )
    if size is None or (w, h) == tuple(size):
        return part
    return force_resize(part, size, interp)


def random_crop(src: Any, size: tuple[int, int], interp: int = 2) -> tuple[Any, Part]:
    """Return a crop at a random position and its location.

    Parameters
    ----------
    src : NDArray, shape (height, width, channels)
    size : (int, int)
        Width and height of the result; from a smaller image, a crop with this ratio is enlarged.
    interp : int, default 2
        As for `imresize`.

    Returns
    -------
    NDArray, shape (size[1], size[0], channels)
    tuple of int
        x, y, width and height in the image.

    Examples
    --------
    >>> part, (x, y, width, height) = random_crop(F.zeros((9, 9, 3)), (4, 5))
    >>> part.shape, (width, height)
    ((5, 4, 3), (4, 5))
    """
    height, width = src.shape[:2]
    part = scale_down((width, height), size)
    x, y = random.randint(0, width - part[0]), random.randint(0, height - part[1])
    return fixed_crop(src, x, y, *part, size, interp), (x, y, *part)


def center_crop(src: Any, size: tuple[int, int], interp: int = 2) -> tuple[Any, Part]:
    """Return the central crop and its location.

    Arguments and results are as for `random_crop`.

    Examples
    --------
    >>> center_crop(F.zeros((9, 11, 3)), (5, 5))[1]
    (3, 2, 5, 5)
    """
    height, width = src.shape[:2]
    part = scale_down((width, height), size)
    y, x = center_window(height, width, part[1], part[0])
    return fixed_crop(src, x, y, *part, size, interp), (x, y, *part)


def random_size_crop(
    src: Any, size: tuple[int, int], area: Any, ratio: Any, interp: int = 2, **kwargs: Any
) -> tuple[Any, Part]:
    """Return a resized crop of random position, area and aspect ratio, and its location.

    Parameters
    ----------
    src : NDArray, shape (height, width, channels)
    size : (int, int)
        Width and height of the result.
    area : float or (float, float)
        Minimum and maximum share of the image's area; the maximum is 1 by default.
    ratio : (float, float)
        Minimum and maximum ratio of width to height.
    interp : int, default 2
        As for `imresize`.
    min_area : float, optional
        Old name of `area`.

    Returns
    -------
    NDArray, shape (size[1], size[0], channels)
    tuple of int
        x, y, width and height in the image; the center if no random crop fits.
    """
    if "min_area" in kwargs:
        warnings.warn("min_area is deprecated; use area instead", DeprecationWarning, stacklevel=2)
        area = kwargs.pop("min_area")
    if kwargs:
        raise TypeError(f"random_size_crop: unexpected keyword arguments {', '.join(kwargs)}")
    height, width = src.shape[:2]
    least, most = area if isinstance(area, tuple | list) else (area, 1.0)
    for _ in range(_TRIALS):
        target = random.uniform(least, most) * height * width
        aspect = exp(random.uniform(log(ratio[0]), log(ratio[1])))
        part = round(sqrt(target * aspect)), round(sqrt(target / aspect))
        if part[0] <= width and part[1] <= height and min(part) > 0:
            x, y = random.randint(0, width - part[0]), random.randint(0, height - part[1])
            return fixed_crop(src, x, y, *part, size, interp), (x, y, *part)
    return center_crop(src, size, interp)
