"""Translation of tile and repeat to ONNX."""

from typing import Any

import numpy as np

__all__ = ["repeat", "tile"]


def tile(prop: Any, call: Any) -> Any:
    """Translate tile; missing dimensions are added in front."""
    data: Any = call.inputs[0]
    reps = list(prop.reps)
    rank = max(len(reps), len(data.shape))
    added = rank - len(data.shape)
    if added:
        data = call.node("Unsqueeze", data, call.integers(*range(added)))
    return call.node("Tile", data, call.integers(*[1] * (rank - len(reps)), *reps))


def repeat(prop: Any, call: Any) -> Any:
    """Translate repeat: each index of the axis is taken several times."""
    data: Any = call.inputs[0]
    axis, size = prop.axis, int(np.prod(data.shape))
    if axis is None:
        data, axis = call.node("Reshape", data, call.integers(-1)), 0
    else:
        size = data.shape[axis]
    indices = call.constant(np.repeat(np.arange(size), prop.repeats), "int64")
    return call.node("Gather", data, indices, axis=axis)
