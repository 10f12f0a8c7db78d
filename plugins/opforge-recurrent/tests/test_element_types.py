"""Layers and cells in each element type give what they give in float64, within the type's rounding.

In float64 the operator is compared with NumPy in `test_rnn`, and layers with their cells in
`test_layers`; MXNet's own results, in float32, are compared by ``tox -e oracle``.
"""

import numpy as np
import pytest

from opforge import autograd, nd
from opforge.gluon import contrib, rnn

STEPS, BATCH, INPUTS = 4, 3, 5
LENGTHS = [4, 1, 3]
SIZES = {"num_layers": 2, "input_size": INPUTS}


def both_ways():
    parts = (rnn.LSTMCell(4, input_size=INPUTS), rnn.GRUCell(3, input_size=INPUTS))
    return rnn.BidirectionalCell(*parts)


def stacked():
    stack = rnn.HybridSequentialRNNCell()
    stack.add(rnn.ResidualCell(rnn.LSTMCell(INPUTS, input_size=INPUTS)))
    stack.add(rnn.GRUCell(4, input_size=INPUTS))
    return stack


LAYERS = {
    "tanh": lambda **kw: rnn.RNN(4, activation="tanh", **SIZES, **kw),
    "relu": lambda **kw: rnn.RNN(4, activation="relu", **SIZES, **kw),
    "lstm": lambda **kw: rnn.LSTM(4, **SIZES, **kw),
    "gru": lambda **kw: rnn.GRU(4, **SIZES, **kw),
    "projected": lambda **kw: rnn.LSTM(4, projection_size=3, **SIZES, **kw),
}
CELLS = {
    "tanh": lambda: rnn.RNNCell(4, input_size=INPUTS),
    "relu": lambda: rnn.RNNCell(4, activation="relu", input_size=INPUTS),
    "lstm": lambda: rnn.LSTMCell(4, input_size=INPUTS),
    "gru": lambda: rnn.GRUCell(4, input_size=INPUTS),
    "projected": lambda: contrib.rnn.LSTMPCell(4, 3, input_size=INPUTS),
    "both": both_ways,
    "stack": stacked,
}


def started(block):
    """Return the block with parameters that float16 has exactly, the same in every run."""
    rng = np.random.default_rng(1)
    block.initialize()
    for parameter in block.collect_params().values():
        values = rng.normal(0, 0.5, parameter.shape).astype("float16")
        parameter.set_data(nd.array(values, dtype="float32"))
    return block


def step(block, dtype, call):
    """Return all results and gradients of a block cast to `dtype`, by name."""
    block.cast(dtype)
    rng = np.random.default_rng(0)
    x = nd.array(rng.uniform(-1, 1, (STEPS, BATCH, INPUTS)).astype("float16"), dtype=dtype)
    x.attach_grad()
    with autograd.record():
        results = call(block, x)
    heads = [rng.uniform(-1, 1, result.shape).astype("float16") for result in results]
    autograd.backward(results, [nd.array(head, dtype=dtype) for head in heads])
    found = {str(at): result for at, result in enumerate(results)} | {"x": x.grad}
    found |= {name: p.grad() for name, p in block.collect_params().items()}
    assert {array.dtype for array in found.values()} == {np.dtype(dtype).type}
    return {name: array.asnumpy().astype("float64") for name, array in found.items()}


#: Of sums over steps and samples, at the largest number: ten times what was seen.
ROUNDINGS = 32


def expect_rounded(have, want, dtype):
    """Compare arrays, which may differ by some roundings of a type at their largest number."""
    for name, array in want.items():
        most = ROUNDINGS * np.finfo(dtype).eps * max(1, abs(array).max())
        np.testing.assert_allclose(have[name], array, rtol=0, atol=most, err_msg=name)


@pytest.mark.parametrize("kind", LAYERS)
@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("with_lengths", [False, True])
def test_layers(kind, bidirectional, with_lengths):
    layer = started(LAYERS[kind](bidirectional=bidirectional, use_sequence_length=with_lengths))

    def call(block, x):
        states = block.begin_state(BATCH)
        lengths = [nd.array(LENGTHS)] if with_lengths else []
        output, last = block(x, states, *lengths)
        return [output, *last]

    want = step(layer, "float64", call)
    for dtype in ("float32", "float16"):
        for active in (False, True):
            layer.hybridize(active)
            expect_rounded(step(layer, dtype, call), want, dtype)


@pytest.mark.parametrize("kind", CELLS)
@pytest.mark.parametrize("lengths", [None, LENGTHS])
def test_cells(kind, lengths):
    cell = started(CELLS[kind]())

    def call(block, x):
        valid_length = None if lengths is None else nd.array(lengths, dtype=x.dtype)
        options = {"layout": "TNC", "merge_outputs": True, "valid_length": valid_length}
        output, last = block.unroll(STEPS, x, **options)
        return [output, *last]

    want = step(cell, "float64", call)
    for dtype in ("float32", "float16"):
        expect_rounded(step(cell, dtype, call), want, dtype)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("kind", ["tanh", "relu", "lstm", "gru", "projected"])
@pytest.mark.parametrize("bidirectional", [False, True])
def test_a_layer_and_its_cells_have_one_set_of_numbers(kind, dtype, bidirectional):
    layer = started(LAYERS[kind](bidirectional=bidirectional, use_sequence_length=True))

    def fused(block, x):
        output, last = block(x, block.begin_state(BATCH), nd.array(LENGTHS))
        return [output, *last]

    def by_cells(block, x):
        lengths = nd.array(LENGTHS, dtype=x.dtype)
        options = {"layout": "TNC", "merge_outputs": True, "valid_length": lengths}
        output, last = stack.unroll(STEPS, x, **options)
        n_kinds = len(layer.state_info())
        return [output, *(nd.stack(*last[at::n_kinds], axis=0) for at in range(n_kinds))]

    have = step(layer, dtype, fused)
    stack = layer._unfuse()
    expect_rounded(step(layer, dtype, by_cells), have, dtype)
