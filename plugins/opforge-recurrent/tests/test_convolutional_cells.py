"""Convolutional cells: shapes, and agreement with dense cells on one pixel."""

import numpy as np
import pytest

from opforge import init, nd
from opforge.gluon import rnn

KINDS = {"RNN": rnn.RNNCell, "LSTM": rnn.LSTMCell, "GRU": rnn.GRUCell}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_dims", [1, 2, 3])
def test_shapes(kind, n_dims):
    sizes = (6, 5, 4)[:n_dims]
    cell = getattr(rnn, f"Conv{n_dims}D{kind}Cell")((2, *sizes), 3, 3, 3, i2h_dilate=2, i2h_pad=1)
    cell.initialize()
    outputs, states = cell.unroll(2, nd.ones((4, 2, 2, *sizes)), layout="NTC")
    shape = (4, 3, *(size - 2 for size in sizes))
    assert [a.shape for a in (*outputs, *states)] == [shape] * (2 + len(states))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_one_pixel_agrees_with_the_dense_cell(kind, layout):
    axes = (slice(None), slice(None), None, None)
    if layout == "NHWC":
        axes = (slice(None), None, None, slice(None))
    dense = KINDS[kind](4, input_size=3)
    dense.initialize(init.Normal(0.5))
    shape = (3, 1, 1) if layout == "NCHW" else (1, 1, 3)
    cell = getattr(rnn, f"Conv2D{kind}Cell")(shape, 4, (1, 1), (1, 1), conv_layout=layout)
    cell.initialize()
    for name in ("i2h_weight", "h2h_weight", "i2h_bias", "h2h_bias"):
        value = getattr(dense, name).data().asnumpy()
        getattr(cell, name).set_data(nd.array(value[axes] if value.ndim == 2 else value))
    x = np.random.default_rng(0).uniform(-1, 1, (2, 3))
    states = dense.begin_state(batch_size=2, func=nd.ones)
    want, _ = dense(nd.array(x), states)
    have, _ = cell(nd.array(x[axes]), [nd.array(s.asnumpy()[axes]) for s in states])
    np.testing.assert_allclose(have.asnumpy().reshape(2, 4), want.asnumpy(), rtol=1e-5, atol=1e-6)


def test_input_channels_are_inferred():
    cell = rnn.Conv2DGRUCell((0, 6, 6), 3, 3, 3, i2h_pad=1)
    assert repr(cell) == "Conv2DGRUCell(None -> 9, tanh, NCHW)"
    cell.initialize()
    output, _ = cell(nd.ones((2, 5, 6, 6)), cell.begin_state(batch_size=2))
    assert output.shape == (2, 3, 6, 6)
    assert cell.i2h_weight.shape == (9, 5, 3, 3)


def test_invalid_settings_raise():
    with pytest.raises(AssertionError, match="Only support odd number"):
        rnn.Conv2DRNNCell((3, 8, 8), 4, 3, 2)
    with pytest.raises(AssertionError, match="For 2D convolution, the convolution settings"):
        rnn.Conv2DRNNCell((3, 8, 8), 4, (3, 3, 3), 3)
