"""Rules for operators of the core that choose elements by index or order."""

from typing import Any

import numpy as np

from ..exporting.call import Call

__all__ = [
    "argsort",
    "batch_take",
    "diagonal",
    "fill_elements",
    "gather_nd",
    "one_hot",
    "pick",
    "scatter_nd",
    "sort",
    "take",
    "topk",
    "where",
]


def _indices(call: Call, value: Any) -> str:
    """Return indices as int64; MXNet gives them in any dtype and drops the fraction."""
    return call.cast(value, np.int64)


def _within(call: Call, indices: str, mode: str, size: str) -> str:
    """Return indices within bounds: "clip" moves them to the edge, "wrap" counts from there."""
    if mode == "wrap":
        return str(call.node("Mod", indices, size))
    last = call.node("Sub", size, call.integers(1))
    return str(call.node("Max", call.node("Min", indices, last), call.integers(0)))


def take(prop: Any, call: Call) -> str:
    """Translate take; indices beyond the bounds are moved or wrapped, as MXNet does."""
    data, indices = call.inputs
    axis = prop.axis % len(data.shape)
    found = _indices(call, indices)
    if prop.mode != "raise":
        found = _within(call, found, prop.mode, call.size(data, axis))
    return str(call.node("Gather", data, found, axis=axis))


def gather_nd(prop: Any, call: Call) -> str:
    """Translate gather_nd, whose coordinates are along the first axis, not the last."""
    data, indices = call.inputs
    return str(call.node("GatherND", data, _entries(call, indices)))


def _entries(call: Call, indices: Any) -> str:
    """Return coordinates along the last axis, as ONNX has them, instead of the first."""
    order = [*range(1, len(indices.shape)), 0]
    return str(call.node("Transpose", _indices(call, indices), perm=order))


def pick(prop: Any, call: Call) -> str:
    """Translate pick: one element of each slice along an axis."""
    data, index = call.inputs
    axis = -1 if prop.axis is None else prop.axis
    found = _within(call, _indices(call, index), prop.mode, call.size(data, axis % len(data.shape)))
    if len(index.shape) < len(data.shape):
        found = call.node("Unsqueeze", found, call.integers(axis))
    picked = call.node("GatherElements", data, found, axis=axis)
    if prop.keepdims or len(data.shape) == 1:  # there are no scalars
        return str(picked)
    return str(call.node("Squeeze", picked, call.integers(axis)))


def batch_take(prop: Any, call: Call) -> str:
    """Translate batch_take: one element of each row."""
    data, index = call.inputs
    found = _within(call, _indices(call, index), "clip", call.size(data, 1))
    column = call.node("Unsqueeze", found, call.integers(1))
    chosen = call.node("GatherElements", data, column, axis=1)
    return str(call.node("Squeeze", chosen, call.integers(1)))


def fill_elements(prop: Any, call: Call) -> str:
    """Translate fill_element_0index: replace one element of each row."""
    data, values, index = call.inputs
    columns, updates = (
        call.node("Unsqueeze", value, call.integers(1)) for value in (_indices(call, index), values)
    )
    return str(call.node("ScatterElements", data, columns, updates, axis=1))


def diagonal(prop: Any, call: Call) -> str:
    """Translate diag: a diagonal of matrices, or the matrix with a diagonal."""
    data, out = call.inputs[0], call.outputs[0]
    rank, is_vector = len(data.shape), len(data.shape) == 1
    axes = [0] if is_vector else [prop.axis1 % rank, prop.axis2 % rank]
    call.require_fixed(data, *axes)
    numbers = np.arange(data.shape[0] if is_vector else out.shape[-1])
    rows, columns = numbers + max(-prop.k, 0), numbers + max(prop.k, 0)
    if is_vector:
        return call.put_elements(data, out.shape, rows, columns)
    order = [axis for axis in range(rank) if axis not in axes] + axes
    matrices = call.node("Transpose", data, perm=order)
    return call.take_elements(matrices, [data.shape[axis] for axis in order], rows, columns)


