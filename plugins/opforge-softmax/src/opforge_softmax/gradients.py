"""Gradients of softmax and log_softmax as differentiable single-pass operators."""

from typing import Any

from opforge.plugin_api import Attribute, OperatorProp, kernels


class _Backward(OperatorProp):
    """Base class of both gradients: (dy, y) -> scale * gradient along `axis`."""

    arguments = ("out_grad", "output")
    dtypes = ("floating",)
    axis = Attribute(int, default=-1, doc="Normalized axis.")
    scale = Attribute(float, default=1.0, doc="Factor of the result.")
    saves = ("inputs",)
    _log = False

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        # softmin passes a negative scale.
        self.compute = kernels.SoftmaxGrad(
            self.axis, 1.0 / abs(self.scale), self._log, self.scale < 0
        )


class BackwardSoftmax(_Backward):
    """scale * y * (dy - sum(dy * y))."""

    name = "_backward_softmax"

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the gradients of `dy` and `y`."""
        (h,), (dy, y) = out_grad, in_data
        dot = F.sum(dy * y, axis=self.axis, keepdims=True)
        by_y = h * F.broadcast_sub(dy, dot) - F.broadcast_mul(
            dy, F.sum(h * y, axis=self.axis, keepdims=True)
        )
        return [F._backward_softmax(h, y, axis=self.axis, scale=self.scale), self.scale * by_y]


class BackwardLogSoftmax(_Backward):
    """scale * (dy - exp(y) * sum(dy))."""

    name = "_backward_log_softmax"
    _log = True

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the gradients of `dy` and `y`."""
        (h,), (dy, y) = out_grad, in_data
        weighted = h * F.exp(y)
        by_dy = F.broadcast_sub(h, F.sum(weighted, axis=self.axis, keepdims=True))
        by_y = F.broadcast_mul(weighted, F.sum(dy, axis=self.axis, keepdims=True))
        return [self.scale * by_dy, -self.scale * by_y]
