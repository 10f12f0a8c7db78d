"""Translation of pooling to ONNX."""

from math import prod
from typing import Any

import numpy as np

__all__ = ["adaptive_pooling", "pooling", "pooling_v1"]

_GLOBAL = {"max": "GlobalMaxPool", "avg": "GlobalAveragePool"}
_LOCAL = {"max": "MaxPool", "avg": "AveragePool", "sum": "AveragePool"}


def pooling(prop: Any, call: Any) -> Any:
    """Translate Pooling."""
    return _pool(prop, call, prop.count_include_pad is not False)


def pooling_v1(prop: Any, call: Any) -> Any:
    """Translate Pooling_v1, whose averages always divide by the size of the window."""
    call.require(
        prop.pool_type != "avg" or prop.global_pool or prop.pooling_convention == "valid",
        "averages of windows that exceed the input have no equivalent",
        "use pooling_convention='valid'",
    )
    return _pool(prop, call, True)


def _pool(prop: Any, call: Any, counts_padding: bool) -> Any:
    """Return the reduction of windows, in ONNX with channels second."""
    data = call.inputs[0]
    if prop.layout is None or prop.layout.startswith("NC"):
        return _reduce(prop, call, data, counts_padding)
    last = len(data.shape) - 1
    moved = call.node("Transpose", data, perm=[0, last, *range(1, last)])
    found = _reduce(prop, call, moved, counts_padding)
    return call.node("Transpose", found, perm=[0, *range(2, last + 1), 1])


def _reduce(prop: Any, call: Any, data: Any, counts_padding: bool) -> Any:
    """Return the reduction of windows; a sum is a mean times the size of the window."""
    kind = prop.pool_type
    if prop.global_pool:
        if kind == "lp":
            return call.node("GlobalLpPool", data, p=prop.p_value)
        if kind == "sum":
            return call.reduce("ReduceSum", data, *range(2, len(call.inputs[0].shape)))
        return call.node(_GLOBAL[kind], data)
    window = _window(prop, call)
    if kind == "lp":
        call.require(
            prop.pooling_convention == "valid", "lp pooling counts whole windows", "use 'valid'"
        )
        del window["ceil_mode"]  # LpPool has it since opset 18
        return call.node("LpPool", data, p=prop.p_value, **window)
    if kind == "max":
        return call.node("MaxPool", data, **window)
    counted = kind == "sum" or counts_padding
    call.require(
        kind != "sum" or not window["ceil_mode"],
        "sums of windows that exceed the input have no equivalent",
        "use pooling_convention='valid'",
    )
    found = call.node(_LOCAL[kind], data, count_include_pad=int(counted), **window)
    return _times(call, found, prod(prop.kernel)) if kind == "sum" else found


def adaptive_pooling(prop: Any, call: Any) -> Any:
    """Translate AdaptiveAvgPooling2D.

    Windows of different sizes become products with matrices of weights along both axes.
    """
    data, size = call.inputs[0], call.outputs[0].shape[2:]
    if size == (1, 1):
        return call.node("GlobalAveragePool", data)
    call.require_fixed(data, 2, 3)
    if all(n % wanted == 0 for n, wanted in zip(data.shape[2:], size, strict=True)):
        window = [n // wanted for n, wanted in zip(data.shape[2:], size, strict=True)]
        return call.node("AveragePool", data, kernel_shape=window, strides=window)
    height, width = map(_mean_weights, data.shape[2:], size)
    rows = call.node("MatMul", call.constant(height), data)
    return call.node("MatMul", rows, call.constant(width.T))


def _mean_weights(size: int, wanted: int) -> np.ndarray:
    """Return a matrix whose products are means over `wanted` windows of an axis."""
    weights = np.zeros((wanted, size))
    for index, row in enumerate(weights):
        start, end = index * size // wanted, -(-(index + 1) * size // wanted)
        row[start:end] = 1 / (end - start)
    return weights


def _window(prop: Any, call: Any) -> dict[str, Any]:
    """Return the attributes of the sliding window."""
    rank = len(prop.kernel)
    call.require(
        prop.pooling_convention != "same",
        "pooling_convention 'same' depends on the size of the input",
        "use 'valid' or 'full' with pad",
    )
    pad = tuple(prop.pad or (0,) * rank)
    return {
        "kernel_shape": prop.kernel,
        "strides": prop.stride or (1,) * rank,
        "pads": pad + pad,
        "ceil_mode": int(prop.pooling_convention == "full"),
    }


def _times(call: Any, value: str, factor: int) -> Any:
    return call.node("Mul", value, call.constant(factor))
