"""Images in other sizes, and with borders."""

from typing import Any

from opforge.plugin_api import F

from ..geometry import choose_interpolation, shorter_side_size

__all__ = ["copyMakeBorder", "force_resize", "imresize", "resize_short"]


def imresize(src: Any, w: int, h: int, interp: int = 1, out: Any = None) -> Any:
    """Return an image in another size.

    Parameters
    ----------
    src : NDArray, shape (height, width, channels), uint8, float32 or float64
    w, h : int
        The new width and height.
    interp : int, default 1
        0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos; 9: cubic to enlarge, area to shrink, linear
        else; 10: any of these at random.
    out : NDArray, optional
        Where to write it.

    Returns
    -------
    NDArray, shape (h, w, channels), of the same type

    Examples
    --------
    >>> imresize(F.zeros((4, 6, 3)), 3, 2).shape
    (2, 3, 3)
    """
    if interp in (9, 10):
        interp = choose_interpolation(interp, (*src.shape[:2], h, w))
    return F._internal._cvimresize(src, w=w, h=h, interp=interp, out=out)


def force_resize(src: Any, size: tuple[int, int], interp: int) -> Any:
    """Return an image in the size (width, height), by a way that may depend on both sizes."""
    width, height = size
    return imresize(
        src, width, height, choose_interpolation(interp, (*src.shape[:2], height, width))
    )


def resize_short(src: Any, size: int, interp: int = 2) -> Any:
    """Return an image whose shorter side has a length; the sides' ratio stays.

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
    """Return an image with a border around it.

    Parameters
    ----------
    src : NDArray, shape (height, width, channels)
    top, bot, left, right : int
        Rows and columns that are added.
    type : int, default 0
        OpenCV's number: 0 one color, 1 the last pixels again, 2 mirrored, 3 wrapped around,
        4 mirrored without the last pixel.
    value : float, default 0
        The color of all channels.
    values : sequence of float, optional
        The color of each channel, up to four.
    out : NDArray, optional
        Where to write it.

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
