"""Regression outputs: predictions forward, the gradient of their loss backward."""

from math import prod
from typing import Any

from opforge.plugin_api import Attribute, OperatorProp, ShapeError, kernels


class _RegressionOutput(OperatorProp):
    """Base class of the three operators: shapes, and the scale of the gradient."""

    category = "loss"
    arguments = ("data", "label")
    need_top_grad = False
    saves = ("label", "output")
    attrs = {"FInplaceOption": [(0, 0)]}
    argument_docs = {
        "data": "shape (n, ...), floating",
        "label": "data's shape, or another of as many elements for each of the n samples",
    }
    grad_scale = Attribute(
        float, default=1.0, doc="Factor of the gradient, beside 1 / (outputs of a sample)."
    )

    def infer_shape(self, in_shape: Any) -> Any:
        """Return data's shape; the label's is the same, without the axis of a single output."""
        data, label = in_shape
        if not data:
            return [data, label], [data], []
        if not label:
            label = data[:1] if len(data) == 2 and data[1] == 1 else data
        elif label[0] != data[0] or prod(label) != prod(data):
            raise ShapeError(
                f"label has shape {tuple(label)}, expected {tuple(data)} because data has that "
                "shape; reshape the label"
            )
        return [data, label], [data], []

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Any]:
        """Return the output's shape for data; the label's follows from it."""
        return [out_shapes[0], in_shapes[1]]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Copy the predictions."""
        kernels.cast(in_data[0], out_data[0], req=req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the loss's gradient by the data, over the outputs of a sample; labels get none."""
        (_, label), (output,) = in_data, out_data
        if label.dtype != output.dtype:
            label = F.cast(label, dtype=output.dtype)
        if label.shape != output.shape:
            label = F.reshape(label, shape=output.shape)
        outputs = max(prod(output.shape[1:]), 1)
        return [self.slope(F, output - label) * (self.grad_scale / outputs), None]

    def slope(self, F: Any, error: Any) -> Any:
        """Return the derivative of the loss by the data, where the prediction is off by `error`."""
        return error


class LinearRegressionOutput(_RegressionOutput):
    r"""Return `data`; backward the gradient of half the squared error, whatever comes from above.

    .. math:: y = x, \qquad \mathrm{d}x = x - \mathrm{label}

    Examples
    --------
    >>> from opforge import autograd, nd
    >>> x = nd.array([[1.0, 2.0]])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = nd.LinearRegressionOutput(x, nd.array([[1.0, 6.0]]))
    >>> y.backward()
    >>> x.grad.asnumpy().tolist()
    [[0.0, -2.0]]
    """

    name = "LinearRegressionOutput"


class MAERegressionOutput(_RegressionOutput):
    r"""Return `data`; backward the gradient of the absolute error, whatever comes from above.

    .. math:: y = x, \qquad \mathrm{d}x = \mathrm{sign}(x - \mathrm{label})
    """

    name = "MAERegressionOutput"

    def slope(self, F: Any, error: Any) -> Any:
        """Return the error's sign."""
        return F.sign(error)


class LogisticRegressionOutput(_RegressionOutput):
    r"""Return the sigmoid of `data`; backward the gradient of the binary cross-entropy.

    .. math:: y = \frac{1}{1 + e^{-x}}, \qquad \mathrm{d}x = y - \mathrm{label}

    Whatever comes from above is ignored.
    """

    name = "LogisticRegressionOutput"

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Apply the sigmoid."""
        kernels.unary("sigmoid", in_data[0], out_data[0], req=req[0])


OPERATORS = (LinearRegressionOutput, LogisticRegressionOutput, MAERegressionOutput)
