"""Rules for operators of the core that change shapes."""

from typing import Any

from ..exporting.call import Call
from ..exporting.value import Value

__all__ = [
    "broadcast_axis",
    "broadcast_like",
    "broadcast_to",
    "concat",
    "expand_dims",
    "flatten",
    "reshape",
    "reshape_like",
    "slice_channel",
    "squeeze",
    "stack",
    "swap_axes",
    "transpose",
]


def flatten(prop: Any, call: Call) -> str:
    """Translate Flatten: all axes but the first become one."""
    return str(call.node("Flatten", call.inputs[0], axis=1))


def _codes(prop: Any, rank: int) -> list[int] | None:
    """Return the target as ONNX writes it; None if MXNet's codes have no equivalent.

    0 keeps a dimension and -1 infers one, in both. -2 at the end copies the rest: zeros.
    """
    shape = list(prop.shape)
    if prop.reverse or not shape:
        return None
    if shape[-1] == -2 and all(code >= -1 for code in shape[:-1]):
        kept = len(shape) - 1
        if all(code != -1 for code in shape[:kept]):
            return shape[:kept] + [0] * (rank - kept)
    return shape if all(code >= -1 for code in shape) and shape.count(-1) <= 1 else None


def reshape(prop: Any, call: Call) -> str:
    """Translate Reshape; for MXNet's codes -2 to -4, the sizes of the output are written."""
    codes = _codes(prop, len(call.inputs[0].shape))
    if codes is None or call.for_larger:
        return _reshape_to_output(call)
    return str(call.node("Reshape", call.inputs[0], call.integers(*codes)))


def _reshape_to_output(call: Call) -> str:
    """Return the first input in the shape of the output; 0 keeps the size of an axis."""
    data, out = call.inputs[0], call.outputs[0]
    rank = len(data.shape)
    codes = [
        0 if out.is_open(axis) and axis < rank and data.sizes(axis) == out.sizes(axis) else size
        for axis, size in enumerate(out.shape)
    ]
    others = [axis for axis in out.open_axes if codes[axis] != 0]
    if len(others) > 1:
        return str(call.node("Reshape", data, call.shape_of(out)))
    for axis in others:
        codes[axis] = -1
    return str(call.node("Reshape", data, call.integers(*codes)))


def reshape_like(prop: Any, call: Call) -> str:
    """Translate reshape_like, of whole shapes or of some axes."""
    parts = (prop.lhs_begin, prop.lhs_end, prop.rhs_begin, prop.rhs_end)
    if any(part is not None for part in parts):
        return _reshape_to_output(call)
    return str(call.node("Reshape", call.inputs[0], call.node("Shape", call.inputs[1])))


def transpose(prop: Any, call: Call) -> str:
    """Translate transpose; without axes, all are reversed."""
    rank = len(call.inputs[0].shape)
    axes = [axis % rank for axis in prop.axes or range(rank - 1, -1, -1)]
    return str(call.node("Transpose", call.inputs[0], perm=axes))


def swap_axes(prop: Any, call: Call) -> str:
    """Translate SwapAxis."""
    order = list(range(len(call.inputs[0].shape)))
    first, second = prop.dim1, prop.dim2
    order[first], order[second] = order[second], order[first]
    return str(call.node("Transpose", call.inputs[0], perm=order))


def expand_dims(prop: Any, call: Call) -> str:
    """Translate expand_dims."""
    return str(call.node("Unsqueeze", call.inputs[0], call.integers(prop.axis)))


def squeeze(prop: Any, call: Call) -> str:
    """Translate squeeze; if nothing is left, MXNet keeps one dimension."""
    shape, axis = call.inputs[0].shape, prop.axis
    if axis is None:
        axes = [index for index, size in enumerate(shape) if size == 1]
    else:
        axes = [axis] if isinstance(axis, int) else list(axis)
    axes = [item % len(shape) for item in axes]
    call.require_fixed(call.inputs[0], *axes)
    if len(axes) == len(shape) and call.outputs[0].shape:
        axes = axes[1:]
    return str(call.node("Squeeze", call.inputs[0], call.integers(*axes)))


def concat(prop: Any, call: Call) -> str:
    """Translate Concat."""
    return str(call.node("Concat", *call.inputs, axis=prop.dim))


def stack(prop: Any, call: Call) -> str:
    """Translate stack: each array gets the new axis, then they are concatenated."""
    axis = call.integers(prop.axis)
    parts = [call.node("Unsqueeze", value, axis) for value in call.inputs]
    return str(call.node("Concat", *parts, axis=prop.axis))


def slice_channel(prop: Any, call: Call) -> list[str]:
    """Translate SliceChannel: equal parts along an axis, whose axis may be dropped."""
    return call.split_equally(prop.axis, prop.num_outputs, prop.squeeze_axis)


def _expand(call: Call, data: Value, shape: Any) -> str:
    return str(call.node("Expand", data, shape))


def broadcast_to(prop: Any, call: Call) -> str:
    """Translate broadcast_to; 0 keeps a dimension, as 1 does in Expand."""
    if call.for_larger:
        return _expand(call, call.inputs[0], call.shape_of(call.outputs[0]))
    return _expand(call, call.inputs[0], call.integers(*(size or 1 for size in prop.shape)))


def broadcast_axis(prop: Any, call: Call) -> str:
    """Translate broadcast_axis."""
    axes = [prop.axis] if isinstance(prop.axis, int) else list(prop.axis)
    sizes = [prop.size] if isinstance(prop.size, int) else list(prop.size)
    target = [1] * len(call.inputs[0].shape)
    for axis, size in zip(axes, sizes, strict=True):
        target[axis] = size
    return _expand(call, call.inputs[0], call.integers(*target))


def broadcast_like(prop: Any, call: Call) -> str:
    """Translate broadcast_like of whole shapes."""
    if prop.lhs_axes is not None or prop.rhs_axes is not None:
        return _expand(call, call.inputs[0], call.shape_of(call.outputs[0]))
    return _expand(call, call.inputs[0], call.node("Shape", call.inputs[1]))
