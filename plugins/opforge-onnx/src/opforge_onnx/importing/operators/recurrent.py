"""Recurrent layers of ONNX: LSTM, GRU and RNN."""

from collections.abc import Callable
from typing import Any

import numpy as np

from opforge.plugin_api import sym

from ..node import Node

__all__ = ["OPERATORS"]

Translate = Callable[[Node], Any]
#: Gates in the order of `RNN`, by their index in ONNX.
_GATES = {"GRU": [1, 0, 2], "LSTM": [0, 2, 3, 1], "RNN": [0]}
_DEFAULT = {"GRU": ["Sigmoid", "Tanh"], "LSTM": ["Sigmoid", "Tanh", "Tanh"], "RNN": ["Tanh"]}
#: Inputs of LSTM after the cell: peepholes.
_PEEPHOLES = 7


def _recurrent(node: Node) -> list[Any]:
    """Translate a layer to `RNN`, with the outputs Y, Y_h and, of LSTM, Y_c."""
    directions = 2 if node.attribute("direction", "forward") == "bidirectional" else 1
    mode = _mode(node, directions)
    size = node.attribute("hidden_size") or node.constant(2, "R").shape[-1]
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


def _mode(node: Node, directions: int) -> str:
    """Return the mode of `RNN`, which has the usual activations only."""
    node.require(
        node.attribute("direction", "forward") != "reverse" and not node.attribute("layout", 0),
        "reversed sequences and layout 1 have no equivalent",
        "use directions forward or bidirectional, and layout 0",
    )
    node.require(
        node.attribute("clip") is None and not node.has(_PEEPHOLES),
        "clip and peepholes have no equivalent",
        "leave them out",
    )
    usual = _DEFAULT[node.kind] * directions
    functions = [
        item.decode() if isinstance(item, bytes) else item
        for item in node.attribute("activations", usual)
    ]
    if node.kind == "RNN" and set(functions) == {"Relu"}:
        return "rnn_relu"
    node.require(functions == usual, f"activations {functions} have no equivalent", f"use {usual}")
    if node.kind == "GRU":
        node.require(
            node.attribute("linear_before_reset", 0),
            "GRU that resets before the product has no equivalent",
            "train it with linear_before_reset=1, as PyTorch and MXNet do",
        )
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
