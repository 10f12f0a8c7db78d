"""Operators softmax, log_softmax, softmin and SoftmaxActivation."""

from typing import Any

import numpy as np

from opforge.plugin_api import (
    Attribute,
    AttributeValueError,
    DType,
    DTypeError,
    OperatorProp,
    ShapeError,
    element_type,
    kernels,
)


class _AlongAxis(OperatorProp):
    """Base class of the operators along an axis: attributes, shapes and the row-wise kernel."""

    category = "activation"
    dtypes = ("floating",)
    argument_dtypes = {"length": ("int8", "int32", "int64")}
    output_dtypes = {"output": "dtype"}
    axis = Attribute(int, default=-1, doc="Normalized axis; negative values count from the end.")
    temperature = Attribute(
        float,
        default=1.0,
        gt=0,
        optional=True,
        doc="Divisor of the input; values above 1 flatten the result.",
    )
    dtype = Attribute(
        DType,
        default=None,
        optional=True,
        doc="Type of the computation and the result; None: data's type.",
    )
    use_length = Attribute(
        bool, default=False, optional=True, doc="Whether `length` is an input; softmax only."
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
                f"operator '{self.name}': use_length is True, which only softmax supports; mask "
                "the data, or omit use_length"
            )
        if self.dtype is not None and not element_type(self.dtype).is_floating:
            raise DTypeError(
                f"operator '{self.name}': dtype is {np.dtype(self.dtype)}; expected a floating type"
            )
        if self.dtype is not None or self.use_length:
            self.compose = self._compose_masked
        else:
            scale = self.temperature or 1.0
            self.compute = kernels.Softmax(self.axis, scale, self._log, self._negate)

    def list_arguments(self) -> list[str]:
        """Return the names of the inputs, with `length` if `use_length`."""
        return list(self.arguments) if self.use_length else ["data"]

    def infer_shape(self, in_shape: Any) -> Any:
        """Return data's shape; length has one entry per slice."""
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

    def _compose_masked(self, F: Any, data: Any, length: Any = None) -> Any:
        """Return the result with `dtype` or `length` applied."""
        if self.dtype is not None:
            data = F.cast(data, dtype=self.dtype)
        attributes = {"axis": self.axis, "temperature": self.temperature}
        operator = getattr(F, self.name)
        if length is None:
            return operator(data, **attributes)
        (_, expected), _, _ = self.infer_shape([tuple(data.shape), None])
        if tuple(length.shape) != tuple(expected):
            raise ShapeError(
                f"operator '{self.name}': length has shape {tuple(length.shape)}; expected "
                f"{tuple(expected)} because data has shape {tuple(data.shape)}"
            )
        if 0 in data.shape:
            return F.identity(data)
        shape = [1] * data.ndim
        shape[self.axis] = data.shape[self.axis]
        positions = F.reshape(F.arange(shape[self.axis], dtype=length.dtype), shape=shape)
        valid = F.broadcast_lesser(positions, F.expand_dims(length, axis=self.axis))
        # The lowest finite number rather than -inf, which yields NaN in slices of length 0.
        lowest = F.full(data.shape, -element_type(data.dtype).largest, dtype=data.dtype)
        result = operator(F.where(valid, data, lowest), **attributes)
        return F.where(valid, result, F.zeros_like(result))

    def _scale(self) -> float:
        """Return the factor by which the kernel multiplies data."""
        return (-1.0 if self._negate else 1.0) / (self.temperature or 1.0)


class _SoftmaxGradient(_AlongAxis):
    """Base class of operators with the gradient of softmax."""

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return y * (dy - sum(dy * y)), scaled."""
        return [F._backward_softmax(out_grad[0], out_data[0], axis=self.axis, scale=self._scale())]


class Softmax(_SoftmaxGradient):
    r"""Normalize the elements along `axis` so that they are positive and sum to 1.

    .. math:: y_i = \frac{e^{x_i / t}}{\sum_j e^{x_j / t}}

    Examples
    --------
    >>> from opforge import nd
    >>> print(nd.softmax(nd.array([[1, 1, 1], [1, 2, 3]])).asnumpy().round(4))
    [[0.3333 0.3333 0.3333]
     [0.09   0.2447 0.6652]]
    """

    name = "softmax"
    arguments = ("data", "length")
    argument_docs = {
        "data": "at least one dimension, floating",
        "length": "valid elements along `axis`; data's shape without `axis`, int32 or int64",
    }


class Softmin(_SoftmaxGradient):
    r"""Softmax of the negated input along `axis`.

    .. math:: y_i = \frac{e^{-x_i / t}}{\sum_j e^{-x_j / t}}

    Examples
    --------
    >>> from opforge import nd
    >>> print(nd.softmin(nd.array([1, 2, 3])).asnumpy().round(4))
    [0.6652 0.2447 0.09  ]
    """

    name = "softmin"
    _negate = True


class LogSoftmax(_AlongAxis):
    r"""Logarithm of softmax along `axis`, computed without overflow.

    .. math:: y_i = \frac{x_i}{t} - \log \sum_j e^{x_j / t}

    Examples
    --------
    >>> from opforge import nd
    >>> print(nd.log_softmax(nd.array([1, 2, 3])).asnumpy().round(4))
    [-2.4076 -1.4076 -0.4076]
    """

    name = "log_softmax"
    _log = True

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return dy - exp(y) * sum(dy), scaled."""
        return [
            F._backward_log_softmax(out_grad[0], out_data[0], axis=self.axis, scale=self._scale())
        ]


class SoftmaxActivation(OperatorProp):
    r"""Softmax along the last axis or the channels; older form of `softmax`.

    .. math:: y_i = \frac{e^{x_i}}{\sum_j e^{x_j}}

    Examples
    --------
    >>> from opforge import nd
    >>> print(nd.SoftmaxActivation(nd.array([[1, 2, 3]])).asnumpy().round(4))
    [[0.09   0.2447 0.6652]]
    """

    name = "SoftmaxActivation"
    dtypes = ("floating",)
    category = "activation"
    attrs = {"FElementwiseShape": True}
    argument_docs = {"data": "floating; with mode 'channel' of shape (n, channels, d1, ...)"}
    mode = Attribute(
        str,
        default="instance",
        choices=("channel", "instance"),
        doc="Normalized axis: 1 ('channel') or the last ('instance').",
    )

    def infer_shape(self, in_shape: Any) -> Any:
        """Return data's shape."""
        (data,) = in_shape
        min_ndim = 3 if self.mode == "channel" else 1
        if data and len(data) < min_ndim:
            raise ShapeError(
                f"operator 'SoftmaxActivation': data has shape {tuple(data)}; expected at least "
                f"{min_ndim} dimensions for mode {self.mode!r}"
            )
        return [data], [data], []

    def compose(self, F: Any, data: Any) -> Any:
        """Return the softmax along the axis selected by `mode`."""
        self.infer_shape([tuple(data.shape)])
        return F.softmax(data, axis=1 if self.mode == "channel" else -1)
