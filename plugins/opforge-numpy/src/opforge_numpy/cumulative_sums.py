"""`cumsum`: sums up to each position along an axis."""

from typing import Any

import numpy as np

from opforge.plugin_api import F, array_classes, autograd

from .arguments import axis_index, operand
from .arrays import adopt
from .elementwise import write_out
from .reductions import _summable
from .shapes import ravel
from .symbols.calls import on_arrays

__all__ = ["cumsum"]


class _CumulativeSum(autograd.Function):
    """Cumulative sum along an axis; its gradient is one from the end to the start."""

    def __init__(self, axis: int) -> None:
        super().__init__()
        self.axis = axis

    def forward(self, a: Any) -> Any:
        result = F.empty(a.shape, a.context, a.dtype)
        np.cumsum(np.asarray(a), self.axis, out=np.asarray(result))
        return array_classes.as_class(result, type(a))

    def backward(self, grad: Any) -> Any:
        reverse = F.flip(grad, axis=self.axis)
        return F.flip(_CumulativeSum(self.axis)(reverse), axis=self.axis)


@on_arrays("cumsum")
def cumsum(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Any:
    """Return the sums of the elements up to each position along an axis.

    Parameters
    ----------
    a : ndarray
    axis : int, optional
        Default: the flattened array.
    dtype : optional
        Type of the result; default: that of `a`, int64 for bool.
    out : ndarray, optional

    Examples
    --------
    >>> from opforge import np
    >>> np.cumsum(np.array([[1, 2], [3, 4]]))
    array([ 1.,  3.,  6., 10.])
    """
    f, a = operand(a)
    if axis is None or not a.ndim:
        a, axis = ravel(a), 0
    summand = _summable(f, a, dtype)
    return write_out(adopt(_CumulativeSum(axis_index(axis, a.ndim))(summand)), out)
