"""Numbers of standard distributions, as many as a result with given parameters has.

Parameters are numbers, arrays or symbols. Numbers come from the operators of `nd.random` and are
transformed by operators, so results have gradients with respect to parameters that only transform
them.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from operator import index
from typing import Any

import numpy as np

from opforge.plugin_api import array_classes, context, numpy_semantics

from ...arguments import as_array, scalar_of, stored
from ...arrays import adopt
from ...symbols.namespace import is_symbol, namespace_of

__all__ = [
    "Size",
    "context_of",
    "drawn",
    "expect",
    "float_type",
    "parameter",
    "result_shape",
    "standard",
]

NDArray = array_classes.NDArray

Size = int | Sequence[int] | None
Shape = tuple[int, ...]


def float_type(dtype: Any) -> Any:
    """Return an element type; None is the default of floating-point numbers."""
    if dtype is None:
        return "float64" if numpy_semantics.is_np_default_dtype() else "float32"
    return dtype


def standard(
    F: Any, name: str, size: Size, parameters: Sequence[Any], dtype: Any, ctx: Any, **numbers: Any
) -> Any:
    """Draw from one distribution, as many numbers as a result with these parameters has.

    Parameters
    ----------
    F : module
        Namespace of operators.
    name : str
        Distribution, for instance 'normal'.
    size : int, sequence of int or None
        Shape of the result; None: that of the parameters.
    parameters : sequence of float, ndarray or Symbol
    dtype : type or None
    ctx : Context or None
    **numbers
        Parameters of the operator.
    """
    if size is None and any(map(is_symbol, parameters)):
        like = reduce(F.add, parameters)
        return getattr(F._internal, f"_random_{name}_like")(like, **numbers)
    shape = result_shape(name, size, parameters)
    draw = getattr(F._internal, f"_random_{name}")
    with context_of(parameters, ctx):
        drawn = draw(shape=shape or (1,), dtype=float_type(dtype), **numbers)
    return adopt(drawn if shape else scalar_of(drawn))


def context_of(parameters: Sequence[Any], ctx: Any = None) -> Any:
    """Return the device of a result: the chosen one, that of the parameters, or the current one."""
    found = [value.context for value in parameters if isinstance(value, NDArray)]
    return ctx or (found[0] if found else context.current_context())


def result_shape(name: str, size: Size, parameters: Sequence[Any]) -> Shape:
    """Return the shape of a result.

    Raises
    ------
    ValueError
        The parameters do not broadcast to `size`.
    """
    given = [value.shape for value in parameters if isinstance(value, NDArray)]
    if size is None:
        return np.broadcast_shapes(*given) if given else ()
    if isinstance(size, int):
        shape: Shape = (size,)
    elif isinstance(size, (tuple, list)) or np.ndim(size):
        shape = tuple(map(index, size))
    else:
        shape = (index(size),)  # type: ignore[arg-type]  # a NumPy number without axes
    if given and np.broadcast_shapes(shape, *given) != shape:
        raise ValueError(
            f"np.random.{name}: parameters of shapes {given} do not broadcast to size {shape}"
        )
    return shape


def drawn(
    name: str,
    transform: Callable[..., Any],
    parameters: dict[str, Any],
    size: Size,
    dtype: Any = None,
    ctx: Any = None,
    out: Any = None,
    is_direct: bool = False,
    **numbers: Any,
) -> Any:
    """Return ``transform(F, x, *parameters)`` of numbers `x` of a standard distribution.

    If it is direct, the distribution has the same parameters, and numbers need no transformation.
    """
    values = [parameter(value, dtype) for value in parameters.values()]
    F = namespace_of(*values)
    if is_direct and all(type(value) is float for value in values):
        given = dict(zip(parameters, values, strict=True))
        return stored(standard(F, name, size, (), dtype, ctx, **given), out)
    x = standard(F, name, size, values, dtype, ctx, **numbers)
    return stored(adopt(transform(F, x, *values)), out)


def parameter(value: Any, dtype: Any = None) -> Any:
    """Return a parameter as a number, or as an array or a Symbol of the result's type."""
    if type(value) is float or type(value) is int:
        return float(value)
    kind = float_type(dtype)
    if is_symbol(value):
        return namespace_of(value).Cast(value, dtype=kind)
    if isinstance(value, NDArray):
        return value.astype(kind, copy=False)
    return float(value) if np.ndim(value) == 0 else as_array(np.asarray(value, kind))


def expect(name: str, key: str, value: Any, or_zero: bool = False) -> None:
    """Reject a parameter, or an array with an element, that is negative or, if so chosen, 0."""
    if ((type(value) is float or type(value) is int) and value > 0) or is_symbol(value):
        return
    found = value.asnumpy() if isinstance(value, NDArray) else np.asarray(value)
    wrong = found < 0 if or_zero else found <= 0
    if wrong.any():
        kind = "negative" if or_zero else "0 or negative"
        raise ValueError(f"np.random.{name}: {key} is {kind}: {found[wrong].flat[0]}")
