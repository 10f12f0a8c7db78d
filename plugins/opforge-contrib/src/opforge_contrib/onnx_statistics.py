"""Translation of moments and histograms to ONNX."""

from typing import Any

import numpy as np

__all__ = ["histogram", "moments"]

_END = np.iinfo(np.int64).max


def moments(prop: Any, call: Any) -> list[Any]:
    """Translate moments: the mean, and the mean of squared deviations from it."""
    data = call.inputs[0]
    axes = [axis % len(data.shape) for axis in prop.axes]
    mean = call.reduce("ReduceMean", data, *axes)
    deviations = call.node("Sub", data, mean)
    variance = call.reduce("ReduceMean", call.node("Mul", deviations, deviations), *axes)
    if prop.keepdims:
        return [mean, variance]
    if len(axes) == len(data.shape):  # there are no scalars
        axes = axes[1:]
    return [call.node("Squeeze", found, call.integers(*axes)) for found in (mean, variance)]


def histogram(prop: Any, call: Any) -> list[Any]:
    """Translate histogram: differences of the numbers of elements from each edge to the last one.

    Edges that are an input must be in ascending order.
    """
    data = call.inputs[0]
    if prop.range is None:
        edges = call.node("Identity", call.inputs[1])
    else:
        edges = call.constant(prop.equal_edges(prop.range))
    column = call.node("Reshape", data, call.integers(-1, 1))
    first, last = _part(call, edges, 0, -1), _part(call, edges, -1, _END)
    is_above = call.node("GreaterOrEqual", column, first)
    is_inside = call.node("And", is_above, call.node("LessOrEqual", column, last))
    numbers = call.reduce("ReduceSum", call.cast(is_inside, np.int64), 0, keepdims=False)
    others = _part(call, numbers, 1, _END)
    following = call.node("Concat", others, call.integers(0), axis=0)
    return [call.node("Sub", numbers, following), edges]


def _part(call: Any, vector: str, begin: int, end: int) -> Any:
    return call.node("Slice", vector, call.integers(begin), call.integers(end))
