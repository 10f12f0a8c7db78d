"""Translation of split_v2 to ONNX."""

from typing import Any

__all__ = ["split_v2"]


def split_v2(prop: Any, call: Any) -> Any:
    """Translate split_v2: parts of the sizes that the outputs have."""
    axis, count = prop.axis, len(call.outputs)
    sizes = [1 if prop.squeeze_axis else out.shape[axis] for out in call.outputs]
    found = call.node("Split", call.inputs[0], call.integers(*sizes), axis=axis, outputs=count)
    parts = [found] if count == 1 else found
    if not prop.squeeze_axis:
        return parts
    return [call.node("Squeeze", part, call.integers(axis)) for part in parts]
