"""Functions on arrays that are not a single operator, such as arithmetic with numbers.

Arithmetic and comparison functions take an NDArray or a number on each side.
"""

from collections.abc import Callable, Sequence
from typing import Any

from ..base.errors import ShapeError
from ..native.array import Array, StoredArray
from ..std.two_sided import TWO_SIDED
from ._arguments import expect_array
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


def _two_sided(row_name: str, name: str | None = None) -> Callable[[Any, Any], Any]:
    """Return a function that selects the operator by which operands are arrays."""
    row = TWO_SIDED[row_name]
    name = name or row_name

    def function(lhs: Any, rhs: Any) -> Any:
        nd = operators()
        if isinstance(lhs, _ARRAYS):
            if isinstance(rhs, _ARRAYS):
                return getattr(nd, row.broadcast)(lhs, rhs)
            return getattr(nd, row.scalar)(lhs, _number(name, rhs))
        if isinstance(rhs, _ARRAYS):
            return getattr(nd, row.mirrored)(rhs, _number(name, lhs))
        return row.number(_number(name, lhs), _number(name, rhs))

    function.__name__ = function.__qualname__ = name
    result = row.doc.format(lhs="lhs", rhs="rhs")
    if row.is_comparison:
        result += ", in the type of the arrays"
    function.__doc__ = (
        f"Return {result}, element by element with broadcasting.\n\n"
        "Parameters\n----------\nlhs, rhs : NDArray or number\n"
    )
    return function


def _number(name: str, value: Any) -> Any:
    if hasattr(value, "__float__") and not hasattr(value, "__len__"):
        return value
    raise TypeError(f"nd.{name} takes NDArrays and numbers, got type {type(value)}")


add = _two_sided("add")
subtract = _two_sided("subtract")
multiply = _two_sided("multiply")
divide = _two_sided("divide")
modulo = _two_sided("modulo")
true_divide = _two_sided("divide", "true_divide")
_power = _two_sided("power")


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
    return _power(base, exp)


maximum = _two_sided("maximum")
minimum = _two_sided("minimum")
hypot = _two_sided("hypot")
equal = _two_sided("equal")
not_equal = _two_sided("not_equal")
greater = _two_sided("greater")
greater_equal = _two_sided("greater_equal")
lesser = _two_sided("lesser")
lesser_equal = _two_sided("lesser_equal")
logical_and = _two_sided("logical_and")
logical_or = _two_sided("logical_or")
logical_xor = _two_sided("logical_xor")


def concatenate(arrays: Sequence[Any], axis: int = 0, always_copy: bool = True) -> Any:
    """Concatenate arrays along an existing axis.

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
        A letter for each axis of each operand and, after ``->``, of the result; ``...`` stands
        for the axes without a letter. The rules are NumPy's.
    *operands : NDArray
        Axes with the same letter have equal length, or length 1. All have the same element type.
    out : NDArray, optional
        Array for the result.
    optimize : bool, default False
        Multiply three or more operands in the order with the fewest operations instead of from
        left to right.

    Returns
    -------
    NDArray

    Raises
    ------
    AttributeValueError
        `subscripts` is malformed.
    ShapeError
        It does not match the shapes.

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
    """Move axes to other positions; the others keep their order.

    Parameters
    ----------
    tensor : NDArray
    source, destination : int or sequence of int
        Old and new positions, equally many, each at most once.

    Raises
    ------
    ValueError
        A position is out of bounds or repeated, or the numbers of positions differ.
    """
    expect_array("moveaxis", "tensor", tensor)
    old = _axes(source, tensor.ndim, "source")
    new = _axes(destination, tensor.ndim, "destination")
    if len(old) != len(new):
        raise ValueError(
            f"`source` names {len(old)} axes and `destination` {len(new)}; they must have the "
            "same number of elements"
        )
    order = [axis for axis in range(tensor.ndim) if axis not in old]
    for position, axis in sorted(zip(new, old, strict=True)):
        order.insert(position, axis)
    return tensor.transpose(tuple(order))


def _axes(axes: int | Sequence[int], ndim: int, name: str) -> list[int]:
    listed = [axes] if isinstance(axes, int) else list(axes)
    for axis in listed:
        if not -ndim <= axis < ndim:
            raise ValueError(f"{name}: axis {axis} is out of bounds for {ndim} dimensions")
    found = [axis % ndim for axis in listed]
    if len(set(found)) != len(found):
        raise ValueError(f"{name}: {axes} names an axis twice")
    return found


def onehot_encode(indices: Any, out: Any) -> Any:
    """Write the one-hot encoding of `indices` to the rows of `out` and return it."""
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
        Number of arrays, for compatibility with MXNet.
    """
    if num_arrays not in (None, len(arrays)):
        raise ValueError(f"nd.reset_arrays: num_arrays is {num_arrays}, got {len(arrays)} arrays")
    for position, array in enumerate(arrays):
        expect_array("reset_arrays", f"array {position}", array)
    for array in arrays:
        array[:] = 0


def waitall() -> None:
    """Block until all pushed tasks, and the work on other devices, are done; raise their errors."""
    from ..native.memory.devices import synchronize_all
    from ..native.threads import engine

    engine.wait_all()
    synchronize_all()
