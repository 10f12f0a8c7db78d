"""Arithmetic, comparison and shape methods of symbols.

``a + b`` is MXNet's ``elemwise_add``, which requires equal shapes. If the shapes are known and
differ, or unknown and a program requests arrays of ``mx.np``, it is ``broadcast_add``, so that a
block computes the same as a graph and on arrays.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..base.dtypes import dtype_of, is_floating
from ..base.numpy_semantics import is_np_array
from ..op.calling.fluent import axis_order
from ..op.calling.statistics import Statistics
from ..op.declaring.validation import UNKNOWN_TYPE
from ..std.two_sided import TWO_SIDED
from ._namespace import operators
from .modes import modes

__all__ = ["SymbolOperators", "two_sided"]

#: Name of Python's method -> function in the table.
_REFLECTED = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "mod": "modulo",
    "pow": "power",
}
_COMPARED = {
    "eq": "equal",
    "ne": "not_equal",
    "gt": "greater",
    "ge": "greater_equal",
    "lt": "lesser",
    "le": "lesser_equal",
}
#: Name in the table -> name in ``mx.np``, where they differ.
_NUMPY_NAMES = {
    "divide": "true_divide",
    "lesser": "less",
    "lesser_equal": "less_equal",
    "modulo": "mod",
}


def two_sided(name: str, left: Any, right: Any, broadcasts: bool = False) -> Any:
    """Return the function `name` of the table for two operands, at least one of them a symbol."""
    row = TWO_SIDED[name]
    sym = operators()
    if not isinstance(left, SymbolOperators):
        return getattr(sym._internal, row.mirrored)(right, scalar=_number(left))
    if not isinstance(right, SymbolOperators):
        return getattr(sym._internal, row.scalar)(left, scalar=_number(right))
    if is_np_array():
        left, right = _promote_operands(left, right)
    if broadcasts or _shapes_differ(left, right):
        return getattr(sym, row.broadcast)(left, right)
    return getattr(sym._internal, row.equal)(left, right)


def _operate(name: str, left: Any, right: Any) -> Any:
    """Return the result of Python's operator; that of arrays of ``mx.np`` if types matter."""
    if is_np_array() and not modes.expands and _needs_numpy(name, left, right):
        numpy = getattr(operators(), "np", None)
        if numpy is not None:
            return getattr(numpy, _NUMPY_NAMES.get(name, name))(left, right)
    if name == "floor_divide":
        return _floor_divided(left, right)
    return two_sided(name, left, right)


def _needs_numpy(name: str, left: Any, right: Any) -> bool:
    """Return whether the result has another type than that of the operands.

    The types of symbols are known in a hybrid block.
    """
    codes = [x.type.code for x in (left, right) if isinstance(x, SymbolOperators)]  # type: ignore[attr-defined]
    if UNKNOWN_TYPE in codes:
        return False
    return name in _COMPARED.values() or not all(map(is_floating, codes))


def _number(value: Any) -> Any:
    if isinstance(value, (bool, int, float, np.number, np.bool_)):
        return value
    raise TypeError(f"type {type(value)} not supported")


def _floor_divided(left: Any, right: Any) -> Any:
    """Return ``left // right``; subtracting the remainder first keeps integer division exact."""
    return operators().rint((left - left % right) / right)


def _promote_operands(left: Any, right: Any) -> tuple[Any, Any]:
    """Return operands in one element type, as NumPy's arrays are; floating types win."""
    codes = left.type.code, right.type.code
    if UNKNOWN_TYPE in codes or codes[0] == codes[1]:
        return left, right
    types = [np.dtype(dtype_of(code)) for code in codes]
    common = np.result_type(*([t for t in types if t.kind not in "biu"] or types))
    left, right = (
        operand if dtype == common else operand.astype(common.name)
        for operand, dtype in zip((left, right), types, strict=True)
    )
    return left, right


def _shapes_differ(left: Any, right: Any) -> bool:
    """Return whether shapes differ, or may differ because those of NumPy's arrays may."""
    a, b = left.type, right.type
    if a.known and b.known:
        return a.shape != b.shape
    return is_np_array()


class SymbolOperators(Statistics):
    """Python's operators, and array methods that are more than a single operator."""

    __slots__ = ()

    _operators = staticmethod(operators)

    def __neg__(self) -> Any:
        return self * -1.0  # type: ignore[operator]

    def __floordiv__(self, other: Any) -> Any:
        return _operate("floor_divide", self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return _operate("floor_divide", other, self)

    def __matmul__(self, other: Any) -> Any:
        return operators().matmul(self, other)

    def __abs__(self) -> Any:
        return operators().abs(self)

    def __rpow__(self, other: Any) -> Any:
        return two_sided("power", other, self)

    def reshape(self, *shape: Any, reverse: bool = False, **kwargs: Any) -> Any:
        """Return the same elements with another shape; see `NDArray.reshape`."""
        if "shape" in kwargs:
            shape = (kwargs.pop("shape"),)
        if kwargs:
            raise TypeError(f"reshape got unknown arguments {sorted(kwargs)}; it takes reverse")
        codes = shape[0] if len(shape) == 1 and hasattr(shape[0], "__len__") else shape
        options = {"reverse": True} if reverse else {}
        return operators().reshape(self, shape=tuple(codes), **options)

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
        """Insert an axis of length 1; `inplace` is ignored."""
        return operators().expand_dims(self, axis=axis)

    def flatten(self, inplace: bool = False) -> Any:
        """Merge all axes but the first; all if a program requests arrays of ``mx.np``."""
        return self.reshape((-1,)) if is_np_array() else operators().flatten(self)

    def squeeze(self, axis: Any = None, inplace: bool = False) -> Any:
        """Remove axes of length 1."""
        return operators().squeeze(self, axis=axis)

    def broadcast_to(self, shape: Any) -> Any:
        """Repeat axes of length 1 to get `shape`."""
        return operators().broadcast_to(self, shape=shape)

    def broadcast_like(self, rhs: Any, **kwargs: Any) -> Any:
        """Repeat axes of length 1 to the shape of `rhs`; `lhs_axes` and `rhs_axes` select axes."""
        return operators().broadcast_like(self, rhs, **kwargs)

    def astype(self, dtype: Any, copy: bool = True) -> Any:
        """Convert the elements; `copy` is ignored."""
        return operators().cast(self, dtype=dtype)

    def copy(self) -> Any:
        """Return the same elements in new memory."""
        return operators().identity(self)

    def detach(self) -> Any:
        """Return the same values, detached from the gradient."""
        return operators().BlockGrad(self)

    def as_nd_ndarray(self) -> Any:
        """Return the symbol itself, which stands for arrays of all classes."""
        return self

    as_np_ndarray = as_nd_ndarray


def _method(name: str, reflected: bool) -> Callable[[Any, Any], Any]:
    if name in ("equal", "not_equal"):
        return _equality(name)

    def method(self: Any, other: Any) -> Any:
        return _operate(name, other, self) if reflected else _operate(name, self, other)

    return method


def _equality(name: str) -> Callable[[Any, Any], Any]:
    """Return a comparison that accepts a string, which is unequal to every symbol."""

    def method(self: Any, other: Any) -> Any:
        if isinstance(other, str | bytes):
            return name == "not_equal"
        return _operate(name, self, other)

    return method


for _method_name, _name in (_REFLECTED | _COMPARED).items():
    setattr(SymbolOperators, f"__{_method_name}__", _method(_name, False))
for _method_name, _name in _REFLECTED.items():
    setattr(SymbolOperators, f"__r{_method_name}__", _method(_name, True))
