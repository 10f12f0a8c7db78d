"""Pictures in other sizes."""

from typing import Any

from opforge.plugin_api import F

__all__ = ["imresize"]


def imresize(src: Any, w: int, h: int, interp: int = 1, out: Any = None) -> Any:
    """Return a picture in another size.

    Parameters
    ----------
    src : NDArray, shape (height, width, channels), uint8, float32 or float64
    w, h : int
        The new width and height.
    interp : int, default 1
        0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos.
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
    return F._internal._cvimresize(src, w=w, h=h, interp=interp, out=out)
