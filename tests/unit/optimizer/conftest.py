"""Runs an optimizer beside a float64 reference."""

import numpy as np
import pytest

from opforge import nd, optimizer


@pytest.fixture
def follow():
    """Return a function that compares several updates with a reference.

    The reference is ``rule(weight, rescaled and clipped gradient, state dict, t) -> weight``.
    """

    def run(made, rule, steps=5, grad_scale=1.0):
        rng = np.random.default_rng(0)
        weight = rng.normal(size=(4, 3))
        array, updater, state = nd.array(weight), optimizer.get_updater(made), {}
        for t in range(1, steps + 1):
            grad = rng.normal(size=(4, 3)) * grad_scale
            updater(0, nd.array(grad), array)
            weight = rule(weight, grad, state, t)
        np.testing.assert_allclose(array.asnumpy(), weight, rtol=2e-5, atol=1e-6)

    return run
