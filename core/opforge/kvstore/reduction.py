"""Sum and mean of arrays on several devices."""

from collections.abc import Sequence
from typing import Any

from ..base.context import Context
from ..base.dtypes import element_type
from ..ndarray import NDArray

__all__ = ["averaged", "summed"]


def summed(arrays: Sequence[NDArray], ctx: Context) -> NDArray:
    """Return the sum of arrays on different devices; a single array is returned unchanged.

    16-bit floats are added in float32 and rounded once.

    Parameters
    ----------
    arrays : list of NDArray
        Of equal shapes, at least one.
    ctx : Context
        Device on which to compute and store the sum.

    Examples
    --------
    >>> from opforge import cpu, nd
    >>> summed([nd.ones(2, cpu(0)), nd.ones(2, cpu(1))], cpu(0)).asnumpy().tolist()
    [2.0, 2.0]
    """
    first, *others = arrays
    if others and element_type(first.dtype).is_half:
        return summed([array.astype("float32") for array in arrays], ctx).astype(first.dtype)
    total = first.as_in_context(ctx)
    for array in others:
        total = total + array.as_in_context(ctx)
    return total


def averaged(arrays: Sequence[NDArray], ctx: Context) -> NDArray:
    """Return the mean of arrays on different devices as a new array.

    Parameters
    ----------
    arrays : list of NDArray
        Of equal shapes, at least one.
    ctx : Context
        Device on which to store the mean.

    Examples
    --------
    >>> from opforge import cpu, nd
    >>> averaged([nd.ones(2, cpu(0)), nd.zeros(2, cpu(1))], cpu(0)).asnumpy().tolist()
    [0.5, 0.5]
    """
    total: Any = summed(arrays, ctx)
    mean: NDArray = total / len(arrays) if len(arrays) > 1 else total.copyto(ctx)
    return mean
