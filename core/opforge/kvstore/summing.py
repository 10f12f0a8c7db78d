"""The sum, or the mean, of what several devices have."""

from collections.abc import Sequence
from typing import Any

from ..base.context import Context
from ..ndarray import NDArray

__all__ = ["averaged", "summed"]


def summed(arrays: Sequence[NDArray], ctx: Context) -> NDArray:
    """Return the sum of arrays on different devices; the array itself where there is one.

    Parameters
    ----------
    arrays : list of NDArray
        Of equal shapes, at least one.
    ctx : Context
        Where to add them, and where the sum is.

    Examples
    --------
    >>> from opforge import cpu, nd
    >>> summed([nd.ones(2, cpu(0)), nd.ones(2, cpu(1))], cpu(0)).asnumpy().tolist()
    [2.0, 2.0]
    """
    first, *others = arrays
    total = first.as_in_context(ctx)
    for array in others:
        total = total + array.as_in_context(ctx)
    return total


def averaged(arrays: Sequence[NDArray], ctx: Context) -> NDArray:
    """Return the mean of arrays on different devices; always a new array.

    Parameters
    ----------
    arrays : list of NDArray
        Of equal shapes, at least one.
    ctx : Context
        Where the mean is.

    Examples
    --------
    >>> from opforge import cpu, nd
    >>> averaged([nd.ones(2, cpu(0)), nd.zeros(2, cpu(1))], cpu(0)).asnumpy().tolist()
    [0.5, 0.5]
    """
    total: Any = summed(arrays, ctx)
    mean: NDArray = total / len(arrays) if len(arrays) > 1 else total.copyto(ctx)
    return mean
