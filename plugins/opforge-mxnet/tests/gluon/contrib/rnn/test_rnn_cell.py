import numpy as np
import pytest

from opforge import autograd, gluon, init, nd
from opforge.gluon.contrib.rnn.rnn_cell import dynamic_unroll

pytestmark = pytest.mark.plugins


class Looping(gluon.HybridBlock):
    """Runs a cell by `dynamic_unroll`."""

    def __init__(self, cell, **kwargs):
        super().__init__()
        self.cell, self._kwargs = cell, kwargs

    def hybrid_forward(self, F, x, states, valid_length=None):
        outputs, last = dynamic_unroll(
            self.cell, x, states, valid_length=valid_length, **self._kwargs
        )
        return [outputs, *last]


def drawn(*shape):
    return nd.array(np.random.default_rng(len(shape)).uniform(-1, 1, shape))


@pytest.mark.parametrize("active", [False, True])
@pytest.mark.parametrize("layout", ["TNC", "NTC"])
@pytest.mark.parametrize("lengths", [None, [1, 3]])
def test_a_loop_equals_the_unrolled_cell(active, layout, lengths):
    cell = gluon.rnn.LSTMCell(4, input_size=5)
    cell.initialize(init.Normal(0.5))
    loop = Looping(cell, layout=layout)
    loop.hybridize(active)
    x = drawn(3, 2, 5) if layout == "TNC" else drawn(2, 3, 5)
    states = [drawn(2, 4), drawn(2, 4)]
    lengths = [] if lengths is None else [nd.array(lengths)]

    def unrolled(x, states, valid_length=None):
        outputs, last = cell.unroll(
            3, x, states, layout=layout, merge_outputs=True, valid_length=valid_length
        )
        return [outputs, *last]

    def step(run):
        x.attach_grad()
        with autograd.record():
            found = run(x, states, *lengths)
            loss = sum((a * a).sum() for a in found)
        loss.backward()
        return [*(a.asnumpy() for a in found), x.grad.asnumpy(), cell.h2h_weight.grad().asnumpy()]

    want = step(unrolled)
    for have, expected in zip(step(loop), want, strict=True):
        np.testing.assert_allclose(have, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("part", ["inputs", "outputs"])
def test_dropout_has_one_mask_for_all_steps(part):
    cell = gluon.rnn.RNNCell(32, h2h_weight_initializer="zeros", input_size=32)
    cell.initialize(init.Normal(0.5))
    x = nd.broadcast_axis(drawn(1, 1, 32), axis=1, size=3)
    states = cell.begin_state(batch_size=1)
    with autograd.train_mode():
        found, _ = dynamic_unroll(cell, x, states, **{f"drop_{part}": 0.5}, layout="NTC")
    plain, _ = dynamic_unroll(cell, x, states, layout="NTC")
    first, second, third = found.asnumpy()[0]
    assert np.array_equal(first, second) and np.array_equal(first, third)
    assert not np.array_equal(first, plain.asnumpy()[0, 0])
