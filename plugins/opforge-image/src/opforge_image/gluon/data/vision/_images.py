"""Images of NumPy and Pillow as inputs of transforms."""

from typing import Any

import numpy as np

from opforge.plugin_api import F as nd

__all__ = ["TakesImages", "as_image"]

_MODES = ("L", "RGB", "RGBA")


def as_image(x: Any) -> Any:
    """Return NumPy's arrays and Pillow's images as NDArray of the same type; others unchanged.

    Raises
    ------
    ValueError
        A Pillow image is neither gray, RGB nor RGBA.
    """
    if isinstance(x, np.ndarray):
        return nd.array(x, dtype=x.dtype)
    if not hasattr(x, "getbands"):
        return x
    if x.mode not in _MODES:
        raise ValueError(
            f"the image has mode {x.mode!r}, expected one of {_MODES}; use image.convert('RGB')"
        )
    return nd.array(np.atleast_3d(np.asarray(x)), dtype="uint8")


class TakesImages:
    """Base class of transforms, in front of their block class, that converts images to NDArray."""

    def __call__(self, x: Any, *args: Any) -> Any:
        """Return the transformed image."""
        return super().__call__(as_image(x), *args)  # type: ignore[misc]
