"""Checks of inputs shared by all operators on images."""

from typing import Any

import numpy as np

from opforge.plugin_api import DTypeError, ShapeError, native

LIBRARY = native.load(f"{__package__}._native")


def expect_image(operator: str, shape: Any, name: str = "data") -> tuple[int, ...]:
    """Return a shape that is (n, channels, height, width), or raise the error that says so.

    Parameters
    ----------
    operator, name : str
        For the error.
    shape : sequence of int
    """
    if len(shape) != 4:
        raise ShapeError(
            f"operator '{operator}': {name} has shape {tuple(shape)}, expected four dimensions "
            "(n, channels, height, width)"
        )
    return tuple(shape)


def floating_types(operator: str, in_type: Any) -> Any:
    """Return the result of `infer_type` where all arrays have one floating type.

    Parameters
    ----------
    operator : str
        Name, for the error.
    in_type : sequence of type or None
    """
    known = [dtype for dtype in in_type if dtype is not None]
    dtype = known[0] if known else None
    if dtype is not None and not np.issubdtype(dtype, np.floating):
        raise DTypeError(
            f"operator '{operator}': data is {np.dtype(dtype)}, expected float16, float32 or "
            "float64; convert it with data.astype('float32')"
        )
    return [dtype] * len(in_type), [dtype], []
