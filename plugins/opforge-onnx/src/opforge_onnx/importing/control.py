"""If, Loop and Scan; where the number of steps is known, their nodes are repeated."""

from typing import Any

import numpy as np
from onnx import GraphProto, NodeProto

from opforge.plugin_api import sym

from . import loops
from .node import Node, Value

__all__ = ["OPERATORS"]

_FOREVER = 2**62


def _graph(proto: NodeProto, name: str) -> GraphProto:
    found: GraphProto = next(item.g for item in proto.attribute if item.name == name)
    return found


def _if(node: Node, proto: NodeProto, reader: Any) -> list[Value]:
    condition = node.numbers(0)
    if condition is None:
        return _choose(node, proto, reader)
    branch = _graph(proto, "then_branch" if bool(condition.all()) else "else_branch")
    found: list[Value] = reader.read_subgraph(branch, {}, node.name)
    return found


def _choose(node: Node, proto: NodeProto, reader: Any) -> list[Value]:
    """Compute both branches and choose by the condition; their shapes must be equal."""
    results = [
        reader.read_subgraph(_graph(proto, name), {}, f"{node.name}_{name}")
        for name in ("then_branch", "else_branch")
    ]
    chosen = []
    for one, other in zip(*results, strict=True):
        shape = one.full_shape()
        if shape is None or shape != other.full_shape():
            node.fail(
                f"its branches give the shapes {shape} and {other.full_shape()}",
                "use branches with results of one known shape",
            )
        left, right = reader.symbol(one), reader.symbol(other)
        condition = sym.reshape(node.symbol(0), shape=(1,) * max(1, len(shape)))
        both = sym.broadcast_like(condition, left)
        chosen.append(Value(sym.where(both, left, right), shape, dtype=one.dtype))
    return chosen


def _loop(node: Node, proto: NodeProto, reader: Any) -> list[Value]:
    body = _graph(proto, "body")
    if node.has(1) and node.numbers(1) is None:
        return loops.while_loop(node, body, reader)
    count = int(node.constant(0, "M").item()) if node.has(0) else _FOREVER
    running = bool(node.constant(1, "cond").item()) if node.has(1) else True
    carried = [node.value(index) for index in range(2, len(node))]
    collected: list[list[Value]] = [[] for _ in range(len(body.output) - 1 - len(carried))]
    done = 0
    while running and done < count:
        reader.repeat(node, body)
        names = [info.name for info in body.input]
        state = [_constant(np.array(done, np.int64)), _constant(np.array(True)), *carried]
        found = reader.read_subgraph(
            body, dict(zip(names, state, strict=False)), f"{node.name}_{done}"
        )
        if found[0].constant is None:
            return loops.while_loop(node, body, reader)
        running = bool(found[0].constant.all())
        carried = found[1 : 1 + len(carried)]
        for items, value in zip(collected, found[1 + len(carried) :], strict=True):
            items.append(value)
        done += 1
    return [*carried, *(_stack(node, reader, items, 0) for items in collected)]


def _scan(node: Node, proto: NodeProto, reader: Any) -> list[Value]:
    body = _graph(proto, "body")
    node.require(node.opset >= 9, "Scan of opset 8 has batches", "use opset 9 or later")
    scanned = node.attribute("num_scan_inputs")
    first = len(node) - scanned
    carried = [node.value(index) for index in range(first)]
    in_axes = list(node.attribute("scan_input_axes", [0] * scanned))
    backward = list(node.attribute("scan_input_directions", [0] * scanned))
    steps = node.shape(first)[in_axes[0]]
    n_rows = len(body.output) - first
    out_axes = list(node.attribute("scan_output_axes", [0] * n_rows))
    reverse = list(node.attribute("scan_output_directions", [0] * n_rows))
    if steps is None:
        data = [
            _move_axis(reader, node.value(first + index), axis, 0, back)
            for index, (axis, back) in enumerate(zip(in_axes, backward, strict=True))
        ]
        found = loops.foreach(node, body, reader, data)
        rows = [
            _move_axis(reader, value, 0, axis, back)
            for value, axis, back in zip(found[first:], out_axes, reverse, strict=True)
        ]
        return [*found[:first], *rows]
    collected: list[list[Value]] = [[] for _ in range(n_rows)]
    names = [info.name for info in body.input]
    for step in range(steps):
        reader.repeat(node, body)
        parts = [
            _slice(reader, node.value(first + index), axis, steps - 1 - step if back else step)
            for index, (axis, back) in enumerate(zip(in_axes, backward, strict=True))
        ]
        found = reader.read_subgraph(
            body, dict(zip(names, [*carried, *parts], strict=True)), f"{node.name}_{step}"
        )
        carried = found[:first]
        for items, value in zip(collected, found[first:], strict=True):
            items.append(value)
    stacked = [
        _stack(node, reader, items[::-1] if back else items, axis)
        for items, axis, back in zip(collected, out_axes, reverse, strict=True)
    ]
    return [*carried, *stacked]


def _constant(array: np.ndarray) -> Value:
    return Value(None, array.shape, array, dtype=array.dtype)


def _move_axis(reader: Any, value: Value, source: int, target: int, backward: bool) -> Value:
    """Return an array with an axis at another position, and backward along it if asked."""
    shape = value.full_shape()
    if shape is None or (source % len(shape) == target % len(shape) and not backward):
        return value
    order = [axis for axis in range(len(shape)) if axis != source % len(shape)]
    order.insert(target % len(shape), source % len(shape))
    symbol = sym.transpose(reader.symbol(value), axes=order)
    if backward:
        symbol = sym.reverse(symbol, axis=target % len(shape))
    return Value(symbol, tuple(shape[axis] for axis in order), dtype=value.dtype)


def _slice(reader: Any, value: Value, axis: int, index: int) -> Value:
    """Return one element along an axis."""
    if value.constant is not None:
        return _constant(np.take(value.constant, index, axis))
    shape = value.full_shape()
    assert shape is not None  # the number of steps comes from it
    axis %= len(shape)
    part = sym.slice_axis(reader.symbol(value), axis=axis, begin=index, end=index + 1)
    rest = tuple(size for at, size in enumerate(shape) if at != axis)
    flat = sym.squeeze(part, axis=axis) if rest else part
    return Value(flat, rest, dtype=value.dtype)


def _stack(node: Node, reader: Any, items: list[Value], axis: int) -> Value:
    """Return the results of all steps along a new axis."""
    node.require(items, "it has no steps", "arrays without elements have no equivalent")
    constants = [item.constant for item in items]
    if all(array is not None for array in constants):
        return _constant(np.stack(constants, axis))  # type: ignore[arg-type]
    shape = items[0].full_shape()
    if shape is None:
        node.fail("the shape of its results is unknown", "give shapes of the inputs in `shapes`")
    axis %= len(shape) + 1
    symbols = [reader.symbol(item) for item in items]
    whole = (*shape[:axis], len(items), *shape[axis:])
    found = sym.stack(*symbols, axis=axis) if shape else sym.concat(*symbols, dim=0)
    return Value(found, whole, dtype=items[0].dtype)


#: Node -> function of the node, its message and the reader; it returns values.
OPERATORS = {"If": _if, "Loop": _loop, "Scan": _scan}
