"""`cumsum`: sums up to each position along an axis."""

from typing import Any

from opforge.plugin_api import F, array_classes, autograd, kernels

from .arguments import axis_index, operand
from .arrays import adopt
from .elementwise import write_out
from .reductions import _summable
from .shapes import ravel
from .symbols.calls import on_arrays

__all__ = ["cumsum"]


class _CumulativeSum(autograd.Function):
    """Cumulative sum along an axis; its gradient is one in the opposite direction."""

    def __init__(self, axis: int, from_end: bool = False) -> None:
        super().__init__()
        self.axis, self.from_end = axis, from_end

    def forward(self, a: Any) -> Any:
        result = F.empty(a.shape, a.context, a.dtype)
        kernels.cumsum(a, result, self.axis, self.from_end)
        return array_classes.as_class(result, type(a))

    def backward(self, grad: Any) -> Any:
        return _CumulativeSum(self.axis, not self.from_end)(grad)


@on_arrays("cumsum")
def cumsum(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Any:
    """Return the sums of the elements up to each position along an axis.

    Floats are summed in float64 and rounded; integers wrap around.

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
    add_up = _CumulativeSum(axis_index(axis, a.ndim))
    result = add_up(summand) if autograd.is_recording() else add_up.forward(summand)
    return write_out(adopt(result), out)
