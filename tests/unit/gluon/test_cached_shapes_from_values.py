"""Hybridized blocks whose shapes depend on values."""

import numpy as np
import pytest

from opforge import gluon, nd
from opforge.gluon import nn


@pytest.mark.plugins
def test_a_block_whose_shapes_depend_on_values_runs_call_by_call(hybrid, step):
    block = hybrid(lambda F, x, mask: F.contrib.boolean_mask(x * 2, mask) + 1)
    x = nd.array([[1, 2], [3, 4], [5, 6]])
    for mask in ([0, 1, 1], [1, 0, 0], [0, 0, 0], [1, 1, 1]):
        chosen = np.array(mask) > 0
        y, dx, _ = step(block, x, nd.array(mask))
        np.testing.assert_array_equal(y, x.asnumpy()[chosen] * 2 + 1)
        np.testing.assert_array_equal(dx, np.repeat(chosen[:, None] * 2.0, 2, 1))
    assert block.count == 1 + 4  # traced once


@pytest.mark.plugins
def test_inner_blocks_are_compiled_and_get_shapes(hybrid):
    class Net(gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.inner = hybrid(lambda F, x: F.exp(x) * 2)
            self.dense = nn.Dense(3)

        def hybrid_forward(self, F, x, mask):
            return self.dense(F.contrib.boolean_mask(self.inner(x), mask))

    net = Net()
    net.initialize()
    net.hybridize()
    for mask in ([0, 1, 1], [1, 0, 0]):
        assert net(nd.ones((3, 2)), nd.array(mask)).shape == (sum(mask), 3)
    assert net.dense.weight.shape == (3, 2)
    assert net.inner.count == 2  # traced in the trace of the outer block, then on its own


@pytest.mark.plugins
def test_loops_may_choose_rows_in_each_turn(hybrid):
    def count(F, x, masks):
        def body(mask, total):
            total = total + F.sum(F.contrib.boolean_mask(x, mask), axis=0)
            return total, total

        return F.contrib.foreach(body, masks, F.zeros((1,)))

    block = hybrid(lambda F, x, masks: count(F, x, masks)[0])
    y = block(nd.array([[1.0], [10.0]]), nd.array([[1, 0], [1, 1], [0, 0]]))
    assert y.asnumpy().ravel().tolist() == [1, 12, 12]
