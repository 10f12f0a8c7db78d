"""Optimizers with a rate for each element."""

import numpy as np
import pytest

from opforge import nd, optimizer


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", [1, 3, 17, 64])
def test_adamax_leaves_elements_without_a_gradient_alone(dtype, size):
    adamax = optimizer.Adamax(learning_rate=0.5)
    weight = nd.ones((size,), dtype=dtype)
    state = adamax.create_state(0, weight)
    grad = nd.arange(size, dtype=dtype)  # the first is 0
    for step in (1, 2):
        adamax.update(0, weight, grad, state)
        assert weight.asnumpy()[0] == 1
        np.testing.assert_allclose(weight.asnumpy()[1:], 1 - 0.5 * step, 0, 1e-2)


def test_adamax_passes_nan_on():
    adamax = optimizer.Adamax()
    weight = nd.ones((3,))
    adamax.update(0, weight, nd.array([float("nan"), 0, 1]), adamax.create_state(0, weight))
    assert np.isnan(weight.asnumpy()).tolist() == [True, False, False]
