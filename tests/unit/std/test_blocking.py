import numpy as np
import pytest

from opforge import autograd, nd, sym
from opforge.base.errors import ShapeError


def test_there_and_back():
    x = nd.array(np.arange(48).reshape(2, 8, 3))
    blocked = nd._internal._block(x, axis=1, lanes=4)
    assert blocked.shape == (2, 2, 3, 4)
    assert blocked[1, 1, 2].asnumpy().tolist() == x.asnumpy()[1, 4:, 2].tolist()
    assert nd._internal._unblock(blocked, axis=1).asnumpy().tolist() == x.asnumpy().tolist()


def test_gradients_go_the_other_way():
    x = nd.array(np.arange(16).reshape(2, 8))
    x.attach_grad()
    with autograd.record():
        y = nd._internal._unblock(nd._internal._block(x, axis=0, lanes=2) ** 2, axis=0)
    y.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), 2 * x.asnumpy())


def test_shapes_are_inferred_back():
    x, w = sym.var("x"), sym.var("w", shape=(2, 2, 3, 4))
    total = sym.elemwise_add(sym._internal._block(x, axis=1, lanes=4), w)
    assert total.infer_shape()[0] == [(2, 8, 3), (2, 2, 3, 4)]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda x: nd._internal._block(x, axis=1, lanes=3), r"axis 1 of shape \(2, 8\)"),
        (lambda x: nd._internal._block(x, axis=2, lanes=1), r"axis 2 of shape \(2, 8\)"),
        (lambda x: nd._internal._unblock(x, axis=1), "axis 1 of shape"),
        (lambda x: nd._internal._unblock(nd.ones(4), axis=0), "axis 0 of shape"),
    ],
)
def test_indivisible_shapes_are_rejected(call, text):
    with pytest.raises(ShapeError, match=text):
        call(nd.ones((2, 8)))
