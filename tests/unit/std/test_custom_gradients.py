"""Gradients that are passed through, or multiplied; the numbers are MXNet 1.9.1's."""

import numpy as np
import pytest

from opforge import autograd, nd, sym

X = [-2.5, -1.5, -0.5, 0.0, 0.5, 1.5, 2.5, np.inf]
CASES = [
    ("round_ste", {}, [-3, -2, -1, 0, 1, 2, 3, np.inf], 1.0),
    ("sign_ste", {}, [-1, -1, -1, 0, 1, 1, 1, 1], 1.0),
    ("gradientmultiplier", {"scalar": -0.5}, X, -0.5),
    ("gradientmultiplier", {}, X, 1.0),
]


@pytest.mark.parametrize(("name", "attributes", "values", "factor"), CASES)
def test_values_and_gradients(name, attributes, values, factor):
    x, head = nd.array(X), nd.arange(8)
    x.attach_grad()
    with autograd.record():
        y = getattr(nd.contrib, name)(x, **attributes)
    y.backward(head)
    assert y.asnumpy().tolist() == values
    np.testing.assert_array_equal(x.grad.asnumpy(), factor * np.arange(8))
    graph = getattr(sym.contrib, name)(sym.var("x"), **attributes)
    run = graph.bind(None, {"x": x}, {"x": nd.zeros(8)})
    assert run.forward(is_train=True)[0].asnumpy().tolist() == values
    run.backward(head)
    np.testing.assert_array_equal(run.grad_dict["x"].asnumpy(), factor * np.arange(8))


def test_whole_numbers_stay():
    x = nd.array([-2, 0, 5], dtype="int32")
    for call in (nd.contrib.round_ste, nd.contrib.gradientmultiplier):
        assert call(x).dtype is np.int32 and call(x).asnumpy().tolist() == [-2, 0, 5]
