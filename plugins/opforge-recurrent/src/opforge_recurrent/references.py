"""Reference of RNN in NumPy, step by step."""

from typing import Any

import numpy as np

#: Number of pre-activations per element of a cell's state.
GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}


def sigmoid(x: Any) -> Any:
    """Return 1 / (1 + exp(-x))."""
    return 1 / (1 + np.exp(-x))


def parameter_count(
    mode: str,
    channels: int,
    state_size: int,
    num_layers: int = 1,
    bidirectional: bool = False,
    projection_size: int | None = None,
) -> int:
    """Return the number of parameters of RNN.

    Parameters
    ----------
    mode : str
    channels : int
        Channels of the data.
    state_size, num_layers, bidirectional, projection_size
        As for RNN.
    """
    directions, out = 1 + bidirectional, projection_size or state_size
    rows, inputs = GATES[mode] * state_size, channels + (num_layers - 1) * directions * out
    projection = state_size * (projection_size or 0)
    return directions * (rows * inputs + num_layers * (rows * (out + 2) + projection))


def unpack(
    parameters: Any, sublayers: list[tuple[int, int, int]], size: int | None
) -> list[list[Any]]:
    """Return W, R, the projection or None, and the biases of each layer and direction.

    Parameters
    ----------
    parameters : array
    sublayers : list of tuple
        Rows of W, input size and length of a state, for each layer and direction.
    size : int or None
        Length of a state before its projection; None: no projection.
    """
    begin = 0

    def take(*shape: int) -> Any:
        nonlocal begin
        count = int(np.prod(shape))
        begin += count
        return parameters[begin - count : begin].reshape(shape)

    found = [
        [take(rows, channels), take(rows, out), None if size is None else take(out, size)]
        for rows, channels, out in sublayers
    ]
    for weights, (rows, _, _) in zip(found, sublayers, strict=True):
        weights += [take(rows), take(rows)]
    return found


def cell(mode: str, i2h: Any, h2h: Any, h: Any, c: Any, clip: Any) -> tuple[Any, Any]:
    """Return the next state, before its projection, and cell."""
    if mode == "lstm":
        i, f, g, o = np.split(i2h + h2h, 4, -1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        c = c if clip is None else np.clip(c, *clip)
        return sigmoid(o) * np.tanh(c), c
    if mode == "gru":
        (xr, xz, xn), (hr, hz, hn) = np.split(i2h, 3, -1), np.split(h2h, 3, -1)
        z, n = sigmoid(xz + hz), np.tanh(xn + sigmoid(xr + hr) * hn)
        return (1 - z) * n + z * h, c
    return (np.tanh if mode == "rnn_tanh" else lambda x: np.maximum(x, 0))(i2h + h2h), c


def rnn(
    data: Any,
    parameters: Any,
    state: Any,
    *others: Any,
    state_size: int,
    num_layers: int,
    mode: str,
    bidirectional: bool = False,
    state_outputs: bool = False,
    projection_size: int | None = None,
    lstm_state_clip_min: float | None = None,
    lstm_state_clip_max: float | None = None,
    use_sequence_length: bool = False,
    **ignored: Any,
) -> Any:
    """Compute RNN as the reference."""
    steps, batch, channels = data.shape
    rows, out = GATES[mode] * state_size, projection_size or state_size
    directions = 1 + bidirectional
    inputs = [channels] + [directions * out] * (num_layers - 1)
    sublayers = [(rows, channels, out) for channels in inputs for _ in range(directions)]
    cells = others[0] if mode == "lstm" else np.zeros((len(sublayers), batch, state_size))
    lengths = others[-1].astype(int) if use_sequence_length else np.full(batch, steps)
    clip = None if lstm_state_clip_min is None else (lstm_state_clip_min, lstm_state_clip_max)
    states, last = [], []
    for at, (w, r, project, b, d) in enumerate(
        unpack(parameters, sublayers, state_size if projection_size else None)
    ):
        h, c, y = state[at], cells[at], np.zeros((steps, batch, out))
        for t in range(steps)[:: -1 if at % directions else 1]:
            new_h, new_c = cell(mode, data[t] @ w.T + b, h @ r.T + d, h, c, clip)
            new_h = new_h if project is None else new_h @ project.T
            inside = (t < lengths)[:, None]
            h, c, y[t] = np.where(inside, new_h, h), np.where(inside, new_c, c), inside * new_h
        states.append(y)
        last.append((h, c))
        if len(states) == directions:
            data, states = np.concatenate(states, -1), []
    if not state_outputs:
        return data
    ends = [np.stack(found) for found in zip(*last, strict=True)]
    return [data, *ends[: 2 if mode == "lstm" else 1]]
