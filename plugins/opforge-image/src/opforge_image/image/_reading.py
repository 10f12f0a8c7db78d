"""Reading of images from files and encoded bytes."""

import os
from typing import Any

import numpy as np

from opforge.plugin_api import F

__all__ = ["imdecode", "imread"]


def imread(
    filename: str | os.PathLike[str], flag: int = 1, to_rgb: bool = True, out: Any = None
) -> Any:
    """Return the image in a file.

    Parameters
    ----------
    filename : path-like
        A JPEG, PNG, BMP, WebP or TIFF file, or another format that OpenCV reads.
    flag : int, default 1
        0: one gray channel; otherwise three color channels.
    to_rgb : bool, default True
        Red first; otherwise blue first, as in OpenCV.
    out : NDArray, optional
        Array for the result.

    Returns
    -------
    NDArray, shape (height, width, 1 or 3), uint8

    Raises
    ------
    OpforgeError
        The file does not exist or is not an image that can be read.
    """
    return F._internal._cvimread(
        filename=os.fspath(filename), flag=int(flag), to_rgb=bool(to_rgb), out=out
    )


def imdecode(buf: Any, flag: int = 1, to_rgb: bool = True, out: Any = None) -> Any:
    """Return the image decoded from bytes.

    Parameters
    ----------
    buf : bytes, bytearray, memoryview, numpy.ndarray or NDArray
        Bytes of a file; NDArrays have type uint8.
    flag, to_rgb, out
        As for `imread`.

    Returns
    -------
    NDArray, shape (height, width, 1 or 3), uint8

    Raises
    ------
    ValueError
        `buf` has another type.
    OpforgeError
        The bytes are not an image that can be read.

    Examples
    --------
    >>> import cv2, numpy as np
    >>> file = cv2.imencode(".png", np.zeros((4, 6, 3), np.uint8))[1]
    >>> imdecode(file.tobytes(), flag=0).shape
    (4, 6, 1)
    """
    if isinstance(buf, bytes | bytearray | memoryview | np.ndarray):
        buf = F.array(np.frombuffer(buf, np.uint8), dtype=np.uint8)
    elif not isinstance(buf, F.NDArray):
        raise ValueError(
            f"imdecode: buf is {type(buf).__name__}; expected bytes, bytearray, memoryview, "
            "numpy.ndarray or NDArray"
        )
    return F._internal._cvimdecode(buf, flag=int(flag), to_rgb=bool(to_rgb), out=out)
