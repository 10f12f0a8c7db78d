"""Conversion between float32 and 8-bit integers, in C."""

from typing import Any

from opforge.plugin_api import Attribute

from .base import LIBRARY, Calibrated, QuantizedOperator, merge_shapes

__all__ = ["Dequantize", "Quantize", "QuantizeAsym", "QuantizeV2", "Requantize"]


class _Elementwise(QuantizedOperator):
    """Base class of operators that keep the shape of their data."""

    category = "elementwise"

    def complete_data(self, shapes: Any) -> Any:
        """Return the shape of the data."""
        return shapes["data"] or None

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Any]:
        """Infer the shape of the data from that of the result."""
        return [merge_shapes(in_shapes[0], out_shapes[0]), *in_shapes[1:]]


class Quantize(_Elementwise):
    """Convert float32 to int8 or uint8, in a range that is an input.

    With the largest magnitude T of the range, ``output = round(data * 127 / T)`` for int8 and
    ``round(data * 255 / T)`` for uint8, to nearest with ties to even, saturated.

    Examples
    --------
    >>> from opforge import nd
    >>> data, low, high = nd.array([-0.5, 0.25, 1]), nd.array([-1]), nd.array([1])
    >>> output, low, high = nd.contrib.quantize(data, low, high, out_type="int8")
    >>> output.asnumpy().tolist(), low.asnumpy().tolist(), high.asnumpy().tolist()
    ([-64, 32, 127], [-1.0], [1.0])
    """

    name = "_contrib_quantize"
    library = LIBRARY
    arguments = ("data", "min_range", "max_range")
    dtypes = ("float32",)
    argument_dtypes = {"min_range": ("float32",), "max_range": ("float32",)}
    argument_docs = {
        "data": "real numbers",
        "min_range": "shape (1,), the smallest real number",
        "max_range": "shape (1,), the largest real number",
    }
    output_dtypes = {
        "output": "out_type",
        "min_output": "float32",
        "max_output": "float32",
    }
    out_type = Attribute(str, default="uint8", choices=("int8", "uint8"), doc="Type of the result.")

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.output_dtypes = {**Quantize.output_dtypes, "output": self.out_type}


class QuantizeV2(_Elementwise, Calibrated):
    """Convert float32 to int8 or uint8, in a calibrated range or that of the data.

    With the largest magnitude T of the range, ``output = round(data * 127.5 / T)`` for int8 and
    ``round(data * 255.5 / T)`` for uint8, to nearest with ties to even, saturated. Data of int8 and
    uint8 is passed on.

    Examples
    --------
    >>> from opforge import nd
    >>> output, low, high = nd.contrib.quantize_v2(nd.array([-0.5, 0.25, 1]))
    >>> output.asnumpy().tolist(), low.asnumpy().tolist(), high.asnumpy().tolist()
    ([-64, 32, 127], [-1.0], [1.0])
    """

    name = "_contrib_quantize_v2"
    library = LIBRARY
    dtypes = ("float32", "int8", "uint8")
    output_dtypes = {
        "output": {"float32": "int8"},
        "min_output": "float32",
        "max_output": "float32",
    }
    argument_docs = {"data": "real numbers, or integers to pass on"}
    out_type = Attribute(
        str,
        default="int8",
        choices=("auto", "int8", "uint8"),
        doc="Type of the result; auto: uint8 if min_calib_range is at least 0, else int8.",
    )

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        found = {"float32": self.dtype_of(self.out_type)}
        self.output_dtypes = {**QuantizeV2.output_dtypes, "output": found}


class QuantizeAsym(_Elementwise, Calibrated):
    """Convert float32 or int8 to uint8 with a scale and a shift, which are returned.

    ``output = round(data * scale + shift)``, to nearest with ties to even, saturated; the smallest
    number becomes 0 and the largest 255. Data of uint8 is passed on.

    Examples
    --------
    >>> from opforge import nd
    >>> output, scale, shift = nd.contrib.quantize_asym(nd.array([-1, 0, 4]))
    >>> output.asnumpy().tolist(), scale.asnumpy().tolist(), shift.asnumpy().tolist()
    ([0, 51, 255], [51.0], [51.0])
    """

    name = "_contrib_quantize_asym"
    library = LIBRARY
    outputs = ("output", "scale", "shift")
    dtypes = ("float32", "int8", "uint8")
    output_dtypes = {"output": "uint8", "scale": "float32", "shift": "float32"}
    argument_docs = {"data": "real numbers, or integers"}


class Dequantize(_Elementwise):
    """Convert int8 or uint8 to float32.

    With the largest magnitude T of the range, ``output = data * T / 127.5`` for int8 and
    ``data * T / 255.5`` for uint8.

    Examples
    --------
    >>> from opforge import nd
    >>> data, low, high = nd.array([-51, 102], dtype="int8"), nd.array([-2.5]), nd.array([2.5])
    >>> nd.contrib.dequantize(data, low, high).asnumpy().tolist()
    [-1.0, 2.0]
    """

    name = "_contrib_dequantize"
    library = LIBRARY
    arguments = ("data", "min_range", "max_range")
    outputs = ("output",)
    dtypes = ("int8", "uint8")
    argument_dtypes = {"min_range": ("float32",), "max_range": ("float32",)}
    argument_docs = {
        "data": "integers",
        "min_range": "shape (1,), the smallest real number",
        "max_range": "shape (1,), the largest real number",
    }
    output_dtypes = {"output": "float32"}
    out_type = Attribute(str, default="float32", choices=("float32",), doc="Type of the result.")


class Requantize(_Elementwise, Calibrated):
    """Convert int32 to int8 or uint8, in a calibrated range or that of the data.

    Data of 2**31 stands for the largest magnitude of the input range. With the largest magnitude T
    of the output range, a real number r becomes ``round(r * 127 / T)``, or ``round(r * 255 / T)``
    for uint8.

    Examples
    --------
    >>> from opforge import nd
    >>> data = nd.array([-(2**29), 2**30], dtype="int32")
    >>> output, low, high = nd.contrib.requantize(data, nd.array([-4]), nd.array([4]))
    >>> output.asnumpy().tolist(), low.asnumpy().tolist(), high.asnumpy().tolist()
    ([-64, 127], [-2.0], [2.0])
    """

    name = "_contrib_requantize"
    library = LIBRARY
    arguments = ("data", "min_range", "max_range")
    dtypes = ("int32",)
    argument_dtypes = {"min_range": ("float32",), "max_range": ("float32",)}
    argument_docs = {
        "data": "sums of products",
        "min_range": "shape (1,), the smallest real number",
        "max_range": "shape (1,), the largest real number",
    }
    output_dtypes = {
        "output": "int8",
        "min_output": "float32",
        "max_output": "float32",
    }
    out_type = Attribute(
        str,
        default="int8",
        choices=("auto", "int8", "uint8"),
        doc="Type of the result; auto: uint8 if min_calib_range is at least 0, else int8.",
    )

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        found = self.dtype_of(self.out_type)
        self.output_dtypes = {**Requantize.output_dtypes, "output": found}
