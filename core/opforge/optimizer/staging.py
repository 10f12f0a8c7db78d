"""Steps of native update rules for other arrays than dense ones on the CPU, by copies."""

from typing import Any

from ..base.context import cpu
from ..native.array import Array, StoredArray

__all__ = ["DenseCopies", "Staged"]


class Staged:
    """Copies on the CPU of the arrays of one step.

    Examples
    --------
    >>> from opforge import nd
    >>> weight = nd.zeros(2)
    >>> staged = Staged()
    >>> copy, _ = staged.copies([weight, None])
    >>> copy[:] = 1
    >>> staged.write_back()
    >>> weight.asnumpy().tolist()
    [1.0, 1.0]
    """

    def __init__(self) -> None:
        self._pairs: list[tuple[Any, Any]] = []

    def copies(self, arrays: Any) -> Any:
        """Return copies of arrays in nested lists and tuples; other values are kept."""
        if isinstance(arrays, list | tuple):
            return type(arrays)([self.copies(item) for item in arrays])
        copy = self._copy(arrays)
        if copy is not arrays:
            self._pairs.append((arrays, copy))
        return copy

    def _copy(self, value: Any) -> Any:
        """Return the copy of an array; other values unchanged."""
        return value.copyto(cpu()) if isinstance(value, Array) else value

    def write_back(self) -> None:
        """Copy the elements back to the arrays."""
        for array, copy in self._pairs:
            copy.copyto(array)


class DenseCopies(Staged):
    """Dense copies of the sparse arrays of one step.

    Examples
    --------
    >>> from opforge import nd
    >>> weight = nd.zeros((1, 2), stype="csr")
    >>> copies = DenseCopies()
    >>> copies.copies(weight)[:] = 1
    >>> copies.write_back()
    >>> weight.asnumpy().tolist()
    [[1.0, 1.0]]
    """

    def _copy(self, value: Any) -> Any:
        """Return the copy of a sparse array; other values unchanged."""
        return value.tostype("default") if isinstance(value, StoredArray) else value
