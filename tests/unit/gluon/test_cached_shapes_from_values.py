"""Hybridized blocks whose shapes depend on values."""

import numpy as np
import pytest

from opforge import autograd, gluon, nd
from opforge.base.errors import OpforgeError
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


def chosen(F, x):
    """Return the rows of `x` whose first element is not 0."""
    return F.contrib.boolean_mask(x, F.slice_axis(x, axis=1, begin=0, end=1).reshape((-1,)))


#: Functions that read a size of `rows`, which depends on the values of `x`.
SIZE_READERS = {
    "guard": lambda F, x, rows: x * 0 if rows.size == 0 else rows,
    "mean": lambda F, x, rows: x.sum() / max(1, rows.shape[0]),
    "factor": lambda F, x, rows: x * rows.shape[0],
    "ones": lambda F, x, rows: F.broadcast_add(F.ones((rows.shape[0] + 1,)), x.sum()),
    "len": lambda F, x, rows: x * len(rows),
    "iterated": lambda F, x, rows: sum(rows),
    "derived": lambda F, x, rows: x * (rows * 2).sum(axis=1).shape[0],
    "in a loop": lambda F, x, rows: F.contrib.foreach(
        lambda r, s: (r * F.contrib.boolean_mask(r, r > 1).shape[0], s), x, F.zeros((1,))
    )[0],
}


@pytest.mark.plugins
@pytest.mark.parametrize("name", SIZE_READERS)
def test_reading_a_size_that_depends_on_values(name, hybrid, step):
    block = hybrid(lambda F, x: SIZE_READERS[name](F, x, chosen(F, x)))
    for rows in ([[1, 5], [0, 7], [1, 9]], [[1, 5], [1, 7], [1, 9]], [[0, 2], [1, 3]]):
        block.hybridize(False)
        expected = step(block, nd.array(rows))
        block.hybridize()
        for _ in range(2):
            for found, value in zip(step(block, nd.array(rows)), expected, strict=True):
                np.testing.assert_array_equal(found, value)


@pytest.mark.plugins
def test_such_a_block_trains_and_initializes_its_parameters():
    class Net(gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.dense = nn.Dense(1, use_bias=False)

        def hybrid_forward(self, F, x):
            rows = chosen(F, x)
            return F.sum(x) * 0 if rows.shape[0] == 0 else F.mean(self.dense(rows))

    net = Net()
    net.initialize("ones")
    net.hybridize()
    with autograd.record():
        loss = net(nd.array([[1, 5], [0, 7], [1, 9]]))
    loss.backward()
    assert loss.asscalar() == 8
    assert net.dense.weight.grad().asnumpy().tolist() == [[1, 7]]


@pytest.mark.plugins
def test_an_error_that_follows_from_an_unknown_size_is_not_raised(hybrid):
    def guarded(F, x):
        try:
            count = chosen(F, x).shape[0]
        except Exception as error:
            raise KeyError("no size") from error
        return x * count

    assert hybrid(guarded)(nd.ones((3, 1))).asnumpy().ravel().tolist() == [3, 3, 3]


@pytest.mark.plugins
def test_an_error_of_the_block_is_raised_by_the_imperative_run(hybrid):
    def failing(F, x):
        raise KeyError(chosen(F, x).shape[0])

    with pytest.raises(KeyError, match="3"):
        hybrid(failing)(nd.ones((3, 1)))


@pytest.mark.plugins
def test_such_a_block_has_no_graph_to_export(hybrid, tmp_path):
    block = hybrid(lambda F, x: x * chosen(F, x).shape[0])
    block(nd.ones((3, 1)))
    with pytest.raises(OpforgeError, match=r"runs imperatively.*boolean_mask"):
        block.export(str(tmp_path / "net"))
    block.save(str(tmp_path / "net"))
    block.load(str(tmp_path / "net"))


@pytest.mark.plugins
def test_a_monitor_of_such_a_block_gets_nothing(hybrid):
    block = hybrid(lambda F, x: x * chosen(F, x).shape[0])
    seen = []
    block.register_op_hook(lambda *given: seen.append(given))
    assert block(nd.ones((3, 1))).shape == (3, 1)
    assert not seen


@pytest.mark.plugins
def test_other_sizes_may_need_values(hybrid):
    # For two rows the trace is valid for all sizes; with one it broadcasts, and is traced again.
    block = hybrid(lambda F, x, y: x + y if x.shape == y.shape else x * chosen(F, x).shape[0])
    assert block(nd.ones((2, 1)), nd.ones((2, 1))).asnumpy().ravel().tolist() == [2, 2]
    assert block(nd.ones((3, 1)), nd.ones((2, 1))).asnumpy().ravel().tolist() == [3, 3, 3]
