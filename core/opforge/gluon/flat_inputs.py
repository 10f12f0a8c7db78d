"""Inputs of a hybrid block, which may be nested lists of arrays or symbols."""

from typing import Any

import numpy as np

from ..base.nesting import HERE, flatten
from ..native.array import Array
from ..ndarray import NDArray
from ..symbol import Symbol

__all__ = ["FlatInputs"]

# `Array` first: isinstance() with a compiled class is faster than with NDArray, whose metaclass
# counts sparse arrays in.
_LEAVES = (Array, Symbol, NDArray)


class FlatInputs:
    """Arguments of one call, flattened once for everything that has to look at them.

    Parameters
    ----------
    args : tuple
        The arguments of the block.

    Attributes
    ----------
    arrays : list of NDArray or Symbol
        The arrays and symbols in `args`, in order.
    structure : object
        How they are nested; see `flatten`.
    fit_graphs : bool
        Whether compiled graphs take all inputs. They take neither symbols nor sparse arrays, nor
        arrays without elements or axes: to them, a size of 0 and the shape () mean unknown.
    """

    __slots__ = ("args", "arrays", "fit_graphs", "structure")

    def __init__(self, args: tuple[Any, ...]) -> None:
        self.args = args
        arrays = [*args]
        for item in arrays:
            if not isinstance(item, Array):
                arrays = []
                self.structure = flatten(args, _LEAVES, arrays)
                break
        else:  # the usual case, without a call
            self.structure = tuple, (HERE,) * len(arrays)
        self.arrays = arrays
        self.fit_graphs = bool(arrays)
        for array in arrays:
            if not isinstance(array, Array) or not array.size or not array.shape:
                self.fit_graphs = False
                break

    def are_symbols(self, name: str) -> bool:
        """Return whether the inputs are symbols, from which the block composes a graph.

        Parameters
        ----------
        name : str
            Name of the block, for errors.

        Raises
        ------
        ValueError
            There are both arrays and symbols, or neither.
        """
        symbols = [isinstance(item, Symbol) for item in self.arrays]
        if not symbols:
            raise _no_arrays(self.args[0])
        if any(symbols) and not all(symbols):
            raise ValueError(
                "In HybridBlock, we do not support mixed NDArrays and Symbols types for the input. "
                f"{name} got both: pass arrays to compute, or symbols to get its graph"
            )
        return symbols[0]


def _no_arrays(first: Any) -> ValueError:
    shown = f" of shape {first.shape}" if isinstance(first, np.ndarray) else ""
    return ValueError(
        f"HybridBlock requires NDArray inputs, but got {type(first).__name__}{shown}; pass "
        "nd.array(x)"
    )
