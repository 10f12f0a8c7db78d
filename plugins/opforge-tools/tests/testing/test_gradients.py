"""The gradient check accepts right gradients of both orders and finds wrong ones."""

import numpy as np
import pytest

import opforge as mx
from opforge import nd
from opforge.testing import GradientMismatchError, check_gradients

X = np.array([0.5, -1.5, 2.0])


class _WrongSlope(mx.autograd.Function):
    def forward(self, x):
        return x * x

    def backward(self, dy):
        return dy * 3


@pytest.mark.parametrize("order", [1, 2])
def test_right_gradients_pass(order):
    check_gradients(lambda x: nd.exp(x) * nd.sin(x), [X], order=order)


def test_several_inputs_and_outputs():
    check_gradients(lambda a, b: [a * b, nd.exp(a)], [X, X + 1])


def test_a_wrong_gradient_is_found():
    with pytest.raises(GradientMismatchError, match=r"order 1: analytic .* numeric .*\(3,\)"):
        check_gradients(lambda x: _WrongSlope()(x), [X])
