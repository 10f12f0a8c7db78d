"""Translation of Embedding to ONNX."""

from typing import Any

__all__ = ["embedding"]


def embedding(prop: Any, call: Any) -> Any:
    """Translate Embedding; indices out of range are moved to the first or last row."""
    indices, weight = call.inputs
    found = call.cast(indices, "int64")
    last = call.constant(weight.shape[0] - 1, "int64")
    bounded = call.node("Max", call.node("Min", found, last), call.constant(0, "int64"))
    return call.node("Gather", weight, bounded, axis=0)
