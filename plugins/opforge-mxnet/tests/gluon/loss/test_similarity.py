import numpy as np
import pytest

from opforge import autograd, gluon, nd

X = np.array([[1.0, 2, -1], [0.5, -1, 3], [2, 0, 1]])
Y = np.array([[2.0, 1, 0], [1, -1, 2], [-1, 3, 0.5]])


def run(block, *arrays, dtype="float32"):
    x, *others = (nd.array(array, dtype=dtype) for array in arrays)
    x.attach_grad()
    with autograd.record():
        out = block(x, *others)
    out.backward()
    return out, x.grad.asnumpy()


def numeric_gradient(function, x, step=1e-6):
    gradient = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        delta = np.zeros_like(x)
        delta[index] = step
        gradient[index] = (function(x + delta).sum() - function(x - delta).sum()) / (2 * step)
    return gradient


@pytest.mark.parametrize("hybridize", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("margin", [0, 0.8])
def test_cosine_embedding(margin, dtype, hybridize):
    labels, weights = np.array([1.0, -1, 0]), np.array([[1.0], [2], [3]])

    def reference(x):
        cosine = (x * Y).sum(axis=1) / np.linalg.norm(x, axis=1) / np.linalg.norm(Y, axis=1)
        each = (labels == 1) * (1 - cosine) + (labels == -1) * np.maximum(cosine - margin, 0)
        return 0.5 * weights * each[:, None]

    block = gluon.loss.CosineEmbeddingLoss(weight=0.5, margin=margin)
    block.hybridize(hybridize)
    out, gradient = run(block, X, Y, labels, weights, dtype=dtype)
    assert (out.shape, out.dtype) == ((3, 1), np.dtype(dtype))
    np.testing.assert_allclose(out.asnumpy(), reference(X), rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(gradient, numeric_gradient(reference, X), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_vectors_of_zeros_have_the_cosine_0(dtype):
    block = gluon.loss.CosineEmbeddingLoss()
    out, gradient = run(block, np.zeros((2, 3)), Y[:2], np.array([1, -1]), dtype=dtype)
    assert out.asnumpy().tolist() == [[1], [0]]
    assert np.isfinite(gradient).all()


@pytest.mark.parametrize("hybridize", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sdml(dtype, hybridize):
    labels = np.full((3, 3), 0.1) + np.eye(3) * 0.7

    def reference(x):
        scores = -((x[:, None] - Y) ** 2).sum(axis=2)
        log_softmax = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        return (labels * (np.log(labels) - log_softmax)).sum(axis=1)

    block = gluon.loss.SDMLLoss(smoothing_parameter=0.2, weight=3.0)
    block.hybridize(hybridize)
    out, gradient = run(block, X, Y, dtype=dtype)
    assert (out.shape, out.dtype) == ((3,), np.dtype(dtype))
    np.testing.assert_allclose(out.asnumpy(), reference(X), rtol=1e-5)
    np.testing.assert_allclose(gradient, numeric_gradient(reference, X), rtol=1e-4, atol=1e-5)
