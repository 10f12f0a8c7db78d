"""`Array`: the array class of the standard, with strict operators."""

import operator
from collections.abc import Callable
from typing import Any, Self

from opforge.plugin_api import DTypeError, array_classes, numpy_semantics

from ..arrays import ndarray
from ..elementwise import write_out
from . import elementwise
from .arguments import set_array_class, wrapped
from .linalg import matmul, matrix_transpose

__all__ = ["Array"]

NDArray = array_classes.NDArray
_NUMBERS = (bool, int, float, complex)

_FUNCTIONS: dict[Any, Callable[[Any, Any], Any]] = {
    operator.add: elementwise.add,
    operator.sub: elementwise.subtract,
    operator.mul: elementwise.multiply,
    operator.truediv: elementwise.divide,
    operator.floordiv: elementwise.floor_divide,
    operator.mod: elementwise.remainder,
    operator.pow: elementwise.pow,
    operator.eq: elementwise.equal,
    operator.ne: elementwise.not_equal,
    operator.gt: elementwise.greater,
    operator.ge: elementwise.greater_equal,
    operator.lt: elementwise.less,
    operator.le: elementwise.less_equal,
}


class Array(ndarray):
    """An array with the semantics of the array API standard; created by `opforge.array_api`.

    It shares memory and gradient history with the arrays of `mx.np` and `mx.nd` that are made of
    it. Unlike theirs, its operators do not convert between kinds of numbers.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> x = xp.asarray([1, 2, 3])
    >>> x[0] + 1
    array(2, dtype=int64)
    """

    __slots__ = ()

    @property
    def mT(self) -> Self:
        """The array with its last two axes exchanged."""
        return matrix_transpose(self)

    @property
    def T(self) -> Self:
        """The transpose of a matrix."""
        if self.ndim != 2:
            raise ValueError(
                f"T: the array has {self.ndim} axes; expected 2. Use mT or permute_dims"
            )
        return matrix_transpose(self)

    # -- indexing -------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Self:
        with numpy_semantics.np_shape():
            return wrapped(super().__getitem__(key))

    def __setitem__(self, key: Any, value: Any) -> None:
        with numpy_semantics.np_shape():
            super().__setitem__(key, value)

    # -- conversion to Python's numbers ---------------------------------------------------------

    def __complex__(self) -> complex:
        return complex(self.item())

    # -- operators ------------------------------------------------------------------------------

    def _operated(self, op: Any, other: Any, reverse: bool, out: Any) -> Any:
        """Compute the operators of Python that native arithmetic leaves to this class."""
        return _apply(_FUNCTIONS[op], self, other, reverse, out)

    def __pos__(self) -> Self:
        return elementwise.positive(self)

    def __neg__(self) -> Self:
        return elementwise.negative(self)

    def __abs__(self) -> Self:
        return elementwise.abs(self)

    def __invert__(self) -> Self:
        return elementwise.bitwise_invert(self)


def _apply(function: Any, array: Any, other: Any, reverse: bool, out: Any) -> Any:
    """Return ``function(array, other)``, with the operands exchanged if `reverse`.

    Parameters
    ----------
    out : Array or None
        Target of an in-place operation, whose type and shape do not change.
    """
    if not isinstance(other, (NDArray, *_NUMBERS)):
        return NotImplemented
    result = function(other, array) if reverse else function(array, other)
    if out is None:
        return result
    if out.dtype_code != result.dtype_code:
        raise DTypeError(
            f"an array of {out.dtype} cannot hold the result of type {result.dtype} in place"
        )
    return write_out(result, out)


def _add_operator(name: str, function: Any) -> None:
    """Define an operator that native arithmetic lacks, in its three forms."""

    def forward(self: Array, other: Any) -> Any:
        return _apply(function, self, other, False, None)

    def reflected(self: Array, other: Any) -> Any:
        return _apply(function, self, other, True, None)

    def in_place(self: Array, other: Any) -> Any:
        return _apply(function, self, other, False, self)

    for prefix, method in (("", forward), ("r", reflected), ("i", in_place)):
        method.__name__ = f"__{prefix}{name}__"
        method.__qualname__ = f"Array.{method.__name__}"
        setattr(Array, method.__name__, method)


for _name, _function in (
    ("floordiv", elementwise.floor_divide),
    ("matmul", matmul),
    ("and", elementwise.bitwise_and),
    ("or", elementwise.bitwise_or),
    ("xor", elementwise.bitwise_xor),
    ("lshift", elementwise.bitwise_left_shift),
    ("rshift", elementwise.bitwise_right_shift),
):
    _add_operator(_name, _function)

set_array_class(Array)
