"""Control flow: `foreach` as Scan, `while_loop` as Loop, `cond` as If.

The graphs inside of these nodes read values and weights of the graph around them by name.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import GraphProto

from ..exporting.call import Call
from ..exporting.translation import Translation
from ..exporting.value import Value
from ..padded_rows import mark

__all__ = ["cond", "foreach", "while_loop"]


def foreach(prop: Any, call: Call) -> list[str]:
    """Translate foreach: Scan takes states before data, and returns them before rows."""
    given = prop.n_data + prop.n_loop_states
    data, states = call.inputs[: prop.n_data], call.inputs[prop.n_data : given]
    inner = _inner_call(call)
    before = [_variable(inner, "state", value) for value in states]
    rows = [_variable(inner, "row", _first_row(value)) for value in data]
    arrays = [_as_array(inner, row) for row in rows]
    found = _translate(inner, prop.body, [*arrays, *before, *call.inputs[given:]])
    results = [*found[prop.n_rows :], *found[: prop.n_rows]]
    body = _body(inner, [*before, *rows], results)
    outputs = _several(call, "Scan", [*states, *data], body=body, num_scan_inputs=len(data))
    return [*outputs[prop.n_loop_states :], *outputs[: prop.n_loop_states]]


def while_loop(prop: Any, call: Call) -> list[str]:
    """Translate while_loop: Loop, whose rows are padded to the maximum number of iterations."""
    condition, count = prop.subgraphs[0], prop.n_loop_states
    states, outer = call.inputs[:count], call.inputs[count:]
    start = _truth(call, condition, call.inputs)
    inner = _inner_call(call)
    step = _variable(inner, "step", Value("", (), np.dtype("int64")))
    running = _variable(inner, "running", Value("", (), np.dtype("bool")))
    before = [_variable(inner, "state", value) for value in states]
    found = _translate(inner, prop.body, [*before, *outer])
    rows, after = found[: prop.n_rows], found[prop.n_rows :]
    goes_on = _truth(inner, condition, [*after, *outer])
    body = _body(inner, [step, running, *before], [goes_on, *after, *rows])
    mark(body)
    most = call.constant(prop.max_iterations, np.int64)
    outputs = _several(call, "Loop", [most, start, *states], body=body)
    if not rows:
        return outputs
    named = [_with_rows(row, 0, name) for row, name in zip(rows, outputs[count:], strict=True)]
    padded = _pad(prop, call, start, named)
    return [*padded, *outputs[:count]]


def cond(prop: Any, call: Call) -> list[str]:
    """Translate cond."""
    condition, *branches = prop.subgraphs
    inner = [_inner_call(call) for _ in branches]
    results = [_translate(*pair, call.inputs) for pair in zip(inner, branches, strict=True)]
    return _if(call, _truth(call, condition, call.inputs), inner, results)


def _pad(prop: Any, call: Call, ran: Value, rows: Sequence[Value]) -> list[str]:
    """Return the rows of a loop with zeros for the iterations that did not run.

    Where none ran, their shapes are those that an iteration would have given.
    """
    full, empty = _inner_call(call), _inner_call(call)
    long = [_with_zeros(full, value, prop.max_iterations) for value in rows]
    found = _translate(empty, prop.body, call.inputs)[: prop.n_rows]
    zeros = [_zeros(empty, value, prop.max_iterations) for value in found]
    return _if(call, ran, [full, empty], [long, zeros])


def _with_zeros(call: Call, rows: Value, count: int) -> Value:
    """Return an array with rows of zeros added, up to a number of rows."""
    shape = call.node("Shape", rows)
    first, last = call.integers(0), call.integers(1)
    missing = call.node("Sub", call.integers(count), call.node("Slice", shape, first, last))
    row = call.node("Slice", shape, last, call.integers(np.iinfo(np.int64).max))
    sizes = call.node("Concat", missing, row, axis=0)
    zeros = call.node("Expand", call.constant(0, rows.dtype), sizes)
    return _with_rows(_first_row(rows), count, call.node("Concat", rows, zeros, axis=0))


def _zeros(call: Call, row: Value, count: int) -> Value:
    sizes = call.node("Concat", call.integers(count), call.node("Shape", row), axis=0)
    name = call.node("Expand", call.constant(0, row.dtype), sizes)
    return _with_rows(row, count, name)


def _if(
    call: Call, condition: Value, inner: Sequence[Call], results: Sequence[Sequence[Value]]
) -> list[str]:
    """Add a node that computes the results of one of two graphs."""
    then, otherwise = (_body(part, [], found) for part, found in zip(inner, results, strict=True))
    count = len(results[0])
    return _several(call, "If", [condition], count, then_branch=then, else_branch=otherwise)


def _several(
    call: Call, kind: str, inputs: Sequence[Any], count: int | None = None, **attributes: Any
) -> list[str]:
    """Add a node and return the names of its outputs, by default as many as the call has."""
    found = call.node(kind, *inputs, outputs=count or len(call.outputs), **attributes)
    return [found] if isinstance(found, str) else list(found)


def _inner_call(call: Call) -> Call:
    """Return a call in a graph inside of that of a given one."""
    return Call(call.graph.nested(), call.name, call.operator, call.inputs, call.outputs)


def _body(call: Call, inputs: Sequence[Value], outputs: Sequence[Value]) -> GraphProto:
    given, found = (
        [(value.name, len(value.shape), value.dtype) for value in part]
        for part in (inputs, outputs)
    )
    return call.graph.as_body(call.name, given, found)


def _variable(call: Call, label: str, kind: Value) -> Value:
    """Return an input of a body, with the sizes and the dtype of a value."""
    return kind._replace(name=call.graph.unique(f"{call.name}/{label}"))


def _first_row(value: Value) -> Value:
    larger = None if value.larger is None else value.larger[1:]
    return value._replace(shape=value.shape[1:], larger=larger)


def _with_rows(row: Value, count: int, name: str) -> Value:
    """Return an array of rows with the sizes of one of them."""
    larger = None if row.larger is None else (count, *row.larger)
    return Value(name, (count, *row.shape), row.dtype, larger)


def _as_array(call: Call, row: Value) -> Value:
    """Return a row of data; opforge has no scalars but arrays of one element."""
    if row.shape:
        return row
    return Value(call.node("Reshape", row, call.integers(1)), (1,), row.dtype)


def _translate(call: Call, subgraph: Any, inputs: Sequence[Value]) -> list[Value]:
    """Return the results of a subgraph for the inputs of its operator."""
    named = {
        node.name: value
        for node, value in zip(subgraph.variables, inputs, strict=True)
        if node is not None
    }
    return Translation(call.graph).outputs_of(subgraph.symbol, named, f"{call.name}/")


def _truth(call: Call, condition: Any, inputs: Sequence[Value]) -> Value:
    """Return the result of a condition as a boolean scalar."""
    (found,) = _translate(call, condition, inputs)
    scalar = call.node("Reshape", found, call.constant(np.zeros(0), np.int64))
    return Value(call.cast(scalar, np.bool_), (), np.dtype("bool"))
