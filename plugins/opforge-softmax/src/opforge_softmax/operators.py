"""Softmax along one axis, its logarithm, and its mirror image."""

from typing import Any

import numpy as np

from opforge.plugin_api import (
    Attribute,
    AttributeValueError,
    DType,
    DTypeError,
    OperatorProp,
    ShapeError,
    kernels,
)


class _AlongAxis(OperatorProp):
    """Base class of the three operators: attributes, shapes and the row-wise kernel."""

    category = "activation"
    axis = Attribute(int, default=-1, doc="Axis that is normalised; negative counts from the end.")
    temperature = Attribute(
        float, default=1.0, gt=0, optional=True, doc="Divides the input first; above 1 flattens."
    )
    dtype = Attribute(
        DType, default=None, optional=True, doc="Type of the result, computed in it; None: data's."
    )
    use_length = Attribute(
        bool, default=False, optional=True, doc="Whether `length` is used; for softmax alone."
    )
    argument_docs = {
        "data": "at least one dimension, floating",
    }
    saves = ("outputs",)
    _log = False
    _negate = False

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        if self.use_length and "length" not in self.arguments:
            raise AttributeValueError(
                f"operator '{self.name}': use_length is True, which softmax alone knows; mask the "
                "data, or leave use_length out"
            )
        if self.dtype is not None or self.use_length:
            self.compose = self._composed
        else:
            scale = self.temperature or 1.0
            self.compute = kernels.Softmax(self.axis, scale, self._log, self._negate)

    def list_arguments(self) -> list[str]:
        """Return the names; lengths are an input where they are used."""
        return list(self.arguments) if self.use_length else ["data"]

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the data's shape; there is a length for each slice."""
        data = in_shape[0]
        if data and not -len(data) <= self.axis < len(data):
            raise ShapeError(
                f"operator '{self.name}': axis {self.axis} is out of range for data of shape "
                f"{tuple(data)}; expected -{len(data)} to {len(data) - 1}"
            )
        if not self.use_length or not data:
            return in_shape, [data], []
        axis = self.axis % len(data)
        return [data, (*data[:axis], *data[axis + 1 :])], [data], []

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Any]:
        """Return the output's shape for data."""
        return [out_shapes[0], *in_shapes[1:]]

    def infer_type(self, in_type: Any) -> Any:
        """Return `dtype`, else the data's type."""
        if self.dtype is not None and not np.issubdtype(self.dtype, np.floating):
            raise DTypeError(
                f"operator '{self.name}': dtype is {np.dtype(self.dtype)}, expected float16, "
                "float32 or float64"
            )
        kinds = list(in_type)
        if self.use_length:
            kinds[1] = kinds[1] or np.int32
            if not np.issubdtype(kinds[1], np.signedinteger):
                raise DTypeError(
                    f"operator '{self.name}': length is {np.dtype(kinds[1])}, expected int32 or "
                    "int64; convert it with length.astype('int32')"
                )
        return kinds, [self.dtype or kinds[0]], []

    def _composed(self, F: Any, data: Any, length: Any = None) -> Any:
        """Return the result in another type, or of the first elements of each slice."""
        self.infer_type([data.dtype, *([] if length is None else [length.dtype])])
        if self.dtype is not None:
            data = F.cast(data, dtype=self.dtype)
        attributes = {"axis": self.axis, "temperature": self.temperature}
        operator = getattr(F, self.name)
        if length is None:
            return operator(data, **attributes)
        (_, wanted), _, _ = self.infer_shape([tuple(data.shape), None])
        if tuple(length.shape) != tuple(wanted):
            raise ShapeError(
                f"operator '{self.name}': length has shape {tuple(length.shape)}, expected "
                f"{tuple(wanted)} because data has shape {tuple(data.shape)}"
            )
        if 0 in data.shape:
            return F.identity(data)
        shape = [1] * data.ndim
        shape[self.axis] = data.shape[self.axis]
        places = F.reshape(F.arange(shape[self.axis], dtype=length.dtype), shape=shape)
        counts = F.broadcast_lesser(places, F.expand_dims(length, axis=self.axis))
        # The lowest number, not -inf: where nothing counts, all are equal until they become 0.
        nothing = F.full(data.shape, float(np.finfo(data.dtype).min), dtype=data.dtype)
        result = operator(F.where(counts, data, nothing), **attributes)
        return F.where(counts, result, F.zeros_like(result))

    def _scale(self) -> float:
        """Return the derivative of the kernel's inner argument by the data."""
        return (-1.0 if self._negate else 1.0) / (self.temperature or 1.0)


class _Normalised(_AlongAxis):
    """Base class of operators with the gradient of softmax."""

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return y * (dy - sum(dy * y)), scaled."""
        return [F._backward_softmax(out_grad[0], out_data[0], axis=self.axis, scale=self._scale())]


class Softmax(_Normalised):
    r"""Normalise so that the elements along `axis` are positive and sum to one.

    .. math:: y_i = \frac{e^{x_i / t}}{\sum_j e^{x_j / t}}
    """

    name = "softmax"
    arguments = ("data", "length")
    argument_docs = {
        "data": "at least one dimension, floating",
        "length": "how many elements along `axis` count; data's shape without it, int32 or int64",
    }


class Softmin(_Normalised):
    r"""Softmax of the negated input along `axis`.

    .. math:: y_i = \frac{e^{-x_i / t}}{\sum_j e^{-x_j / t}}
    """

    name = "softmin"
    _negate = True


class LogSoftmax(_AlongAxis):
    r"""Logarithm of softmax along `axis`, computed without overflow.

    .. math:: y_i = \frac{x_i}{t} - \log \sum_j e^{x_j / t}
    """

    name = "log_softmax"
    _log = True

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return dy - exp(y) * sum(dy), scaled."""
        return [
            F._backward_log_softmax(out_grad[0], out_data[0], axis=self.axis, scale=self._scale())
        ]


class SoftmaxActivation(OperatorProp):
    r"""Softmax along the last axis, or over the channels: MXNet's older form of it.

    .. math:: y_i = \frac{e^{x_i}}{\sum_j e^{x_j}}
    """

    name = "SoftmaxActivation"
    category = "activation"
    attrs = {"FElementwiseShape": True}
    argument_docs = {"data": "floating; with mode 'channel' of shape (n, channels, d1, ...)"}
    mode = Attribute(
        str,
        default="instance",
        choices=("channel", "instance"),
        doc="Whether the channels, on axis 1, are normalised or the last axis.",
    )

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the data's shape."""
        (data,) = in_shape
        least = 3 if self.mode == "channel" else 1
        if data and len(data) < least:
            raise ShapeError(
                f"operator 'SoftmaxActivation': data has shape {tuple(data)}, expected at least "
                f"{least} dimensions for mode {self.mode!r}"
            )
        return [data], [data], []

    def compose(self, F: Any, data: Any) -> Any:
        """Call softmax."""
        self.infer_shape([tuple(data.shape)])
        return F.softmax(data, axis=1 if self.mode == "channel" else -1)


OPERATORS = (Softmax, LogSoftmax, Softmin, SoftmaxActivation)
