"""Translation of quantized layers to ONNX: real operators between dequantized and quantized arrays.

ONNX Runtime fuses these into operators on integers. Ranges must be known when the graph is
exported, so networks must be calibrated.
"""

from typing import Any

import numpy as np

from .operators.base import LEVELS
from .weights import quantize_filters

__all__ = ["convolution", "dense", "dequantize", "flatten", "pooling", "quantize_v2", "weight_of"]


def quantize_v2(prop: Any, call: Any) -> list[Any]:
    """Translate quantize_v2 to QuantizeLinear."""
    data, kind = call.inputs[0], call.outputs[0].dtype.name
    call.require(
        prop.is_calibrated, "its range is that of each call's data", "calibrate the network"
    )
    low, high = prop.min_calib_range, prop.max_calib_range
    if data.dtype.kind != "f":
        return [call.node("Identity", data), *_range(call, low, high)]
    made = _quantize(call, data, low, high, kind)
    if kind == "int8":
        low, high = -max(abs(low), abs(high)), max(abs(low), abs(high))
    return [made, *_range(call, low, high)]


def dequantize(prop: Any, call: Any) -> Any:
    """Translate dequantize to DequantizeLinear."""
    return _dequantize(call, *call.inputs)


def flatten(prop: Any, call: Any) -> list[Any]:
    """Translate quantized_flatten to Flatten of integers."""
    data, low, high = call.inputs
    return [call.node("Flatten", data), low.name, high.name]


def pooling(prop: Any, call: Any) -> list[Any]:
    """Translate quantized_pooling to MaxPool of integers, or to an average of real numbers."""
    data, low, high = call.inputs
    kind = data.dtype.name
    if prop.pool_type == "max" and not prop.global_pool:
        return [call.node("MaxPool", data, **_window(prop)), low.name, high.name]
    call.require(
        prop.global_pool or prop.pooling_convention == "valid",
        "averages of windows that exceed the input have no equivalent",
        "use pooling_convention='valid'",
    )
    # Averages of integers, of which halves are rounded as here: a scale would shift them.
    one, zero = call.constant(1, np.float32), call.constant(0, kind)
    found = _average(prop, call, call.node("DequantizeLinear", data, one, zero))
    return [call.node("QuantizeLinear", found, one, zero), low.name, high.name]


def _average(prop: Any, call: Any, data: Any) -> Any:
    """Return the averages of windows, or the maxima of all positions."""
    if prop.global_pool:
        node = "GlobalMaxPool" if prop.pool_type == "max" else "GlobalAveragePool"
        return call.node(node, data)
    counted = prop.count_include_pad is not False
    return call.node("AveragePool", data, count_include_pad=int(counted), **_window(prop))


def _window(prop: Any) -> dict[str, Any]:
    """Return the attributes of a window."""
    rank = len(prop.kernel)
    return {
        "kernel_shape": prop.kernel,
        "strides": prop.stride or (1,) * rank,
        "pads": tuple(prop.pad or (0,) * rank) * 2,
        "ceil_mode": int(prop.pooling_convention == "full"),
    }


def convolution(prop: Any, call: Any) -> Any:
    """Translate _int8_convolution to Conv."""
    given = dict(zip(prop.list_arguments(), call.inputs, strict=True))
    rank = len(prop.kernel)
    found = call.node(
        "Conv",
        *_operands(call, given),
        kernel_shape=prop.kernel,
        strides=prop.stride or (1,) * rank,
        dilations=prop.dilate or (1,) * rank,
        pads=tuple(prop.pad or (0,) * rank) * 2,
        group=prop.num_group,
    )
    return _finish(prop, call, given, found)


def dense(prop: Any, call: Any) -> Any:
    """Translate _int8_dense to Gemm, or to MatMul if rows have several axes."""
    given = dict(zip(prop.list_arguments(), call.inputs, strict=True))
    rank = len(given["data"].shape)
    if rank > 2 and not prop.flatten:
        return _finish(prop, call, given, _product(call, given))
    data, *others = _operands(call, given)
    if rank > 2:
        data = call.node("Flatten", data)
    found = call.node("Gemm", data, *others, transB=1)
    return _finish(prop, call, given, found)


