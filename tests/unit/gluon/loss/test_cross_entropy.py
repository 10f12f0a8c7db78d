import warnings

import numpy as np
import pytest

from opforge import autograd, gluon, nd

PRED = np.array([[1.0, -2, 0.25], [3, 0.5, 4]])
DENSE = np.array([[0.5, 0.25, 0.25], [0, 1, 0]])
YES = np.array([[1.0, 0, 1], [0, 1, 1]])
WEIGHT = np.array([[2.0], [0.5]])


def log_softmax(x, axis=-1):
    shifted = x - x.max(axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))


def check(loss, reference, inputs, value_and_gradient, numeric_gradient):
    out, gradient = value_and_gradient(loss, *inputs)
    np.testing.assert_allclose(out, reference(inputs[0]), rtol=1e-5)
    expected = numeric_gradient(reference, inputs[0])
    np.testing.assert_allclose(gradient, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_sparse_labels(weight, value_and_gradient, numeric_gradient):
    def reference(pred):
        factor = 1 if weight is None else weight[:, 0]
        return -3 * log_softmax(pred)[[0, 1], [2, 0]] * factor

    loss = gluon.loss.SoftmaxCrossEntropyLoss(weight=3.0)
    check(loss, reference, (PRED, [2, 0], weight), value_and_gradient, numeric_gradient)


@pytest.mark.parametrize("from_logits", [False, True])
@pytest.mark.parametrize(
    ("axis", "batch_axis", "label"), [(0, 0, [0, 1, 1]), (0, 1, [0, 1, 1]), (1, 1, [2, 0])]
)
def test_classes_on_other_axes(axis, batch_axis, label, from_logits, value_and_gradient):
    loss = gluon.loss.SoftmaxCELoss(axis=axis, batch_axis=batch_axis, from_logits=from_logits)
    scores = PRED if from_logits else log_softmax(PRED, axis)
    losses = -np.take_along_axis(scores, np.expand_dims(label, axis), axis)
    out, _ = value_and_gradient(loss, PRED, label)
    np.testing.assert_allclose(out, losses.mean(1 - batch_axis), rtol=1e-5)


def test_dense_labels(value_and_gradient, numeric_gradient):
    def reference(pred):
        return -(log_softmax(pred) * DENSE).sum(axis=1)

    loss = gluon.loss.SoftmaxCELoss(sparse_label=False)
    check(loss, reference, (PRED, DENSE), value_and_gradient, numeric_gradient)


def test_other_axes(value_and_gradient, numeric_gradient):
    def reference(pred):
        return -log_softmax(pred, 0)[[1, 0, 1], [0, 1, 2]]

    loss = gluon.loss.SoftmaxCrossEntropyLoss(axis=0, batch_axis=1)
    check(loss, reference, (PRED, [1, 0, 1]), value_and_gradient, numeric_gradient)


def test_pixels_are_averaged(value_and_gradient):
    pred, label = np.random.randn(2, 5, 4), np.random.randint(0, 5, (2, 4))
    out, _ = value_and_gradient(gluon.loss.SoftmaxCrossEntropyLoss(axis=1), pred, label)
    chosen = np.take_along_axis(log_softmax(pred, 1), label[:, None], axis=1)
    np.testing.assert_allclose(out, -chosen.mean(axis=(1, 2)), rtol=1e-5)


@pytest.mark.parametrize("is_hybrid", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_ignored_labels_have_no_loss_and_no_gradient(is_hybrid, dtype):
    x, label = np.random.randn(2, 3, 4), np.array([[1, -1, 3], [-1, -1, 0]])
    pred = nd.array(x)
    pred.attach_grad()
    loss = gluon.loss.SoftmaxCrossEntropyLoss(ignore_label=-1)
    if is_hybrid:
        loss.hybridize()
    with warnings.catch_warnings(), autograd.record():
        warnings.simplefilter("error")  # -1 is not reported as a wrong class
        out = loss(pred, nd.array(label, dtype=dtype))
    out.backward()
    scores = log_softmax(x)
    expected = [-(scores[0, 0, 1] + scores[0, 2, 3]) / 3, -scores[1, 2, 0] / 3]
    np.testing.assert_allclose(out.asnumpy(), expected, rtol=1e-5)
    is_counted = (pred.grad.asnumpy() != 0).all(axis=2)
    np.testing.assert_array_equal(is_counted, label >= 0)


def test_distributions_have_no_ignored_label():
    with pytest.raises(ValueError, match="ignore_label is a class index"):
        gluon.loss.SoftmaxCrossEntropyLoss(sparse_label=False, ignore_label=0)


def test_from_logits(value_and_gradient):
    loss = gluon.loss.SoftmaxCrossEntropyLoss(from_logits=True)
    out, _ = value_and_gradient(loss, np.log(DENSE + 1e-3), [0, 1])
    np.testing.assert_allclose(out, -np.log(DENSE + 1e-3)[[0, 1], [0, 1]], rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("pos_weight", [None, np.array([[0.5, 2, 3]])], ids=["plain", "pos_weight"])
@pytest.mark.parametrize("from_sigmoid", [False, True])
def test_binary(from_sigmoid, pos_weight, value_and_gradient, numeric_gradient):
    factor = 1 if pos_weight is None else pos_weight

    def reference(pred):
        p = pred if from_sigmoid else 1 / (1 + np.exp(-pred))
        return -(factor * YES * np.log(p) + (1 - YES) * np.log(1 - p)).mean(axis=1)

    pred = 1 / (1 + np.exp(-PRED)) if from_sigmoid else PRED
    loss = gluon.loss.SigmoidBCELoss(from_sigmoid=from_sigmoid)
    check(loss, reference, (pred, YES, None, pos_weight), value_and_gradient, numeric_gradient)


def test_binary_at_zero_and_far_out(value_and_gradient):
    loss = gluon.loss.SigmoidBinaryCrossEntropyLoss()
    out, gradient = value_and_gradient(loss, [[0.0], [1000], [-1000]], [[1.0], [0], [0]])
    assert out.tolist() == pytest.approx([np.log(2), 1000, 0])
    assert gradient.ravel().tolist() == pytest.approx([-0.5, 1, 0])


@pytest.mark.parametrize("from_logits", [True, False])
def test_divergence_is_summed(from_logits, value_and_gradient, numeric_gradient):
    def reference(pred):
        logs = pred if from_logits else log_softmax(pred)
        return (DENSE * (np.log(DENSE + 1e-12) - logs)).sum(axis=1)

    loss = gluon.loss.KLDivLoss(from_logits=from_logits)
    check(loss, reference, (PRED, DENSE), value_and_gradient, numeric_gradient)


def test_hybridized_numbers_are_the_same():
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    pred, label = nd.array(PRED), nd.array([2, 0])
    before = loss(pred, label).asnumpy()
    loss.hybridize()
    assert (loss(pred, label).asnumpy() == before).all()
