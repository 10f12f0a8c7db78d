"""Fused cross-entropy of the softmax with class indices, which the gluon loss uses."""

from typing import Any

import numpy as np

from opforge.plugin_api import OperatorProp, ShapeError, kernels


class CrossEntropyOfSoftmax(OperatorProp):
    """Return ``-log(softmax(data))[label]`` for each row of the last axis."""

    name = "_softmax_cross_entropy"
    category = "loss"
    arguments = ("data", "label")
    dtypes = ("floating",)
    argument_dtypes = {"label": ("any",)}
    output_dtypes = {"moments": {"float16": "float32", "bfloat16": "float32"}}
    outputs = ("output", "moments")
    saves = ("inputs", "moments")
    argument_docs = {
        "data": "shape (..., classes), floating",
        "label": "shape (...), class indices",
    }

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.compute = kernels.CrossEntropy()

    @property
    def num_visible_outputs(self) -> int:
        """Number of visible outputs; the moments are used by the gradient only."""
        return 1

    def infer_shape(self, in_shape: Any) -> Any:
        """Return data's shape without its last axis, and with size 2 there for the moments."""
        data, label = in_shape
        rows = tuple(data[:-1])
        if len(data) < 2 or (label and tuple(label) != rows):
            raise ShapeError(
                f"operator '{self.name}': data has shape {tuple(data)} and label {tuple(label)}; "
                "expected (..., classes) and (...)"
            )
        return [data, rows], [rows, (*rows, 2)], []

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return (softmax(data) - one_hot(label)) times the gradient of each row."""
        data, label = in_data
        dx = F._backward_softmax_cross_entropy(out_grad[0], data, label, out_data[1])
        return [dx, None]


class SoftmaxCrossEntropy(OperatorProp):
    r"""Return the sum of ``-log(softmax(data))[label]`` over all rows.

    .. math:: y = -\sum_n \log \frac{e^{x_{n, l_n}}}{\sum_j e^{x_{n, j}}}

    Examples
    --------
    >>> from opforge import nd
    >>> scores, labels = nd.array([[1, 1], [0, 5]]), nd.array([0, 1])
    >>> print(nd.softmax_cross_entropy(scores, labels).asnumpy().round(4))
    [0.6999]
    """

    name = "softmax_cross_entropy"
    category = "loss"
    arguments = ("data", "label")
    dtypes = ("floating",)
    argument_dtypes = {"label": ("any",)}
    argument_docs = {"data": "shape (n, classes), floating", "label": "shape (n,), class indices"}

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape (1,)."""
        data, label = in_shape
        if data and len(data) != 2:
            raise ShapeError(
                f"operator '{self.name}': data has shape {tuple(data)}; expected (n, classes)"
            )
        return [data, (data[0],) if data else label], [(1,)], []

    def compose(self, F: Any, data: Any, label: Any) -> Any:
        """Return the sum of the losses of all rows."""
        self.infer_shape([tuple(data.shape), tuple(label.shape)])
        return F.sum(F._softmax_cross_entropy(data, label))


class BackwardCrossEntropyOfSoftmax(OperatorProp):
    """Return ``(softmax(data) - one_hot(label)) * out_grad`` for each row."""

    name = "_backward_softmax_cross_entropy"
    arguments = ("out_grad", "data", "label", "moments")
    dtypes = ("floating",)
    argument_dtypes = {"label": ("any",), "moments": ("float32", "float64")}
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
        """Return the type of the data; moments have the type in which it is computed."""
        (grad, data, label, _), outputs, states = super().infer_type(in_type)
        return [grad, data, label, _compute_dtype(data)], outputs, states

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the gradients of `out_grad` and `data`, which includes that of the moments."""
        (h,), (dy, data, label, _) = out_grad, in_data
        p = F.softmax(data)
        by_row = F.sum(h * p, axis=-1) - F.pick(h, label)
        by_data = F._backward_softmax(F.broadcast_mul(h, F.expand_dims(dy, axis=-1)), p)
        return [by_row, by_data, None, None]


def _compute_dtype(dtype: Any) -> Any:
    """Return the type in which rows of `dtype` are computed."""
    return np.float64 if np.dtype(dtype) == np.float64 else np.float32
