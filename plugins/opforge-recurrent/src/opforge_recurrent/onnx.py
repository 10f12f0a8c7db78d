"""Translation of recurrent layers to ONNX."""

from collections.abc import Iterator
from typing import Any

import numpy as np

__all__ = ["rnn"]

_KINDS = {"gru": "GRU", "lstm": "LSTM", "rnn_relu": "RNN", "rnn_tanh": "RNN"}
#: Order of the gates in ONNX by their index here: i, f, g, o become i, o, f, g; r, z, n become
#: z, r, n.
_GATES = {"gru": [1, 0, 2], "lstm": [0, 3, 1, 2], "rnn_relu": [0], "rnn_tanh": [0]}


def rnn(prop: Any, call: Any) -> Any:
    """Translate RNN: one node for each layer."""
    _check(prop, call)
    data, parameters, *rest = call.inputs
    packed = call.weight(parameters)
    call.require(
        packed is not None,
        "its parameters are computed by the graph",
        "pass them as a weight, or use gluon.rnn layers",
    )
    directions = 2 if prop.bidirectional else 1
    lengths = call.cast(rest.pop(), "int32") if prop.use_sequence_length else ""
    # Zeros are left out, so that the batch may change.
    states = [None if call.is_zero(state) else state for state in rest]
    x: Any = data
    last: list[list[str]] = [[] for _ in states]
    layers = _layers(prop, packed, data.shape[-1], directions)
    for layer, (weight, recurrent, bias) in enumerate(layers):
        given = [call.constant(part, data.dtype) for part in (weight, recurrent, bias)]
        begin = [_part(call, state, layer, directions) for state in states]
        found, *after = call.node(
            _KINDS[prop.mode],
            x,
            *given,
            lengths,
            *begin,
            outputs=1 + len(states),
            **_attributes(prop),
        )
        # (steps, directions, n, size) to (steps, n, directions * size)
        swapped = call.node("Transpose", found, perm=[0, 2, 1, 3])
        x = call.node("Reshape", swapped, call.integers(0, 0, -1))
        for part, value in zip(last, after, strict=True):
            part.append(value)
    if not prop.state_outputs:
        return x
    return [x, *(call.node("Concat", *part, axis=0) for part in last)]


def _check(prop: Any, call: Any) -> None:
    """Reject what ONNX has no form for."""
    clips = (prop.lstm_state_clip_min, prop.lstm_state_clip_max)
    call.require(
        prop.projection_size is None, "projection has no equivalent", "leave out projection_size"
    )
    call.require(
        clips == (None, None), "clipping of cells has no equivalent", "leave out the bounds"
    )


def _part(call: Any, state: Any, layer: int, directions: int) -> Any:
    """Return the first state of a layer."""
    if state is None:
        return ""
    bounds = call.integers(layer * directions), call.integers((layer + 1) * directions)
    return call.node("Slice", state, *bounds, call.integers(0))


def _attributes(prop: Any) -> dict[str, Any]:
    found: dict[str, Any] = {
        "hidden_size": prop.state_size,
        "direction": "bidirectional" if prop.bidirectional else "forward",
    }
    if prop.mode == "gru":
        found["linear_before_reset"] = 1
    if prop.mode == "rnn_relu":
        found["activations"] = ["Relu"] * (2 if prop.bidirectional else 1)
    return found


def _layers(
    prop: Any, packed: np.ndarray, channels: int, directions: int
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield W, R and both biases of each layer, with ONNX's order of gates."""
    size, order = prop.state_size, _GATES[prop.mode]
    rows = len(order) * size
    offset, weights = 0, []
    for layer in range(prop.num_layers):
        columns = channels if layer == 0 else size * directions
        for _ in range(directions):
            for width in (columns, size):
                count = rows * width
                block = packed[offset : offset + count].reshape(len(order), size, width)
                weights.append(block[order].reshape(rows, width))
                offset += count
    biases = packed[offset:].reshape(prop.num_layers, directions, 2, len(order), size)[
        :, :, :, order
    ]
    for layer in range(prop.num_layers):
        mine = weights[2 * directions * layer : 2 * directions * (layer + 1)]
        yield (
            np.stack(mine[0::2]),
            np.stack(mine[1::2]),
            biases[layer].reshape(directions, 2 * rows),
        )
