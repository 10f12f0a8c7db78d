"""Elementwise operators, concatenation and normalization of 8-bit integers, in C."""

from typing import Any

from opforge.plugin_api import Attribute, ShapeError, layouts

from .base import (
    EIGHT_BITS,
    LIBRARY,
    RANGED,
    Calibrated,
    QuantizedOperator,
    like_first,
    merge_shapes,
)

__all__ = [
    "QuantizedBatchNorm",
    "QuantizedConcat",
    "QuantizedElemwiseAdd",
    "QuantizedElemwiseMul",
]


class _Binary(Calibrated):
    """Base class of operators of two arrays of one shape."""

    category = "elementwise"
    arguments = ("lhs", "rhs", "lhs_min", "lhs_max", "rhs_min", "rhs_max")

    def list_ranges(self) -> list[str]:
        """Return the names of the ends of both ranges."""
        return list(self.arguments[2:])

    def complete_data(self, shapes: Any) -> Any:
        """Return the shape of both operands."""
        return like_first(self, ("lhs", "rhs"), shapes)

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Any]:
        """Infer the shape of both operands from that of the result."""
        return [*[merge_shapes(shape, out_shapes[0]) for shape in in_shapes[:2]], *in_shapes[2:]]


class QuantizedElemwiseAdd(_Binary):
    """Add two arrays of int8 or uint8 with different ranges.

    The result is int32, in the range of the sum, or with a calibrated range int8, and uint8 if both
    operands are.

    Examples
    --------
    >>> from opforge import nd
    >>> x, y = nd.array([51], dtype="int8"), nd.array([51], dtype="int8")
    >>> one, two = [nd.array([-1]), nd.array([1])], [nd.array([-2]), nd.array([2])]
    >>> output, low, high = nd.contrib.quantized_elemwise_add(
    ...     x, y, *one, *two, min_calib_range=-3, max_calib_range=3
    ... )
    >>> output.asnumpy().tolist(), high.asnumpy().tolist()
    ([51], [3.0])
    """

    name = "_contrib_quantized_elemwise_add"
    library = LIBRARY
    dtypes = ("int8", "uint8")
    argument_dtypes = {
        "rhs": ("int8", "uint8"),
        "lhs_min": ("float32",),
        "lhs_max": ("float32",),
        "rhs_min": ("float32",),
        "rhs_max": ("float32",),
    }
    output_dtypes = {
        "output": "int32",
        "min_output": "float32",
        "max_output": "float32",
    }

    def infer_type(self, in_type: Any) -> Any:
        """Return int32, or the 8-bit type that holds both operands."""
        inputs, outputs, states = super().infer_type(in_type)
        if self.is_calibrated and None not in inputs[:2]:
            outputs[0] = inputs[0] if inputs[0] == inputs[1] else "int8"
        return inputs, outputs, states


class QuantizedElemwiseMul(_Binary):
    """Multiply two arrays of int8 or uint8 with different ranges.

    The result is int32, or with a calibrated range int8, truncated and saturated.

    Examples
    --------
    >>> from opforge import nd
    >>> x, y = nd.array([100, -7], dtype="int8"), nd.array([50, 3], dtype="int8")
    >>> low, high = nd.array([-1]), nd.array([1])
    >>> output, low, high = nd.contrib.quantized_elemwise_mul(x, y, low, high, low, high)
    >>> output.asnumpy().tolist()
    [5000, -21]
    """

    name = "_contrib_quantized_elemwise_mul"
    library = LIBRARY
    dtypes = ("int8", "uint8")
    argument_dtypes = {
        "rhs": ("int8", "uint8"),
        "lhs_min": ("float32",),
        "lhs_max": ("float32",),
        "rhs_min": ("float32",),
        "rhs_max": ("float32",),
    }
    output_dtypes = {
        "output": "int32",
        "min_output": "float32",
        "max_output": "float32",
    }
    enable_float_output = Attribute(
        bool, default=False, doc="Whether to return real numbers, without a range."
    )

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        kind = "int8" if self.is_calibrated else "int32"
        found = "float32" if self.enable_float_output else kind
        self.output_dtypes = {**QuantizedElemwiseMul.output_dtypes, "output": found}

    def list_outputs(self) -> list[str]:
        """Return the names of the outputs: real numbers have no range."""
        return list(RANGED[:1] if self.enable_float_output else RANGED)


