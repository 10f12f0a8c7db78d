"""Declaration of functions of two arrays: promotion of the operands, calls of operators.

Numbers alone go to NumPy's function of the same name. Lists and NumPy's arrays are rejected, as in
MXNet.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from opforge.plugin_api import DTypeError, F, array_classes

from ..arrays import adopt, ndarray
from ..promotion import FLOATING, default_float, is_floating, is_integer, name_of, promoted
from ..symbols.namespace import is_symbol, namespace_of
from ..symbols.operators import constant
from .operands import (
    as_bool,
    as_float,
    as_number,
    as_operand,
    check_keywords,
    is_array,
    is_value,
    write_out,
)

__all__ = [
    "Binary",
    "binary_row",
]

NDArray = array_classes.NDArray


class Binary(NamedTuple):
    """Row of a function of two arrays.

    Attributes
    ----------
    name : str
    compute : callable
        Function of the operators and two arrays of equal types, or an array and a number.
    result : {"same", "float", "bool", "integer"}
        Type of the result: that to which the arrays are promoted; floating, so that integers are
        converted first; bool; the promoted type, which must not be floating.
    """

    name: str
    compute: Callable[[Any, Any, Any], Any]
    result: str

    def __call__(self, left: Any, right: Any, out: Any, keywords: dict[str, Any]) -> Any:
        """Return the function of two arrays or numbers, in `out` if given."""
        if keywords:
            check_keywords(self.name, keywords)
        y = self.computed(left, right)
        return write_out(y, out) if out is not None else y

    def computed(self, left: Any, right: Any) -> Any:
        """Return the function of two arrays or numbers."""
        name, f = self.name, F
        if is_symbol(left) or is_symbol(right):
            f = namespace_of(left, right)
            left, right = (constant(f, x) if isinstance(x, NDArray) else x for x in (left, right))
        is_left, is_right = is_array(left), is_array(right)
        if is_left and is_right:
            left, right = promoted(left, right)
        elif is_left:
            right = as_number(name, right)
            left = self._for_number(left, right)
            right = as_operand(left, right)
        elif is_right:
            left = as_number(name, left)
            right = self._for_number(right, left)
            left = as_operand(right, left)
        else:
            return getattr(np, name)(as_number(name, left), as_number(name, right))
        if self.result not in ("same", "bool"):
            left, right = self._check(f, left), self._check(f, right)
        y = self.compute(f, left, right)
        return adopt(as_bool(f, y) if self.result == "bool" else y)

    def _for_number(self, array: Any, number: Any) -> Any:
        """Return an array that is combined with a number, in the type of the result."""
        if not is_integer(array):
            return array
        if isinstance(number, float) and self.result == "same":
            return namespace_of(array).cast(array, dtype=default_float())
        if self.result == "bool" and not is_value(array, number):
            return namespace_of(array).cast(array, dtype="float64")
        return array

    def _check(self, f: Any, operand: Any) -> Any:
        """Convert integers to floats, or reject floats, where the function requires it."""
        if not is_array(operand):
            return operand
        if self.result == "float":
            return as_float(f, operand)
        if is_floating(operand):
            raise DTypeError(f"np.{self.name} takes integers and bool, got {name_of(operand)}")
        return operand


def _operator_function(name: str) -> Callable[[Any, Any, Any], Any]:
    return lambda f, a, b: getattr(f, name)(a, b)


def binary_row(
    name: str, doc: str, compute: Any = None, result: str = "same", native: Any = None
) -> Any:
    """Return a function of two arrays, with the row as attribute.

    `native` is the operator of Python that arrays implement.
    """
    row = Binary(
        name, compute if callable(compute) else _operator_function(compute or name), result
    )
    direct = None
    if native is None and result != "bool" and not callable(compute):
        direct = getattr(F, f"broadcast_{compute or name}").direct

    def function(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> Any:
        if type(x1) is ndarray and out is None and not kwargs:
            if native is not None and type(x2) in _NATIVE_OPERANDS:
                return native(x1, x2)
            if (
                type(x2) is ndarray
                and direct is not None
                and x1.dtype_code == x2.dtype_code
                and x1.dtype_code in FLOATING
            ):
                return direct((x1, x2), ())
        return row(x1, x2, out, kwargs)

    function.__name__ = function.__qualname__ = name
    function.row = row  # type: ignore[attr-defined]
    function.__doc__ = f"""Return {doc}, element by element with broadcasting.

    Parameters
    ----------
    x1, x2 : ndarray or number
        Arrays of different types are promoted.
    out : ndarray, optional
        Array of the result's shape for the result.

    Returns
    -------
    ndarray
        {_RESULTS_OF_TWO[result]}
    """
    return function


#: Types with which Python's operators give the result of the function.
_NATIVE_OPERANDS = frozenset({ndarray, int, float})

_RESULTS_OF_TWO = {
    "same": "An array of the type to which the operands are promoted.",
    "float": "An array of floating-point numbers; float32 for integers.",
    "bool": "A bool array.",
    "integer": "An array of integers, or of bool.",
}
