"""Parts of images: at a place, in the middle, and at random.

Chance is Python's ``random``, drawn from in the order in which MXNet draws.
"""

import random
import warnings
from math import exp, log, sqrt
from typing import Any

from opforge.plugin_api import F

from ..geometry import center_window
from ._resizing import force_resize

__all__ = ["center_crop", "fixed_crop", "random_crop", "random_size_crop", "scale_down"]

#: x, y, width and height of a part.
Part = tuple[int, int, int, int]
#: How often a part of random size is tried before the middle is taken.
_TRIALS = 10


def scale_down(src_size: tuple[int, int], size: tuple[int, int]) -> tuple[int, int]:
    """Return a size with the same ratio of its sides that fits into an image.

    Parameters
    ----------
    src_size : (int, int)
        Width and height of the image.
    size : (int, int)
        Width and height that are wanted.

    Examples
    --------
    >>> scale_down((640, 480), (720, 120))
    (640, 106)
    """
    (most_width, most_height), (width, height) = src_size, size
    exact_width, exact_height = float(width), float(height)
    if most_height < exact_height:
        exact_width, exact_height = exact_width * most_height / exact_height, most_height
    if most_width < exact_width:
        exact_width, exact_height = most_width, exact_height * most_width / exact_width
    return int(exact_width), int(exact_height)


def fixed_crop(
    src: Any, x0: int, y0: int, w: int, h: int, size: Any = None, interp: int = 2
) -> Any:
    """Return the part of an image at a place, resized if a size is given.

    Parameters
    ----------
    src : NDArray, shape (height, width, channels)
    x0, y0 : int
        Its left column and its first row.
    w, h : int
        Its width and height.
    size : (int, int), optional
        The width and height that it gets.
    interp : int, default 2
        As for `imresize`.

    Examples
    --------
    >>> fixed_crop(F.zeros((9, 9, 3)), 1, 2, 3, 4).shape
    (4, 3, 3)
    """
    part = F.slice(src, begin=(y0, x0), end=(y0 + h, x0 + w))
    if size is None or (w, h) == tuple(size):
        return part
    return force_resize(part, size, interp)


def random_crop(src: Any, size: tuple[int, int], interp: int = 2) -> tuple[Any, Part]:
    """Return a part of an image at a random position, and where it was.

    Parameters
    ----------
    src : NDArray, shape (height, width, channels)
    size : (int, int)
        Width and height; a smaller image gives a part of the same ratio, which is enlarged.
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
    """Return the middle of an image, and where it was.

    Parameters
    ----------
    src, size, interp
        As for `random_crop`.

    Returns
    -------
    NDArray, shape (size[1], size[0], channels)
    tuple of int
        x, y, width and height in the image.

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
    """Return a part of an image of random position, area and ratio of its sides, resized.

    Parameters
    ----------
    src : NDArray, shape (height, width, channels)
    size : (int, int)
        Width and height that the part gets.
    area : float or (float, float)
        The least and the largest share of the image's area; the largest is 1 by default.
    ratio : (float, float)
        The least and the largest ratio of width to height.
    interp : int, default 2
        As for `imresize`.
    min_area : float, optional
        The old name of `area`.

    Returns
    -------
    NDArray, shape (size[1], size[0], channels)
    tuple of int
        x, y, width and height in the image. It is the middle where no part was found.
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
        of_sides = exp(random.uniform(log(ratio[0]), log(ratio[1])))
        part = round(sqrt(target * of_sides)), round(sqrt(target / of_sides))
        if part[0] <= width and part[1] <= height and min(part) > 0:
            x, y = random.randint(0, width - part[0]), random.randint(0, height - part[1])
            return fixed_crop(src, x, y, *part, size, interp), (x, y, *part)
    return center_crop(src, size, interp)
