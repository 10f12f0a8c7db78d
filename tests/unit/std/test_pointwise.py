"""Elementwise operators that are not a single kernel."""

import numpy as np
import pytest

from opforge import autograd, nd
from opforge.base.errors import AttributeValueError, ShapeError


def test_sum_into_one_of_the_inputs():
    a, b = nd.array([1, 2]), nd.array([10, 20])
    nd.add_n(b, a, a, out=a)
    assert a.asnumpy().tolist() == [12, 24]
    with pytest.raises(ShapeError, match="input number 1"):
        nd.add_n(a, nd.zeros(3))


def test_block_grad_and_make_loss():
    x = nd.array([1.0, 2.0])
    for function, want in (
        (nd.BlockGrad, [0, 0]),
        (nd.stop_gradient, [0, 0]),
        (nd.make_loss, [1, 1]),
    ):
        x.attach_grad()
        x.grad[:] = 9
        with autograd.record():
            y = function(x) * 5 if want == [0, 0] else function(x)
        y.backward()
        assert x.grad.asnumpy().tolist() == want


def test_cast():
    x = nd.array([1.9, -1.9, 300])
    assert nd.cast(x, "int32").asnumpy().tolist() == [1, -1, 300]
    with pytest.raises(AttributeValueError, match="dtype"):
        nd.cast(x, "complex64")
    x.attach_grad()
    with autograd.record():
        y = nd.cast(x, "float64") * 2
    y.backward()
    assert x.grad.dtype is np.float32 and x.grad.asnumpy().tolist() == [2, 2, 2]


def test_clip_passes_the_gradient_inside():
    x = nd.array([-2.0, 0.5, 2.0])
    x.attach_grad()
    with autograd.record():
        y = nd.clip(x, -1, 1)
    y.backward()
    assert y.asnumpy().tolist() == [-1, 0.5, 1] and x.grad.asnumpy().tolist() == [0, 1, 0]


def test_where_by_row():
    x = nd.ones((2, 2))
    assert nd.where(nd.array([1, 0]), x, -x).asnumpy().tolist() == [[1, 1], [-1, -1]]
    with pytest.raises(ShapeError, match="'condition'"):
        nd.where(nd.zeros(3), x, x)


def test_facts():
    x = nd.zeros((2, 0, 3))
    assert nd.shape_array(x).asnumpy().tolist() == [2, 0, 3]
    assert nd.size_array(x).asnumpy().tolist() == [0]
    assert nd.shape_array(x).dtype is np.int64


def test_constants_keep_the_type():
    x = nd.zeros((2,), dtype="int8")
    assert nd.ones_like(x).dtype is np.int8 and nd.zeros_like(x).asnumpy().tolist() == [0, 0]


def test_quadratics():
    x = nd.array([-2.5, 0, 1.5, np.inf])
    x.attach_grad()
    with autograd.record():
        y = nd.contrib.quadratic(x, a=2, b=3, c=1)
    y.backward(nd.arange(4))
    assert y.asnumpy().tolist() == [6, 1, 10, np.inf]
    assert x.grad.asnumpy().tolist() == [0, 3, 18, np.inf]
    whole = nd.contrib.quadratic(nd.ones((2,), dtype="int32"), a=2, b=1, c=0.5)
    assert whole.dtype is np.int32 and whole.asnumpy().tolist() == [3, 3]
    csr = nd.array([[0, 1], [0, 4]]).tostype("csr")
    assert nd.contrib.quadratic(csr, a=1, b=1).stype == "csr"
    assert nd.contrib.quadratic(csr, a=1, c=1).asnumpy().tolist() == [[1, 2], [1, 17]]
