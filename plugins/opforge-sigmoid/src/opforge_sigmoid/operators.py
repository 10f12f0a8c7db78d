"""The activations: most are one elementwise kernel of the core, and so is the gradient."""

from typing import Any

import numpy as np

from opforge.plugin_api import Attribute, DTypeError, OperatorProp, kernels


class Sigmoid(OperatorProp):
    r"""Logistic function 1 / (1 + exp(-x)), element by element.

    .. math:: y = \frac{1}{1 + e^{-x}}
    """

    name = "sigmoid"
    category = "activation"
    elementwise_kernel = ("unary", "sigmoid")
    saves = ("outputs",)
    argument_docs = {"data": "any shape, floating"}

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return dy * y * (1 - y)."""
        return [F._backward_sigmoid(out_grad[0], out_data[0])]


class Relu(OperatorProp):
    r"""Rectifier max(x, 0), element by element.

    .. math:: y = \max(x, 0)
    """

    name = "relu"
    category = "activation"
    elementwise_kernel = ("unary", "relu")
    saves = ("outputs",)
    argument_docs = {"data": "any shape"}

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return dy where the output is positive, else 0."""
        return [F._backward_relu(out_grad[0], out_data[0])]


class Softrelu(OperatorProp):
    r"""Smooth rectifier log(1 + exp(x)), element by element.

    .. math:: y = \log(1 + e^x)
    """

    name = "softrelu"
    category = "activation"
    elementwise_kernel = ("unary", "softrelu")
    saves = ("outputs",)
    argument_docs = {"data": "any shape, floating"}

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return dy * (1 - exp(-y))."""
        return [F._backward_softrelu(out_grad[0], out_data[0])]


class Softsign(OperatorProp):
    r"""Bounded activation x / (1 + |x|), element by element.

    .. math:: y = \frac{x}{1 + |x|}
    """

    name = "softsign"
    category = "activation"
    elementwise_kernel = ("unary", "softsign")
    saves = ("inputs",)
    argument_docs = {"data": "any shape, floating"}

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return dy / (1 + |x|)^2."""
        return [F._backward_softsign(out_grad[0], in_data[0])]


class HardSigmoid(OperatorProp):
    r"""Sigmoid of straight lines, ``alpha * x + beta`` between 0 and 1, element by element.

    .. math:: y = \min(1, \max(0, \alpha x + \beta))

    Examples
    --------
    >>> from opforge import nd
    >>> nd.hard_sigmoid(nd.array([-4.0, 0.0, 4.0])).asnumpy().tolist()
    [0.0, 0.5, 1.0]
    """

    name = "hard_sigmoid"
    category = "activation"
    argument_docs = {"data": "any shape, floating"}
    attrs = {"FElementwiseShape": True}
    alpha = Attribute(float, default=0.2, doc="Slope of the line.")
    beta = Attribute(float, default=0.5, doc="Height of the line at 0.")

    def infer_type(self, in_type: Any) -> Any:
        """Return data's type."""
        expect_floating(in_type[0])
        return in_type, [in_type[0]], []

    def compose(self, F: Any, data: Any) -> Any:
        """Return the line between its bounds, which have no gradient where it meets them."""
        # Arrays come here without inference: only graphs have their types inferred beforehand.
        expect_floating(data.dtype)
        line = self.alpha * data + self.beta
        # Where both are equal the gradient is that of the first.
        return F.minimum(F.ones_like(data), F.maximum(F.zeros_like(data), line))


class Activation(OperatorProp):
    """Apply the activation that `act_type` names, element by element."""

    name = "Activation"
    category = "activation"
    act_type = Attribute(
        str,
        choices=("relu", "sigmoid", "softrelu", "softsign", "tanh"),
        doc="Which activation.",
    )
    argument_docs = {"data": "any shape, floating"}
    attrs = {"FElementwiseShape": True}

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.saves = ("inputs",) if self.act_type == "softsign" else ("outputs",)
        self.compute = kernels.Unary(self.act_type)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the gradient of the chosen activation."""
        saved = in_data[0] if self.act_type == "softsign" else out_data[0]
        return [getattr(F, f"_backward_{self.act_type}")(out_grad[0], saved)]


def expect_floating(dtype: Any) -> None:
    """Refuse whole numbers; None is a type that is not known yet."""
    if dtype is not None and np.dtype(dtype).kind != "f":
        raise DTypeError(f"data is {np.dtype(dtype).name}, expected a floating type; cast it first")


OPERATORS = (Sigmoid, Relu, Softrelu, Softsign, HardSigmoid, Activation)
