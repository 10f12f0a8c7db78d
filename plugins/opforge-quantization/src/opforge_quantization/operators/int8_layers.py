"""Complete layers of 8-bit integers: products, bias, sum, ReLU and new levels in one pass, in C.

Fused and quantized graphs are made of these. Weights are float32; a graph quantizes and packs
constant ones once, when it is compiled.
"""

from math import prod
from typing import Any

import numpy as np

from opforge.plugin_api import Attribute, AttributeValueError, Shape, ShapeError, layouts, native

from .base import LIBRARY, RANGED, Calibrated, complete_shapes, dense_sizes
from .positions import count_positions

__all__ = ["Int8Convolution", "Int8Dense", "Int8DepthwiseFilters", "Int8Filters", "packed_size"]

_GROUP, _ALIGNMENT = 4, 64
#: Most taps of a filter for which channels are convolved separately.
_MAX_DEPTHWISE_TAPS = 128


def packed_size(filters: int, channels: int, taps: int, is_depthwise: bool = False) -> int:
    """Return the bytes of packed filters: scales and sums of columns, then the weights.

    Parameters
    ----------
    filters, channels, taps : int
        Shape of the weight, with the kernel as one axis.
    is_depthwise : bool
        Whether each channel has its own filter.
    """
    lanes = LIBRARY.LANES * (_GROUP if is_depthwise else 1)
    padded = -(-filters // lanes) * lanes
    columns = -(-padded * 4 // _ALIGNMENT) * _ALIGNMENT
    length = taps if is_depthwise else channels * taps
    return 2 * columns + padded * (-(-length // _GROUP) * _GROUP)


class Int8Filters(native.NativeOperator):
    """Quantize filters, each with its own scale, and pack them for `_int8_convolution`.

    Filters of int8 are packed only.

    Graphs compute it once for constant weights.
    """

    name = "_int8_filters"
    category = "linear"
    library = LIBRARY
    arguments = ("weight",)
    dtypes = ("float32", "int8")
    output_dtypes = {"output": "uint8"}
    differentiable = False
    argument_docs = {"weight": "(filters, channels, *kernel) or (units, in_units)"}
    attrs = {"IsPure": True}

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the bytes of the packed filters."""
        if not in_shape[0]:
            return in_shape, [()], []
        if len(in_shape[0]) < 2:
            raise ShapeError(
                f"operator {self.name!r}: 'weight' has shape {in_shape[0]}; expected two axes or "
                "more"
            )
        filters, channels, *kernel = in_shape[0]
        return in_shape, [(self.size(filters, channels, prod(kernel)),)], []

    def size(self, filters: int, channels: int, taps: int) -> int:
        """Return the number of bytes."""
        return packed_size(filters, channels, taps)


class Int8DepthwiseFilters(Int8Filters):
    """Quantize the filters of single channels, and pack them for `_int8_convolution`.

    Graphs compute it once for constant weights.
    """

    name = "_int8_depthwise_filters"
    argument_docs = {"weight": "(channels, 1, *kernel)"}

    def size(self, filters: int, channels: int, taps: int) -> int:
        """Return the number of bytes; reject filters of several channels."""
        if channels != 1:
            raise ShapeError(
                f"operator {self.name!r}: 'weight' has {channels} channels in a filter; expected 1"
            )
        return packed_size(filters, 1, taps, is_depthwise=True)


class _Int8Layer(Calibrated):
    """Base class of both layers: inputs, outputs and their types."""

    category = "linear"
    arguments = (
        "data",
        "weight",
        "scale",
        "bias",
        "sum",
        "min_data",
        "max_data",
        "min_sum",
        "max_sum",
    )
    dtypes = ("int8", "uint8")
    argument_dtypes = {
        "weight": ("float32", "int8", "uint8"),
        "scale": ("float32",),
        "bias": ("float32",),
        "sum": ("int8", "uint8"),
        "min_data": ("float32",),
        "max_data": ("float32",),
        "min_sum": ("float32",),
        "max_sum": ("float32",),
    }
    output_dtypes = {"output": "out_type", "min_output": "float32", "max_output": "float32"}
    with_scale = Attribute(
        bool, default=False, doc="Multiply the integers of each filter by an element of `scale`."
    )
    no_bias = Attribute(bool, default=False, doc="Omit the bias.")
    with_sum = Attribute(bool, default=False, doc="Add the input `sum`.")
    with_act = Attribute(bool, default=False, doc="Replace negative results by 0.")
    out_type = Attribute(
        str, default="int8", choices=("float32", "int8", "uint8"), doc="Type of the result."
    )
    blocked = Attribute(
        bool, default=False, doc="Whether channels of data, sum and result are the last axis."
    )

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.output_dtypes = {**_Int8Layer.output_dtypes, "output": self.out_type}

    def list_arguments(self) -> list[str]:
        """Return data, weight, its scale, bias, sum and ranges; some are optional."""
        return [
            name
            for name in self.arguments
            if not (self.no_bias and name == "bias")
            and not (name == "scale" and not self.with_scale)
            and not (name.endswith("sum") and not self.with_sum)
        ]

    def infer_type(self, in_type: Any) -> Any:
        """Return the types of inputs and outputs; an unknown weight is not packed."""
        types, at = list(in_type), self.list_arguments().index("weight")
        if at < len(types) and types[at] is None:
            types[at] = np.int8 if self.with_scale else np.float32
        return super().infer_type(types)

    def list_outputs(self) -> list[str]:
        """Return the result and, unless it is float32, its range."""
        return ["output"] if self.out_type == "float32" else list(RANGED)

    def complete_layer(self, shapes: Any, weight: Any, packed: int, out: Any) -> Any:
        """Complete the shapes of weight, scale, bias and sum; return that of the result."""
        given = shapes["weight"]
        if len(given) == 1 and given != (packed,):
            raise ShapeError(
                f"operator {self.name!r}: 'weight' has {given[0]} bytes; expected {packed} because "
                f"'data' has shape {shapes['data']}"
            )
        expected = {"scale": (weight[0],), "bias": (weight[0],), "sum": out}
        if len(given) != 1:
            expected["weight"] = weight
        complete_shapes(self, shapes, expected)
        return out


class Int8Dense(_Int8Layer):
    """Fully connected layer of int8 or uint8 data, with a complete result.

    ``output = data . weight^T + bias``, from real numbers that the integers stand for. The weight
    is quantized to int8, each unit with its own scale; sums are int32. Integers of the result
    stand for the calibrated range.

    Examples
    --------
    >>> from opforge import nd
    >>> data, weight = nd.array([[127, 0]], dtype="int8"), nd.array([[1, 2]])
    >>> low, high = nd.array([-1]), nd.array([1])
    >>> nd._int8_dense(
    ...     data, weight, nd.array([1]), low, high, num_hidden=1, out_type="float32"
    ... ).round().asnumpy().tolist()
    [[2.0]]
    """

    name = "_int8_dense"
    library = LIBRARY
    argument_docs = {
        "data": "(n, ...), of which in_units is the number of elements; without flatten "
        "(..., in_units)",
        "weight": "(num_hidden, in_units), or from `_int8_filters`",
        "scale": "(num_hidden,); with with_scale",
        "bias": "(num_hidden,); without no_bias",
        "sum": "like the result; with with_sum",
    }
    num_hidden = Attribute(int, ge=1, doc="Number of output features.")
    flatten = Attribute(bool, default=True, doc="Whether all axes but the first are features.")

    def complete_data(self, shapes: Any) -> Any:
        """Return (n, num_hidden), or (..., num_hidden) without flatten."""
        data = shapes["data"]
        if not data:
            return None
        out, length = dense_sizes(self, data)
        packed = packed_size(self.num_hidden, length, 1)
        return self.complete_layer(shapes, (self.num_hidden, length), packed, out)

    def blocked_form(self, inputs: Any, needs_gradient: bool) -> layouts.BlockedForm | None:
        """Return the form whose filters are packed."""
        if len(inputs[1].shape) == 1:
            return None
        units, length = inputs[1].shape
        packed = layouts.Prepared("_int8_filters", (packed_size(units, length, 1),))
        others = [None] * (len(inputs) - 2)
        return layouts.BlockedForm(
            [None, packed, *others], [None] * len(self.list_outputs()), {}, begins=True
        )


class Int8Convolution(_Int8Layer):
    """Convolution of images of int8 or uint8, with a complete result.

    As `_int8_dense`, with a scale for each filter.

    Examples
    --------
    >>> from opforge import nd
    >>> data, weight = nd.array([[[[127, 0, 127]]]], dtype="int8"), nd.array([[[[1, 2]]]])
    >>> low, high = nd.array([-1]), nd.array([1])
    >>> nd._int8_convolution(
    ...     data, weight, low, high, kernel=(1, 2), num_filter=1, no_bias=True, out_type="float32"
    ... ).round().asnumpy().tolist()
    [[[[1.0, 2.0]]]]
    """

    name = "_int8_convolution"
    library = LIBRARY
    argument_docs = {
        "data": "(n, channels, h, w), or (n, 1, h, w, channels) with `blocked`",
        "weight": "(num_filter, channels / num_group, *kernel), or from `_int8_filters`",
        "scale": "(num_filter,); with with_scale",
        "bias": "(num_filter,); without no_bias",
        "sum": "like the result; with with_sum",
    }
    kernel = Attribute(Shape, ge=1, le=2147483647, doc="Size of a filter: (h, w).")
    stride = Attribute(Shape, (), ge=1, le=2147483647, doc="Steps between positions; (): 1.")
    dilate = Attribute(Shape, (), ge=1, le=2147483647, doc="Steps within a filter; (): 1.")
    pad = Attribute(Shape, (), ge=0, le=2147483647, doc="Zeros on both sides; (): 0.")
    num_filter = Attribute(int, ge=1, doc="Number of channels of the result.")
    num_group = Attribute(int, default=1, ge=1, doc="Number of independent groups of channels.")

    def complete_data(self, shapes: Any) -> Any:
        """Return the shape of the result, with the number of positions along each axis."""
        data = shapes["data"]
        if not data:
            return None
        if len(data) != (5 if self.blocked else 4) or (self.blocked and data[1] != 1):
            raise ShapeError(
                f"operator {self.name!r}: 'data' has shape {data}; expected "
                + ("(n, 1, h, w, channels)" if self.blocked else "(n, channels, h, w)")
            )
        self._check_attributes()
        channels, space = data[4 if self.blocked else 1], data[2:4]
        if channels % self.num_group or self.num_filter % self.num_group:
            raise ShapeError(
                f"operator {self.name!r}: {channels} channels and num_filter {self.num_filter}; "
                f"expected multiples of num_group, {self.num_group}"
            )
        weight = (self.num_filter, channels // self.num_group, *self.kernel)
        positions = [count_positions(self, size, axis) for axis, size in enumerate(space)]
        out = (
            (data[0], 1, *positions, self.num_filter)
            if self.blocked
            else (data[0], self.num_filter, *positions)
        )
        return self.complete_layer(shapes, weight, self._packed_size(channels), out)

    def _check_attributes(self) -> None:
        """Reject windows that do not have two numbers."""
        for key in ("kernel", "stride", "dilate", "pad"):
            given = getattr(self, key)
            if given is None or len(given) not in ((2,) if key == "kernel" else (0, 2)):
                raise AttributeValueError(
                    f"operator {self.name!r}: {key} is {given}; expected two numbers"
                )

    def _is_depthwise(self, channels: int) -> bool:
        is_small = prod(self.kernel) <= _MAX_DEPTHWISE_TAPS
        return is_small and 1 < self.num_group == channels == self.num_filter

    def _packed_size(self, channels: int) -> int:
        """Return the bytes of the packed filters of all groups."""
        taps, groups = prod(self.kernel), self.num_group
        if self._is_depthwise(channels):
            return packed_size(channels, 1, taps, is_depthwise=True)
        return packed_size(self.num_filter, channels, taps) if groups == 1 else -1

    def blocked_form(self, inputs: Any, needs_gradient: bool) -> layouts.BlockedForm | None:
        """Return the form with channels last and packed filters; None with groups of channels."""
        shape, names = inputs[0].shape, self.list_arguments()
        size = self._packed_size(shape[1])
        if self.blocked or len(shape) != 4 or size < 0 or len(inputs[1].shape) == 1:
            return None
        is_depthwise = self._is_depthwise(shape[1])
        operator = "_int8_depthwise_filters" if is_depthwise else "_int8_filters"
        image = layouts.Blocked(1, self.num_filter)
        forms: dict[str, layouts.Layout] = {
            "data": layouts.Blocked(1, shape[1]),
            "weight": layouts.Prepared(operator, (size,)),
            "sum": image,
        }
        outputs = [image, *[None] * (len(self.list_outputs()) - 1)]
        return layouts.BlockedForm(
            [forms.get(name) for name in names], outputs, {"blocked": True}, begins=True
        )
