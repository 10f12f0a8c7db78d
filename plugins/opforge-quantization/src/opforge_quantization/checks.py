"""Sample calls and exact integer references of these operators for ``opforge check``."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .dynamic_checks import DYNAMIC_REFERENCES, DYNAMIC_SAMPLES
from .layer_checks import LAYER_REFERENCES, LAYER_SAMPLES
from .references import REFERENCES

Samples = list[dict[str, Any]]

#: Range of most arrays; no two ends are equal, so that mixing them up changes results.
LOW, HIGH = np.array([-1.5], "float32"), np.array([2.0], "float32")
OTHER_LOW, OTHER_HIGH = np.array([-0.5], "float32"), np.array([0.75], "float32")
CALIBRATED = {"min_calib_range": -1.25, "max_calib_range": 0.5}


def integers(rng: Any, shape: tuple[int, ...], dtype: str = "int8") -> Any:
    """Return integers of a type, all of which occur."""
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max + 1, shape).astype(dtype)


def call(*inputs: Any, **attributes: Any) -> dict[str, Any]:
    """Return a sample without gradients, whose real numbers are float32."""
    kinds = [item if isinstance(item, tuple) else item.dtype.kind for item in inputs]
    single = [at for at, kind in enumerate(kinds) if isinstance(kind, tuple) or kind == "f"]
    return {"inputs": [*inputs], "attributes": attributes, "wanted": [], "single": single}


def quantize(rng: Any) -> Samples:
    """Return calls of quantize."""
    return [call((3, 7), LOW, HIGH, out_type=kind) for kind in ("int8", "uint8")]


def quantize_v2(rng: Any) -> Samples:
    """Return calls of quantize_v2, with real numbers and integers."""
    reals = [
        call((3, 7), out_type=kind, **options)
        for kind in ("auto", "int8", "uint8")
        for options in ({}, CALIBRATED, {"min_calib_range": 0.0, "max_calib_range": 2.0})
    ]
    return [*reals, call(integers(rng, (3, 7))), call(integers(rng, (3, 7), "uint8"))]


def quantize_asym(rng: Any) -> Samples:
    """Return calls of quantize_asym, with real numbers and integers."""
    kinds = [call(integers(rng, (3, 7), dtype)) for dtype in ("int8", "uint8")]
    return [call((3, 7)), call((3, 7), **CALIBRATED), *kinds]


def dequantize(rng: Any) -> Samples:
    """Return calls of dequantize."""
    return [call(integers(rng, (3, 7), dtype), LOW, HIGH) for dtype in ("int8", "uint8")]


def requantize(rng: Any) -> Samples:
    """Return calls of requantize."""
    data = rng.integers(-(2**20), 2**20, (3, 7)).astype("int32")
    ranges = np.array([-2000], "float32"), np.array([2100], "float32")
    return [
        call(data, *ranges, out_type=kind, **options)
        for kind in ("int8", "uint8")
        for options in ({}, CALIBRATED)
    ]


def _with_ranges(data: Any, weight: Any, bias: Any = None) -> list[Any]:
    ranges = [LOW, HIGH, OTHER_LOW, OTHER_HIGH]
    return [data, weight, *ranges] if bias is None else [data, weight, bias, *ranges, LOW, HIGH]


def fully_connected(rng: Any) -> Samples:
    """Return calls of quantized_fully_connected."""
    weight, bias = integers(rng, (5, 6)), integers(rng, (5,))
    found = []
    for dtype in ("int8", "uint8"):
        data = integers(rng, (4, 2, 3), dtype)
        found.append(call(*_with_ranges(data, weight, bias), num_hidden=5))
        found.append(call(*_with_ranges(data, weight), num_hidden=5, no_bias=True))
        rows = integers(rng, (2, 3, 6), dtype)
        found.append(call(*_with_ranges(rows, weight, bias), num_hidden=5, flatten=False))
    return found


#: Shape of data, and attributes of convolutions.
CONVOLUTIONS: list[tuple[tuple[int, ...], dict[str, Any]]] = [
    ((2, 3, 7), {"kernel": (3,), "num_filter": 2, "stride": (2,), "pad": (1,)}),
    ((2, 3, 6, 5), {"kernel": (3, 2), "num_filter": 5, "pad": (1, 1), "dilate": (2, 1)}),
    ((1, 4, 5, 6), {"kernel": (1, 1), "num_filter": 6, "num_group": 2}),
    ((2, 3, 5, 6), {"kernel": (3, 3), "num_filter": 6, "num_group": 3, "pad": (1, 1)}),
    ((1, 3, 6, 7), {"kernel": (2, 3), "num_filter": 3, "num_group": 3, "stride": (2, 2)}),
    ((1, 2, 3, 4, 5), {"kernel": (2, 2, 3), "num_filter": 3, "pad": (1, 0, 1)}),
]


def convolution(rng: Any) -> Samples:
    """Return calls of quantized_conv."""
    found = []
    for at, (shape, options) in enumerate(CONVOLUTIONS):
        filters, groups = options["num_filter"], options.get("num_group", 1)
        weight = integers(rng, (filters, shape[1] // groups, *options["kernel"]))
        data = integers(rng, shape, ("int8", "uint8")[at % 2])
        found.append(call(*_with_ranges(data, weight, integers(rng, (filters,))), **options))
        found.append(call(*_with_ranges(data, weight), no_bias=True, **options))
    return found


#: Shape of data, and attributes of windows.
WINDOWS: list[tuple[tuple[int, ...], dict[str, Any]]] = [
    ((2, 2, 9), {"kernel": (3,), "stride": (2,)}),
    ((1, 3, 6, 5), {"kernel": (3, 2), "stride": (2, 1), "pad": (1, 1)}),
    ((1, 2, 5, 7), {"kernel": (2, 2), "stride": (2, 2), "pooling_convention": "full"}),
    ((1, 2, 4, 3, 5), {"kernel": (2, 3, 2), "stride": (2, 1, 2)}),
    ((2, 2, 4, 5), {"kernel": (1, 1), "global_pool": True}),
]


def pooling(rng: Any) -> Samples:
    """Return calls of quantized_pooling."""
    kinds = {"pool_type": "max"}, {"pool_type": "avg"}
    last = [((2, 1, 5, 4, 3), {"kernel": (3, 2), "pad": (1, 1), "blocked": True})]
    return [
        call(integers(rng, shape, dtype), LOW, HIGH, **window, **kind)
        for shape, window in WINDOWS + last
        for kind in (*kinds, {"pool_type": "avg", "count_include_pad": False})
        for dtype in ("int8", "uint8")
    ]


def elemwise_add(rng: Any) -> Samples:
    """Return calls of quantized_elemwise_add."""
    ranges = LOW, HIGH, OTHER_LOW, OTHER_HIGH
    return [
        call(integers(rng, (3, 7), left), integers(rng, (3, 7), right), *ranges, **options)
        for left in ("int8", "uint8")
        for right in ("int8", "uint8")
        for options in ({}, CALIBRATED)
    ]


def elemwise_mul(rng: Any) -> Samples:
    """Return calls of quantized_elemwise_mul."""
    return [
        {**sample, "attributes": {**sample["attributes"], "enable_float_output": is_real}}
        for sample in elemwise_add(rng)
        for is_real in (False, True)
    ]


def concat(rng: Any) -> Samples:
    """Return calls of quantized_concat."""
    ranges = LOW, HIGH, OTHER_LOW, OTHER_HIGH
    pairs = ("int8", "int8"), ("uint8", "uint8"), ("int8", "uint8")
    return [
        call(
            integers(rng, (2, 3, 2), left),
            integers(rng, (2, 4, 2), right),
            *ranges,
            num_args=2,
            dim=dim,
        )
        for left, right in pairs
        for dim in (1, -2)
    ]


def batch_norm(rng: Any) -> Samples:
    """Return calls of quantized_batch_norm."""
    found = []
    for dtype in ("int8", "uint8"):
        for options in ({}, {"fix_gamma": False, "eps": 0.1}):
            states = [rng.normal(size=3), rng.uniform(0.5, 2, 3)]
            data = integers(rng, (2, 3, 4), dtype)
            found.append(call(data, (3,), (3,), LOW, HIGH, *states, **CALIBRATED, **options))
    return found


def recurrent(rng: Any) -> Samples:
    """Return calls of quantized_rnn."""
    found = []
    for layers, bidirectional in ((1, False), (2, True)):
        directions = 1 + bidirectional
        size = directions * 4 * 3 * (5 + (layers - 1) * directions * 3 + layers * 5)
        parameters = rng.uniform(-1, 1, size)
        states = [rng.uniform(-1, 1, (layers * directions, 2, 3)) for _ in range(2)]
        scales = np.array([60.0]), np.array([120.0])
        found += [
            call(
                integers(rng, (4, 2, 5), "uint8"),
                parameters,
                *states,
                *scales,
                mode="lstm",
                state_size=3,
                num_layers=layers,
                bidirectional=bidirectional,
                state_outputs=has_states,
            )
            for has_states in (False, True)
        ]
    return found


def fused_convolution(rng: Any) -> Samples:
    """Return calls of _fused_convolution, with real numbers and integers."""
    window = {"kernel": (3, 2), "stride": (2, 1), "pad": (1, 0), "num_filter": 4}
    shape, weight, vectors = (2, 3, 5, 6), (4, 3, 3, 2), [(4,)] * 3
    variance = np.array([0.5, 1, 1.5, 2], "float32")
    integer = [integers(rng, shape, "uint8"), weight]
    return [
        call(shape, weight, (4,), **window),
        call(shape, weight, *vectors, variance, with_bn=True, no_bias=True, **window),
        call(shape, weight, (2, 4, 3, 5), no_bias=True, with_sum=True, act_type="relu", **window),
        call(*integer, (4,), LOW, HIGH, quantized=True, act_type="clip", **CALIBRATED, **window),
    ]


def fused_fully_connected(rng: Any) -> Samples:
    """Return calls of _fused_fully_connected, with real numbers and integers."""
    ranges = [LOW, HIGH, OTHER_LOW, OTHER_HIGH]
    quantized = [integers(rng, (3, 2, 2)), integers(rng, (5, 4))]
    options = {"num_hidden": 5, "no_bias": True}
    return [
        call((3, 2, 2), (5, 4), (5,), num_hidden=5, act_type="relu"),
        call((3, 2, 4), (5, 4), flatten=False, **options),
        call(*quantized, *ranges, quantized=True, **CALIBRATED, **options),
        call(*quantized, *ranges, quantized=True, enable_float_output=True, **options),
    ]


SAMPLES: dict[str, Callable[[Any], Samples] | Samples] = {
    "_contrib_calibrate_entropy": [
        {
            "inputs": [np.array([0.0, 0, 1, 4, 9, 4, 1, 0, 0]), (10,)],
            "attributes": {"num_quantized_bins": bins},
        }
        for bins in (3, 4, 9)
    ],
    "_contrib_dequantize": dequantize,
    "_contrib_quantize": quantize,
    "_contrib_quantize_asym": quantize_asym,
    "_contrib_quantize_v2": quantize_v2,
    "_contrib_quantized_act": lambda rng: [
        call(integers(rng, (3, 7), dtype), LOW, HIGH, act_type="relu")
        for dtype in ("int8", "uint8")
    ],
    "_contrib_quantized_batch_norm": batch_norm,
    "_contrib_quantized_concat": concat,
    "_contrib_quantized_conv": convolution,
    "_contrib_quantized_elemwise_add": elemwise_add,
    "_contrib_quantized_elemwise_mul": elemwise_mul,
    "_contrib_quantized_embedding": lambda rng: [
        call(
            np.array([[1, 2, 9], [-1, 0, 3]], "int32"),
            integers(rng, (4, 5)),
            LOW,
            HIGH,
            input_dim=4,
            output_dim=5,
        )
    ],
    "_contrib_quantized_flatten": lambda rng: [
        call(integers(rng, (3, 2, 4), dtype), LOW, HIGH) for dtype in ("int8", "uint8")
    ],
    "_contrib_quantized_fully_connected": fully_connected,
    "_contrib_quantized_pooling": pooling,
    "_contrib_quantized_rnn": recurrent,
    "_contrib_requantize": requantize,
    **LAYER_SAMPLES,
    **DYNAMIC_SAMPLES,
    "_fused_convolution": fused_convolution,
    "_fused_fully_connected": fused_fully_connected,
}

_REFERENCES = {**REFERENCES, **LAYER_REFERENCES, **DYNAMIC_REFERENCES}

OPERATOR_CHECKS: dict[str, dict[str, Any]] = {
    name: {"samples": samples, "reference": _REFERENCES.get(name)}
    for name, samples in SAMPLES.items()
}
OPERATOR_CHECKS["_contrib_quantized_batch_norm"]["expected_failures"] = {
    "states": "networks of integers only predict, so the averages stay"
}
# All samples are float32; sums of products of groups are rounded.
OPERATOR_CHECKS["_dynamic_dense"]["tolerances"] = {"float64": 1e-5}
# A state that differs by rounding may become the next integer.
OPERATOR_CHECKS["_dynamic_rnn"]["tolerances"] = {"float64": 1e-2}
OPERATOR_CHECKS["_dynamic_rnn"]["expected_failures"] = {
    "exports": "the nodes of ONNX do not round states"
}
