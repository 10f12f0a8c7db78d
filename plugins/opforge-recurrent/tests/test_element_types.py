"""Layers and cells agree in each element type with float64, within the rounding of the type.

In float64 the operator is compared with NumPy in `test_rnn`, and layers with their cells in
`test_layers`; MXNet's own results, in float32, are compared by ``tox -e oracle``.
"""

import ml_dtypes
import numpy as np
import pytest

from opforge import autograd, gluon, nd
from opforge.gluon import contrib, rnn

STEPS, BATCH, INPUTS = 4, 3, 5
LENGTHS = [4, 1, 3]
SIZES = {"num_layers": 2, "input_size": INPUTS}


def bidirectional_cell():
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
    "both": bidirectional_cell,
    "stack": stacked,
}


def exact(values):
    """Return numbers that every floating type represents."""
    return values.astype(ml_dtypes.bfloat16).astype("float16")


def started(block):
    """Return the block with reproducible parameters that are exact in every type."""
    rng = np.random.default_rng(1)
    block.initialize()
    for parameter in block.collect_params().values():
        values = exact(rng.normal(0, 0.5, parameter.shape))
        parameter.set_data(nd.array(values, dtype="float32"))
    return block


def step(block, dtype, call):
    """Return all results and gradients of a block cast to `dtype`, by name."""
    block.cast(dtype)
    rng = np.random.default_rng(0)
    x = nd.array(exact(rng.uniform(-1, 1, (STEPS, BATCH, INPUTS))), dtype=dtype)
    x.attach_grad()
    with autograd.record():
        results = call(block, x)
    heads = [exact(rng.uniform(-1, 1, result.shape)) for result in results]
    autograd.backward(results, [nd.array(head, dtype=dtype) for head in heads])
    found = {str(at): result for at, result in enumerate(results)} | {"x": x.grad}
    found |= {name: p.grad() for name, p in block.collect_params().items()}
    assert {array.dtype for array in found.values()} == {x.dtype}
    return {name: array.asnumpy().astype("float64") for name, array in found.items()}


#: Roundings of the largest element in sums over steps and samples: ten times what was observed.
ROUNDINGS = 32


def expect_rounded(have, want, dtype):
    """Compare arrays up to some roundings of a type at their largest element."""
    for name, array in want.items():
        most = ROUNDINGS * float(ml_dtypes.finfo(dtype).eps) * max(1, abs(array).max())
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
    for dtype in ("float32", "float16", "bfloat16"):
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
    for dtype in ("float32", "float16", "bfloat16"):
        expect_rounded(step(cell, dtype, call), want, dtype)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32", "float64"])
@pytest.mark.parametrize("kind", ["tanh", "relu", "lstm", "gru", "projected"])
@pytest.mark.parametrize("bidirectional", [False, True])
def test_a_layer_and_its_cells_agree(kind, dtype, bidirectional):
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


@pytest.mark.parametrize("size", [*range(1, 18), 33])
def test_every_size_in_bfloat16(size):
    """Each result is that of float32 on the same numbers, rounded once."""
    rng = np.random.default_rng(size)
    shapes = (3, 2, 5), (4 * size * (5 + size + 2),), (1, 2, size), (1, 2, size)
    values = [exact(rng.normal(0, 0.3, shape)) for shape in shapes]
    half, single = (
        nd.RNN(*(nd.array(x, dtype=d) for x in values), state_size=size, num_layers=1, mode="lstm")
        for d in ("bfloat16", "float32")
    )
    np.testing.assert_array_equal(half.asnumpy(), single.astype("bfloat16").asnumpy())


@pytest.mark.parametrize("steps", [0, 2])
def test_no_steps_or_sequences_in_bfloat16(steps):
    layer = started(rnn.GRU(4, input_size=INPUTS))
    layer.cast("bfloat16")
    x = nd.zeros((steps, 2 - steps, INPUTS), dtype="bfloat16")
    assert layer(x).shape == (steps, 2 - steps, 4)


def losses(dtype):
    """Return the losses of some steps of an LSTM that learns the sign of a sum."""
    layer = started(rnn.LSTM(8, input_size=INPUTS))
    layer.cast(dtype)
    rng = np.random.default_rng(0)
    x = nd.array(rng.normal(0, 1, (STEPS, 16, INPUTS)), dtype=dtype)
    wanted = nd.sign(x.astype("float32").sum(axis=(0, 2)))
    options = {"learning_rate": 0.5, "momentum": 0.9, "multi_precision": dtype != "float32"}
    trainer = gluon.Trainer(layer.collect_params(), "sgd", options)
    found = []
    for _ in range(20):
        with autograd.record():
            loss = (layer(x)[-1].astype("float32").mean(axis=1) - wanted) ** 2
        loss.backward()
        trainer.step(16)
        found.append(loss.mean().asscalar())
    return found


def test_training_in_bfloat16_follows_float32():
    have, want = losses("bfloat16"), losses("float32")
    assert have[-1] < have[0] / 2
    np.testing.assert_allclose(have, want, rtol=0.1, atol=0.05)
