"""Softmax along one axis, its logarithm, and its mirror image."""

from typing import Any

from opforge.plugin_api import Attribute, OperatorProp, ShapeError, kernels


class _AlongAxis(OperatorProp):
    """What the three share: attributes, shapes and the row-wise kernel."""

    category = "activation"
    axis = Attribute(int, default=-1, doc="Axis that is normalised; negative counts from the end.")
    temperature = Attribute(
        float, default=1.0, gt=0, optional=True, doc="Divides the input first; above 1 flattens."
    )
    argument_docs = {"data": "at least one dimension, floating"}
    attrs = {"FElementwiseShape": True}
    saves = ("outputs",)
    _log = False
    _negate = False

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.compute = kernels.Softmax(self.axis, self.temperature or 1.0, self._log, self._negate)

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the input's shape."""
        (data,) = in_shape
        if data and not -len(data) <= self.axis < len(data):
            raise ShapeError(
                f"operator '{self.name}': axis {self.axis} is out of range for data of shape "
                f"{tuple(data)}; expected -{len(data)} to {len(data) - 1}"
            )
        return [data], [data], []

    def _scale(self) -> float:
        """Return the derivative of the kernel's inner argument by the data."""
        return (-1.0 if self._negate else 1.0) / (self.temperature or 1.0)


class Softmax(_AlongAxis):
    """Normalise so that the elements along `axis` are positive and sum to one."""

    name = "softmax"

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return y * (dy - sum(dy * y)), scaled."""
        return [F._backward_softmax(out_grad[0], out_data[0], axis=self.axis, scale=self._scale())]


class Softmin(Softmax):
    """Softmax of the negated input along `axis`."""

    name = "softmin"
    _negate = True


class LogSoftmax(_AlongAxis):
    """Logarithm of softmax along `axis`, computed without overflow."""

    name = "log_softmax"
    _log = True

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return dy - exp(y) * sum(dy), scaled."""
        return [
            F._backward_log_softmax(out_grad[0], out_data[0], axis=self.axis, scale=self._scale())
        ]


OPERATORS = (Softmax, LogSoftmax, Softmin)
