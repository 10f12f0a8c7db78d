"""Functions on arrays that are no single operator: arithmetic with a number on either side, ...

Arithmetic and comparison functions take an NDArray or a number on each side.
"""

import operator
from collections.abc import Callable, Sequence
from typing import Any

from ..base.errors import ShapeError
from ..native.array import Array, StoredArray
from ._expecting import expect_array
from ._operators import operators

__all__ = [
    "add",
    "concatenate",
    "divide",
    "einsum",
    "equal",
    "greater",
    "greater_equal",
    "hypot",
    "lesser",
    "lesser_equal",
    "logical_and",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "modulo",
    "moveaxis",
    "multiply",
    "not_equal",
    "onehot_encode",
    "power",
    "reset_arrays",
    "subtract",
    "true_divide",
    "waitall",
]


_ARRAYS = (Array, StoredArray)


def _two_sided(
    name: str, array: str, scalar: str, mirrored: str, number: Callable[[Any, Any], Any], doc: str
) -> Callable[[Any, Any], Any]:
    """Return a function that picks the operator by which sides are arrays."""

    def function(lhs: Any, rhs: Any) -> Any:
        nd = operators()
        if isinstance(lhs, _ARRAYS):
            if isinstance(rhs, _ARRAYS):
                return getattr(nd, array)(lhs, rhs)
            return getattr(nd, scalar)(lhs, _number(name, rhs))
        if isinstance(rhs, _ARRAYS):
            return getattr(nd, mirrored)(rhs, _number(name, lhs))
        return number(_number(name, lhs), _number(name, rhs))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"Return {doc}, element by element with broadcasting.\n\n"
        "Parameters\n----------\nlhs, rhs : NDArray or number\n"
    )
    return function


def _number(name: str, value: Any) -> Any:
    if hasattr(value, "__float__") and not hasattr(value, "__len__"):
        return value
    raise TypeError(f"nd.{name} takes NDArrays and numbers, got type {type(value)}")


def _symmetric(name: str, number: Callable[[Any, Any], Any], doc: str) -> Callable[[Any, Any], Any]:
    return _two_sided(name, f"broadcast_{name}", f"_{name}_scalar", f"_{name}_scalar", number, doc)


def _comparison(
    name: str, mirror: str, number: Callable[[Any, Any], Any], doc: str
) -> Callable[[Any, Any], Any]:
    def as_int(lhs: Any, rhs: Any) -> int:
        return int(number(lhs, rhs))

    return _two_sided(
        name,
        f"broadcast_{name}",
        f"_{name}_scalar",
        f"_{mirror}_scalar",
        as_int,
        f"1 where {doc}, else 0, in the type of the arrays",
    )


add = _two_sided(
    "add", "broadcast_add", "_plus_scalar", "_plus_scalar", operator.add, "``lhs + rhs``"
)
subtract = _two_sided(
    "subtract",
    "broadcast_sub",
    "_minus_scalar",
    "_rminus_scalar",
    operator.sub,
    "``lhs - rhs``",
)
multiply = _two_sided(
    "multiply", "broadcast_mul", "_mul_scalar", "_mul_scalar", operator.mul, "``lhs * rhs``"
)
divide = _two_sided(
    "divide", "broadcast_div", "_div_scalar", "_rdiv_scalar", operator.truediv, "``lhs / rhs``"
)
true_divide = _two_sided(
    "true_divide",
    "broadcast_div",
    "_div_scalar",
    "_rdiv_scalar",
    operator.truediv,
    "``lhs / rhs``",
)
modulo = _two_sided(
    "modulo",
    "broadcast_mod",
    "_mod_scalar",
    "_rmod_scalar",
    operator.mod,
    "the remainder of ``lhs / rhs``",
)
_raised = _two_sided(
    "power",
    "broadcast_power",
    "_power_scalar",
    "_rpower_scalar",
    lambda a, b: operator.pow(a, b) if abs(b) < 1 << 16 else float(a) ** float(b),
    "`lhs` to the power of `rhs`",
)


def power(base: Any, exp: Any) -> Any:
    """Return `base` to the power of `exp`, element by element with broadcasting.

    Parameters
    ----------
    base, exp : NDArray or number

    Examples
    --------
    >>> from opforge import nd
    >>> power(base=nd.array([2.0, 3.0]), exp=2).asnumpy().tolist()
    [4.0, 9.0]
    """
    return _raised(base, exp)


