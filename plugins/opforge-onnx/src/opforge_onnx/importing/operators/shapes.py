"""Nodes of ONNX that change shapes, and choose or repeat elements."""

from collections.abc import Callable
from typing import Any

import numpy as np

from opforge.plugin_api import sym

from ..node import Node, Value
from .elementwise import aligned

__all__ = ["OPERATORS", "along_last_axis", "last_axis_to", "not_negative", "pad"]

Translate = Callable[[Node], Any]


def _reshape(node: Node) -> Any:
    target = node.integers(1, "shape") if node.opset >= 5 else list(node.attribute("shape"))
    node.require(
        not (node.attribute("allowzero", 0) and 0 in target),
        "arrays without elements have no equivalent",
        "remove the node",
    )
    if not target:  # a scalar, which is a vector of one element here
        target = [1]
    return sym.reshape(node.symbol(0), shape=tuple(target))


def _flatten(node: Node) -> Any:
    axis, rank = node.attribute("axis", 1), node.rank(0)
    axis = axis + rank if axis < 0 else axis
    x = node.symbol(0)
    if axis == 0:
        return sym.reshape(x, shape=(1, -1))
    if axis == 1:
        return sym.Flatten(x)
    if axis == rank:
        return sym.reshape(x, shape=(-1, 1))
    return sym.reshape(x, shape=(-1, int(np.prod(node.sizes(0)[axis:]))))


def _transpose(node: Node) -> Any:
    return sym.transpose(node.symbol(0), axes=tuple(node.attribute("perm", ())))


def _axes(node: Node, rank: int) -> list[int] | None:
    if node.opset >= 13:
        found = node.integers(1, "axes") if node.has(1) else None
    else:
        found = node.attribute("axes")
    return None if found is None else [axis % rank for axis in found]


def _squeeze(node: Node) -> Any:
    axes = _axes(node, node.rank(0))
    if (axes is not None and len(axes) == node.rank(0)) or node.rank(0) == 0:
        return sym.reshape(node.symbol(0), shape=(1,))
    return sym.squeeze(node.symbol(0), axis=None if axes is None else tuple(axes))


def _unsqueeze(node: Node) -> Any:
    found = node.integers(1, "axes") if node.opset >= 13 else list(node.attribute("axes"))
    rank = node.rank(0) + len(found)
    x = node.symbol(0)
    if node.rank(0) == 0:
        return sym.reshape(x, shape=(1,) * rank)
    for axis in sorted(item % rank for item in found):
        x = sym.expand_dims(x, axis=axis)
    return x


def _concat(node: Node) -> Any:
    parts = [i for i in range(len(node)) if 0 not in (node.value(i).known_shape or ())]
    symbols = [node.symbol(index) for index in parts or [0]]
    return sym.concat(*symbols, dim=node.attribute("axis", 1))


