"""Translation of operators to ONNX."""

from typing import Any

import numpy as np

__all__ = ["cumsum", "identity", "ravel_multi_index", "split_v2", "unravel_index"]


def identity(prop: Any, call: Any) -> Any:
    """Translate operators that return their data, and differ by their gradient."""
    return call.node("Identity", call.inputs[0])


def cumsum(prop: Any, call: Any) -> Any:
    """Translate cumsum, which flattens the array if it has no axis."""
    data = call.cast(call.inputs[0], call.outputs[0].dtype)
    axis = prop.axis
    if axis is None:
        data, axis = call.node("Reshape", data, call.integers(-1)), 0
    return call.node("CumSum", data, call.constant(axis, "int64"))


def split_v2(prop: Any, call: Any) -> Any:
    """Translate split_v2; parts of an axis whose size may change are slices."""
    data, axis = call.inputs[0], prop.axis % len(call.inputs[0].shape)
    if not data.is_open(axis):
        sizes = [1 if prop.squeeze_axis else out.shape[axis] for out in call.outputs]
        return call.split(axis, call.integers(*sizes), len(sizes), prop.squeeze_axis)
    if prop.sections:
        return call.split_equally(axis, prop.sections, prop.squeeze_axis)
    bounds = zip(prop.indices, [*prop.indices[1:], np.iinfo(np.int64).max], strict=True)
    return [
        call.node("Slice", data, *(call.integers(value) for value in (start, end, axis)))
        for start, end in bounds
    ]


def ravel_multi_index(prop: Any, call: Any) -> Any:
    """Translate ravel_multi_index: the sum of indices times the numbers of elements behind."""
    data = call.inputs[0]
    strides = np.cumprod((*prop.shape[1:], 1)[::-1])[::-1]
    indices = call.cast(data, np.int64)
    offsets = call.node("Mul", indices, call.constant(strides.reshape(-1, 1), np.int64))
    return call.cast(call.reduce("ReduceSum", offsets, 0, keepdims=False), call.outputs[0].dtype)


def unravel_index(prop: Any, call: Any) -> Any:
    """Translate unravel_index; the first index has no bound."""
    rest, found = call.cast(call.inputs[0], np.int64), []
    for length in prop.shape[:0:-1]:
        size = call.constant(length, np.int64)
        found.append(call.node("Mod", rest, size, fmod=1))
        rest = call.node("Div", call.node("Sub", rest, found[-1]), size)
    rows = [call.node("Unsqueeze", x, call.integers(0)) for x in (rest, *reversed(found))]
    return call.cast(call.node("Concat", *rows, axis=0), call.outputs[0].dtype)
