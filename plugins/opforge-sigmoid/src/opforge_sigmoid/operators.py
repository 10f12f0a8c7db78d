"""The activations: each is one elementwise kernel of the core, and so is its gradient."""

from typing import Any

from opforge.plugin_api import Attribute, OperatorProp, kernels


class Sigmoid(OperatorProp):
    """Logistic function 1 / (1 + exp(-x)), element by element."""

    name = "sigmoid"
    category = "activation"
    elementwise_kernel = ("unary", "sigmoid")
    saves = ("outputs",)
    argument_docs = {"data": "any shape, floating"}

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return dy * y * (1 - y)."""
        return [F._backward_sigmoid(out_grad[0], out_data[0])]


class Relu(OperatorProp):
    """Rectifier max(x, 0), element by element."""

    name = "relu"
    category = "activation"
    elementwise_kernel = ("unary", "relu")
    saves = ("outputs",)
    argument_docs = {"data": "any shape"}

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return dy where the output is positive, else 0."""
        return [F._backward_relu(out_grad[0], out_data[0])]


class Softrelu(OperatorProp):
    """Smooth rectifier log(1 + exp(x)), element by element."""

    name = "softrelu"
    category = "activation"
    elementwise_kernel = ("unary", "softrelu")
    saves = ("outputs",)
    argument_docs = {"data": "any shape, floating"}

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return dy * (1 - exp(-y))."""
        return [F._backward_softrelu(out_grad[0], out_data[0])]


class Softsign(OperatorProp):
    """Bounded activation x / (1 + |x|), element by element."""

    name = "softsign"
    category = "activation"
    elementwise_kernel = ("unary", "softsign")
    saves = ("inputs",)
    argument_docs = {"data": "any shape, floating"}

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return dy / (1 + |x|)^2."""
        return [F._backward_softsign(out_grad[0], in_data[0])]


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


OPERATORS = (Sigmoid, Relu, Softrelu, Softsign, Activation)