def _split(node: Node) -> list[Any]:
    axis, x, count = node.attribute("axis", 0), node.symbol(0), node.outputs
    given = node.integers(1, "split") if node.opset >= 13 and node.has(1) else None
    if given is None:
        given = node.attribute("split")
    if given is None:
        size = node.sizes(0)[axis]
        part = -(-size // count)
        given = [min(part, size - part * index) for index in range(count)]
    ends = np.cumsum(given)
    return [
        sym.slice_axis(x, axis=axis, begin=int(end - size), end=int(end))
        if size
        else _empty(node, axis)
        for end, size in zip(ends, given, strict=True)
    ]


def _empty(node: Node, axis: int) -> Value:
    """Return an array like the input without elements along an axis."""
    shape = list(node.sizes(0))
    shape[axis] = 0
    return Value(None, tuple(shape), np.zeros(shape, np.float32))


def _slice(node: Node) -> Any:
    if node.opset < 10:
        starts, ends = list(node.attribute("starts")), list(node.attribute("ends"))
        axes, steps = node.attribute("axes"), None
    else:
        starts, ends = node.integers(1, "starts"), node.integers(2, "ends")
        axes = node.integers(3, "axes") if node.has(3) else None
        steps = node.integers(4, "steps") if node.has(4) else None
    shape, rank = node.shape(0), node.rank(0)
    begin: list[int | None] = [None] * rank
    end: list[int | None] = [None] * rank
    step: list[int | None] = [None] * rank
    for number, axis in enumerate(axes if axes is not None else range(len(starts))):
        at = axis % rank
        by = 1 if steps is None else steps[number]
        begin[at], end[at] = _bounds(starts[number], ends[number], by, shape[at])
        step[at] = by
    return sym.slice(node.symbol(0), begin=tuple(begin), end=tuple(end), step=tuple(step))


def _bounds(start: int, stop: int, step: int, size: int | None) -> tuple[int | None, int | None]:
    """Return begin and end; beyond the bounds they are None, as operators do not clip them."""
    if size is not None:
        found = slice(start, stop, step).indices(size)
        return found[0], (None if found[1] < 0 else found[1])
    far = 2**31 - 1
    begin = None if (start == 0 and step > 0) or start >= far else start
    return begin, (None if abs(stop) >= far else stop)


def _gather(node: Node) -> Any:
    axis, x = node.attribute("axis", 0), node.symbol(0)
    numbers = node.numbers(1)
    if numbers is not None and numbers.ndim == 0 and node.rank(0) > 1:
        index = int(numbers)
        end = None if index == -1 else index + 1
        part = sym.slice_axis(x, axis=axis, begin=index, end=end)
        return sym.squeeze(part, axis=axis)
    return sym.take(x, not_negative(node, 1, axis), axis=axis, mode="clip")


def not_negative(node: Node, index: int, axis: int) -> Any:
    """Return indices counted from the start: ONNX counts negative ones from the end."""
    numbers, size = node.numbers(index), node.shape(0)[axis]
    if numbers is not None and (size is not None or (numbers >= 0).all()):
        return node.weight(np.where(numbers < 0, numbers + (size or 0), numbers), "indices")
    found = node.symbol(index)
    if size is None:
        return found
    return found + (found < 0) * size


def _gather_elements(node: Node) -> Any:
    axis = node.attribute("axis", 0)
    rank, shape = node.rank(0), node.sizes(1)
    indices = not_negative(node, 1, axis)
    parts = []
    for at in range(rank):
        if at == axis % rank:
            parts.append(sym.reshape(indices, shape=(1, *shape)))
            continue
        grid = np.broadcast_to(
            np.arange(shape[at]).reshape([-1 if item == at else 1 for item in range(rank)]), shape
        )
        parts.append(node.weight(grid[np.newaxis].astype("int64"), f"grid{at}"))
    return sym.gather_nd(node.symbol(0), sym.concat(*parts, dim=0))


def _gather_nd(node: Node) -> Any:
    rank = node.rank(1)
    order = (rank - 1, *range(rank - 1))
    columns = sym.transpose(node.symbol(1), axes=order)
    batch = range(node.attribute("batch_dims", 0))
    if batch:
        columns = sym.cast(columns, dtype="int64")
        samples = [_numbers_along(columns, 1 + axis, rank) for axis in batch]
        columns = sym.concat(*samples, columns, dim=0)
    return sym.gather_nd(node.symbol(0), columns)


def _numbers_along(columns: Any, axis: int, rank: int) -> Any:
    """Return the index along an axis for each entry of the first row."""
    numbers = sym.cast(sym.contrib.arange_like(columns, axis=axis), dtype="int64")
    aligned_numbers = sym.reshape(numbers, shape=[-1 if at == axis else 1 for at in range(rank)])
    return sym.broadcast_like(aligned_numbers, sym.slice_axis(columns, axis=0, begin=0, end=1))


def _expand(node: Node) -> Any:
    target = node.integers(1, "shape")
    rank = max(len(target), node.rank(0))
    x, shape = aligned(node, 0, rank), (1,) * (rank - node.rank(0)) + tuple(node.shape(0))
    target = [1] * (rank - len(target)) + target
    sizes = [0 if wanted == 1 else wanted for wanted, _ in zip(target, shape, strict=True)]
    return sym.broadcast_to(x, shape=tuple(sizes))


def _tile(node: Node) -> Any:
    return sym.tile(node.symbol(0), reps=tuple(node.integers(1, "repeats")))


def _pad(node: Node) -> Any:
    if node.opset < 11:
        pads, value = list(node.attribute("pads")), node.attribute("value", 0.0)
    else:
        pads = node.integers(1, "pads")
        value = 0.0
        if node.has(2):
            numbers = node.numbers(2)
            value = node.symbol(2) if numbers is None else float(numbers.item())
    mode, rank = node.attribute("mode", "constant"), node.rank(0)
    if node.has(3):
        axes = [axis % rank for axis in node.integers(3, "axes")]
        full = [0] * (2 * rank)
        for number, axis in enumerate(axes):
            full[axis], full[rank + axis] = pads[number], pads[len(axes) + number]
        pads = full
    return pad(node, node.symbol(0), pads[:rank], pads[rank:], mode, value)


def pad(
    node: Node, x: Any, begins: list[int], ends: list[int], mode: str = "constant", value: Any = 0.0
) -> Any:
    """Return a padded symbol.

    Constants are concatenated where Pad, which takes images and volumes, has no equivalent, and the
    elements of other modes are chosen by index.
    """
    if mode != "constant":
        return _pad_by_index(node, x, begins, ends, mode)
    if (
        len(begins) in (4, 5)
        and not any((*begins[:2], *ends[:2]))
        and min((*begins, *ends)) >= 0
        and isinstance(value, float)
        and node.is_floating(0)
    ):
        widths = [part for pair in zip(begins, ends, strict=True) for part in pair]
        return sym.Pad(x, mode=mode, pad_width=tuple(widths), constant_value=value)
    for axis, (before, after) in enumerate(zip(begins, ends, strict=True)):
        if before < 0 or after < 0:
            x = sym.slice_axis(
                x, axis=axis, begin=max(0, -before), end=after if after < 0 else None
            )
        parts = [x]
        for width, at in ((before, 0), (after, 1)):
            if width > 0:
                row = _fill(sym.zeros_like(sym.slice_axis(x, axis=axis, begin=0, end=1)), value)
                parts.insert(
                    0 if at == 0 else len(parts), sym.repeat(row, repeats=width, axis=axis)
                )
        x = sym.concat(*parts, dim=axis) if len(parts) > 1 else x
    return x


def _fill(zeros: Any, value: Any) -> Any:
    """Return zeros plus a number, or plus a symbol of one element."""
    if isinstance(value, float):
        return zeros + value
    return sym.broadcast_add(zeros, sym.reshape_like(value, sym.sum(zeros, keepdims=True)))


def _pad_by_index(node: Node, x: Any, begins: list[int], ends: list[int], mode: str) -> Any:
    """Pad with edges, reflections, or the elements of the other end."""
    for axis, (before, after) in enumerate(zip(begins, ends, strict=True)):
        if not before and not after:
            continue
        size = node.sizes(0)[axis]
        node.limit(size + max(before, 0) + max(after, 0), 2**26, "elements along an axis")
        at = np.arange(-before, size + after)
        if mode == "reflect":
            period = max(1, 2 * (size - 1))
            at = np.abs((at + size - 1) % period - (size - 1)) if size > 1 else at * 0
        elif mode == "wrap":
            at %= size
        at = np.clip(at, 0, size - 1)
        x = sym.take(x, node.weight(at.astype(np.int64), f"indices{axis}"), axis=axis, mode="clip")
    return x


def _shape(node: Node) -> Any:
    return sym.shape_array(node.symbol(0))


def _one_hot(node: Node) -> Any:
    depth = int(node.constant(1, "depth").item())
    off, on = (float(item) for item in node.constant(2, "values"))
    indices = node.symbol(0)
    indices = indices + (indices < 0) * depth
    found = sym.one_hot(indices, depth=depth, on_value=on, off_value=off)
    return last_axis_to(found, node.attribute("axis", -1), node.rank(0) + 1)


def last_axis_to(x: Any, axis: int, rank: int) -> Any:
    """Return an array of `rank` dimensions with the last axis moved."""
    if axis % rank == rank - 1:
        return x
    order = list(range(rank - 1))
    order.insert(axis % rank, rank - 1)
    return sym.transpose(x, axes=tuple(order))


def along_last_axis(x: Any, axis: int, rank: int, function: Callable[[Any], Any]) -> Any:
    """Return ``function(x)`` with `axis` as the last one during the call."""
    axis %= rank
    if axis == rank - 1:
        return function(x)
    order = [at for at in range(rank) if at != axis] + [axis]
    return last_axis_to(function(sym.transpose(x, axes=tuple(order))), axis, rank)


def _topk(node: Node) -> Any:
    count = int(node.constant(1, "k").item()) if node.opset >= 10 else node.attribute("k")
    found = sym.topk(
        node.symbol(0),
        axis=node.attribute("axis", -1),
        k=count,
        ret_typ="both",
        is_ascend=not node.attribute("largest", 1),
        dtype="int64",
    )
    return [found[0], found[1]]


def _depth_to_space(node: Node) -> Any:
    x, block = node.symbol(0), node.attribute("blocksize")
    if node.attribute("mode", "DCR") == "CRD":  # channels vary slowest
        channels = node.sizes(0)[1]
        order = np.arange(channels).reshape(-1, block * block).T.ravel()
        x = sym.take(x, node.weight(order, "order"), axis=1, mode="clip")
    return sym.depth_to_space(x, block_size=block)


def _space_to_depth(node: Node) -> Any:
    block = node.attribute("blocksize")
    found = sym.space_to_depth(node.symbol(0), block_size=block)
    if node.attribute("mode", "DCR") == "CRD":
        channels = node.sizes(0)[1] * block * block
        order = np.arange(channels).reshape(block * block, -1).T.ravel()
        found = sym.take(found, node.weight(order, "order"), axis=1, mode="clip")
    return found


def _cumulative(start: float, combine: Callable[[Any, Any], Any]) -> Translate:
    """Return the translation of running sums or products."""

    def translate(node: Node) -> Any:
        x, rank = node.symbol(0), node.rank(0)
        axis = int(node.constant(1, "axis").item()) % rank
        size = node.sizes(0)[axis]
        node.limit(size, 4096, "steps of a running product")
        back = node.attribute("reverse", 0)
        parts = [sym.slice_axis(x, axis=axis, begin=i, end=i + 1) for i in range(size)]
        parts = parts[::-1] if back else parts
        if node.attribute("exclusive", 0):
            parts = [sym.zeros_like(parts[0]) + start, *parts[:-1]]
        found = [parts[0]]
        for part in parts[1:]:
            found.append(combine(found[-1], part))
        return sym.concat(*(found[::-1] if back else found), dim=axis)

    return translate


def _cumsum(node: Node) -> Any:
    x, axis = node.symbol(0), int(node.constant(1, "axis").item())
    if node.attribute("reverse", 0):
        x = sym.reverse(x, axis=axis)
    found = sym.cumsum(x, axis=axis)
    if node.attribute("exclusive", 0):
        found = found - x
    return sym.reverse(found, axis=axis) if node.attribute("reverse", 0) else found


def _reverse_sequence(node: Node) -> Any:
    """Translate ReverseSequence, in which either axis may be the one of time."""
    x, lengths = node.symbol(0), node.symbol(1)
    by_batch = node.attribute("batch_axis", 1) == 0
    x = sym.SwapAxis(x, dim1=0, dim2=1) if by_batch else x
    found = sym.SequenceReverse(x, lengths, use_sequence_length=True)
    return sym.SwapAxis(found, dim1=0, dim2=1) if by_batch else found


def _eye_like(node: Node) -> Any:
    from onnx import helper

    number = node.attribute("dtype")
    rows, columns = node.sizes(0)
    dtype = node.dtype(0).name if number is None else helper.tensor_dtype_to_np_dtype(number).name
    return node.weight(np.eye(rows, columns, node.attribute("k", 0)).astype(dtype), "eye")


def _trilu(node: Node) -> Any:
    upper, k = node.attribute("upper", 1), int(node.constant(1, "k").item()) if node.has(1) else 0
    shape = node.sizes(0)
    ones = np.ones(shape[-2:], np.float32)
    mask = np.triu(ones, k) if upper else np.tril(ones, k)
    rank = len(shape)
    chosen = node.weight(mask.reshape((1,) * (rank - 2) + mask.shape), "mask")
    return sym.broadcast_mul(node.symbol(0), sym._internal._cast_like(chosen, node.symbol(0)))


OPERATORS: dict[str, Translate] = {
    "Concat": _concat,
    "CumProd": _cumulative(1.0, lambda x, y: x * y),
    "CumSum": _cumsum,
    "DepthToSpace": _depth_to_space,
    "Expand": _expand,
    "EyeLike": _eye_like,
    "Flatten": _flatten,
    "Gather": _gather,
    "GatherElements": _gather_elements,
    "GatherND": _gather_nd,
    "OneHot": _one_hot,
    "Pad": _pad,
    "Reshape": _reshape,
    "ReverseSequence": _reverse_sequence,
    "Shape": _shape,
    "Slice": _slice,
    "SpaceToDepth": _space_to_depth,
    "Split": _split,
    "Squeeze": _squeeze,
    "Tile": _tile,
    "TopK": _topk,
    "Transpose": _transpose,
    "Trilu": _trilu,
    "Unsqueeze": _unsqueeze,
}
