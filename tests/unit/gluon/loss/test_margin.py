import numpy as np
import pytest

from opforge import gluon

PRED = np.array([[1.5, -2, 0.25], [3, 0.5, 4]])
SIGNS = np.array([[1.0, -1, 1], [-1, 1, 1]])
loss = gluon.loss


@pytest.mark.parametrize(
    ("block", "f", "label"),
    [
        (loss.HingeLoss(), lambda p: np.maximum(0, 1 - p * SIGNS), SIGNS),
        (
            loss.HingeLoss(margin=2.5, weight=0.5),
            lambda p: np.maximum(0, 2.5 - p * SIGNS) / 2,
            SIGNS,
        ),
        (loss.SquaredHingeLoss(), lambda p: np.maximum(0, 1 - p * SIGNS) ** 2, SIGNS),
        (loss.LogisticLoss(), lambda p: np.log1p(np.exp(-p * SIGNS)), SIGNS),
        (
            loss.LogisticLoss(label_format="binary"),
            lambda p: np.log1p(np.exp(-p * SIGNS)),
            (SIGNS + 1) / 2,
        ),
    ],
    ids=lambda x: repr(x) if isinstance(x, gluon.Block) else "",
)
def test_values_and_gradients(block, f, label, value_and_gradient, numeric_gradient):
    def reference(pred):
        return f(pred).mean(axis=1)

    out, gradient = value_and_gradient(block, PRED, label)
    np.testing.assert_allclose(out, reference(PRED), rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(gradient, numeric_gradient(reference, PRED), rtol=1e-4, atol=1e-6)


def test_triplet(value_and_gradient, numeric_gradient):
    positive, negative = PRED + 0.5, PRED * 0.75

    def reference(pred):
        return np.maximum(0, ((positive - pred) ** 2 - (negative - pred) ** 2).sum(axis=1) + 1)

    out, gradient = value_and_gradient(gluon.loss.TripletLoss(), PRED, positive, negative)
    np.testing.assert_allclose(out, reference(PRED), rtol=1e-5)
    np.testing.assert_allclose(gradient, numeric_gradient(reference, PRED), rtol=1e-4, atol=1e-6)


def test_label_format():
    with pytest.raises(ValueError, match="label_format can only be signed or binary"):
        gluon.loss.LogisticLoss(label_format="other")
