"""Translation of operators to ONNX."""

from typing import Any

import numpy as np

__all__ = ["cumsum", "split_v2"]


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
