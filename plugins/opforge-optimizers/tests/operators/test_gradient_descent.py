"""Optimizer steps change weights and states in place."""

import numpy as np

from opforge import nd


def test_sgd_writes_the_weight():
    w = nd.array([1.0, -1.0])
    assert nd.sgd_update(w, nd.array([1.0, 1.0]), out=w, lr=0.5, wd=0.1) is w
    np.testing.assert_allclose(w.asnumpy(), [1 - 0.5 * 1.1, -1 - 0.5 * 0.9], rtol=1e-6)


def test_momentum_is_kept_in_the_state():
    w, m = nd.zeros(1), nd.zeros(1)
    for want in (-0.1, -0.29, -0.561):
        nd.sgd_mom_update(w, nd.ones(1), m, out=w, lr=0.1, momentum=0.9)
        np.testing.assert_allclose(w.asscalar(), want, rtol=1e-6)
    np.testing.assert_allclose(m.asscalar(), -0.271, rtol=1e-6)


def test_adam_moments_are_kept():
    w, mean, var = nd.zeros(1), nd.zeros(1), nd.zeros(1)
    nd.adam_update(w, nd.array([2.0]), mean, var, out=w, lr=0.01)
    np.testing.assert_allclose(mean.asscalar(), 0.2, rtol=1e-6)
    np.testing.assert_allclose(var.asscalar(), 0.004, rtol=1e-6)
    np.testing.assert_allclose(w.asscalar(), -0.01 * 0.2 / np.sqrt(0.004), rtol=1e-5)


def test_gradient_is_rescaled_then_clipped():
    w = nd.zeros(3)
    grad = nd.array([-10.0, 1.0, 10.0])
    nd.sgd_update(w, grad, out=w, lr=1, rescale_grad=0.5, clip_gradient=2)
    assert w.asnumpy().tolist() == [2, -0.5, -2]
    assert grad.asnumpy().tolist() == [-10, 1, 10]
