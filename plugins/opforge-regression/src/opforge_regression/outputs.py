"""Regression outputs: return predictions and propagate the gradient of their loss."""

from math import prod
from typing import Any

from opforge.plugin_api import Attribute, OperatorProp, ShapeError, kernels


class _RegressionOutput(OperatorProp):
    """Base class of the three operators: shapes and gradient scaling."""

    category = "loss"
    arguments = ("data", "label")
    argument_dtypes = {"label": ("any",)}
    need_top_grad = False
    saves = ("label", "output")
    attrs = {"FInplaceOption": [(0, 0)]}
    argument_docs = {
        "data": "shape (n, ...), floating",
        "label": "data's shape, or another shape with as many elements for each of the n samples",
    }
    grad_scale = Attribute(
        float, default=1.0, doc="Factor of the gradient, in addition to 1 / (outputs per sample)."
    )

    def infer_shape(self, in_shape: Any) -> Any:
        """Return data's shape; a missing label shape is the same, without an axis of one output."""
        data, label = in_shape
        if not data:
            return [data, label], [data], []
        if not label:
            label = data[:1] if len(data) == 2 and data[1] == 1 else data
        elif label[0] != data[0] or prod(label) != prod(data):
            raise ShapeError(
                f"label has shape {tuple(label)}; expected {tuple(data)}, the shape of data; "
                "reshape the label"
            )
        return [data, label], [data], []

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Any]:
        """Return the output's shape for data."""
        return [out_shapes[0], in_shapes[1]]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Copy the predictions."""
        kernels.cast(in_data[0], out_data[0], req=req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the gradient of data, divided by the outputs per sample; labels have none."""
        (_, label), (output,) = in_data, out_data
        if label.dtype != output.dtype:
            label = F.cast(label, dtype=output.dtype)
        if label.shape != output.shape:
            label = F.reshape(label, shape=output.shape)
        outputs = max(prod(output.shape[1:]), 1)
        return [self.slope(F, output - label) * (self.grad_scale / outputs), None]

    def slope(self, F: Any, error: Any) -> Any:
        """Return the derivative of the loss for a prediction that is off by `error`."""
        return error


class LinearRegressionOutput(_RegressionOutput):
    r"""Return `data`; its gradient is that of half the squared error. Ignore incoming gradients.

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
    r"""Return `data`; its gradient is that of the absolute error. Ignore incoming gradients.

    .. math:: y = x, \qquad \mathrm{d}x = \mathrm{sign}(x - \mathrm{label})

    Examples
    --------
    >>> from opforge import nd
    >>> nd.MAERegressionOutput(nd.array([[1], [2]]), nd.array([[0], [0]])).asnumpy().tolist()
    [[1.0], [2.0]]
    """

    name = "MAERegressionOutput"

    def slope(self, F: Any, error: Any) -> Any:
        """Return the error's sign."""
        return F.sign(error)


class LogisticRegressionOutput(_RegressionOutput):
    r"""Return the sigmoid of `data`; its gradient is that of the binary cross-entropy.

    .. math:: y = \frac{1}{1 + e^{-x}}, \qquad \mathrm{d}x = y - \mathrm{label}

    Incoming gradients are ignored.

    Examples
    --------
    >>> from opforge import nd
    >>> y = nd.LogisticRegressionOutput(nd.array([[0], [2]]), nd.array([[0], [1]]))
    >>> print(y.asnumpy().round(4))
    [[0.5   ]
     [0.8808]]
    """

    name = "LogisticRegressionOutput"

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Apply the sigmoid."""
        kernels.unary("sigmoid", in_data[0], out_data[0], req=req[0])
