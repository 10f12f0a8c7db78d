"""Sample calls of the layers and cells for ``opforge check``."""

from collections.abc import Callable
from typing import Any

from .cells.dense import GRUCell, LSTMCell, RNNCell

_BATCH, _STEPS, _INPUT, _HIDDEN = 2, 3, 4, 5
_SIZE = {"hidden_size": _HIDDEN}
_REASON = "a base class: its subclasses define a step"
_STEP_CHECKS = ("repr", "forward", "gradients", "hybridized", "saved parameters")


def stepped(cell: Any, inputs: Any, *states: Any) -> list[Any]:
    """Return the output and the next states of one step."""
    output, next_states = cell(inputs, list(states))
    return [output, *next_states]


def unrolled(cell: Any, inputs: Any) -> list[Any]:
    """Return the outputs and the last states of a sequence."""
    outputs, states = cell.unroll(_STEPS, inputs, merge_outputs=True)
    return [outputs, *states]


def with_states(layer: Any, inputs: Any, *states: Any) -> list[Any]:
    """Return the outputs and the last states of a layer."""
    outputs, next_states = layer(inputs, list(states))
    return [outputs, *next_states]


def _cell(n_states: int, **arguments: Any) -> dict[str, Any]:
    """Return checks of a cell with dense gates."""
    state = (_BATCH, arguments.get("projection_size", _HIDDEN))
    states = [state, (_BATCH, _HIDDEN)][:n_states]
    inputs = [(_BATCH, _INPUT), *states]
    return {
        "samples": [
            {"inputs": inputs, "arguments": {**_SIZE, **arguments}, "call": stepped},
            _sequence(lambda cell: cell(**_SIZE, **arguments)),
        ]
    }


def _sequence(make: Callable[[Any], Any]) -> dict[str, Any]:
    """Return a sample of a cell on a sequence."""
    return {"inputs": [(_BATCH, _STEPS, _INPUT)], "make": make, "call": unrolled}


def _modifier(**arguments: Any) -> dict[str, Any]:
    """Return checks of a cell that modifies another."""
    return {"samples": [_sequence(lambda cell: cell(RNNCell(_INPUT, prefix="base_"), **arguments))]}


def _layer(n_states: int, **arguments: Any) -> dict[str, Any]:
    """Return checks of a layer with and without states."""
    arguments = {**_SIZE, **arguments}
    state = (4, _BATCH, _HIDDEN)
    deep = {**arguments, "num_layers": 2, "bidirectional": True}
    inputs = [(_STEPS, _BATCH, _INPUT), *[state] * n_states]
    return {
        "samples": [
            {"inputs": [(_STEPS, _BATCH, _INPUT)], "arguments": arguments},
            {"inputs": [(_BATCH, _STEPS, _INPUT)], "arguments": {**arguments, "layout": "NTC"}},
            {"inputs": inputs, "arguments": deep, "call": with_states},
        ]
    }


def _convolutional(n_dims: int, n_states: int) -> dict[str, Any]:
    sizes = (4,) * n_dims
    arguments = {
        "input_shape": (2, *sizes),
        "hidden_channels": 3,
        "i2h_kernel": 3,
        "h2h_kernel": 3,
        "i2h_pad": 1,
    }
    states = [(_BATCH, 3, *sizes)] * n_states
    inputs = [(_BATCH, 2, *sizes), *states]
    return {"samples": [{"inputs": inputs, "arguments": arguments, "call": stepped}]}


def _base(make: Callable[[Any], Any] | None = None) -> dict[str, Any]:
    return {
        "samples": [{"inputs": [(_BATCH, _INPUT)], "make": make}],
        "expected_failures": dict.fromkeys(_STEP_CHECKS, _REASON),
        "minimum": 1,
    }


def _stack(stack_class: Any) -> Any:
    """Return a stack of two cells."""
    stack = stack_class()
    with stack.name_scope():
        stack.add(LSTMCell(_HIDDEN))
        stack.add(GRUCell(3))
    return stack


LAYER_CHECKS: dict[str, dict[str, Any]] = {
    "RNN": _layer(1, activation="tanh"),
    "LSTM": _layer(2),
    "GRU": _layer(1),
    "RNNCell": _cell(1),
    "LSTMCell": _cell(2),
    "GRUCell": _cell(1),
    "LSTMPCell": _cell(2, projection_size=3),
    "ZoneoutCell": _modifier(zoneout_states=0.5),
    "ResidualCell": _modifier(),
    "VariationalDropoutCell": _modifier(drop_inputs=0.5),
    "BidirectionalCell": {
        "samples": [_sequence(lambda cell: cell(GRUCell(3, prefix="l_"), LSTMCell(2, prefix="r_")))]
    },
    "SequentialRNNCell": {"samples": [_sequence(_stack)]},
    "HybridSequentialRNNCell": {"samples": [_sequence(_stack)]},
    "DropoutCell": {
        "samples": [{"inputs": [(_BATCH, _INPUT)], "arguments": {"rate": 0.5}, "call": stepped}]
    },
    "ModifierCell": _base(lambda cell: cell(RNNCell(_INPUT))),
    "RecurrentCell": _base(),
    "HybridRecurrentCell": _base(),
    **{
        f"Conv{n}D{kind}Cell": _convolutional(n, n_states)
        for kind, n_states in (("RNN", 1), ("LSTM", 2), ("GRU", 1))
        for n in (1, 2, 3)
    },
}