class QuantizedConcat(QuantizedOperator):
    """Concatenate arrays of int8 or uint8 along an axis, in the range that contains all of theirs.

    Inputs are all arrays, then the ends of each range. The result is int8 unless all are uint8.

    Examples
    --------
    >>> from opforge import nd
    >>> x, y = nd.array([[100]], dtype="int8"), nd.array([[100]], dtype="int8")
    >>> one, two = [nd.array([-1]), nd.array([1])], [nd.array([-2]), nd.array([2])]
    >>> output, low, high = nd.contrib.quantized_concat(x, y, *one, *two, num_args=2, dim=1)
    >>> output.asnumpy().tolist(), high.asnumpy().tolist()
    ([[50, 100]], [2.0])
    """

    name = "_contrib_quantized_concat"
    library = LIBRARY
    category = "shape"
    variadic = "num_inputs"
    num_args = Attribute(int, default=1, ge=1, counts=True, doc="Number of arrays.")
    num_inputs = Attribute(int, default=3, ge=1, doc="Number of inputs; set by the call.")
    dim = Attribute(int, default=1, doc="Axis.")

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        names = self.list_arguments()
        kinds = [EIGHT_BITS] * self.num_args + [("float32",)] * (2 * self.num_args)
        self.argument_dtypes = dict(zip(names, kinds, strict=True))
        if "num_inputs" in attributes and self.num_inputs != len(names):
            raise ShapeError(
                f"operator {self.name!r}: got {self.num_inputs} inputs; expected {len(names)}: "
                f"{', '.join(names)}. Pass num_args, the number of arrays without their ranges"
            )

    def list_arguments(self) -> list[str]:
        """Return the names of the arrays, then those of the ends of their ranges."""
        arrays = [f"arg{i}" for i in range(self.num_args)]
        return [*arrays, *[f"{name}_{end}" for name in arrays for end in ("min", "max")]]

    def list_ranges(self) -> list[str]:
        """Return the names of the ends of all ranges."""
        return self.list_arguments()[self.num_args :]

    def infer_type(self, in_type: Any) -> Any:
        """Return uint8 if all arrays are uint8, else int8."""
        inputs, outputs, states = super().infer_type(in_type)
        known = [_name(dtype) for dtype in inputs[: self.num_args]]
        if "int8" in known or None not in known:
            outputs[0] = "int8" if "int8" in known else "uint8"
        return inputs, outputs, states

    def complete_data(self, shapes: Any) -> Any:
        """Return the shape of the first array with the total length along the axis."""
        arrays = [shapes[f"arg{i}"] for i in range(self.num_args)]
        if not all(arrays):
            return None
        first = arrays[0]
        if not -len(first) <= self.dim < len(first):
            raise ShapeError(f"operator {self.name!r}: dim is {self.dim}; 'arg0' has shape {first}")
        axis = self.dim % len(first)
        for at, shape in enumerate(arrays):
            kept = [s[:axis] + s[axis + 1 :] for s in (shape, first)]
            if len(shape) != len(first) or kept[0] != kept[1]:
                raise ShapeError(
                    f"operator {self.name!r}: 'arg{at}' has shape {shape}; expected {first} except "
                    f"for axis {axis}, as 'arg0' has"
                )
        lengths = [shape[axis] for shape in arrays]
        total = sum(lengths) if all(lengths) else 0
        return (*first[:axis], total, *first[axis + 1 :])

    def blocked_form(self, inputs: Any, needs_gradient: bool) -> layouts.BlockedForm | None:
        """Return the form that concatenates channels which are last; None for other axes."""
        arrays = inputs[: self.num_args]
        if self.dim != 1 or any(len(item.shape) < 3 for item in arrays):
            return None
        blocked = [layouts.Blocked(1, item.shape[1]) for item in arrays]
        if any(item.layout != image for item, image in zip(arrays, blocked, strict=True)):
            return None
        result = layouts.Blocked(1, sum(item.shape[1] for item in arrays))
        ranges = [None] * (len(inputs) - len(arrays))
        attributes = {"dim": len(arrays[0].shape), "num_inputs": len(inputs)}
        return layouts.BlockedForm([*blocked, *ranges], [result, None, None], attributes)


