"""Repeating axes of length 1."""

import numpy as np
import pytest

from opforge import autograd, nd
from opforge.base.errors import ShapeError


def test_zero_keeps_a_dimension():
    assert nd.broadcast_to(nd.ones((2, 1)), shape=(0, 3)).shape == (2, 3)
    assert nd.broadcast_like(nd.ones((1, 1)), nd.zeros((0, 3))).shape == (0, 3)


def test_some_axes_like_another_array():
    x, like = nd.ones((1, 2, 1)), nd.zeros((5, 7))
    have = nd.broadcast_like(x, like, lhs_axes=(0, 2), rhs_axes=(1, 0))
    assert have.shape == (7, 2, 5)
    assert nd.broadcast_axis(x, axis=(2, 0), size=(3, 4)).shape == (4, 2, 3)


def test_errors():
    x = nd.ones((2, 1))
    with pytest.raises(ShapeError, match="broadcast"):
        nd.broadcast_to(x, shape=(3, 3))
    with pytest.raises(ShapeError, match="cannot be broadcast"):
        nd.broadcast_to(x, shape=(2,))
    with pytest.raises(ShapeError, match="must have the same length"):
        nd.broadcast_axis(x, axis=1, size=(2, 3))
    with pytest.raises(ShapeError):
        nd.broadcast_axis(x, axis=0, size=3)


@pytest.mark.parametrize("axes", [((), ()), ((0,), ()), ((0, 1), (0,))])
def test_broadcast_like_wants_axes_in_pairs(axes):
    with pytest.raises(ShapeError, match="expected the same number of axes, at least one"):
        nd.broadcast_like(nd.ones((1, 2)), nd.ones((3, 2)), lhs_axes=axes[0], rhs_axes=axes[1])


@pytest.mark.parametrize(("shape", "want"), [((5, 1), (2, 5, 7)), ((1, 3, 1), (2, 4, 3, 5))])
def test_a_gradient_is_summed_over_axes_of_length_1_and_missing_ones(shape, want):
    z = nd.zeros(shape)
    z.attach_grad()
    with autograd.record():
        y = nd.broadcast_add(z, nd.ones(want))
    y.backward()
    assert z.grad.asnumpy().tolist() == np.full(shape, y.size / z.size).tolist()
