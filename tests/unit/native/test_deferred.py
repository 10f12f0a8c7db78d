"""Placeholders of parameters whose shape the first call settles."""

import numpy as np
import pytest

from opforge import autograd, nd
from opforge.native.deferred import DeferredArray


def _placeholder(shape, made):
    def complete(full):
        made.append(full)
        return nd.ones(full)

    return DeferredArray(shape, 0, complete)


def test_an_operator_completes_the_shape():
    made = []
    out = nd.FullyConnected(
        nd.ones((2, 3)), _placeholder((4, 0), made), nd.zeros((4,)), num_hidden=4
    )
    assert made == [(4, 3)]
    np.testing.assert_array_equal(out.asnumpy(), np.full((2, 4), 3.0))


def test_the_completed_array_is_recorded():
    made = []
    x = nd.ones((2, 3))
    x.attach_grad()
    with autograd.record():
        out = nd.FullyConnected(x, _placeholder((4, 0), made), None, num_hidden=4, no_bias=True)
    out.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), np.full((2, 3), 4.0))


def test_type():
    assert _placeholder((0,), []).dtype is np.float32


def test_a_shape_that_contradicts():
    with pytest.raises(ValueError, match=r"4.*5|5.*4"):
        nd.FullyConnected(nd.ones((2, 3)), _placeholder((4, 5), []), nd.zeros((4,)), num_hidden=4)
