"""Fused layers as in files that MXNet's backend MKLDNN wrote, composed of opforge's operators."""

from collections.abc import Sequence
from typing import Any

from opforge.plugin_api import Attribute, AttributeValueError, OperatorProp, Shape, ShapeError

from .base import LEVELS, RANGED, dense_sizes
from .positions import count_positions

__all__ = ["FusedConvolution", "FusedFullyConnected"]


def _activate(F: Any, data: Any, kind: str | None, number: float) -> Any:
    """Return the activation of an array; `number` is its slope or the bound of "clip"."""
    if kind is None:
        return data
    if kind == "clip":
        return F.clip(data, 0, number)
    if kind in ("leaky", "elu", "gelu"):
        return F.LeakyReLU(data, act_type=kind, slope=number)
    return F.Activation(data, act_type=kind)


class _FusedLayer(OperatorProp):
    """Base class of both layers: attributes of quantization, and the inputs that they need."""

    category = "linear"
    differentiable = False
    dtypes: Sequence[str] = ("int8", "uint8", "float32")
    no_bias = Attribute(bool, default=False, doc="Omit the bias.")
    quantized = Attribute(bool, default=False, doc="Whether data is int8 or uint8.")
    min_calib_range = Attribute(float, default=None, doc="Smallest real number of the result.")
    max_calib_range = Attribute(float, default=None, doc="Largest real number of the result.")
    act_type = Attribute(
        str,
        default=None,
        choices=(
            "relu",
            "sigmoid",
            "tanh",
            "softrelu",
            "softsign",
            "leaky",
            "elu",
            "gelu",
            "clip",
        ),
        doc="Activation of the result.",
    )
    act_number = Attribute(float, default=0.25, doc="Slope of the activation; bound of clip.")

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.dtypes = ("int8", "uint8") if self.quantized else ("float32",)
        is_relu = self.act_type in (None, "relu", "clip")
        if self.returns_bytes and not (self.is_calibrated and is_relu):
            raise AttributeValueError(
                f"operator {self.name!r}: quantized layers of MXNet are read if their results have "
                f"a calibrated range and no activation but relu and clip, got act_type "
                f"{self.act_type} and the range {self.min_calib_range} to {self.max_calib_range}. "
                "Quantize the network again, in opforge or with calibration"
            )
        kind = self.out_type if self.returns_bytes else "float32"
        self.output_dtypes = {"output": kind, **dict.fromkeys(RANGED[1:], "float32")}

    @property
    def is_calibrated(self) -> bool:
        """True if both ends of the range are given."""
        return self.min_calib_range is not None and self.max_calib_range is not None

    @property
    def returns_bytes(self) -> bool:
        """True if the result is int8 or uint8."""
        return bool(self.quantized)

    @property
    def out_type(self) -> str:
        """Type of a quantized result."""
        return "int8" if self.act_type is None else "uint8"

    def list_outputs(self) -> list[str]:
        """Return the result and the range of integers."""
        return list(RANGED) if self.returns_bytes else ["output"]


