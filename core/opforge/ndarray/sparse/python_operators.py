"""`PythonOperators`: Python's arithmetic and comparisons of sparse arrays."""

from typing import Any

from ...native.array import StoredArray
from .._operators import operators

__all__ = ["PythonOperators"]


class PythonOperators(StoredArray):
    """Arithmetic with MXNet's storage types of results; comparisons are operators."""

    __slots__ = ()

    __array_priority__ = 1000.0  # NumPy leaves mixed expressions to these methods
    __hash__ = object.__hash__

    def __add__(self, other: Any) -> Any:
        return operators().sparse.add(self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return operators().sparse.subtract(self, other)

    def __rsub__(self, other: Any) -> Any:
        return operators().sparse.subtract(other, self)

    def __mul__(self, other: Any) -> Any:
        return operators().sparse.multiply(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return operators().sparse.divide(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return operators().sparse.divide(other, self)

    def _update(self, result: Any) -> Any:
        """Assign the result of an operation, keeping the storage type."""
        raise NotImplementedError(f"{type(self).__name__} must define _update()")

    def __iadd__(self, other: Any) -> Any:
        return self._update(self + other)

    def __isub__(self, other: Any) -> Any:
        return self._update(self - other)

    def __imul__(self, other: Any) -> Any:
        return self._update(self * other)

    def __itruediv__(self, other: Any) -> Any:
        return self._update(self / other)

    def __mod__(self, other: Any) -> Any:
        return operators().modulo(self, other)

    def __rmod__(self, other: Any) -> Any:
        return operators().modulo(other, self)

    def __pow__(self, other: Any) -> Any:
        return operators().power(self, other)

    def __rpow__(self, other: Any) -> Any:
        return operators().power(other, self)

    def __neg__(self) -> Any:
        return operators().negative(self)

    def __abs__(self) -> Any:
        return operators().abs(self)

    def __eq__(self, other: Any) -> Any:
        return False if other is None else operators().equal(self, other)

    def __ne__(self, other: Any) -> Any:
        return True if other is None else operators().not_equal(self, other)

    def __gt__(self, other: Any) -> Any:
        return operators().greater(self, other)

    def __ge__(self, other: Any) -> Any:
        return operators().greater_equal(self, other)

    def __lt__(self, other: Any) -> Any:
        return operators().lesser(self, other)

    def __le__(self, other: Any) -> Any:
        return operators().lesser_equal(self, other)
