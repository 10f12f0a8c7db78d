"""What the functions of `nd.random` share: checks, arrays to fill, and a stream for NumPy."""

import operator
from collections.abc import Callable
from math import prod
from typing import Any, SupportsIndex

import numpy as np

from ..base.context import Context, current_context
from ..base.dtypes import code_of, dtype_of
from ..base.errors import AttributeValueError, ShapeError
from ..native import random as _native
from ._expecting import expect_array
from .creation import array, empty
from .ndarray import NDArray

__all__ = [
    "INTS",
    "Parameter",
    "Shape",
    "as_tuple",
    "delivered",
    "draw",
    "not_negative",
    "numpy_stream",
]

Shape = int | tuple[int, ...] | list[int] | None
Parameter = Any  # a number, or an NDArray of numbers: one distribution for each

FLOATS = ("float32", "float64", "float16")
INTS = ("int32", "int64")


def draw(
    name: str,
    fill: Callable[..., None],
    parameters: dict[str, Parameter],
    shape: Shape,
    dtype: Any,
    ctx: Context | None,
    out: NDArray | None,
    dtypes: tuple[str, ...] = FLOATS,
) -> NDArray:
    """Fill an array by ``fill(out, *parameters)``, part by part where these are arrays."""
    arrays = [value for value in parameters.values() if isinstance(value, NDArray)]
    if arrays and (len(arrays) < len(parameters) or len({a.shape for a in arrays}) > 1):
        kinds = {k: getattr(v, "shape", v) for k, v in parameters.items()}
        raise ShapeError(
            f"random.{name}: parameters must all be numbers or all NDArrays of one shape, got "
            f"{kinds}"
        )
    many = arrays[0].shape if arrays else ()
    if out is None:
        whole = many + as_tuple(shape) or (1,)
        dtype = _checked_dtype(name, dtypes, dtype)
        out = empty(whole, ctx or (arrays[0].context if arrays else current_context()), dtype)
    else:
        _check_out(name, out, many, shape, dtypes)
    if not arrays:
        fill(out, *parameters.values())
        return out
    size = prod(many)
    parts = out.reshape((size, -1)) if out.size else out
    rows = zip(*(value.asnumpy().ravel().tolist() for value in arrays), strict=True)
    for i, numbers in enumerate(rows if out.size else ()):
        fill(parts[i], *numbers)
    return out


def as_tuple(shape: Shape) -> tuple[int, ...]:
    """Return a shape given in any form as a tuple, () for None."""
    if shape is None:
        return ()
    if isinstance(shape, SupportsIndex):
        return (operator.index(shape),)
    try:
        return tuple(shape)
    except TypeError:
        raise TypeError(f"shape must be an int or a sequence of ints, got {shape!r}") from None


def _checked_dtype(name: str, dtypes: tuple[str, ...], dtype: Any) -> str:
    chosen = dtypes[0] if dtype in (None, "None") else np.dtype(dtype_of(code_of(dtype))).name
    if chosen not in dtypes:
        raise AttributeValueError(f"random.{name}: dtype {chosen!r} is not one of {dtypes}")
    return chosen


def _check_out(
    name: str, out: NDArray, many: tuple[int, ...], shape: Shape, dtypes: tuple[str, ...]
) -> None:
    expect_array(f"random.{name}", "out", out)
    _checked_dtype(name, dtypes, out.dtype)
    expected = many + as_tuple(shape)
    if shape is not None and out.shape != expected:
        raise ShapeError(f"random.{name}: out has shape {out.shape}, expected {expected}")
    if out.shape[: len(many)] != many:
        raise ShapeError(f"random.{name}: out has shape {out.shape}, expected {many} + (...)")


def not_negative(name: str, parameter: str, value: Parameter) -> Parameter:
    """Return `value`, or raise AttributeValueError where it is negative or no number."""
    smallest = value.asnumpy().min(initial=0) if isinstance(value, NDArray) else value
    if not smallest >= 0:
        raise AttributeValueError(
            f"random.{name}: {parameter} must not be negative, got {smallest}"
        )
    return value


def delivered(values: np.ndarray, dtype: Any, ctx: Context, out: NDArray | None) -> NDArray:
    """Return `values` as an NDArray, in `out` where one is given."""
    if out is None:
        return array(values, dtype=dtype, ctx=ctx)
    expect_array("random", "out", out)
    if out.shape != values.shape:
        raise ShapeError(f"random: out has shape {out.shape}, expected {values.shape}")
    out[:] = values
    return out


def numpy_stream() -> np.random.Generator:
    """Return a NumPy generator that starts from the next number of the stream."""
    start = empty((4,), current_context(), "int64")
    _native.randint(start, 0, 2**32)
    return np.random.default_rng(start.asnumpy().tolist())
