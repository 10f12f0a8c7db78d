import math

import numpy as np
import pytest

from opforge import autograd, gluon, nd

LOGITS = np.array([[0.5, -1.0, 2.0], [1.0, 0.0, -0.5]])
COUNTS = np.array([[0.0, 1, 2], [3, 5, 1]])
WEIGHTS = np.array([[1.0], [0.25]])


def stirling(counts):
    return np.array(
        [n * math.log(n) - n + math.log(2 * math.pi * n) / 2 if n > 1 else 0 for n in counts.flat]
    ).reshape(counts.shape)


@pytest.mark.parametrize("hybridize", [False, True])
@pytest.mark.parametrize("compute_full", [False, True])
@pytest.mark.parametrize("from_logits", [False, True])
def test_values_and_gradients(from_logits, compute_full, hybridize):
    pred = LOGITS if from_logits else np.exp(LOGITS)
    # Epsilon is 1e-8: without effect in float32 here.
    expected = np.exp(LOGITS) - COUNTS * LOGITS + compute_full * stirling(COUNTS)
    gradient = np.exp(LOGITS) - COUNTS if from_logits else 1 - COUNTS / np.exp(LOGITS)
    loss = gluon.loss.PoissonNLLLoss(2.0, from_logits, compute_full=compute_full)
    loss.hybridize(hybridize)
    x = nd.array(pred)
    x.attach_grad()
    with autograd.record():
        out = loss(x, nd.array(COUNTS), nd.array(WEIGHTS))
    out.backward()
    assert out.shape == (1,)
    assert out.asscalar() == pytest.approx((2 * WEIGHTS * expected).mean(), rel=1e-6)
    np.testing.assert_allclose(x.grad.asnumpy(), 2 * WEIGHTS * gradient / 6, rtol=1e-5, atol=1e-7)


def test_targets_take_the_shape_of_the_predictions():
    loss = gluon.loss.PoissonNLLLoss()
    pred = nd.array(LOGITS)
    flat = loss(pred, nd.array(COUNTS.ravel()))
    assert flat.asscalar() == loss(pred, nd.array(COUNTS)).asscalar()
