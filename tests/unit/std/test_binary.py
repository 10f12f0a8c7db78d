"""Special cases of arithmetic on arrays."""

import numpy as np
import pytest

from opforge import autograd, nd
from opforge.base.errors import DTypeError, ShapeError


def test_remainder_has_the_sign_of_the_divisor():
    a, b = nd.array([7, -7, 7, -7]), nd.array([3, 3, -3, -3])
    assert (a % b).asnumpy().tolist() == [1, 2, -2, -1]
    assert (a % nd.zeros(4)).asnumpy().tolist() == [0, 0, 0, 0]


def test_integer_division_by_zero_does_not_crash():
    a = nd.array([1, 0, -3], dtype="int32")
    for result in (a / nd.zeros(3, dtype="int32"), a % nd.zeros(3, dtype="int32"), a / 0, a % 0):
        assert result.dtype is np.int32 and result.shape == (3,)


def test_types_and_shapes_must_fit():
    with pytest.raises(DTypeError, match="float32 and int32"):
        nd.broadcast_add(nd.zeros(2), nd.zeros(2, dtype="int32"))
    with pytest.raises(ShapeError, match="broadcast"):
        nd.broadcast_add(nd.zeros((2, 3)), nd.zeros(2))


def test_gradients_are_summed_to_the_shapes_before_broadcasting():
    a, b = nd.ones((2, 1)), nd.ones((3,))
    a.attach_grad()
    b.attach_grad()
    with autograd.record():
        y = a * b * nd.array([[1, 2, 3], [4, 5, 6]])
    y.backward()
    assert a.grad.asnumpy().tolist() == [[6], [15]]
    assert b.grad.asnumpy().tolist() == [5, 7, 9]


def test_ties_of_extremes_give_the_left_side_the_gradient():
    a, b = nd.ones(1), nd.ones(1)
    for function in (nd.maximum, nd.minimum):
        a.attach_grad()
        b.attach_grad()
        with autograd.record():
            y = function(a, b)
        y.backward()
        assert (a.grad.asscalar(), b.grad.asscalar()) == (1, 0)


def test_an_input_without_gradient_costs_none():
    a, b = nd.ones(2), nd.ones(2)
    a.attach_grad()
    with autograd.record():
        y = a * b / b
    y.backward()
    assert a.grad.asnumpy().tolist() == [1, 1] and b.grad is None


def test_remainders_of_integers_have_no_gradient():
    a, b = (nd.array(values, dtype="int32") for values in ([7, 8], [2, 3]))
    for function in (lambda: nd.modulo(a, b), lambda: a % b, lambda: a % 2, lambda: 20 % a):
        a.attach_grad()
        b.attach_grad()
        with autograd.record():
            y = function()
        y.backward()
        assert not a.grad.asnumpy().any() and not b.grad.asnumpy().any()
