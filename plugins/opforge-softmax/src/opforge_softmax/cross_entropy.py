"""Cross entropy of the softmax against class numbers, as one operator: what the gluon loss uses."""

from typing import Any

import numpy as np

from opforge.plugin_api import OperatorProp, ShapeError, kernels


class CrossEntropyOfSoftmax(OperatorProp):
    """Return ``-log(softmax(data))[label]`` for each row of the last axis."""

    name = "_softmax_cross_entropy"
    category = "loss"
    arguments = ("data", "label")
    outputs = ("output", "moments")
    saves = ("inputs", "moments")
    argument_docs = {"data": "shape (..., classes), floating", "label": "shape (...), numbers"}

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.compute = kernels.CrossEntropy()

    @property
    def num_visible_outputs(self) -> int:
        """The moments of the rows are for the gradient alone."""
        return 1

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of the data without its last axis, and with 2 there for the moments."""
        data, label = in_shape
        rows = tuple(data[:-1])
        if len(data) < 2 or (label and tuple(label) != rows):
            raise ShapeError(
                f"operator '{self.name}': data has shape {tuple(data)} and label {tuple(label)}; "
                "expected (..., classes) and (...)"
            )
        return [data, rows], [rows, (*rows, 2)], []

    def infer_type(self, in_type: Any) -> Any:
        """Labels may have any type; the moments of float16 rows are float32."""
        data, label = in_type
        return [data, data if label is None else label], [data, _wide(data)], []

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return (softmax(data) - onehot(label)) times each row's gradient."""
        data, label = in_data
        dx = F._backward_softmax_cross_entropy(out_grad[0], data, label, out_data[1])
        return [dx, None]


class SoftmaxCrossEntropy(OperatorProp):
    r"""Return the sum of ``-log(softmax(data))[label]`` over all rows.

    .. math:: y = -\sum_n \log \frac{e^{x_{n, l_n}}}{\sum_j e^{x_{n, j}}}
    """

    name = "softmax_cross_entropy"
    category = "loss"
    arguments = ("data", "label")
    argument_docs = {"data": "shape (n, classes), floating", "label": "shape (n,), class numbers"}

    def infer_shape(self, in_shape: Any) -> Any:
        """Return one number."""
        data, label = in_shape
        if data and len(data) != 2:
            raise ShapeError(
                f"operator '{self.name}': data has shape {tuple(data)}, expected (n, classes)"
            )
        return [data, (data[0],) if data else label], [(1,)], []

    def infer_type(self, in_type: Any) -> Any:
        """Labels may have any type."""
        data, label = in_type
        return [data, data if label is None else label], [data], []

    def compose(self, F: Any, data: Any, label: Any) -> Any:
        """Add the losses of the rows."""
        self.infer_shape([tuple(data.shape), tuple(label.shape)])
        return F.sum(F._softmax_cross_entropy(data, label))


class BackwardCrossEntropyOfSoftmax(OperatorProp):
    """Return ``(softmax(data) - onehot(label)) * out_grad`` for each row."""

    name = "_backward_softmax_cross_entropy"
    arguments = ("out_grad", "data", "label", "moments")
    saves = ("inputs",)

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.compute = kernels.CrossEntropyGrad()

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of the data."""
        data = in_shape[1]
        rows = tuple(data[:-1])
        return [rows, data, rows, (*rows, 2)], [data], []

    def infer_type(self, in_type: Any) -> Any:
        """Return the type of the data."""
        data, label = in_type[1:3]
        return [data, data, data if label is None else label, _wide(data)], [data], []

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Differentiate by the rows' gradients and by the data, of which the moments are made."""
        (h,), (dy, data, label, _) = out_grad, in_data
        p = F.softmax(data)
        by_row = F.sum(h * p, axis=-1) - F.pick(h, label)
        by_data = F._backward_softmax(F.broadcast_mul(h, F.expand_dims(dy, axis=-1)), p)
        return [by_row, by_data, None, None]


def _wide(dtype: Any) -> Any:
    """Return the type that rows of `dtype` are computed in."""
    return np.float64 if np.dtype(dtype) == np.float64 else np.float32


OPERATORS = (CrossEntropyOfSoftmax, SoftmaxCrossEntropy, BackwardCrossEntropyOfSoftmax)
