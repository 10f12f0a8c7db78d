"""Loops whose number of steps is known only when the graph runs: `while_loop` and `foreach`."""

from collections.abc import Iterable, Sequence
from typing import Any

from onnx import GraphProto

from opforge.plugin_api import sym

from ..padded_rows import is_marked
from .node import Node, Value

__all__ = ["foreach", "while_loop"]


def while_loop(node: Node, body: GraphProto, reader: Any) -> list[Value]:
    """Translate a Loop whose end the graph computes.

    Parameters
    ----------
    node : Node
    body : onnx.GraphProto
    reader : Reader
    """
    carried = [node.value(index) for index in range(2, len(node))]
    n_rows = len(body.output) - 1 - len(carried)
    node.require(
        not n_rows or is_marked(body),
        "the graph computes how many rows its results have",
        "use a constant number of steps, or return the last results only",
    )
    node.require(
        node.has(0), "it has no maximum number of steps", "give M, the largest number of steps"
    )
    most = int(node.constant(0, "M").item())
    names = [info.name for info in body.input]
    kinds: list[Value] = []

    def step(running: Any, number: Any, *states: Any) -> tuple[list[Any], list[Any]]:
        counters = [Value(number, ()), Value(sym.cast(running, dtype="bool"), ())]
        given = [*counters, *_like(carried, states)]
        found = reader.read_subgraph(body, dict(zip(names, given, strict=False)), node.name)
        results = [reader.symbol(value) for value in found]
        kinds[:] = _kinds(found[1 + len(carried) :])
        after = [_number(results[0]), number + 1, *results[1 : 1 + len(carried)]]
        return results[1 + len(carried) :], after

    start = node.symbol(1) if node.has(1) else sym.ones((1,))
    first = [_number(start), sym.zeros((1,), dtype="int64")]
    rows, after = sym.contrib.while_loop(
        lambda running, *others: running,
        step,
        [*first, *(reader.symbol(value) for value in carried)],
        max_iterations=most,
        name=node.name,
    )
    return [*_like(carried, after[2:]), *_stack_rows(kinds, rows, most)]


def foreach(node: Node, body: GraphProto, reader: Any, data: Sequence[Value]) -> list[Value]:
    """Translate a Scan over arrays whose number of rows is unknown.

    Parameters
    ----------
    node : Node
    body : onnx.GraphProto
    reader : Reader
    data : sequence of Value
        What it scans, along the first axis.

    Returns
    -------
    list of Value
        States after the last step, then rows.
    """
    carried = [node.value(index) for index in range(len(node) - len(data))]
    names = [info.name for info in body.input]
    parts = [value._replace(shape=(value.full_shape() or ())[1:], constant=None) for value in data]
    kinds: list[Value] = []

    def step(rows: list[Any], states: list[Any]) -> tuple[list[Any], list[Any]]:
        given = [*_like(carried, states), *_like(parts, rows)]
        found = reader.read_subgraph(body, dict(zip(names, given, strict=True)), node.name)
        results = [reader.symbol(value) for value in found]
        kinds[:] = _kinds(found[len(carried) :])
        return results[len(carried) :], results[: len(carried)]

    rows, after = sym.contrib.foreach(
        step,
        [reader.symbol(value) for value in data],
        [reader.symbol(value) for value in carried],
        name=node.name,
    )
    return [*_like(carried, after), *_stack_rows(kinds, rows, None)]


def _number(truth: Any) -> Any:
    """Return a truth value as a state of a loop."""
    return sym.cast(sym.reshape(truth, shape=(1,)), dtype="int32")


def _like(values: Sequence[Value], symbols: Iterable[Any]) -> list[Value]:
    """Return values with the shapes and types of others."""
    return [
        Value(symbol, value.full_shape(), dtype=value.dtype)
        for value, symbol in zip(values, symbols, strict=True)
    ]


def _kinds(values: Sequence[Value]) -> list[Value]:
    """Return what is known about the results of a step, while its variables have shapes."""
    return [value._replace(shape=value.full_shape()) for value in values]


def _stack_rows(kinds: Sequence[Value], rows: Sequence[Any], count: int | None) -> list[Value]:
    """Return the rows of all steps; those that are scalars in ONNX have one element here."""
    found = []
    for kind, row in zip(kinds, rows, strict=True):
        flat = sym.reshape(row, shape=(-1,)) if kind.shape == () else row
        shape = None if kind.shape is None else (count, *kind.shape)
        found.append(Value(flat, shape, dtype=kind.dtype))
    return found
