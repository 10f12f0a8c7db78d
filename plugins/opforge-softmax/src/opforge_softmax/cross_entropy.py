"""Cross entropy of the softmax against class numbers, as one operator: what the gluon loss uses."""

from typing import Any

from opforge.plugin_api import OperatorProp, ShapeError, kernels


class _OfRows(OperatorProp):
    """What both share: rows of classes along the last axis, a label and a loss for each row."""

    saves = ("inputs",)

    def infer_type(self, in_type: Any) -> Any:
        """Labels may have any type; everything else has the type of the data."""
        data = in_type[self.arguments.index("data")]
        label = in_type[-1] if in_type[-1] is not None else data
        return [*[data] * (len(in_type) - 1), label], [data], []


class CrossEntropyOfSoftmax(_OfRows):
    """Return ``-log(softmax(data))[label]`` for each row of the last axis."""

    name = "_softmax_cross_entropy"
    arguments = ("data", "label")
    argument_docs = {
        "data": "shape (..., classes), floating",
        "label": "shape (...), class numbers",
    }

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.compute = kernels.CrossEntropy()

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of the data without its last axis."""
        data, label = in_shape
        rows = tuple(data[:-1])
        if len(data) < 2 or (label and tuple(label) != rows):
            raise ShapeError(
                f"operator '{self.name}': data has shape {tuple(data)} and label {tuple(label)}; "
                "expected (..., classes) and (...)"
            )
        return [data, rows], [rows], []

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return (softmax(data) - onehot(label)) times each row's gradient."""
        data, label = in_data
        return [F._backward_softmax_cross_entropy(out_grad[0], data, label), None]


class BackwardCrossEntropyOfSoftmax(_OfRows):
    """Return ``(softmax(data) - onehot(label)) * out_grad`` for each row."""

    name = "_backward_softmax_cross_entropy"
    arguments = ("out_grad", "data", "label")

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.compute = kernels.CrossEntropyGrad()

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of the data."""
        data = in_shape[1]
        return [data[:-1], data, data[:-1]], [data], []

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Differentiate by the rows' gradients and by the data."""
        (h,), (dy, data, label) = out_grad, in_data
        p = F.softmax(data)
        by_row = F.sum(h * p, axis=-1) - F.pick(h, label)
        by_data = F._backward_softmax(F.broadcast_mul(h, F.expand_dims(dy, axis=-1)), p)
        return [by_row, by_data, None]


OPERATORS = (CrossEntropyOfSoftmax, BackwardCrossEntropyOfSoftmax)
