"""Arithmetic, comparison and shape methods of symbols.

``a + b`` is MXNet's ``elemwise_add``, which takes equal shapes; where the shapes are known and
differ, it is ``broadcast_add``, so that a block computes the same as a graph and on arrays.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..op.calling.fluent import axis_order
from ..op.calling.statistics import Statistics
from ._namespace import operators

__all__ = ["SymbolOperators", "two_sided"]

#: What -> (on equal shapes, broadcasting, with a number on the right, with one on the left).
TABLE = {
    "add": ("_Plus", "broadcast_add", "_PlusScalar", "_PlusScalar"),
    "sub": ("_Minus", "broadcast_sub", "_MinusScalar", "_RMinusScalar"),
    "mul": ("_Mul", "broadcast_mul", "_MulScalar", "_MulScalar"),
    "truediv": ("_Div", "broadcast_div", "_DivScalar", "_RDivScalar"),
    "mod": ("_Mod", "broadcast_mod", "_ModScalar", "_RModScalar"),
    "pow": ("_Power", "broadcast_power", "_PowerScalar", "_rpower_scalar"),
    "maximum": ("_Maximum", "broadcast_maximum", "_MaximumScalar", "_MaximumScalar"),
    "minimum": ("_Minimum", "broadcast_minimum", "_MinimumScalar", "_MinimumScalar"),
    "hypot": ("_Hypot", "broadcast_hypot", "_HypotScalar", "_HypotScalar"),
    "eq": ("_equal", "broadcast_equal", "_equal_scalar", "_equal_scalar"),
    "ne": ("_not_equal", "broadcast_not_equal", "_not_equal_scalar", "_not_equal_scalar"),
    "gt": ("_greater", "broadcast_greater", "_greater_scalar", "_lesser_scalar"),
    "ge": (
        "_greater_equal",
        "broadcast_greater_equal",
        "_greater_equal_scalar",
        "_lesser_equal_scalar",
    ),
    "lt": ("_lesser", "broadcast_lesser", "_lesser_scalar", "_greater_scalar"),
    "le": (
        "_lesser_equal",
        "broadcast_lesser_equal",
        "_lesser_equal_scalar",
        "_greater_equal_scalar",
    ),
}
for _logic in ("logical_and", "logical_or", "logical_xor"):
    _scalar = f"_{_logic}_scalar"
    TABLE[_logic] = (f"_{_logic}", f"broadcast_{_logic}", _scalar, _scalar)
_REFLECTED = ("add", "sub", "mul", "truediv", "mod", "pow")
_COMPARED = ("eq", "ne", "gt", "ge", "lt", "le")


def two_sided(what: str, left: Any, right: Any, broadcasts: bool = False) -> Any:
    """Return ``left what right``, of which one at least is a symbol."""
    equal, wide, scalar, mirrored = TABLE[what]
    sym = operators()
    if not isinstance(left, SymbolOperators):
        return getattr(sym._internal, mirrored)(right, scalar=_number(left))
    if not isinstance(right, SymbolOperators):
        return getattr(sym._internal, scalar)(left, scalar=_number(right))
    name = wide if broadcasts or _shapes_differ(left, right) else equal
    return getattr(sym if name is wide else sym._internal, name)(left, right)


def _number(value: Any) -> Any:
    if isinstance(value, (bool, int, float, np.number, np.bool_)):
        return value
    raise TypeError(f"type {type(value)} not supported")


def _floor_divided(left: Any, right: Any) -> Any:
    """Return ``left // right``; without the remainder the division is exact, of integers too."""
    return operators().rint((left - left % right) / right)


def _shapes_differ(left: Any, right: Any) -> bool:
    a, b = left.type, right.type
    return a.known and b.known and a.shape != b.shape


class SymbolOperators(Statistics):
    """The operators of Python, and the methods of arrays that are more than one operator."""

    __slots__ = ()

    _operators = staticmethod(operators)

    def __neg__(self) -> Any:
        return self * -1.0  # type: ignore[operator]

    def __floordiv__(self, other: Any) -> Any:
        return _floor_divided(self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return _floor_divided(other, self)

    def __matmul__(self, other: Any) -> Any:
        return operators().matmul(self, other)

    def __abs__(self) -> Any:
        return operators().abs(self)

    def __rpow__(self, other: Any) -> Any:
        return two_sided("pow", other, self)

    def reshape(self, *shape: Any, reverse: bool = False, **kwargs: Any) -> Any:
        """Return the same elements with another shape; see `NDArray.reshape`."""
        if "shape" in kwargs:
            shape = (kwargs.pop("shape"),)
        if kwargs:
            raise TypeError(f"reshape got unknown arguments {sorted(kwargs)}; it takes reverse")
        codes = shape[0] if len(shape) == 1 and hasattr(shape[0], "__len__") else shape
        turned = {"reverse": True} if reverse else {}
        return operators().reshape(self, shape=tuple(codes), **turned)

    def transpose(self, *order: Any, axes: Any = None, **kwargs: Any) -> Any:
        """Return the axes permuted; without arguments reversed. See `NDArray.transpose`."""
        if order or axes is not None:
            kwargs["axes"] = axis_order(order, axes)
        return operators().transpose(self, **kwargs)

    @property
    def T(self) -> Any:
        """The symbol with its axes reversed."""
        return self.transpose()

    def expand_dims(self, axis: int, inplace: bool = False) -> Any:
        """Insert an axis of length 1; `inplace` has no meaning here."""
        return operators().expand_dims(self, axis=axis)

    def flatten(self, inplace: bool = False) -> Any:
        """Merge all axes but the first."""
        return operators().flatten(self)

    def squeeze(self, axis: Any = None, inplace: bool = False) -> Any:
        """Remove axes of length 1."""
        return operators().squeeze(self, axis=axis)

    def broadcast_to(self, shape: Any) -> Any:
        """Repeat axes of length 1 to `shape`."""
        return operators().broadcast_to(self, shape=shape)

    def broadcast_like(self, rhs: Any, **kwargs: Any) -> Any:
        """Repeat axes of length 1 to the shape of `rhs`; `lhs_axes` and `rhs_axes` choose axes."""
        return operators().broadcast_like(self, rhs, **kwargs)

    def astype(self, dtype: Any, copy: bool = True) -> Any:
        """Convert the elements; `copy` has no meaning here."""
        return operators().cast(self, dtype=dtype)

    def copy(self) -> Any:
        """Return the same elements in other memory."""
        return operators().identity(self)

    def detach(self) -> Any:
        """Return the same values without a gradient."""
        return operators().BlockGrad(self)


def _method(what: str, reflected: bool) -> Callable[[Any, Any], Any]:
    if what in ("eq", "ne"):
        return _equality(what)

    def method(self: Any, other: Any) -> Any:
        return two_sided(what, other, self) if reflected else two_sided(what, self, other)

    return method


def _equality(what: str) -> Callable[[Any, Any], Any]:
    """Return a comparison for which a text, which no number equals, is not an error."""

    def method(self: Any, other: Any) -> Any:
        return what == "ne" if isinstance(other, str | bytes) else two_sided(what, self, other)

    return method


for _what in (*_REFLECTED, *_COMPARED):
    setattr(SymbolOperators, f"__{_what}__", _method(_what, False))
for _what in _REFLECTED:
    setattr(SymbolOperators, f"__r{_what}__", _method(_what, True))
