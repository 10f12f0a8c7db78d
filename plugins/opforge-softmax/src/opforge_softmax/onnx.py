"""Translation of softmax operators to ONNX."""

from typing import Any

import numpy as np

__all__ = ["cross_entropy", "log_softmax", "softmax", "softmax_output", "softmin"]


def softmax(prop: Any, call: Any) -> Any:
    """Translate softmax."""
    if not prop.use_length:
        return call.node("Softmax", _scale(prop, call), axis=prop.axis)
    present = _present(prop, call)
    low = call.constant(-np.inf, call.outputs[0].dtype)
    masked = call.node("Where", present, _scale(prop, call), low)
    found = call.node("Softmax", masked, axis=prop.axis)
    return call.node("Where", present, found, call.constant(0, call.outputs[0].dtype))


def _present(prop: Any, call: Any) -> Any:
    """Return which elements are within the length of their slice."""
    data, length = call.inputs
    axis = prop.axis % len(data.shape)
    lengths = call.node("Unsqueeze", call.cast(length, "int64"), call.integers(axis))
    return call.within_lengths(data, lengths, axis)


def log_softmax(prop: Any, call: Any) -> Any:
    """Translate log_softmax."""
    return call.node("LogSoftmax", _scale(prop, call), axis=prop.axis)


def softmin(prop: Any, call: Any) -> Any:
    """Translate softmin: softmax of the negated data."""
    return call.node("Softmax", call.node("Neg", _scale(prop, call)), axis=prop.axis)


def _scale(prop: Any, call: Any) -> Any:
    """Return the data in the dtype of the result, divided by the temperature."""
    data: Any = call.inputs[0]
    out = call.outputs[0].dtype
    if data.dtype != out:
        data = call.cast(data, out)
    if prop.temperature in (None, 1.0):
        return data
    return call.node("Div", data, call.constant(prop.temperature, out))


def softmax_output(prop: Any, call: Any) -> Any:
    """Translate SoftmaxOutput; a prediction has no label."""
    data = call.inputs[0]
    if prop.multi_output:
        return call.node("Softmax", data, axis=1)
    if prop.preserve_shape or len(data.shape) == 2:
        return call.node("Softmax", data, axis=-1)
    found = call.node("Softmax", call.node("Flatten", data, axis=1), axis=-1)
    return call.node("Reshape", found, call.node("Shape", data))


def cross_entropy(prop: Any, call: Any) -> Any:
    """Translate the loss of each row; fractions of labels are dropped."""
    data, label = call.inputs
    index = call.node("Unsqueeze", call.cast(label, np.int64), call.integers(-1))
    logarithms = call.node("LogSoftmax", data, axis=-1)
    chosen = call.node("GatherElements", logarithms, index, axis=-1)
    return call.node("Neg", call.node("Squeeze", chosen, call.integers(-1)))
