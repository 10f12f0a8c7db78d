"""Translation of Dropout to ONNX."""

from typing import Any

__all__ = ["dropout"]


def dropout(prop: Any, call: Any) -> Any:
    """Translate Dropout, which does nothing in a prediction unless its mode is "always"."""
    data = call.inputs[0]
    if prop.mode == "training" or prop.p == 0:
        return call.node("Identity", data)
    kept = 1 - prop.p
    sizes = (1 if axis in prop.axes else (data, axis) for axis in range(len(data.shape)))
    zeros = call.node("Expand", call.constant(0), call.shape_vector(*sizes))
    is_kept = call.node("Less", call.node("RandomUniformLike", zeros), call.constant(kept))
    factors = call.constant(1 / kept if kept else 0), call.constant(0)
    return call.node("Mul", data, call.node("Where", is_kept, *factors))
