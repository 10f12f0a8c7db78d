"""Translation of operators on sequences of different lengths to ONNX."""

from typing import Any

import numpy as np

__all__ = ["boolean_mask", "index_copy", "sequence_last", "sequence_mask", "sequence_reverse"]


def sequence_last(prop: Any, call: Any) -> Any:
    """Translate SequenceLast; without lengths the last step is that of all sequences."""
    data, axis = call.inputs[0], prop.axis
    if not prop.use_sequence_length:
        return call.node("Gather", data, call.constant(-1, "int64"), axis=axis)
    first = data
    if axis == 0:
        first = call.node("Transpose", data, perm=[1, 0, *range(2, len(data.shape))])
    lengths = call.node("Unsqueeze", call.cast(call.inputs[1], "int64"), call.integers(1))
    steps = call.node("Sub", lengths, call.constant(1, "int64"))
    return call.node("GatherND", first, steps, batch_dims=1)


def sequence_mask(prop: Any, call: Any) -> Any:
    """Translate SequenceMask; without lengths nothing is masked."""
    data = call.inputs[0]
    if not prop.use_sequence_length:
        return call.node("Identity", data)
    rank, axis = len(data.shape), prop.axis
    batch = call.integers(*(-1 if i == 1 - axis else 1 for i in range(rank)))
    lengths = call.node("Reshape", call.cast(call.inputs[1], "int64"), batch)
    present = call.within_lengths(data, lengths, axis)
    return call.node("Where", present, data, call.constant(prop.value))


def sequence_reverse(prop: Any, call: Any) -> Any:
    """Translate SequenceReverse."""
    data, axis = call.inputs[0], prop.axis
    if not prop.use_sequence_length:
        end = call.integers(np.iinfo(np.int64).min)
        bounds = call.integers(-1), end, call.integers(axis), call.integers(-1)
        return call.node("Slice", data, *bounds)
    lengths = call.cast(call.inputs[1], "int64")
    return call.node("ReverseSequence", data, lengths, batch_axis=1 - axis, time_axis=axis)


def boolean_mask(prop: Any, call: Any) -> Any:
    """Translate boolean_mask; the number of rows depends on values."""
    data, index = call.inputs
    rows = call.node("Compress", data, call.cast(index, np.bool_), axis=prop.axis)
    return call.mark(rows, prop)


def index_copy(prop: Any, call: Any) -> Any:
    """Translate index_copy."""
    old, index, new = call.inputs
    rows = call.node("Unsqueeze", call.cast(index, np.int64), call.integers(1))
    return call.node("ScatterND", old, rows, new)
