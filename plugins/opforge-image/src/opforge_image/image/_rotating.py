"""Rotation of images around their center."""

from numbers import Number
from typing import Any

import numpy as np

from opforge.plugin_api import F

__all__ = ["imrotate", "random_rotate"]


def imrotate(src: Any, rotation_degrees: Any, zoom_in: bool = False, zoom_out: bool = False) -> Any:
    """Return images rotated around their center; pixels from outside are 0.

    Parameters
    ----------
    src : NDArray, shape (channels, height, width) or (n, channels, height, width), float32
    rotation_degrees : float or NDArray, shape (n,)
        One angle, or one per image.
    zoom_in : bool, default False
        Enlarge so that no pixels from outside are visible.
    zoom_out : bool, default False
        Shrink so that the entire image is visible.

    Returns
    -------
    NDArray, same shape and type

    Raises
    ------
    ValueError, TypeError
        `src` has another shape or type, both zooms are True, or the number of angles differs.

    Examples
    --------
    >>> imrotate(F.array([[[1.0, 2.0], [3.0, 4.0]]]), 90).asnumpy().round(2).tolist()
    [[[2.0, 4.0], [1.0, 3.0]]]
    """
    if zoom_in and zoom_out:
        raise ValueError("imrotate: zoom_in and zoom_out cannot both be True")
    if np.dtype(src.dtype) != np.float32:
        raise TypeError(
            f"imrotate: src has type {np.dtype(src.dtype)}; expected float32; cast it first"
        )
    if src.ndim == 3:
        if not isinstance(rotation_degrees, Number):
            raise TypeError("imrotate: rotation_degrees must be a number for a single image")
        return imrotate(src.expand_dims(axis=0), rotation_degrees, zoom_in, zoom_out)[0]
    if src.ndim != 4:
        raise ValueError(
            f"imrotate: src has shape {src.shape}; expected (channels, height, width) or "
            "(n, channels, height, width)"
        )
    angles = _angles(rotation_degrees, len(src))
    height, width = src.shape[2:]
    grid = _rotated_grid(angles, height, width)
    if zoom_in or zoom_out:
        grid *= _zooms(angles, height, width, zoom_out)[:, None, None, None]
    return F.BilinearSampler(src, F.array(grid, dtype="float32", ctx=src.context))


def random_rotate(
    src: Any, angle_limits: tuple[float, float], zoom_in: bool = False, zoom_out: bool = False
) -> Any:
    """Return images rotated by random angles, one per image.

    Parameters
    ----------
    src, zoom_in, zoom_out
        As for `imrotate`.
    angle_limits : (float, float)
        Minimum and maximum angle in degrees.
    """
    if src.ndim == 3:
        return imrotate(src, np.random.uniform(*angle_limits), zoom_in, zoom_out)
    angles = np.random.uniform(*angle_limits, size=len(src))
    return imrotate(src, F.array(angles), zoom_in, zoom_out)


def _angles(rotation_degrees: Any, count: int) -> np.ndarray:
    """Return one angle per image in radians."""
    if isinstance(rotation_degrees, Number):
        angles = np.full(count, rotation_degrees, np.float32)
    else:
        angles = np.asarray(rotation_degrees, np.float32)
    if angles.shape != (count,):
        raise ValueError(
            f"imrotate: rotation_degrees has shape {angles.shape} for {count} images; expected "
            "one angle per image"
        )
    return np.pi * angles / 180


def _rotated_grid(angles: np.ndarray, height: int, width: int) -> np.ndarray:
    """Return the source of each pixel in units of half a side, shape (n, 2, h, w)."""
    # For a side of one pixel, avoid a division by zero.
    center_y, center_x = (height - 1) / 2, (width - 1) / 2
    y, x = np.mgrid[:height, :width].astype(np.float32)
    y, x = y - center_y, x - center_x
    cos, sin = (f(angles)[:, None, None] for f in (np.cos, np.sin))
    across, down = x * cos - y * sin, x * sin + y * cos
    return np.stack([across / (center_x or 1), down / (center_y or 1)], axis=1)


def _zooms(angles: np.ndarray, height: int, width: int, outwards: bool) -> np.ndarray:
    """Return the factor of each grid, from the bounding box of a rotated rectangle."""
    cos, sin = np.abs(np.cos(angles)), np.abs(np.sin(angles))
    frame_x, frame_y = width * cos + height * sin, width * sin + height * cos
    if outwards:
        return np.maximum(frame_x / width, frame_y / height)
    return np.minimum(width / frame_x, height / frame_y)
