import numpy as np
import pytest

from opforge import autograd, nd, sym
from opforge.base.errors import ShapeError

RNG = np.random.default_rng(1)


def softmax(x, axis=1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def run(x, label, **attributes):
    data = nd.array(x)
    data.attach_grad()
    with autograd.record():
        y = nd.SoftmaxOutput(data, nd.array(label), **attributes)
    y.backward()
    return y.asnumpy(), data.grad.asnumpy()


def test_forward_and_gradient():
    x, label = RNG.standard_normal((3, 4)), np.array([0, 3, 1])
    y, grad = run(x, label)
    p = softmax(x)
    np.testing.assert_allclose(y, p, rtol=1e-5)
    np.testing.assert_allclose(grad, p - np.eye(4)[label], rtol=1e-5, atol=1e-6)


def test_incoming_gradient_is_ignored():
    x = nd.array(RNG.standard_normal((2, 3)))
    x.attach_grad()
    with autograd.record():
        y = nd.SoftmaxOutput(x, nd.array([0, 1]))
    y.backward(nd.full((2, 3), 100.0))
    p = softmax(x.asnumpy())
    np.testing.assert_allclose(x.grad.asnumpy(), p - np.eye(3)[[0, 1]], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("attributes", "divisor"),
    [
        ({}, 1),
        ({"normalization": "batch"}, 4),
        ({"normalization": "valid"}, 4),
        ({"grad_scale": 0.5}, 2),
    ],
)
def test_scaling(attributes, divisor):
    x, label = RNG.standard_normal((4, 3)), np.array([0, 1, 2, 0])
    _, grad = run(x, label, **attributes)
    np.testing.assert_allclose(
        grad, (softmax(x) - np.eye(3)[label]) / divisor, rtol=1e-5, atol=1e-6
    )


def test_ignored_labels():
    x, label = RNG.standard_normal((4, 3)), np.array([0, 1, -1, 2])
    _, grad = run(x, label, use_ignore=True, normalization="valid")
    expected = (softmax(x) - np.eye(3)[label]) / 3
    expected[2] = 0
    np.testing.assert_allclose(grad, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("label", "ignored", "valid"),
    [([0, 1, 2, 0], 0, 2), ([1, 1, 1, 1], 1, 1), ([0, 1, 2, 0], -1, 4)],
)
def test_ignore_label_is_not_valid_even_without_use_ignore(label, ignored, valid):
    x = RNG.standard_normal((4, 3))
    _, grad = run(x, np.array(label), ignore_label=ignored, normalization="valid")
    expected = (softmax(x) - np.eye(3)[label]) / valid
    np.testing.assert_allclose(grad, expected, rtol=1e-5, atol=1e-6)


def test_multi_output_has_one_label_per_position():
    x, label = RNG.standard_normal((2, 3, 4)), RNG.integers(0, 3, (2, 4))
    y, grad = run(x, label, multi_output=True)
    np.testing.assert_allclose(y, softmax(x), rtol=1e-5)
    expected = (softmax(x) - np.eye(3)[label].transpose(0, 2, 1)) / 4
    np.testing.assert_allclose(grad, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("attributes", "shape", "label"),
    [
        ({"multi_output": True}, (2, 3), (2, 1)),
        ({"multi_output": True}, (2, 3, 4), (2, 4)),
        ({"multi_output": True}, (2, 3, 4, 5), (2, 20)),
        ({"multi_output": True, "preserve_shape": True}, (2, 3, 4, 5), (2, 20)),
        ({"preserve_shape": True}, (2, 3, 4, 5), (2, 3, 4)),
        ({}, (2, 3), (2,)),
    ],
)
def test_inferred_label_shapes(attributes, shape, label):
    loss = sym.SoftmaxOutput(sym.var("x"), name="s", **attributes)
    assert loss.infer_shape(x=shape) == ([shape, label], [shape], [])


@pytest.mark.parametrize("label_shape", [(2, 20), (2, 4, 5), (2, 1, 4, 5)])
@pytest.mark.parametrize("preserve_shape", [False, True])
def test_labels_of_positions_may_have_several_shapes(label_shape, preserve_shape):
    x, label = RNG.standard_normal((2, 3, 4, 5)), RNG.integers(0, 3, (2, 4, 5))
    given = {"multi_output": True, "preserve_shape": preserve_shape}
    y, grad = run(x, label.reshape(label_shape), **given)
    np.testing.assert_allclose(y, softmax(x), rtol=1e-5)
    expected = (softmax(x) - np.moveaxis(np.eye(3)[label], -1, 1)) / 20
    np.testing.assert_allclose(grad, expected, rtol=1e-5, atol=1e-6)


def test_smoothing_and_probabilities():
    x, label = RNG.standard_normal((2, 3)), np.array([0, 2])
    smooth = np.where(np.eye(3)[label] == 1, 0.9, 0.05)
    np.testing.assert_allclose(
        run(x, label, smooth_alpha=0.1)[1], softmax(x) - smooth, rtol=1e-5, atol=1e-6
    )
    np.testing.assert_allclose(run(x, smooth)[1], softmax(x) - smooth, rtol=1e-5, atol=1e-6)


def test_out_grad_multiplies_by_the_incoming_gradient():
    """MXNet 1.9.1 multiplies by the output instead."""
    x, head = nd.array([[1, 2, 3]]), np.array([[2.0, 3.0, 4.0]])
    x.attach_grad()
    with autograd.record():
        y = nd.SoftmaxOutput(x, nd.array([0]), out_grad=True)
    y.backward(nd.array(head))
    expected = (softmax(x.asnumpy()) - [[1, 0, 0]]) * head
    np.testing.assert_allclose(x.grad.asnumpy(), expected, rtol=1e-5)


def test_wrong_label_shape():
    with pytest.raises(ShapeError, match="label has shape"):
        nd.SoftmaxOutput(nd.ones((2, 3)), nd.ones((5,)))


@pytest.mark.parametrize("use_ignore", [False, True])
def test_labels_may_be_integers(use_ignore):
    x, label = RNG.standard_normal((4, 3)), np.array([0, 1, 2, 1])
    options = {"use_ignore": use_ignore, "ignore_label": 1}
    data, labels = nd.array(x), nd.array(label, dtype="int32")
    data.attach_grad()
    with autograd.record():
        y = nd.SoftmaxOutput(data, labels, **options)
    y.backward()
    np.testing.assert_allclose(data.grad.asnumpy(), run(x, label, **options)[1], rtol=1e-6)
