"""Recurrent layers step by step: for the forms that `RNN` does not have.

These are reversed sequences, clipped gates, peepholes, other activations, GRU that resets before
the product, layout 1, and weights that the graph computes. Formulas:
https://onnx.ai/onnx/operators/onnx__LSTM.html, onnx__GRU.html, onnx__RNN.html
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from opforge.plugin_api import sym

from ..node import Node

__all__ = ["ACTIVATIONS", "GATES", "unrolled"]

#: Number of gates of each layer.
GATES = {"GRU": 3, "LSTM": 4, "RNN": 1}
#: Usual activations of each layer.
ACTIVATIONS = {
    "GRU": ["Sigmoid", "Tanh"],
    "LSTM": ["Sigmoid", "Tanh", "Tanh"],
    "RNN": ["Tanh"],
}
#: Largest number of steps.
_MOST = 2000
_DEFAULT_SLOPES = {"Elu": 1.0, "HardSigmoid": 0.2, "LeakyRelu": 0.01, "ThresholdedRelu": 1.0}


class _Direction(NamedTuple):
    """Weights (gates * size, inputs), biases and functions of one direction."""

    weight: Any
    recurrent: Any
    biases: tuple[Any, Any]
    peepholes: Sequence[Any]
    functions: Sequence[Callable[[Any], Any]]
    backward: bool


def unrolled(node: Node, size: int) -> list[Any]:
    """Return Y, Y_h and, of LSTM, Y_c."""
    batch_first = node.attribute("layout", 0)
    x = node.symbol(0)
    x = sym.transpose(x, axes=(1, 0, 2)) if batch_first else x
    shape = node.sizes(0)
    steps, batch = (shape[1], shape[0]) if batch_first else shape[:2]
    node.require(steps <= _MOST, f"it has {steps} steps", "use the forms of PyTorch's layers")
    inputs = [
        sym.reshape(sym.slice_axis(x, axis=0, begin=at, end=at + 1), shape=(batch, -1))
        for at in range(steps)
    ]
    kind = node.attribute("direction", "forward")
    backward = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}[kind]
    outputs, last = [], []
    for at, back in enumerate(backward):
        direction = _direction(node, at, len(backward), size, back)
        found, state = _run(node, direction, inputs, _states(node, at, batch, size, batch_first))
        outputs.append(found)
        last.append(state)
    whole = [sym.stack(*parts, axis=0) for parts in zip(*outputs, strict=True)]
    order = (2, 0, 1, 3) if batch_first else (0, 1, 2, 3)
    result = sym.transpose(sym.stack(*whole, axis=0), axes=order)
    states = [sym.stack(*parts, axis=1 if batch_first else 0) for parts in zip(*last, strict=True)]
    return [result, *states]


def _direction(node: Node, at: int, count: int, size: int, backward: bool) -> _Direction:
    gates = GATES[node.kind]

    def rows(index: int, begin: int, end: int) -> Any:
        part = sym.slice_axis(node.symbol(index), axis=0, begin=at, end=at + 1)
        return sym.slice_axis(sym.squeeze(part, axis=0), axis=0, begin=begin, end=end)

    wide = gates * size
    biases = (rows(3, 0, wide), rows(3, wide, 2 * wide)) if node.has(3) else (None, None)
    peepholes = (
        [rows(7, gate * size, (gate + 1) * size) for gate in range(3)]
        if node.kind == "LSTM" and node.has(7)
        else []
    )
    return _Direction(
        rows(1, 0, wide), rows(2, 0, wide), biases, peepholes, _functions(node, at, count), backward
    )


def _functions(node: Node, at: int, count: int) -> list[Callable[[Any], Any]]:
    """Return the activations of one direction."""
    names = node.attribute("activations", ACTIVATIONS[node.kind] * count)
    each = len(names) // count
    alphas = list(node.attribute("activation_alpha", ()))
    betas = list(node.attribute("activation_beta", ()))
    found = []
    for index, text in enumerate(names):
        alpha = alphas.pop(0) if alphas and text in _DEFAULT_SLOPES else None
        beta = betas.pop(0) if betas and text == "HardSigmoid" else 0.5
        if index // each == at:
            found.append(_activation(node, text, alpha, beta))
            # ONNX Runtime clips the gates, not the cell from which the output is computed.
            if node.attribute("clip") and not (node.kind == "LSTM" and len(found) == 3):
                found[-1] = _clip(found[-1], node.attribute("clip"))
    return found


def _activation(node: Node, name: str, alpha: float | None, beta: float) -> Callable[[Any], Any]:
    slope = _DEFAULT_SLOPES.get(name, 1.0) if alpha is None else alpha
    table: dict[str, Callable[[Any], Any]] = {
        "Elu": lambda x: sym.LeakyReLU(x, act_type="elu", slope=slope),
        "HardSigmoid": lambda x: sym.clip(x * slope + beta, a_min=0, a_max=1),
        "LeakyRelu": lambda x: sym.LeakyReLU(x, act_type="leaky", slope=slope),
        "Relu": sym.relu,
        "Sigmoid": sym.sigmoid,
        "Softplus": lambda x: sym.Activation(x, act_type="softrelu"),
        "Softsign": sym.softsign,
        "Tanh": sym.tanh,
        "ThresholdedRelu": lambda x: x * (x > slope),
    }
    if name not in table:
        node.fail(f"activation {name!r} has no equivalent", f"use one of {sorted(table)}")
    return table[name]


def _clip(function: Callable[[Any], Any], most: float) -> Callable[[Any], Any]:
    return lambda x: function(sym.clip(x, a_min=-most, a_max=most))


def _states(node: Node, at: int, batch: int, size: int, batch_first: int) -> list[Any]:
    """Return the states (batch, size) before the first step."""
    found = []
    for index in (5, 6) if node.kind == "LSTM" else (5,):
        if node.has(index):
            axis = 1 if batch_first else 0
            part = sym.slice_axis(node.symbol(index), axis=axis, begin=at, end=at + 1)
            found.append(sym.reshape(part, shape=(batch, size)))
        else:
            found.append(sym.zeros((batch, size), dtype=node.dtype(0).name))
    return found


def _run(
    node: Node, direction: _Direction, inputs: list[Any], states: list[Any]
) -> tuple[list[Any], list[Any]]:
    """Return the outputs of all steps and the last states."""
    step = {"GRU": _gru, "LSTM": _lstm, "RNN": _rnn}[node.kind]
    lengths = sym.reshape(node.symbol(4), shape=(-1, 1)) if node.has(4) else None
    order = range(len(inputs) - 1, -1, -1) if direction.backward else range(len(inputs))
    outputs: list[Any] = [None] * len(inputs)
    for at in order:
        fresh = step(node, direction, inputs[at], states)
        output = fresh[0]
        if lengths is not None:
            present = sym._internal._cast_like(lengths > at, output)
            fresh = [
                old + sym.broadcast_mul(present, new - old)
                for new, old in zip(fresh, states, strict=True)
            ]
            output = sym.broadcast_mul(present, output)
        outputs[at], states = output, fresh
    return outputs, states


def _product(x: Any, weight: Any, bias: Any, rows: int) -> Any:
    if bias is None:
        return sym.FullyConnected(x, weight, num_hidden=rows, no_bias=True)
    return sym.FullyConnected(x, weight, bias, num_hidden=rows)


def _rows(node: Node) -> int:
    size = node.attribute("hidden_size") or node.sizes(2)[-1]
    return int(GATES[node.kind] * size)


def _rnn(node: Node, direction: _Direction, x: Any, states: list[Any]) -> list[Any]:
    rows = _rows(node)
    total = _product(x, direction.weight, direction.biases[0], rows) + _product(
        states[0], direction.recurrent, direction.biases[1], rows
    )
    return [direction.functions[0](total)]


def _lstm(node: Node, direction: _Direction, x: Any, states: list[Any]) -> list[Any]:
    hidden, cell = states
    rows = _rows(node)
    total = _product(x, direction.weight, direction.biases[0], rows) + _product(
        hidden, direction.recurrent, direction.biases[1], rows
    )
    first, output, forget, candidate = sym.split(total, num_outputs=4, axis=1)
    f, g, h = direction.functions
    peep = [
        lambda state, weight=weight: sym.broadcast_mul(state, sym.expand_dims(weight, axis=0))
        for weight in direction.peepholes
    ]
    if peep:
        first, forget = first + peep[0](cell), forget + peep[2](cell)
    kept = f(first)
    forgotten = 1 - kept if node.attribute("input_forget", 0) else f(forget)
    fresh = forgotten * cell + kept * g(candidate)
    if peep:
        output = output + peep[1](fresh)
    return [f(output) * h(fresh), fresh]


def _gru(node: Node, direction: _Direction, x: Any, states: list[Any]) -> list[Any]:
    hidden, rows = states[0], _rows(node)
    size = rows // 3
    f, g = direction.functions
    given = sym.split(_product(x, direction.weight, direction.biases[0], rows), num_outputs=3)
    if node.attribute("linear_before_reset", 0):
        kept = sym.split(
            _product(hidden, direction.recurrent, direction.biases[1], rows), num_outputs=3
        )
        update, reset = f(given[0] + kept[0]), f(given[1] + kept[1])
        candidate = g(given[2] + reset * kept[2])
        return [(1 - update) * candidate + update * hidden]
    parts: list[Any] = []
    for gate in range(3):
        weight, bias = (
            item
            if item is None
            else sym.slice_axis(item, axis=0, begin=gate * size, end=(gate + 1) * size)
            for item in (direction.recurrent, direction.biases[1])
        )
        state = hidden if gate < 2 else parts[1] * hidden
        total = given[gate] + _product(state, weight, bias, size)
        parts.append(f(total) if gate < 2 else g(total))
    return [(1 - parts[0]) * parts[2] + parts[0] * hidden]
