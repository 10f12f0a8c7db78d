"""Operator cumsum."""

from math import prod
from typing import Any

import numpy as np

from opforge.plugin_api import Attribute, DType, OperatorProp, kernels

from .arrays import axis_index


class CumSum(OperatorProp):
    r"""Return the sums of the elements up to each position along an axis.

    .. math:: y_i = \sum_{j \le i} x_j

    Floats are summed in float64 and rounded to the type of the result; integers wrap around.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.array([[1, 2, 3], [4, 5, 6]])
    >>> nd.cumsum(x, axis=1).asnumpy().tolist()
    [[1.0, 3.0, 6.0], [4.0, 9.0, 15.0]]
    >>> nd.cumsum(x).asnumpy().tolist()
    [1.0, 3.0, 6.0, 10.0, 15.0, 21.0]
    """

    name = "_np_cumsum"
    aliases = ("cumsum",)
    category = "reduction"
    arguments = ("a",)
    argument_docs = {"a": "any shape"}
    dtypes = ("floating", "integer")
    output_dtypes = {"output": ("dtype",)}
    saves = ("inputs",)
    attrs = {"IsPure": True}
    axis = Attribute(int, default=None, doc="Axis of the sums; None sums the flattened array.")
    dtype = Attribute(DType, default=None, doc="Element type of the sums; None: that of `a`.")

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the input's shape, flattened without an axis."""
        shape = tuple(in_shape[0])
        if not shape:
            return in_shape, [None], []
        if self.axis is None:
            return in_shape, [None if 0 in shape else (prod(shape),)], []
        axis_index(self.name, self.axis, shape)
        return in_shape, [shape], []

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Sum in float64 or int64."""
        kernels.cumsum(in_data[0], out_data[0], self.axis, req=req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Sum the gradient from the end to each position."""
        (data,), (grad,) = in_data, out_grad
        axis = self.axis or 0
        sums = F.flip(F.cumsum(F.flip(grad, axis=axis), axis=axis), axis=axis)
        if self.axis is None:
            sums = F.reshape_like(sums, data)
        if np.dtype(grad.dtype) != np.dtype(data.dtype):
            sums = F.cast(sums, dtype=np.dtype(data.dtype).name)
        return [sums]
