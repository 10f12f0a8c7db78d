"""Changing the shape of a sparse array gives a dense one, and gradients flow through it."""

import numpy as np
import pytest

from opforge import autograd, nd
from opforge.base.errors import NotSupportedForSparseNDArray


def test_other_shapes_are_dense(make_sparse, values):
    sparse = make_sparse()
    np.testing.assert_array_equal(sparse.T.asnumpy(), values.T)
    for found, shape in [
        (sparse.transpose(), (3, 4)),
        (sparse.expand_dims(0), (1, 4, 3)),
        (sparse.flatten(), (4, 3)),
        (sparse.squeeze(), (4, 3)),
        (sparse.broadcast_to((4, 3)), (4, 3)),
        (sparse.broadcast_like(nd.ones((4, 3))), (4, 3)),
    ]:
        assert (found.shape, found.stype) == (shape, "default")


def test_reshape_is_rejected(make_sparse):
    with pytest.raises(NotSupportedForSparseNDArray, match="tostype"):
        make_sparse().reshape(-1)


def test_gradients_flow_through_them(make_sparse, values):
    x = make_sparse()
    x.attach_grad()
    head = nd.array(np.arange(12).reshape(3, 4))
    for call in (lambda: x.transpose(), lambda: x.transpose(1, 0), lambda: x.T):
        with autograd.record():
            y = call()
        y.backward(head)
        np.testing.assert_array_equal(x.grad.asnumpy(), head.asnumpy().T)