def _product(call: Any, given: dict[str, Any]) -> Any:
    """Return rows times transposed weights, which ONNX Runtime computes with a bias in float32."""
    data, (integers, scales) = given["data"], _integer_weight(call, given)
    rows = _dequantize(call, data, given["min_data"], given["max_data"])
    found = call.node("MatMul", rows, _constant(call, integers.T, np.int8, scales, axis=1))
    return call.node("Add", found, given["bias"]) if "bias" in given else found


def _operands(call: Any, given: dict[str, Any]) -> list[Any]:
    """Return data, weight and perhaps bias in real numbers, which quantized constants stand for."""
    data, (integers, scales) = given["data"], _integer_weight(call, given)
    operands = [
        _dequantize(call, data, given["min_data"], given["max_data"]),
        _constant(call, integers, np.int8, scales),
    ]
    if "bias" not in given:
        return operands
    bias = call.weight(given["bias"])
    call.require(
        bias is not None,
        "its bias is computed by the graph",
        "export a network whose biases are parameters",
    )
    steps = scales * _scale(call, given["min_data"], given["max_data"], data.dtype.name)
    limits = np.iinfo(np.int32)
    return [
        *operands,
        _constant(call, np.clip(np.rint(bias / steps), limits.min, limits.max), np.int32, steps),
    ]


def _integer_weight(call: Any, given: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Return the integers of each filter and their scales."""
    weight = weight_of(call, given["weight"], "float32", "int8")
    if "scale" not in given:
        return quantize_filters(weight)
    return weight, weight_of(call, given["scale"], "float32")


def weight_of(call: Any, value: Any, *types: str) -> np.ndarray:
    """Return the numbers of a weight, which must be a parameter of one of some types."""
    found = call.weight(value)
    call.require(
        found is not None and found.dtype.name in types,
        "its weight is computed by the graph",
        "export a network whose weights are parameters",
    )
    return found


def _finish(prop: Any, call: Any, given: dict[str, Any], found: Any) -> Any:
    """Return a result after the sum, ReLU and quantization, with its range."""
    if prop.with_sum:
        other = _dequantize(call, given["sum"], given["min_sum"], given["max_sum"])
        found = call.node("Add", found, other)
    if prop.with_act:
        found = call.node("Relu", found)
    if prop.out_type == "float32":
        return found
    low, high = prop.min_calib_range, prop.max_calib_range
    return [_quantize(call, found, low, high, prop.out_type), *_range(call, low, high)]


def _range(call: Any, low: float, high: float) -> list[Any]:
    return [call.constant([end], np.float32) for end in (low, high)]


def _scale(call: Any, low: Any, high: Any, kind: str) -> np.float32:
    """Return the real number that one integer stands for."""
    ends = [call.weight(end) for end in (low, high)]
    call.require(
        all(end is not None for end in ends),
        "the range of its data is computed in each call",
        "calibrate the network",
    )
    return np.float32(max(abs(float(end[0])) for end in ends) / LEVELS[kind])


def _quantize(call: Any, data: Any, low: float, high: float, kind: str) -> Any:
    scale = np.float32(max(abs(low), abs(high)) / LEVELS[kind])
    zero = call.constant(0, kind)
    return call.node("QuantizeLinear", data, call.constant(scale, np.float32), zero)


def _dequantize(call: Any, data: Any, low: Any, high: Any) -> Any:
    kind = data.dtype.name
    scale = call.constant(_scale(call, low, high, kind), np.float32)
    return call.node("DequantizeLinear", data, scale, call.constant(0, kind))


def _constant(call: Any, integers: np.ndarray, kind: Any, scales: np.ndarray, axis: int = 0) -> Any:
    """Return real numbers from integers, with a scale for each index of an axis."""
    parts = call.constant(integers, kind), call.constant(scales, np.float32)
    zeros = call.constant(np.zeros(len(scales)), kind)
    return call.node("DequantizeLinear", *parts, zeros, axis=axis)
