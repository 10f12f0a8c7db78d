"""Activation operators, most of which are elementwise kernels of the core."""

from typing import Any

from opforge.plugin_api import Attribute, OperatorProp, kernels


class Sigmoid(OperatorProp):
    r"""Elementwise logistic function 1 / (1 + exp(-x)).

    .. math:: y = \frac{1}{1 + e^{-x}}

    Examples
    --------
    >>> from opforge import nd
    >>> print(nd.sigmoid(nd.array([-1, 0, 1])).asnumpy().round(4))
    [0.2689 0.5    0.7311]
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
    r"""Elementwise rectified linear unit max(x, 0).

    .. math:: y = \max(x, 0)

    Examples
    --------
    >>> from opforge import nd
    >>> nd.relu(nd.array([-1, 0, 2])).asnumpy().tolist()
    [0.0, 0.0, 2.0]
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
    r"""Elementwise softplus log(1 + exp(x)).

    .. math:: y = \log(1 + e^x)

    Examples
    --------
    >>> from opforge import nd
    >>> print(nd.softrelu(nd.array([-1, 0, 1])).asnumpy().round(4))
    [0.3133 0.6931 1.3133]
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
    r"""Elementwise softsign x / (1 + |x|).

    .. math:: y = \frac{x}{1 + |x|}

    Examples
    --------
    >>> from opforge import nd
    >>> nd.softsign(nd.array([-1, 0, 3])).asnumpy().tolist()
    [-0.5, 0.0, 0.75]
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
    r"""Elementwise piecewise linear sigmoid: ``alpha * x + beta`` clipped to [0, 1].

    .. math:: y = \min(1, \max(0, \alpha x + \beta))

    Examples
    --------
    >>> from opforge import nd
    >>> nd.hard_sigmoid(nd.array([-4.0, 0.0, 4.0])).asnumpy().tolist()
    [0.0, 0.5, 1.0]
    """

    name = "hard_sigmoid"
    dtypes = ("floating",)
    category = "activation"
    argument_docs = {"data": "any shape, floating"}
    attrs = {"FElementwiseShape": True}
    alpha = Attribute(float, default=0.2, doc="Slope of the line.")
    beta = Attribute(float, default=0.5, doc="Intercept of the line.")

    def compose(self, F: Any, data: Any) -> Any:
        """Return the clipped line, whose gradient is 0 where it meets its bounds."""
        line = self.alpha * data + self.beta
        # Where both arguments are equal, the gradient is that of the first.
        return F.minimum(F.ones_like(data), F.maximum(F.zeros_like(data), line))


class Activation(OperatorProp):
    """Apply the activation selected by `act_type` elementwise.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.Activation(nd.array([-1, 0, 2]), act_type="relu").asnumpy().tolist()
    [0.0, 0.0, 2.0]
    """

    name = "Activation"
    category = "activation"
    act_type = Attribute(
        str,
        choices=("relu", "sigmoid", "softrelu", "softsign", "tanh"),
        doc="Name of the activation.",
    )
    argument_docs = {"data": "any shape, floating"}
    attrs = {"FElementwiseShape": True}

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.saves = ("inputs",) if self.act_type == "softsign" else ("outputs",)
        self.compute = kernels.Unary(self.act_type)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the gradient of the selected activation."""
        saved = in_data[0] if self.act_type == "softsign" else out_data[0]
        return [getattr(F, f"_backward_{self.act_type}")(out_grad[0], saved)]