def one_hot(prop: Any, call: Call) -> str:
    """Translate one_hot; indices that are negative or too large give a row of off values."""
    indices = _indices(call, call.inputs[0])
    depth = call.constant(prop.depth, np.int64)
    out = call.outputs[0].dtype
    values = call.constant([prop.off_value, prop.on_value], out)
    found = call.node("OneHot", indices, depth, values, axis=-1)
    # OneHot counts negative indices from the end.
    negative = call.node("Less", indices, call.constant(0, np.int64))
    chosen = call.node("Unsqueeze", negative, call.integers(-1))
    return str(call.node("Where", chosen, call.constant(prop.off_value, out), found))


def topk(prop: Any, call: Call) -> "str | list[str]":
    """Translate topk; without an axis, of the flattened array."""
    data, axis, size = _search_axis(prop, call)
    count = call.integers(prop.k) if prop.k > 0 else size
    values, indices = call.node(
        "TopK", data, count, axis=axis, largest=int(not prop.is_ascend), outputs=2
    )
    if prop.ret_typ == "mask":
        return _mask(call, data, indices, axis)
    chosen = {"value": [values], "indices": [indices], "both": [values, indices]}[prop.ret_typ]
    return [
        call.cast(name, out.dtype) if name == indices else name
        for name, out in zip(chosen, call.outputs, strict=True)
    ]


def _mask(call: Call, data: Any, indices: str, axis: int) -> str:
    """Return ones at the indices along an axis, and zeros elsewhere."""
    zero, one = (call.constant(number, call.outputs[0].dtype) for number in (0, 1))
    zeros = call.node("Expand", zero, call.node("Shape", data))
    ones = call.node("Expand", one, call.node("Shape", indices))
    found = call.node("ScatterElements", zeros, indices, ones, axis=axis)
    return str(call.node("Reshape", found, call.node("Shape", call.inputs[0])))


def argsort(prop: Any, call: Call) -> str:
    """Translate argsort: the indices of all elements in order."""
    return call.cast(_in_order(prop, call)[1], call.outputs[0].dtype)


def sort(prop: Any, call: Call) -> str:
    """Translate sort."""
    return _in_order(prop, call)[0]


def _in_order(prop: Any, call: Call) -> list[str]:
    """Return all elements in order, and their indices."""
    data, axis, size = _search_axis(prop, call)
    largest = int(not prop.is_ascend)
    found: list[str] = call.node("TopK", data, size, axis=axis, largest=largest, outputs=2)
    return found


def _search_axis(prop: Any, call: Call) -> tuple[Any, int, str]:
    """Return the array, the axis and its size; without an axis, those of the flattened array."""
    data = call.inputs[0]
    if prop.axis is not None:
        axis = prop.axis % len(data.shape)
        return data, axis, call.size(data, axis)
    size = call.node("Unsqueeze", call.node("Size", data), call.integers(0))
    return call.node("Reshape", data, call.integers(-1)), 0, size


def scatter_nd(prop: Any, call: Call) -> str:
    """Translate scatter_nd: write entries at indices, the first axis of which counts axes."""
    entries, indices = call.inputs
    zero = call.constant(0, call.outputs[0].dtype)
    zeros = call.node("Expand", zero, call.shape_of(call.outputs[0]))
    return str(call.node("ScatterND", zeros, _entries(call, indices), entries))


def where(prop: Any, call: Call) -> str:
    """Translate where; a vector as the condition chooses rows."""
    condition, x, y = call.inputs
    chosen = call.cast(condition, np.bool_)
    missing = len(x.shape) - len(condition.shape)
    if missing:
        chosen = call.node("Unsqueeze", chosen, call.integers(*range(1, 1 + missing)))
    return str(call.node("Where", chosen, x, y))
