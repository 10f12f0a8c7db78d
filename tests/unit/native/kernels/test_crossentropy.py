"""Cross-entropy kernels: short rows, which are computed together, and long rows."""

import numpy as np
import pytest

from opforge import nd
from opforge.native.calls.cross_entropy import softmax_cross_entropy, softmax_cross_entropy_grad


@pytest.mark.parametrize("classes", [1, 2, 31, 32, 33, 100])
@pytest.mark.parametrize("rows", [1, 15, 16, 17, 40])
def test_short_and_long_rows_agree_with_the_definition(rows, classes):
    x = 5 * np.random.randn(rows, classes)
    label = np.random.randint(0, classes, rows)
    head = np.random.randn(rows)
    p = np.exp(x - x.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    data, labels, head_grads = (nd.array(values, dtype="float64") for values in (x, label, head))
    loss, saved, dx = nd.zeros_like(head_grads), nd.zeros((rows, 2), dtype="float64"), data.copy()
    softmax_cross_entropy(data, labels, loss, saved)
    np.testing.assert_allclose(
        loss.asnumpy(), -np.log(p[np.arange(rows), label]), rtol=1e-12, atol=1e-14
    )
    softmax_cross_entropy_grad(head_grads, data, labels, saved, dx)
    p[np.arange(rows), label] -= 1
    np.testing.assert_allclose(dx.asnumpy(), p * head[:, None], rtol=1e-10, atol=1e-13)


def test_rows_without_a_finite_sum_give_nan():
    x = nd.array([[np.nan, 0.0], [np.inf, 0.0], [-np.inf, -np.inf], [0.0, 0.0]])
    loss, saved = nd.zeros((4,)), nd.zeros((4, 2))
    softmax_cross_entropy(x, nd.zeros((4,)), loss, saved)
    assert np.isnan(loss.asnumpy()).tolist() == [True, True, True, False]