maximum = _symmetric("maximum", max, "the larger of each pair")
minimum = _symmetric("minimum", min, "the smaller of each pair")
hypot = _symmetric("hypot", lambda a, b: (a * a + b * b) ** 0.5, "``sqrt(lhs**2 + rhs**2)``")
equal = _comparison("equal", "equal", operator.eq, "`lhs` equals `rhs`")
not_equal = _comparison("not_equal", "not_equal", operator.ne, "`lhs` differs from `rhs`")
greater = _comparison("greater", "lesser", operator.gt, "`lhs` is greater than `rhs`")
greater_equal = _comparison(
    "greater_equal", "lesser_equal", operator.ge, "`lhs` is greater than or equal to `rhs`"
)
lesser = _comparison("lesser", "greater", operator.lt, "`lhs` is less than `rhs`")
lesser_equal = _comparison(
    "lesser_equal", "greater_equal", operator.le, "`lhs` is less than or equal to `rhs`"
)
logical_and = _comparison(
    "logical_and", "logical_and", lambda a, b: bool(a) and bool(b), "both are not 0"
)
logical_or = _comparison(
    "logical_or", "logical_or", lambda a, b: bool(a) or bool(b), "one is not 0"
)
logical_xor = _comparison(
    "logical_xor", "logical_xor", lambda a, b: bool(a) != bool(b), "exactly one is not 0"
)


def concatenate(arrays: Sequence[Any], axis: int = 0, always_copy: bool = True) -> Any:
    """Join arrays along an axis that they have.

    Parameters
    ----------
    arrays : sequence of NDArray
    axis : int, default 0
    always_copy : bool, default True
        False: return a single array itself.
    """
    nd = operators()
    if not arrays:
        raise ValueError("concatenate needs at least one array, got none")
    if len(arrays) == 1 and not always_copy:
        return arrays[0]
    return nd.concat(*arrays, dim=axis)


def einsum(subscripts: str, *operands: Any, out: Any = None, optimize: bool = False) -> Any:
    """Sum products of elements by Einstein's convention.

    Parameters
    ----------
    subscripts : str
        A letter for each axis of each operand and, behind ``->``, of the result; ``...`` stands
        for the axes that no letter names. The rules are NumPy's.
    *operands : NDArray
        Axes with the same letter have the same length, or length 1. All are of one element type.
    out : NDArray, optional
        Where to write the result.
    optimize : bool, default False
        Multiply three operands or more in the order that needs fewest operations, else from left
        to right.

    Returns
    -------
    NDArray

    Raises
    ------
    AttributeValueError
        The text is no list of subscripts.
    ShapeError
        It does not fit the shapes.

    Examples
    --------
    >>> from opforge import nd
    >>> einsum("ij,kj->ik", nd.array([[1, 2]]), nd.array([[3, 4], [5, 6]])).asnumpy().tolist()
    [[11.0, 17.0]]
    """
    for position, operand in enumerate(operands):
        expect_array("einsum", f"operand {position}", operand)
    return operators()._einsum(*operands, subscripts=subscripts, optimize=optimize, out=out)


def moveaxis(tensor: Any, source: int | Sequence[int], destination: int | Sequence[int]) -> Any:
    """Move axes to other places; the rest keep their order.

    Parameters
    ----------
    tensor : NDArray
    source, destination : int or sequence of int
        Old and new places, equally many, each at most once.

    Raises
    ------
    ValueError
        A place is out of bounds or named twice, or the numbers differ.
    """
    expect_array("moveaxis", "tensor", tensor)
    old = _places(source, tensor.ndim, "source")
    new = _places(destination, tensor.ndim, "destination")
    if len(old) != len(new):
        raise ValueError(
            f"`source` names {len(old)} axes and `destination` {len(new)}; they must have the "
            "same number of elements"
        )
    order = [axis for axis in range(tensor.ndim) if axis not in old]
    for place, axis in sorted(zip(new, old, strict=True)):
        order.insert(place, axis)
    return tensor.transpose(tuple(order))


def _places(axes: int | Sequence[int], ndim: int, name: str) -> list[int]:
    listed = [axes] if isinstance(axes, int) else list(axes)
    for axis in listed:
        if not -ndim <= axis < ndim:
            raise ValueError(f"{name}: axis {axis} is out of bounds for {ndim} dimensions")
    places = [axis % ndim for axis in listed]
    if len(set(places)) != len(places):
        raise ValueError(f"{name}: {axes} names an axis twice")
    return places


def onehot_encode(indices: Any, out: Any) -> Any:
    """Write into each row of `out` a 1 where `indices` says and 0 elsewhere."""
    expect_array("onehot_encode", "indices", indices)
    expect_array("onehot_encode", "out", out)
    if out.ndim != 2:
        raise ShapeError(f"nd.onehot_encode: 'out' has shape {out.shape}, expected 2 dimensions")
    nd = operators()
    out[:] = nd.one_hot(indices, out.shape[1], dtype=out.dtype)
    return out


def reset_arrays(*arrays: Any, num_arrays: int | None = None) -> None:
    """Set the elements of all arrays to 0.

    Parameters
    ----------
    *arrays : NDArray
    num_arrays : int, optional
        How many they are, as MXNet asks for it.
    """
    if num_arrays not in (None, len(arrays)):
        raise ValueError(f"nd.reset_arrays: num_arrays is {num_arrays}, got {len(arrays)} arrays")
    for position, array in enumerate(arrays):
        expect_array("reset_arrays", f"number {position}", array)
    for array in arrays:
        array[:] = 0


def waitall() -> None:
    """Block until every pushed task is done; raise what one of them raised."""
    from ..native.threads import engine

    engine.wait_all()
