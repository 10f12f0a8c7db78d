"""Recurrent layers of ONNX: LSTM, GRU and RNN."""

from collections.abc import Callable
from typing import Any

import numpy as np

from opforge.plugin_api import sym

from ..node import Node
from .cells import ACTIVATIONS, unrolled

__all__ = ["OPERATORS"]

Translate = Callable[[Node], Any]
#: Gates in the order of `RNN`, by their index in ONNX.
_GATES = {"GRU": [1, 0, 2], "LSTM": [0, 2, 3, 1], "RNN": [0]}
#: Inputs of LSTM after the cell: peepholes.
_PEEPHOLES = 7


def _recurrent(node: Node) -> list[Any]:
    """Translate a layer to `RNN`, with the outputs Y, Y_h and, of LSTM, Y_c."""
    directions = 2 if node.attribute("direction", "forward") == "bidirectional" else 1
    size = node.attribute("hidden_size") or node.sizes(2)[-1]
    mode = _mode(node, directions)
    if mode is None:
        return unrolled(node, size)
    data = node.symbol(0)
    states = [
        node.symbol(index) if node.has(index) else _zeros(data, directions, size)
        for index in ((5, 6) if node.kind == "LSTM" else (5,))
    ]
    lengths = [node.symbol(4)] if node.has(4) else []
    found = sym.RNN(
        data,
        node.weight(_pack(node, directions, size), "parameters"),
        *states,
        *lengths,
        state_size=size,
        num_layers=1,
        bidirectional=directions == 2,
        mode=mode,
        state_outputs=True,
        use_sequence_length=bool(lengths),
    )
    steps = sym.reshape(found[0], shape=(0, 0, -4, directions, -1))
    return [sym.transpose(steps, axes=(0, 2, 1, 3)), *(found[i] for i in range(1, 1 + len(states)))]


def _mode(node: Node, directions: int) -> str | None:
    """Return the mode of `RNN`, or None for the forms that it does not have."""
    usual = ACTIVATIONS[node.kind] * directions
    functions = node.attribute("activations", usual)
    weights = [node.numbers(index) for index in (1, 2, 3) if node.has(index)]
    if (
        node.attribute("direction", "forward") == "reverse"
        or node.attribute("layout", 0)
        or node.attribute("clip")
        or node.attribute("input_forget", 0)
        or node.has(_PEEPHOLES)
        or (node.kind == "GRU" and not node.attribute("linear_before_reset", 0))
        or any(array is None for array in weights)
    ):
        return None
    if node.kind == "RNN" and set(functions) == {"Relu"}:
        return "rnn_relu"
    if functions != usual:
        return None
    return "rnn_tanh" if node.kind == "RNN" else node.kind.lower()


def _zeros(data: Any, directions: int, size: int) -> Any:
    """Return a zero state for the batch of the data."""
    first = sym.slice(data, begin=(0, None, 0), end=(1, None, 1))
    return sym.broadcast_axis(first * 0, axis=(0, 2), size=(directions, size))


def _pack(node: Node, directions: int, size: int) -> np.ndarray:
    """Return all weights, then all biases, as one vector."""
    order = _GATES[node.kind]
    weight, recurrent = node.constant(1, "W"), node.constant(2, "R")
    rows = len(order) * size
    bias = node.constant(3, "B") if node.has(3) else np.zeros((directions, 2 * rows), weight.dtype)
    parts = []
    for direction in range(directions):
        for block in (weight[direction], recurrent[direction]):
            parts.append(block.reshape(len(order), size, -1)[order].ravel())
    biases = bias.reshape(directions, 2, len(order), size)[:, :, order]
    return np.concatenate([*parts, biases.ravel()])


OPERATORS: dict[str, Translate] = dict.fromkeys(_GATES, _recurrent)
