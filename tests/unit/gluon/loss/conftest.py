"""Values and gradients of losses for comparison with float64 NumPy."""

import numpy as np
import pytest

from opforge import autograd, nd


@pytest.fixture
def value_and_gradient():
    """Return a function: loss block and NumPy inputs -> loss, gradient of the first input."""

    def run(loss, pred, *others):
        x = nd.array(pred)
        x.attach_grad()
        with autograd.record():
            out = loss(x, *(None if o is None else nd.array(o) for o in others))
        out.backward()
        return out.asnumpy(), x.grad.asnumpy()

    return run


@pytest.fixture
def numeric_gradient():
    """Return a function: f(pred) -> gradient of its sum by central differences."""

    def run(f, pred, step=1e-6):
        pred = np.asarray(pred, "float64")
        gradient = np.zeros_like(pred)
        for index in np.ndindex(*pred.shape):
            up, down = pred.copy(), pred.copy()
            up[index] += step
            down[index] -= step
            gradient[index] = (f(up).sum() - f(down).sum()) / (2 * step)
        return gradient

    return run
