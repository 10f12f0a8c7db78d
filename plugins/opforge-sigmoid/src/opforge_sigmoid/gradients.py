"""Gradients of the activations, as operators of their own: one pass, and differentiable again.

Each takes the gradient from above and what its activation saved (`y` its output, `x` its input).
"""

from typing import Any

from opforge.plugin_api import OperatorProp


class BackwardSigmoid(OperatorProp):
    """dy * y * (1 - y)."""

    name = "_backward_sigmoid"
    arguments = ("out_grad", "output")
    native = ("binary", "sigmoid_grad_y")
    saves = ("inputs",)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Differentiate by `dy` and by `y`."""
        (h,), (dy, y) = out_grad, in_data
        return [F._backward_sigmoid(h, y), h * dy * (1 - 2 * y)]


class BackwardRelu(OperatorProp):
    """dy where y > 0, else 0."""

    name = "_backward_relu"
    arguments = ("out_grad", "output")
    native = ("binary", "relu_grad_y")
    saves = ("inputs",)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Differentiate by `dy`; the step has no slope."""
        return [F._backward_relu(out_grad[0], in_data[1]), None]


class BackwardTanh(OperatorProp):
    """dy * (1 - y^2)."""

    name = "_backward_tanh"
    arguments = ("out_grad", "output")
    native = ("binary", "tanh_grad_y")
    saves = ("inputs",)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Differentiate by `dy` and by `y`."""
        (h,), (dy, y) = out_grad, in_data
        return [F._backward_tanh(h, y), -2 * h * dy * y]


class BackwardSoftrelu(OperatorProp):
    """dy * (1 - exp(-y))."""

    name = "_backward_softrelu"
    arguments = ("out_grad", "output")
    native = ("binary", "softrelu_grad_y")
    saves = ("inputs",)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Differentiate by `dy` and by `y`."""
        (h,), (dy, y) = out_grad, in_data
        return [F._backward_softrelu(h, y), h * dy * F.exp(-y)]


class BackwardSoftsign(OperatorProp):
    """dy / (1 + |x|)^2."""

    name = "_backward_softsign"
    arguments = ("out_grad", "data")
    native = ("binary", "softsign_grad_x")
    saves = ("inputs",)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Differentiate by `dy` and by `x`."""
        (h,), (dy, x) = out_grad, in_data
        return [F._backward_softsign(h, x), -2 * h * dy * F.sign(x) / (1 + F.abs(x)) ** 3]


OPERATORS = (BackwardSigmoid, BackwardRelu, BackwardTanh, BackwardSoftrelu, BackwardSoftsign)
