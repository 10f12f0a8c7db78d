"""`FloorDivision`: the operator ``//``, which MXNet's arrays lack."""

from typing import Any

from ..base.dtypes import code_of, is_floating
from ._operators import operators

__all__ = ["FloorDivision"]


class FloorDivision:
    """Mixin for ``x // y`` of arrays and numbers, rounded down as in Python."""

    __slots__ = ()

    def __floordiv__(self, other: Any) -> Any:
        return _floor_divided(self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return _floor_divided(other, self)

    def __ifloordiv__(self: Any, other: Any) -> Any:
        self[:] = self // other
        return self


def _floor_divided(left: Any, right: Any) -> Any:
    """Return ``left // right``."""
    array: Any = left if isinstance(left, FloorDivision) else right
    if is_floating(code_of(array.dtype)):
        return operators().floor(left / right)
    # Integer division truncates; subtracting the remainder makes it exact.
    return (left - left % right) / right
