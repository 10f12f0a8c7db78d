import numpy as np
import pytest

from opforge import autograd, nd, sym

X = [[0.5, -0.2, 2], [1, 0.9, -3]]


def gradient(x, label, **attributes):
    data = nd.array(x)
    data.attach_grad()
    with autograd.record():
        y = nd.SVMOutput(data, nd.array(label), **attributes)
    y.backward(nd.ones_like(y) * 5)
    np.testing.assert_array_equal(y.asnumpy(), data.asnumpy())
    return data.grad.asnumpy()


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({}, [[-1, 1.6, 6], [4, -0.2, 0]]),
        ({"use_linear": True}, [[-1, 1, 1], [1, -1, 0]]),
        (
            {"margin": 0.3, "regularization_coefficient": 0.7},
            [[0, 0.14, 3.22], [1.82, 0, 0]],
        ),
    ],
)
def test_gradient_ignores_head_gradients(attributes, expected):
    np.testing.assert_allclose(gradient(X, [0, 1], **attributes), expected, atol=1e-6)


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ([3, 4], [[3, 1.6, 6], [4, 3.8, 0]]),
        ([-1, 0], [[3, 1.6, 6], [0, 3.8, 0]]),
        ([0.7, 1.2], [[-1, 1.6, 6], [4, -0.2, 0]]),
    ],
)
def test_labels_that_are_no_classes(label, expected):
    np.testing.assert_allclose(gradient(X, label), expected, atol=1e-6)


@pytest.mark.parametrize("use_linear", [False, True])
def test_nan_has_no_gradient(use_linear):
    grad = gradient([[np.nan, -2.0]], [0], use_linear=use_linear)
    assert grad.tolist() == [[0, 0]]


@pytest.mark.parametrize("label", [[[0], [1]], [0, 1, 2]])
def test_misfits(label):
    with pytest.raises(ValueError, match=r"expected \(n, classes\) and \(n,\)"):
        nd.SVMOutput(nd.array(X), nd.array(label))


def test_symbol_has_a_label():
    y = sym.SVMOutput(sym.var("data"), name="svm")
    assert y.list_arguments() == ["data", "svm_label"]
    assert y.infer_shape(data=(4, 3))[0] == [(4, 3), (4,)]
