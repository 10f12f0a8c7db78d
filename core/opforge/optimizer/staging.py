"""Steps of native update rules for weights on other devices, by copies on the CPU."""

from typing import Any

from ..base.context import cpu
from ..native.array import Array

__all__ = ["Staged"]


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
        if not isinstance(arrays, Array):
            return arrays
        copy = arrays.copyto(cpu())
        self._pairs.append((arrays, copy))
        return copy

    def write_back(self) -> None:
        """Copy the elements back to the arrays."""
        for array, copy in self._pairs:
            copy.copyto(array)
