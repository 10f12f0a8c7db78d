"""Indexing along several axes together."""

import pytest

from opforge import autograd, nd
from opforge.base.errors import ShapeError


def test_scatter_inverts_gather():
    x = nd.arange(6).reshape((2, 3))
    x.attach_grad()
    places = nd.array([[0, 1, 1], [2, 0, 0]])
    with autograd.record():
        part = nd.gather_nd(x, places)
    part.backward()
    assert part.asnumpy().tolist() == [2, 3, 3]
    assert x.grad.asnumpy().tolist() == [[0, 0, 1], [2, 0, 0]]
    back = nd.scatter_nd(part, places, shape=(2, 3))
    assert back.asnumpy().tolist() == [[0, 0, 2], [3, 0, 0]]


def test_negative_indices():
    x = nd.array([1, 2, 3])
    x.attach_grad()
    with autograd.record():
        part = nd.gather_nd(x, nd.array([[-1, -3, 0]]))
    part.backward()
    assert part.asnumpy().tolist() == [3, 1, 1]
    assert x.grad.asnumpy().tolist() == [2, 0, 1]


def test_shape_errors():
    x = nd.zeros((2, 3))
    with pytest.raises(ShapeError, match="'indices' has shape"):
        nd.gather_nd(x, nd.zeros((3, 1)))
    with pytest.raises(ShapeError, match="'data' has shape"):
        nd.scatter_nd(nd.zeros(2), nd.zeros((2, 1)), shape=(2, 3))
