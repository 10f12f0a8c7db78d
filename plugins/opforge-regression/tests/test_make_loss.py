import json

import numpy as np
import pytest

import opforge as mx
from opforge import autograd, nd, sym
from opforge.base.errors import AttributeValueError, DTypeError

X = np.array([[0.0, 1.0, 2.0], [3.0, -1.0, 0.5]])


def gradient(x, head=None, **attributes):
    data = nd.array(x)
    data.attach_grad()
    with autograd.record():
        y = nd.MakeLoss(data, **attributes)
    y.backward(head)
    assert np.array_equal(y.asnumpy(), np.asarray(x, dtype="float32"))
    return data.grad.asnumpy()


@pytest.mark.parametrize("scale", [1.0, 3.0, -0.5])
def test_gradient_is_the_scale_for_any_incoming_gradient(scale):
    for head in (None, nd.full((2, 3), 100.0)):
        assert np.array_equal(gradient(X, head, grad_scale=scale), np.full(X.shape, scale))


@pytest.mark.parametrize("threshold", [0.0, 0.1, 1.0, 2.5, 100.0])
def test_gradient_is_divided_by_the_number_of_valid_elements(threshold):
    grad = gradient(X, grad_scale=3, normalization="valid", valid_thresh=threshold)
    valid = max((threshold < X).sum(), 1)
    np.testing.assert_allclose(grad, np.full(X.shape, 3 / valid), rtol=1e-6)


@pytest.mark.parametrize("shape", [(5,), (2, 3), (4, 2, 3)])
def test_batch_normalization_counts_rows_as_mxnet_does(shape):
    """MXNet flattens the array to a matrix whose rows are the batch."""
    grad = gradient(np.ones(shape), normalization="batch")
    rows = np.ones(shape).reshape(-1, shape[-1]).shape[0]
    np.testing.assert_allclose(grad, np.full(shape, 1 / rows), rtol=1e-6)


def test_custom_loss_is_minimized():
    """Module minimizes an expression wrapped in MakeLoss."""
    data, label = sym.var("data"), sym.var("label")
    fc = sym.FullyConnected(data, num_hidden=1, no_bias=True, name="fc")
    made = sym.MakeLoss(sym.square(sym.reshape(fc, shape=(-1,)) - label), name="loss")
    x = np.random.default_rng(1).standard_normal((64, 2)).astype("float32")
    truth = np.array([[2.0, -1.0]], dtype="float32")
    iterator = mx.io.NDArrayIter(x, (x @ truth.T)[:, 0], 16, label_name="label")
    module = mx.mod.Module(made, label_names=["label"])
    module.fit(
        iterator,
        eval_metric=mx.metric.Loss(),
        optimizer="sgd",
        optimizer_params={"learning_rate": 0.2},
        num_epoch=15,
    )
    weight = module.get_params()[0]["fc_weight"].asnumpy()
    np.testing.assert_allclose(weight, truth, atol=1e-3)


def test_attributes_are_saved_as_in_mxnet():
    made = sym.MakeLoss(
        sym.var("data"), grad_scale=2, normalization="valid", valid_thresh=0.1, name="loss"
    )
    assert made.list_outputs() == ["loss_output"]
    attributes = json.loads(made.tojson())["nodes"][1]["attrs"]
    assert attributes == {"grad_scale": "2", "normalization": "valid", "valid_thresh": "0.1"}


def test_invalid_arguments_are_rejected():
    with pytest.raises(AttributeValueError, match="'batch', 'null', 'valid'"):
        nd.MakeLoss(nd.ones((2,)), normalization="x")
    with pytest.raises(DTypeError, match="'data' has dtype int32; expected float32"):
        nd.MakeLoss(nd.ones((2,), dtype="int32"))