class QuantizedBatchNorm(Calibrated):
    """Normalize the channels of int8 or uint8 data by running averages; the result is int8.

    It needs a calibrated range of the result.

    Examples
    --------
    >>> from opforge import nd
    >>> data, one, zero = nd.array([[102]], dtype="int8"), nd.array([1]), nd.array([0])
    >>> output, low, high = nd.contrib.quantized_batch_norm(
    ...     data, one, zero, nd.array([-2.5]), nd.array([2.5]), zero, one,
    ...     min_calib_range=-5, max_calib_range=5, eps=1e-6,
    ... )
    >>> output.asnumpy().tolist(), high.asnumpy().tolist()
    ([[51]], [5.0])
    """

    name = "_contrib_quantized_batch_norm"
    library = LIBRARY
    category = "normalization"
    arguments = ("data", "gamma", "beta", "min_data", "max_data")
    auxiliary_states = ("moving_mean", "moving_var")
    dtypes = ("int8", "uint8")
    argument_dtypes = {
        "gamma": ("float32",),
        "beta": ("float32",),
        "min_data": ("float32",),
        "max_data": ("float32",),
        "moving_mean": ("float32",),
        "moving_var": ("float32",),
    }
    output_dtypes = {
        "output": "int8",
        "min_output": "float32",
        "max_output": "float32",
    }
    argument_docs = {
        "data": "int8 or uint8; channels along `axis`",
        "gamma": "(channels,)",
        "beta": "(channels,)",
    }
    eps = Attribute(float, default=1e-3, gt=0, doc="Added to the variance.")
    momentum = Attribute(float, default=0.9, doc="Ignored; the averages do not change.")
    fix_gamma = Attribute(bool, default=True, doc="Treat gamma as 1.")
    use_global_stats = Attribute(bool, default=False, doc="Ignored; the averages are always used.")
    output_mean_var = Attribute(bool, default=False, doc="Ignored.")
    axis = Attribute(int, default=1, doc="Axis of the channels.")
    cudnn_off = Attribute(
        bool, default=False, doc="Ignored; accepted for compatibility with MXNet."
    )

    def complete_data(self, shapes: Any) -> Any:
        """Return the shape of the data."""
        return shapes["data"] or None

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of the data; parameters have one element for each channel."""
        inputs, outputs, _ = super().infer_shape(in_shape)
        data = inputs[0]
        if not data:
            return inputs, outputs, [None, None]
        if not -len(data) <= self.axis < len(data):
            raise ShapeError(
                f"operator {self.name!r}: axis is {self.axis}; 'data' has shape {data}"
            )
        channels = (data[self.axis],)
        return [data, channels, channels, *inputs[3:]], outputs, [channels, channels]

    def infer_type(self, in_type: Any) -> Any:
        """Return int8; the averages are float32."""
        inputs, outputs, _ = super().infer_type(in_type)
        return inputs, outputs, ["float32", "float32"]


def _name(dtype: Any) -> str | None:
    """Return the name of an element type."""
    return None if dtype is None else getattr(dtype, "__name__", str(dtype))
