import numpy as np
import pytest

from opforge import gluon

PRED = np.array([[1.0, -2, 0.25], [3, 0.5, 4]])
LABEL = np.array([[0.5, 1, 0], [3.5, 0.25, 1]])
WEIGHT = np.array([[2.0], [0.5]])


def huber(difference, rho):
    size = abs(difference)
    return np.where(size > rho, size - 0.5 * rho, size**2 / (2 * rho))


@pytest.mark.parametrize(
    ("loss", "f"),
    [
        (gluon.loss.L2Loss(), lambda d: d**2 / 2),
        (gluon.loss.L2Loss(weight=3.0), lambda d: 3 * d**2 / 2),
        (gluon.loss.L1Loss(), abs),
        (gluon.loss.L1Loss(weight=0.5), lambda d: abs(d) / 2),
        (gluon.loss.HuberLoss(rho=0.6), lambda d: huber(d, 0.6)),
    ],
    ids=lambda value: repr(value) if isinstance(value, gluon.loss.Loss) else "",
)
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_values_and_gradients(loss, f, weight, value_and_gradient, numeric_gradient):
    def reference(pred):
        return (f(LABEL - pred) * (1 if weight is None else weight)).mean(axis=1)

    out, gradient = value_and_gradient(loss, PRED, LABEL, weight)
    np.testing.assert_allclose(out, reference(PRED), rtol=1e-5)
    np.testing.assert_allclose(gradient, numeric_gradient(reference, PRED), rtol=1e-4, atol=1e-6)


def test_labels_are_reshaped_and_vectors_stay(value_and_gradient):
    out, _ = value_and_gradient(gluon.loss.L2Loss(), PRED, LABEL.ravel())
    np.testing.assert_allclose(out, ((LABEL - PRED) ** 2).mean(axis=1) / 2, rtol=1e-6)
    out, _ = value_and_gradient(gluon.loss.L2Loss(), PRED[:, 0], LABEL[:, 0])
    np.testing.assert_allclose(out, (LABEL - PRED)[:, 0] ** 2 / 2, rtol=1e-6)
