"""Conversion of numbers to arrays for inputs whose declaration allows numbers."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

__all__ = ["converting_invoke"]


def converting_invoke(
    inputs: Sequence[str], numbers: Sequence[str], zeros_like: Any, invoke: Callable[..., Any]
) -> Callable[..., Any]:
    """Return `invoke` for an operator that accepts numbers for some of its inputs.

    A number is converted to an array with the shape and type of another such input, or of the first
    input if all of them are numbers.

    Parameters
    ----------
    inputs : sequence of str
        Inputs of the operator.
    numbers : sequence of str
        Inputs that may be numbers.
    zeros_like : callable
        Returns the function that creates zeros like an array or symbol.
    invoke : callable
        ``invoke(handle, inputs, attributes, out)``.
    """
    positions = [inputs.index(name) for name in numbers]

    def filled(handle: Any, given: Sequence[Any], *rest: Any) -> Any:
        for position in positions:
            if isinstance(given[position], int | float | np.number):
                return invoke(handle, _fill_scalars(given, positions, zeros_like), *rest)
        return invoke(handle, given, *rest)

    return filled


def _fill_scalars(
    given: Sequence[Any], positions: Sequence[int], zeros_like: Any
) -> tuple[Any, ...]:
    values = list(given)
    arrays = [values[at] for at in positions if not isinstance(values[at], int | float | np.number)]
    like = arrays[0] if arrays else values[0]
    for at in positions:
        if isinstance(values[at], int | float | np.number):
            values[at] = zeros_like()(like) + values[at]
    return tuple(values)
