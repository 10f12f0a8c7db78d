"""Fused gradients: one pass, and rejected arguments."""

import numpy as np
import pytest

from opforge import autograd, nd
from opforge.base.errors import OpforgeError


def test_fused_gradient_is_the_derivative_times_the_head():
    y = nd.array([0.5, -0.25])
    have = nd._backward_tanh(nd.array([2.0, 4.0]), y).asnumpy()
    np.testing.assert_allclose(have, [2 * 0.75, 4 * (1 - 0.0625)])


def test_third_order():
    x = nd.array([0.3], dtype="float64")
    x.attach_grad()
    with autograd.record():
        first = autograd.grad(nd.tanh(x), x, create_graph=True)
        (second,) = autograd.grad(first, x, create_graph=True)
    second.backward()
    t = np.tanh(0.3)
    np.testing.assert_allclose(x.grad.asscalar(), (1 - t * t) * (6 * t * t - 2), rtol=1e-9)


def test_gradients_of_gamma_and_gammaln_at_their_poles():
    for name, expected in [("gamma", [np.inf, -np.inf]), ("gammaln", [np.inf, np.inf])]:
        x = nd.array([0.0, -0.0])
        x.attach_grad()
        with autograd.record():
            y = getattr(nd, name)(x)
        y.backward(nd.array([2, 2]))
        np.testing.assert_array_equal(x.grad.asnumpy(), expected)


def test_gamma_has_no_second_derivative():
    x = nd.array([1.5])
    x.attach_grad()
    with autograd.record():
        first = autograd.grad(nd.gammaln(x), x, create_graph=True)
        with pytest.raises(OpforgeError, match="trigamma"):
            autograd.grad(first, x)
