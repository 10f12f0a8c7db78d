"""Arrays of the caller, as NumPy arrays and as variables of a graph."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from opforge.plugin_api import F, sym

__all__ = ["leaves", "numpy_values", "record_symbols"]


def numpy_values(array: Any) -> Any:
    """Return an array's values as a NumPy array."""
    return array.asnumpy() if hasattr(array, "asnumpy") else np.asarray(array)


def leaves(value: Any) -> Iterator[Any]:
    """Yield the elements of nested lists and tuples; a single object is its only element."""
    if isinstance(value, list | tuple):
        for item in value:
            yield from leaves(item)
    else:
        yield value


def record_symbols(block: Any, arguments: Any, name: str) -> list[Any]:
    """Return the symbols that a HybridBlock computes from variables of its arguments' shapes.

    Parameters
    ----------
    block : HybridBlock
    arguments : sequence
        NDArrays, also in lists; other objects are passed unchanged.
    name : str
        Name of the variable; a number is appended if there are several.
    """
    n_arrays = sum(isinstance(value, F.NDArray) for value in leaves(arguments))
    names = iter([name] if n_arrays == 1 else [f"{name}{i}" for i in range(n_arrays)])
    outputs = block.forward(*_variables(arguments, names))
    return [output for output in leaves(outputs) if isinstance(output, sym.Symbol)]


def _variables(value: Any, names: Iterator[str]) -> Any:
    """Replace arrays in nested lists by variables."""
    if isinstance(value, F.NDArray):
        return sym.var(next(names), shape=value.shape, dtype=value.dtype)
    if isinstance(value, list | tuple):
        return type(value)(_variables(item, names) for item in value)
    return value
