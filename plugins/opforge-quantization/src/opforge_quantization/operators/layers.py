"""Layers with weights of int8: sums of products in int32, in C."""

from typing import Any

from opforge.plugin_api import Attribute, Shape, ShapeError

from .base import LIBRARY, QuantizedOperator, dense_sizes, merge_shapes
from .positions import count_positions

__all__ = ["QuantizedConv", "QuantizedFullyConnected"]


class _Layer(QuantizedOperator):
    """Base class of both layers: inputs, and their types."""

    category = "linear"
    arguments = (
        "data",
        "weight",
        "bias",
        "min_data",
        "max_data",
        "min_weight",
        "max_weight",
        "min_bias",
        "max_bias",
    )
    dtypes = ("int8", "uint8")
    argument_dtypes = {
        "weight": ("int8",),
        "bias": ("int8",),
        "min_data": ("float32",),
        "max_data": ("float32",),
        "min_weight": ("float32",),
        "max_weight": ("float32",),
        "min_bias": ("float32",),
        "max_bias": ("float32",),
    }
    output_dtypes = {
        "output": "int32",
        "min_output": "float32",
        "max_output": "float32",
    }
    no_bias = Attribute(bool, default=False, doc="Omit the bias.")

    def list_arguments(self) -> list[str]:
        """Return the names of the inputs, without those of the bias if `no_bias` is set."""
        return [name for name in self.arguments if not (self.no_bias and name.endswith("bias"))]

    def set_shape(self, shapes: dict[str, Any], name: str, expected: tuple[int, ...]) -> None:
        """Set the shape of a weight or bias, 0 where unknown; reject another one."""
        given = shapes.get(name, ())
        if given and (
            len(given) != len(expected)
            or any(a and b and a != b for a, b in zip(given, expected, strict=True))
        ):
            raise ShapeError(
                f"operator {self.name!r}: {name!r} has shape {given}; expected {expected} because "
                f"'data' has shape {shapes['data']}"
            )
        if name in shapes:
            shapes[name] = tuple([b or a for a, b in zip(given or expected, expected, strict=True)])


class QuantizedFullyConnected(_Layer):
    """Fully connected layer of int8 or uint8 data and int8 weights, with sums in int32.

    The range of the output is that of 2**31 products of one level of data and weight. The bias is
    converted to the levels of the output.

    Examples
    --------
    >>> from opforge import nd
    >>> data, weight = nd.array([[1, 2]], dtype="int8"), nd.array([[3, -4]], dtype="int8")
    >>> low, high = nd.array([-1]), nd.array([1])
    >>> output, low, high = nd.contrib.quantized_fully_connected(
    ...     data, weight, low, high, low, high, num_hidden=1, no_bias=True
    ... )
    >>> output.asnumpy().tolist(), round(high.asscalar())
    ([[-5]], 133144)
    """

    name = "_contrib_quantized_fully_connected"
    library = LIBRARY
    argument_docs = {
        "data": "(n, ...) or, without flatten, (..., in_units)",
        "weight": "(num_hidden, in_units)",
        "bias": "(num_hidden,); without no_bias",
    }
    num_hidden = Attribute(int, ge=1, doc="Number of output features.")
    flatten = Attribute(bool, default=True, doc="Flatten all axes except the first.")

    def complete_data(self, shapes: Any) -> Any:
        """Return (n, num_hidden), or the shape of the data with a last axis of num_hidden."""
        data = shapes["data"]
        out, inner = dense_sizes(self, data) if data else (None, 0)
        self.set_shape(shapes, "weight", (self.num_hidden, inner))
        self.set_shape(shapes, "bias", (self.num_hidden,))
        return out

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Any]:
        """Infer the batch axes of the data from the output, if its rank is known."""
        data, *rest = in_shapes
        kept = 1 if self.flatten else len(data) - 1
        if data and out_shapes[0]:
            data = (*merge_shapes(data[:kept], out_shapes[0][:kept]), *data[kept:])
        return [data, *rest]


class QuantizedConv(_Layer):
    """Convolution of int8 or uint8 images or volumes with int8 filters, with sums in int32.

    The range of the output is that of 2**31 products of one level of data and weight. The bias is
    converted to the levels of the output.

    Examples
    --------
    >>> from opforge import nd
    >>> data = nd.array([[[[1, 2, 3]]]], dtype="uint8")
    >>> weight = nd.array([[[[1, -1]]]], dtype="int8")
    >>> low, high = nd.array([-1]), nd.array([1])
    >>> output, low, high = nd.contrib.quantized_conv(
    ...     data, weight, low, high, low, high, kernel=(1, 2), num_filter=1, no_bias=True
    ... )
    >>> output.asnumpy().tolist()
    [[[[-1, -1]]]]
    """

    name = "_contrib_quantized_conv"
    library = LIBRARY
    argument_docs = {
        "data": "(n, channels, w), (n, channels, h, w) or (n, channels, d, h, w)",
        "weight": "(num_filter, channels / num_group, *kernel)",
        "bias": "(num_filter,); without no_bias",
    }
    kernel = Attribute(Shape, ge=1, le=2147483647, doc="Size of a filter: (w,) to (d, h, w).")
    stride = Attribute(Shape, (), ge=1, le=2147483647, doc="Steps between positions; (): 1.")
    dilate = Attribute(Shape, (), ge=1, le=2147483647, doc="Steps within a filter; (): 1.")
    pad = Attribute(Shape, (), ge=0, le=2147483647, doc="Zeros on both sides; (): 0.")
    num_filter = Attribute(int, ge=1, doc="Number of channels of the output.")
    num_group = Attribute(int, default=1, ge=1, doc="Number of independent groups of channels.")
    layout = Attribute(
        str, default=None, choices=("NCDHW", "NCHW", "NCW"), doc="Order of the axes of the data."
    )
    workspace = Attribute(
        int, default=1024, ge=0, doc="Ignored; accepted for compatibility with MXNet."
    )
    cudnn_off = Attribute(
        bool, default=False, doc="Ignored; accepted for compatibility with MXNet."
    )
    cudnn_tune = Attribute(
        str,
        default=None,
        choices=("fastest", "limited_workspace", "off"),
        doc="Ignored; accepted for compatibility with MXNet.",
    )

    def complete_data(self, shapes: Any) -> Any:
        """Return (n, num_filter, ...) with the number of positions along each axis."""
        data, dims = shapes["data"], len(self.kernel)
        if data and (len(data) != dims + 2 or not 1 <= dims <= 3):
            raise ShapeError(
                f"operator {self.name!r}: 'data' has shape {data} and kernel {self.kernel}; "
                "expected two axes and one to three more, one for each number of kernel"
            )
        channels = data[1] if data else 0
        if channels % self.num_group or self.num_filter % self.num_group:
            raise ShapeError(
                f"operator {self.name!r}: {channels} channels and num_filter {self.num_filter}; "
                f"expected multiples of num_group, {self.num_group}"
            )
        weight = (self.num_filter, channels // self.num_group, *self.kernel)
        self.set_shape(shapes, "weight", weight)
        self.set_shape(shapes, "bias", (self.num_filter,))
        if not data:
            return None
        return (
            data[0],
            self.num_filter,
            *[count_positions(self, data[i + 2], i) for i in range(dims)],
        )
