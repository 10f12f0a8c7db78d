"""The call path of operators: outputs, `out=`, several outputs, arguments that do not fit."""

import numpy as np
import pytest

from opforge import autograd, nd
from opforge.base.errors import OpforgeError


def test_out_is_written_and_returned():
    x, out = nd.array([[1.0, 2.0], [3.0, 4.0]]), nd.zeros((2,))
    assert nd.sum(x, axis=1, out=out) is out
    assert out.asnumpy().tolist() == [3.0, 7.0]


def test_out_of_a_wrong_shape():
    with pytest.raises(OpforgeError, match=r"\(3,\).*\(2,\)|\(2,\).*\(3,\)"):
        nd.sum(nd.ones((2, 2)), axis=1, out=nd.zeros((3,)))


def test_several_outputs_come_as_a_list():
    parts = nd.split(nd.arange(6).reshape((2, 3)), num_outputs=3, axis=1)
    assert isinstance(parts, list) and [p.shape for p in parts] == [(2, 1)] * 3


def test_an_input_that_is_no_array():
    with pytest.raises((OpforgeError, TypeError), match=r"sum|data"):
        nd.sum("text")


def test_a_missing_input():
    with pytest.raises((OpforgeError, TypeError), match=r"dot"):
        nd.dot(nd.ones((2, 2)))


def test_recorded_only_where_an_input_needs_a_gradient():
    x, w = nd.ones((2,)), nd.ones((2,))
    w.attach_grad()
    with autograd.record():
        free, bound = nd.exp(x), nd.exp(w)
    bound.backward()
    np.testing.assert_allclose(w.grad.asnumpy(), np.e, rtol=1e-6)
    with pytest.raises(OpforgeError):
        free.backward()
