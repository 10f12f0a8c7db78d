"""NumPy results and axes, for operators that compute with NumPy."""

from typing import Any

import numpy as np

from opforge.plugin_api import F, ShapeError, kernels

__all__ = ["axis_index", "store"]


def store(out: Any, value: np.ndarray, req: str) -> None:
    """Write or add a NumPy array to an output, in the output's type.

    Parameters
    ----------
    out : array
        Output of ``compute``.
    value : numpy.ndarray
        Array with as many elements.
    req : str
        Request of the output: "write", "inplace", "add" or "null".
    """
    if req != "null" and value.size:
        kernels.cast(F.from_numpy(np.ascontiguousarray(value).reshape(out.shape)), out, req=req)


def axis_index(name: str, axis: int, shape: tuple[int, ...]) -> int:
    """Return a non-negative axis.

    Parameters
    ----------
    name : str
        Operator, for the error.
    axis : int
    shape : tuple of int
        Shape of the operator's data.

    Raises
    ------
    ShapeError
        The axis is out of range.
    """
    if not -len(shape) <= axis < len(shape):
        raise ShapeError(
            f"operator '{name}': axis {axis} is out of range for data of shape {shape}; expected "
            f"{-len(shape)} to {len(shape) - 1}"
        )
    return axis % len(shape)
