"""Translation of tile and repeat to ONNX."""

from typing import Any

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
    """Translate repeat: each element gets an axis of copies, which is merged with its own."""
    data, axis = call.inputs[0], prop.axis
    if axis is None:
        flat = call.node("Reshape", data, call.integers(-1, 1))
        copies = call.node("Tile", flat, call.integers(1, prop.repeats))
        return call.node("Reshape", copies, call.integers(-1))
    rank = len(data.shape)
    behind = axis % rank + 1
    single = call.node("Unsqueeze", data, call.integers(behind))
    reps = [prop.repeats if item == behind else 1 for item in range(rank + 1)]
    copies = call.node("Tile", single, call.integers(*reps))
    return call.node("Reshape", copies, call.shape_of(call.outputs[0]))
