"""Tests of the fused cross-entropy, its gradients and the loss that uses it."""

import numpy as np
import pytest

from opforge import autograd, gluon, nd
from opforge.base.errors import OpforgeError, ShapeError
from opforge.testing import check_gradients


def reference(x, label):
    x = x.astype("float64")
    shifted = x - x.max(axis=-1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    clipped = np.clip(label, 0, x.shape[-1] - 1).astype(int)
    return -np.take_along_axis(log_p, clipped[..., None], axis=-1)[..., 0]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("label_dtype", ["float32", "int32", "int64", "uint8"])
@pytest.mark.parametrize("shape", [(1, 1), (5, 3), (2, 4, 7), (3000, 10), (0, 3)])
def test_forward(dtype, label_dtype, shape):
    x = (3 * np.random.randn(*shape)).astype(dtype)
    label = np.random.randint(0, shape[-1], shape[:-1]).astype(label_dtype)
    loss = nd._softmax_cross_entropy(nd.array(x, dtype=dtype), nd.array(label, dtype=label_dtype))
    assert loss.dtype == np.dtype(dtype)
    tolerance = {"float16": 4e-3, "float32": 1e-5, "float64": 1e-13}[dtype]
    np.testing.assert_allclose(loss.asnumpy(), reference(x, label), rtol=tolerance, atol=tolerance)


def test_labels_out_of_range_are_clipped_as_by_pick():
    x = np.random.randn(4, 3)
    label = np.array([-5, 3, 100, 1])
    result = nd._softmax_cross_entropy(nd.array(x, dtype="float64"), nd.array(label, dtype="int32"))
    np.testing.assert_allclose(result.asnumpy(), reference(x, label))


@pytest.mark.parametrize("shape", [(4, 3), (2, 3, 5)])
def test_gradients_of_first_and_second_order(shape):
    label = nd.array(np.random.randint(0, shape[-1], shape[:-1]))
    check_gradients(
        lambda x: nd._softmax_cross_entropy(x, label), [np.random.randn(*shape)], order=2
    )


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_loss_matches_its_composition(dtype):
    x = nd.array(np.random.randn(64, 10), dtype=dtype)
    label = nd.array(np.random.randint(0, 10, 64))
    results = []
    for loss_function in (
        gluon.loss.SoftmaxCrossEntropyLoss(weight=0.5),
        lambda p, y: -0.5 * nd.pick(nd.log_softmax(p), y),
    ):
        x.attach_grad()
        with autograd.record():
            loss = loss_function(x, label)
        loss.backward()
        results.append((loss.asnumpy(), x.grad.asnumpy()))
    for fused, composed in zip(*results, strict=True):
        assert fused.shape == composed.shape
        np.testing.assert_allclose(
            fused,
            composed,
            rtol=1e-2 if dtype == "float16" else 1e-5,
            atol=2e-3 if dtype == "float16" else 1e-6,
        )


def test_invalid_arguments_are_rejected():
    x, label = nd.ones((4, 3)), nd.zeros((4,))
    with pytest.raises(ShapeError, match=r"data has shape \(4, 3\) and label \(3,\)"):
        nd._softmax_cross_entropy(x, nd.zeros((3,)))
    with pytest.raises(ShapeError, match="classes"):
        nd._softmax_cross_entropy(nd.ones((4,)), label)
    with pytest.raises(OpforgeError, match="int32"):
        nd._softmax_cross_entropy(x.astype("int32"), label)


def test_data_without_classes_is_rejected():
    with pytest.raises(ShapeError, match="axis of length 0"):
        nd._softmax_cross_entropy(nd.zeros((4, 0)), nd.zeros((4,)))