class FusedConvolution(_FusedLayer):
    """Convolution, batch normalization, sum with another array and activation in turn.

    MXNet calls it ``_sg_mkldnn_conv``. Batch normalization uses its moving averages.

    Examples
    --------
    >>> from opforge import nd
    >>> data, weight = nd.array([[[[1, -2, 3]]]]), nd.array([[[[1]]]])
    >>> nd._fused_convolution(
    ...     data, weight, kernel=(1, 1), num_filter=1, no_bias=True, act_type="relu"
    ... ).asnumpy().tolist()
    [[[[1.0, 0.0, 3.0]]]]
    """

    name = "_fused_convolution"
    arguments = (
        "data",
        "weight",
        "bias",
        "gamma",
        "beta",
        "mean",
        "var",
        "sum",
        "min_data",
        "max_data",
        "min_sum",
        "max_sum",
    )
    argument_dtypes = {
        "weight": ("float32",),
        "bias": ("float32",),
        "gamma": ("float32",),
        "beta": ("float32",),
        "mean": ("float32",),
        "var": ("float32",),
        "sum": ("int8", "uint8", "float32"),
        "min_data": ("float32",),
        "max_data": ("float32",),
        "min_sum": ("float32",),
        "max_sum": ("float32",),
    }
    argument_docs = {
        "data": "(n, channels, h, w)",
        "weight": "(num_filter, channels / num_group, *kernel)",
        "sum": "like the result; with with_sum",
    }
    kernel = Attribute(Shape, ge=1, doc="Size of a filter: (h, w).")
    stride = Attribute(Shape, (), ge=1, doc="Steps between positions; (): 1.")
    dilate = Attribute(Shape, (), ge=1, doc="Steps within a filter; (): 1.")
    pad = Attribute(Shape, (), ge=0, doc="Zeros on both sides; (): 0.")
    num_filter = Attribute(int, ge=1, doc="Number of channels of the result.")
    num_group = Attribute(int, default=1, ge=1, doc="Number of independent groups of channels.")
    with_bn = Attribute(bool, default=False, doc="Normalize the sums of products.")
    eps = Attribute(float, default=1e-3, doc="Added to the variance.")
    fix_gamma = Attribute(bool, default=True, doc="Take gamma as 1.")
    with_sum = Attribute(bool, default=False, doc="Add the input `sum`.")

    def list_arguments(self) -> list[str]:
        """Return the inputs that the attributes ask for."""
        left_out = ["bias"] * self.no_bias
        left_out += ["gamma", "beta", "mean", "var"] * (not self.with_bn)
        left_out += ["sum", "min_sum", "max_sum"] * (not self.with_sum)
        left_out += ["min_data", "max_data", "min_sum", "max_sum"] * (not self.quantized)
        return [name for name in self.arguments if name not in left_out]

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shapes of a convolution; vectors have one number for each filter."""
        names = self.list_arguments()
        shapes = dict(zip(names, map(tuple, in_shape), strict=True))
        data = shapes["data"]
        if not data:
            return in_shape, [(), *[(1,)] * (len(self.list_outputs()) - 1)], []
        windows = self.kernel, self.stride, self.dilate, self.pad
        if len(data) != 4 or any(given and len(given) != 2 for given in windows):
            raise ShapeError(
                f"operator {self.name!r}: 'data' has shape {data}; kernel, stride, dilate and pad "
                f"are {windows}; expected (n, channels, h, w) and two numbers each"
            )
        space = [count_positions(self, size, axis) for axis, size in enumerate(data[2:])]
        out = (data[0], self.num_filter, *space)
        known = {
            "weight": (self.num_filter, data[1] // self.num_group, *self.kernel),
            "sum": out,
            **{name: (self.num_filter,) for name in ("bias", "gamma", "beta", "mean", "var")},
            **{name: (1,) for name in self.arguments[-4:]},
        }
        outputs = [out, *[(1,)] * (len(self.list_outputs()) - 1)]
        return [known.get(name, shapes[name]) for name in names], outputs, []

    def compose(self, F: Any, *inputs: Any) -> Any:
        """Normalize the filters, and compute the layer in real numbers or integers."""
        names = self.list_arguments()
        # Operators that broadcast would accept arrays of other shapes.
        shapes, _, _ = self.infer_shape([array.shape for array in inputs])
        given = {
            name: F.reshape(array, shape=shape) if name in self.arguments[1:8] else array
            for name, array, shape in zip(names, inputs, shapes, strict=True)
        }
        if self.with_bn:
            self._normalize(F, given)
        bias = {"bias": given["bias"]} if "bias" in given else {}
        window = {key: getattr(self, key) for key in ("kernel", "stride", "dilate", "pad")}
        window |= {"num_filter": self.num_filter, "num_group": self.num_group, "no_bias": not bias}
        if self.quantized:
            return self._compose_integers(F, given, bias, window)
        made = F.Convolution(given["data"], given["weight"], **bias, **window)
        if self.with_sum:
            made = made + given["sum"]
        return _activate(F, made, self.act_type, self.act_number)

    def _normalize(self, F: Any, given: dict[str, Any]) -> None:
        """Replace filters and bias by those that include the normalization."""
        scale = F.rsqrt(given["var"] + self.eps)
        if not self.fix_gamma:
            scale = scale * given["gamma"]
        shift = given["mean"] - given["bias"] if "bias" in given else given["mean"]
        ones = (1,) * (len(self.kernel) + 1)
        factors = F.reshape(scale, shape=(self.num_filter, *ones))
        given["weight"] = F.broadcast_mul(given["weight"], factors)
        given["bias"] = given["beta"] - scale * shift

    def _compose_integers(self, F: Any, given: Any, bias: Any, window: Any) -> Any:
        ranges = {name: given[name] for name in self.arguments[-4:] if name in given}
        extra = {"sum": given["sum"]} if self.with_sum else {}
        return F._int8_convolution(
            given["data"],
            given["weight"],
            **(bias | extra | ranges | window),
            with_sum=self.with_sum,
            with_act=self.act_type is not None,
            out_type=self.out_type,
            min_calib_range=self.min_calib_range,
            max_calib_range=self.max_calib_range,
        )


class FusedFullyConnected(_FusedLayer):
    """Fully connected layer and activation; MXNet calls it ``_sg_mkldnn_fully_connected``.

    Quantized layers have weights and biases of int8, each with a range.

    Examples
    --------
    >>> from opforge import nd
    >>> data, weight = nd.array([[1, -2]]), nd.array([[1, 1], [1, 0]])
    >>> nd._fused_fully_connected(
    ...     data, weight, num_hidden=2, no_bias=True, act_type="relu"
    ... ).asnumpy().tolist()
    [[0.0, 1.0]]
    """

    name = "_fused_fully_connected"
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
    argument_dtypes = {
        "weight": ("int8", "float32"),
        "bias": ("int8", "float32"),
        "min_data": ("float32",),
        "max_data": ("float32",),
        "min_weight": ("float32",),
        "max_weight": ("float32",),
        "min_bias": ("float32",),
        "max_bias": ("float32",),
    }
    argument_docs = {
        "data": "(n, ...) or, without flatten, (..., in_units)",
        "weight": "(num_hidden, in_units)",
    }
    num_hidden = Attribute(int, ge=1, doc="Number of output features.")
    flatten = Attribute(bool, default=True, doc="Flatten all axes except the first.")
    enable_float_output = Attribute(bool, default=False, doc="Whether the result is float32.")

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        kind = ("int8",) if self.quantized else ("float32",)
        self.argument_dtypes = {**self.argument_dtypes, "weight": kind, "bias": kind}

    @property
    def returns_bytes(self) -> bool:
        """True if the result is int8 or uint8."""
        return bool(self.quantized) and not self.enable_float_output

    def list_arguments(self) -> list[str]:
        """Return the inputs that the attributes ask for."""
        return [
            name
            for name in (self.arguments if self.quantized else self.arguments[:3])
            if not (self.no_bias and name.endswith("bias"))
        ]

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shapes of a fully connected layer."""
        names = self.list_arguments()
        shapes = dict(zip(names, map(tuple, in_shape), strict=True))
        data = shapes["data"]
        n_ranges = len(self.list_outputs()) - 1
        if not data:
            return in_shape, [(), *[(1,)] * n_ranges], []
        out, inner = dense_sizes(self, data)
        known = {
            "weight": (self.num_hidden, inner),
            "bias": (self.num_hidden,),
            **{name: (1,) for name in self.arguments[3:]},
        }
        return [known.get(name, shapes[name]) for name in names], [out, *[(1,)] * n_ranges], []

    def compose(self, F: Any, data: Any, *inputs: Any) -> Any:
        """Compute the layer in real numbers, or its sums of products in integers."""
        options = {key: getattr(self, key) for key in ("num_hidden", "no_bias", "flatten")}
        if not self.quantized:
            made = F.FullyConnected(data, *inputs, **options)
            return _activate(F, made, self.act_type, self.act_number)
        given = dict(zip(self.list_arguments()[1:], inputs, strict=True))
        sums = F._contrib_quantized_fully_connected(data, **given, **options)[0]
        level = self._level(F, given, "data", data.dtype) * self._level(F, given, "weight", "int8")
        factor = F.reshape(level, shape=(1,) * len(sums.shape))
        real = F.broadcast_mul(F.cast(sums, dtype="float32"), factor)
        made = _activate(F, real, self.act_type, self.act_number)
        if not self.returns_bytes:
            return made
        return F._contrib_quantize_v2(
            made,
            out_type=self.out_type,
            min_calib_range=self.min_calib_range,
            max_calib_range=self.max_calib_range,
        )

    @staticmethod
    def _level(F: Any, given: Any, name: str, dtype: Any) -> Any:
        """Return the real number that one integer stands for."""
        ends = F.abs(given[f"min_{name}"]), F.abs(given[f"max_{name}"])
        return F.broadcast_maximum(*ends) / LEVELS[getattr(dtype, "__name__", dtype)]
