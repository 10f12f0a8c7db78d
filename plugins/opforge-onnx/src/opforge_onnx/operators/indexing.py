"""Rules for operators of the core that choose elements by index or order."""

from typing import Any

import numpy as np

from ..exporting.call import Call

__all__ = [
    "argsort",
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
    """Translate topk of values, indices or both."""
    data, rank = call.inputs[0], len(call.inputs[0].shape)
    call.require(
        prop.axis is not None and prop.ret_typ in ("value", "indices", "both"),
        f"topk with axis={prop.axis} and ret_typ={prop.ret_typ!r} has no equivalent",
        "use ret_typ 'value', 'indices' or 'both' along one axis",
    )
    axis = prop.axis % rank
    count = call.integers(prop.k) if prop.k > 0 else call.size(data, axis)
    values, indices = call.node(
        "TopK", data, count, axis=axis, largest=int(not prop.is_ascend), sorted=1, outputs=2
    )
    chosen = {"value": [values], "indices": [indices], "both": [values, indices]}[prop.ret_typ]
    return [
        call.cast(name, out.dtype) if name == indices else name
        for name, out in zip(chosen, call.outputs, strict=True)
    ]


def argsort(prop: Any, call: Call) -> str:
    """Translate argsort: the indices of all elements in order."""
    return call.cast(_in_order(prop, call)[1], call.outputs[0].dtype)


def sort(prop: Any, call: Call) -> str:
    """Translate sort."""
    return _in_order(prop, call)[0]


def _in_order(prop: Any, call: Call) -> list[str]:
    """Return all elements in order, and their indices."""
    data: Any = call.inputs[0]
    axis, rank = prop.axis, len(data.shape)
    if axis is None:
        size = call.node("Unsqueeze", call.node("Size", data), call.integers(0))
        data, axis, rank = call.node("Reshape", data, call.integers(-1)), 0, 1
    else:
        size = call.size(data, axis % rank)
    largest = int(not prop.is_ascend)
    found: list[str] = call.node(
        "TopK", data, size, axis=axis % rank, largest=largest, sorted=1, outputs=2
    )
    return found


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
