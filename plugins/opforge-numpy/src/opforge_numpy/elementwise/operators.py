"""`operate`: Python's operators on arrays, for operands that are not floats of one type."""

import operator
from typing import Any, NamedTuple

from opforge.plugin_api import F, array_classes

from ..promotion import is_floating, name_of
from . import binary
from .binary_rows import Binary
from .operands import is_array, write_out

__all__ = [
    "operate",
]

NDArray = array_classes.NDArray


class _Direct(NamedTuple):
    """Operators for arrays of one type and for numbers that need no conversion.

    Attributes
    ----------
    row : Binary
        The function for all other operands.
    arrays, number, mirrored : callable or None
        Operators for two arrays, an array and a number, and a number and an array.
    is_comparison : bool
    """

    row: Binary
    arrays: Any
    number: Any
    mirrored: Any
    is_comparison: bool


def _direct(function: Any, operator_name: str = "", mirror: str = "") -> _Direct:
    row: Binary = function.row
    stem = operator_name or row.name
    arrays = getattr(F, f"broadcast_{stem}")
    short = {"sub": "minus", "add": "plus"}.get(stem, stem)
    number = getattr(F, f"_{short}_scalar")
    return _Direct(
        row, arrays, number, getattr(F, f"_{mirror or 'r' + short}_scalar"), row.result == "bool"
    )


_DIRECT = {
    operator.add: _direct(binary.add),
    operator.sub: _direct(binary.subtract, "sub"),
    operator.mul: _direct(binary.multiply, "mul"),
    operator.pow: _direct(binary.power),
    operator.eq: _direct(binary.equal, mirror="equal"),
    operator.ne: _direct(binary.not_equal, mirror="not_equal"),
    operator.gt: _direct(binary.greater, mirror="lesser"),
    operator.ge: _direct(binary.greater_equal, mirror="lesser_equal"),
    operator.lt: _direct(binary.less, "lesser", "greater"),
    operator.le: _direct(binary.less_equal, "lesser_equal", "greater_equal"),
}
_OF_PYTHON = {
    **{op: direct.row for op, direct in _DIRECT.items()},
    operator.mod: binary.mod.row,
    operator.truediv: binary.true_divide.row,
    operator.floordiv: binary.floor_divide.row,
}
#: Integers up to this size are values of all types.
_SMALL = 127


def _directly(direct: _Direct, left: Any, right: Any, reverse: bool) -> Any:
    """Return the result if no operand needs a conversion, else None."""
    if isinstance(right, NDArray):
        if right.dtype_code != left.dtype_code or name_of(left) == "bool":
            return None
        y = direct.arrays(left, right)
    elif type(right) is int or (type(right) is float and is_floating(left)):
        if name_of(left) == "bool" or not (0 <= right <= _SMALL or is_floating(left)):
            return None
        y = (direct.mirrored if reverse else direct.number)(left, right)
    else:
        return None
    return F.cast(y, "bool") if direct.is_comparison else y


def operate(op: Any, left: Any, right: Any, reverse: bool, out: Any) -> Any:
    """Compute ``left op right``, or ``right op left`` if `reverse`.

    Arrays call this for everything but arithmetic of equal floating-point types.

    Parameters
    ----------
    op : callable
        A function of Python's module `operator`.
    left : ndarray
    right : object
        Arrays and numbers are supported, other types raise TypeError.
    reverse : bool
    out : ndarray or None
        Target of an in-place operation, which may truncate a number's fraction.
    """
    if out is None and op in _DIRECT:
        result = _directly(_DIRECT[op], left, right, reverse)
        if result is not None:
            return result
    row = _OF_PYTHON[op]
    result = row.computed(right, left) if reverse else row.computed(left, right)
    if out is None:
        return result
    return write_out(result, out, any_type=row.name != "true_divide" and not is_array(right))
