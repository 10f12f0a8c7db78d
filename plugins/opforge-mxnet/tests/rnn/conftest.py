"""Fixtures for tests of cells: values of their variables, and each step in NumPy."""

import numpy as np
import pytest

from opforge import nd, sym


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def step(kind, x, states, i2h, h2h):
    """Return the next states of a cell in NumPy from both products; the first is the output."""
    if kind == "lstm":
        i, f, c, o = np.split(i2h + h2h, 4, axis=1)
        memory = sigmoid(f) * states[1] + sigmoid(i) * np.tanh(c)
        return [sigmoid(o) * np.tanh(memory), memory]
    if kind == "gru":
        (i_r, i_z, i_o), (h_r, h_z, h_o) = np.split(i2h, 3, axis=1), np.split(h2h, 3, axis=1)
        update = sigmoid(i_z + h_z)
        offered = np.tanh(i_o + sigmoid(i_r + h_r) * h_o)
        return [(1 - update) * offered + update * states[0]]
    return [np.tanh(i2h + h2h)]


def unrolled(kind, data_ntc, weights, prefix="", backward=False):
    """Return outputs (n, t, c) and the last states of a cell on whole sequences, in NumPy."""
    wi, bi, wh, bh = (
        weights[f"{prefix}{name}"] for name in ("i2h_weight", "i2h_bias", "h2h_weight", "h2h_bias")
    )
    hidden = wh.shape[1]
    states = [np.zeros((len(data_ntc), hidden))] * (2 if kind == "lstm" else 1)
    outputs = []
    order = range(data_ntc.shape[1])
    for t in reversed(order) if backward else order:
        x = data_ntc[:, t]
        states = step(kind, x, states, x @ wi.T + bi, states[0] @ wh.T + bh)
        outputs.append(states[0])
    return np.stack(outputs[::-1] if backward else outputs, axis=1), states


@pytest.fixture
def values():
    """A function that draws values for all arguments of a symbol, from shapes of some."""

    def draw(symbol, **shapes):
        rng = np.random.default_rng(0)
        found = symbol.infer_shape(**shapes)[0]
        return {
            name: rng.uniform(-1, 1, shape)
            for name, shape in zip(symbol.list_arguments(), found, strict=True)
        }

    return draw


@pytest.fixture
def evaluate():
    """A function that computes a symbol, or several, from NumPy arrays."""

    def run(symbols, values):
        group = symbols if isinstance(symbols, sym.Symbol) else sym.Group(symbols)
        arrays = {name: nd.array(values[name], dtype="float32") for name in group.list_arguments()}
        return [array.asnumpy() for array in group.eval(**arrays)]

    return run
