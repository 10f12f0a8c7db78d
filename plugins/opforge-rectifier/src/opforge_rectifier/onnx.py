"""Translation of LeakyReLU and its variants to ONNX."""

from collections.abc import Callable
from math import sqrt
from typing import Any

__all__ = ["leaky_relu"]


def leaky_relu(prop: Any, call: Any) -> Any:
    """Translate LeakyReLU by its `act_type`."""
    return _TYPES[prop.act_type](prop, call)


def _leaky(prop: Any, call: Any) -> Any:
    return call.node("LeakyRelu", call.inputs[0], alpha=prop.slope)


def _random(prop: Any, call: Any) -> Any:
    """Translate rrelu, whose slope is the mean of both bounds in a prediction."""
    slope = (prop.lower_bound + prop.upper_bound) / 2
    return call.node("LeakyRelu", call.inputs[0], alpha=slope)


def _prelu(prop: Any, call: Any) -> Any:
    """Translate prelu; the slopes are along the second axis, in ONNX along the last one."""
    data, slope = call.inputs
    behind = len(data.shape) - 2
    if slope.shape == (1,) or behind <= 0:
        return call.node("PRelu", data, slope)
    axes = call.integers(*range(1, 1 + behind))
    return call.node("PRelu", data, call.node("Unsqueeze", slope, axes))


def _elu(prop: Any, call: Any) -> Any:
    return call.node("Elu", call.inputs[0], alpha=prop.slope)


def _selu(prop: Any, call: Any) -> Any:
    return call.node("Selu", call.inputs[0])


def _gelu(prop: Any, call: Any) -> Any:
    data = call.inputs[0]
    if call.opset >= 20:
        return call.node("Gelu", data)
    error = call.node("Erf", call.node("Mul", data, call.constant(1 / sqrt(2))))
    half = call.node("Mul", data, call.constant(0.5))
    return call.node("Mul", half, call.node("Add", error, call.constant(1)))


_TYPES: dict[str, Callable[[Any, Any], Any]] = {
    "elu": _elu,
    "gelu": _gelu,
    "leaky": _leaky,
    "prelu": _prelu,
    "rrelu": _random,
    "selu": _selu,
}
