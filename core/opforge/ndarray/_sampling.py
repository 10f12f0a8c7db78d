"""Code shared by the functions of `nd.random`: argument checks and choice of the operator."""

import contextlib
import operator
from typing import Any

import numpy as np

from ..base.context import Context, current_context
from ..base.dtypes import FLOAT_NAMES, code_of, dtype_of
from ..base.errors import AttributeValueError, ShapeError
from ._arguments import expect_array
from ._operators import operators as nd_operators
from .ndarray import NDArray

__all__ = [
    "INTS",
    "Parameter",
    "Shape",
    "as_tuple",
    "draw",
]

Shape = int | tuple[int, ...] | list[int] | None
Parameter = Any  # a number, or an NDArray with one distribution per element

INTS = ("int32", "int64")


def draw(
    name: str,
    parameters: dict[str, Parameter],
    shape: Shape,
    dtype: Any,
    ctx: Context | None,
    out: NDArray | None,
    dtypes: tuple[str, ...] = FLOAT_NAMES,
) -> NDArray:
    """Call the operator of a distribution, with numbers or with arrays as parameters."""
    arrays = [value for value in parameters.values() if isinstance(value, NDArray)]
    if arrays and (len(arrays) < len(parameters) or len({a.shape for a in arrays}) > 1):
        kinds = {k: getattr(v, "shape", v) for k, v in parameters.items()}
        raise ShapeError(
            f"random.{name}: parameters must all be numbers or all NDArrays of one shape, got "
            f"{kinds}"
        )
    many = arrays[0].shape if arrays else ()
    own = as_tuple(shape)
    if out is None:
        dtype = _checked_dtype(name, dtypes, dtype)
    else:
        _check_out(name, out, many, shape, dtypes)
        own, dtype = out.shape[len(many) :], np.dtype(out.dtype).name
    operators = nd_operators()._internal
    if arrays:
        return getattr(operators, f"_sample_{name}")(*arrays, shape=own, dtype=dtype, out=out)
    call = getattr(operators, f"_random_{name}")
    current = current_context()
    context = ctx or (out.context if out is not None else current)
    # Entering a context is slow and allocates; CPython crashes if that fails.
    with contextlib.nullcontext() if context == current else context:
        return call(*parameters.values(), shape=own, dtype=dtype, out=out)


def as_tuple(shape: Shape) -> tuple[int, ...]:
    """Return a shape as a tuple; None gives ()."""
    if shape is None:
        return ()
    with contextlib.suppress(TypeError, ValueError):  # arrays of one element have an index
        return (operator.index(shape),)  # type: ignore[arg-type]
    try:
        return tuple(operator.index(size) for size in shape)  # type: ignore[union-attr]
    except (TypeError, ValueError):
        raise TypeError(f"shape must be an int or a sequence of ints, got {shape!r}") from None


def _checked_dtype(name: str, dtypes: tuple[str, ...], dtype: Any) -> str:
    chosen = dtypes[0] if dtype in (None, "None") else np.dtype(dtype_of(code_of(dtype))).name
    if chosen not in dtypes:
        raise AttributeValueError(f"random.{name}: dtype {chosen!r} is not one of {dtypes}")
    return chosen


def _check_out(
    name: str, out: NDArray, many: tuple[int, ...], shape: Shape, dtypes: tuple[str, ...]
) -> None:
    if not isinstance(out, NDArray):  # of any storage type
        expect_array(f"random.{name}", "out", out)
    _checked_dtype(name, dtypes, out.dtype)
    expected = many + as_tuple(shape)
    if shape is not None and out.shape != expected:
        raise ShapeError(f"random.{name}: out has shape {out.shape}, expected {expected}")
    if out.shape[: len(many)] != many:
        raise ShapeError(f"random.{name}: out has shape {out.shape}, expected {many} + (...)")
