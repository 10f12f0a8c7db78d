"""Images turned around their middle."""

from numbers import Number
from typing import Any

import numpy as np

from opforge.plugin_api import F

__all__ = ["imrotate", "random_rotate"]


def imrotate(src: Any, rotation_degrees: Any, zoom_in: bool = False, zoom_out: bool = False) -> Any:
    """Return images turned around their middle; what comes from outside is 0.

    Parameters
    ----------
    src : NDArray, shape (channels, height, width) or (n, channels, height, width), float32
    rotation_degrees : float or NDArray, shape (n,)
        The angle, or one for each image.
    zoom_in : bool, default False
        Enlarge so that nothing from outside is seen.
    zoom_out : bool, default False
        Shrink so that everything is seen.

    Returns
    -------
    NDArray, of the same shape and type

    Raises
    ------
    ValueError, TypeError
        `src` is none of these, both zooms are asked for, or there is another number of angles.

    Examples
    --------
    >>> imrotate(F.array([[[1.0, 2.0], [3.0, 4.0]]]), 90).asnumpy().round(2).tolist()
    [[[2.0, 4.0], [1.0, 3.0]]]
    """
    if zoom_in and zoom_out:
        raise ValueError("imrotate: zoom_in and zoom_out cannot both be True")
    if np.dtype(src.dtype) != np.float32:
        raise TypeError(
            f"imrotate: src has elements of {np.dtype(src.dtype)}, expected float32; cast it before"
        )
    if src.ndim == 3:
        if not isinstance(rotation_degrees, Number):
            raise TypeError("imrotate: one image is turned by one angle, a number")
        return imrotate(src.expand_dims(axis=0), rotation_degrees, zoom_in, zoom_out)[0]
    if src.ndim != 4:
        raise ValueError(
            f"imrotate: src has shape {src.shape}, expected (channels, height, width) or "
            "(n, channels, height, width)"
        )
    angles = _angles(rotation_degrees, len(src))
    height, width = src.shape[2:]
    grid = _turned_grid(angles, height, width)
    if zoom_in or zoom_out:
        grid *= _zooms(angles, height, width, zoom_out)[:, None, None, None]
    return F.BilinearSampler(src, F.array(grid, dtype="float32", ctx=src.context))


def random_rotate(
    src: Any, angle_limits: tuple[float, float], zoom_in: bool = False, zoom_out: bool = False
) -> Any:
    """Return images turned by angles of chance, each by its own.

    Parameters
    ----------
    src, zoom_in, zoom_out
        As for `imrotate`.
    angle_limits : (float, float)
        The least and the largest angle, in degrees.
    """
    if src.ndim == 3:
        return imrotate(src, np.random.uniform(*angle_limits), zoom_in, zoom_out)
    angles = np.random.uniform(*angle_limits, size=len(src))
    return imrotate(src, F.array(angles), zoom_in, zoom_out)


def _angles(rotation_degrees: Any, count: int) -> np.ndarray:
    """Return an angle for each image, in radians."""
    if isinstance(rotation_degrees, Number):
        angles = np.full(count, rotation_degrees, np.float32)
    else:
        angles = np.asarray(rotation_degrees, np.float32)
    if angles.shape != (count,):
        raise ValueError(
            f"imrotate: there are {count} images and angles of shape {angles.shape}, expected "
            "one for each image"
        )
    return np.pi * angles / 180


def _turned_grid(angles: np.ndarray, height: int, width: int) -> np.ndarray:
    """Return where each pixel comes from, in units of half a side, shape (n, 2, h, w)."""
    # A side of one pixel has no length to divide by, and only its middle.
    middle_y, middle_x = (height - 1) / 2, (width - 1) / 2
    y, x = np.mgrid[:height, :width].astype(np.float32)
    y, x = y - middle_y, x - middle_x
    cos, sin = (f(angles)[:, None, None] for f in (np.cos, np.sin))
    across, down = x * cos - y * sin, x * sin + y * cos
    return np.stack([across / (middle_x or 1), down / (middle_y or 1)], axis=1)


def _zooms(angles: np.ndarray, height: int, width: int, outwards: bool) -> np.ndarray:
    """Return the factor of each grid: that of the frame around a turned rectangle of this size."""
    cos, sin = np.abs(np.cos(angles)), np.abs(np.sin(angles))
    frame_x, frame_y = width * cos + height * sin, width * sin + height * cos
    if outwards:
        return np.maximum(frame_x / width, frame_y / height)
    return np.minimum(width / frame_x, height / frame_y)
