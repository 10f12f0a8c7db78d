"""Resizing and padding of images."""

from typing import Any

from opforge.plugin_api import F

from ..geometry import choose_interpolation, shorter_side_size

__all__ = ["copyMakeBorder", "force_resize", "imresize", "resize_short"]


def imresize(src: Any, w: int, h: int, interp: int = 1, out: Any = None) -> Any:
    """Return a resized image.

    Parameters
    ----------
    src : NDArray, shape (height, width, channels), uint8, float32 or float64
    w, h : int
        New width and height.
    interp : int, default 1
        0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos; 9: cubic to enlarge, area to shrink, linear
        otherwise; 10: one of 0 to 4 at random.
    out : NDArray, optional
        Array for the result.

    Returns
    -------
    NDArray, shape (h, w, channels), same type

    Examples
    --------
    >>> imresize(F.zeros((4, 6, 3)), 3, 2).shape
    (2, 3, 3)
    """
    if interp in (9, 10):
        interp = choose_interpolation(interp, (*src.shape[:2], h, w))
    return F._internal._cvimresize(src, w=w, h=h, interp=interp, out=out)


def force_resize(src: Any, size: tuple[int, int], interp: int) -> Any:
    """Return an image of size (width, height), with a method that may depend on both sizes."""
    width, height = size
    return imresize(
        src, width, height, choose_interpolation(interp, (*src.shape[:2], height, width))
    )


def resize_short(src: Any, size: int, interp: int = 2) -> Any:
    """Return an image resized so that its shorter side is `size`, keeping the aspect ratio.

    Parameters
    ----------
    src : NDArray, shape (height, width, channels)
    size : int
        Length of the shorter side.
    interp : int, default 2
        As for `imresize`.

    Examples
    --------
    >>> resize_short(F.zeros((20, 30, 3)), 10).shape
    (10, 15, 3)
    """
    height, width = shorter_side_size(src.shape, size)
    return force_resize(src, (width, height), interp)


def copyMakeBorder(
    src: Any,
    top: int,
    bot: int,
    left: int,
    right: int,
    type: int = 0,
    value: float = 0.0,
    values: Any = (),
    out: Any = None,
) -> Any:
    """Return an image with a border.

    Parameters
    ----------
    src : NDArray, shape (height, width, channels)
    top, bot, left, right : int
        Numbers of rows and columns to add.
    type : int, default 0
        OpenCV's border type: 0 constant, 1 replicate, 2 reflect, 3 wrap, 4 reflect without the
        edge pixel.
    value : float, default 0
        Color of all channels.
    values : sequence of float, optional
        Color of each channel, up to four.
    out : NDArray, optional
        Array for the result.

    Examples
    --------
    >>> copyMakeBorder(F.zeros((4, 6, 3)), 1, 1, 2, 2, value=9).shape
    (6, 10, 3)
    """
    return F._internal._cvcopyMakeBorder(
        src,
        top=top,
        bot=bot,
        left=left,
        right=right,
        type=type,
        value=value,
        values=tuple(values),
        out=out,
    )
