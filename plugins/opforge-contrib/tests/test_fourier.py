import numpy as np
import pytest

from opforge import autograd, nd, sym
from opforge.gluon import nn


def complex_numbers(array):
    return array.asnumpy().astype(np.float64).view(np.complex128)


@pytest.mark.parametrize("shape", [(3, 5), (3, 6), (2, 1), (2, 2), (2, 3, 4, 7), (300, 4)])
def test_transforms_equal_numpy_s(shape):
    x = np.random.default_rng(0).normal(size=shape)
    y = nd.contrib.fft(nd.array(x, dtype="float64"))
    assert y.shape == (*shape[:-1], 2 * shape[-1])
    np.testing.assert_allclose(complex_numbers(y), np.fft.fft(x), atol=1e-13)
    # The inverse has no factor, as in MXNet.
    back = nd.contrib.ifft(y, compute_size=2)
    np.testing.assert_allclose(back.asnumpy(), x * shape[-1], atol=1e-12)


def test_inverse_of_a_spectrum_that_is_not_hermitian_is_real():
    x = nd.array([[1, 2, 3, 4, 5, 6]], dtype="float64")
    expected = 3 * np.fft.ifft(complex_numbers(x)).real
    np.testing.assert_allclose(nd.contrib.ifft(x).asnumpy(), expected, atol=1e-14)


def test_gradients_are_the_other_transform():
    x = nd.array([[1, 2, 3], [4, 5, 6]])
    x.attach_grad()
    with autograd.record():
        y = nd.contrib.fft(x)
    head = nd.arange(12).reshape((2, 6))
    y.backward(head)
    expected = 3 * np.fft.ifft(complex_numbers(head)).real
    np.testing.assert_allclose(x.grad.asnumpy(), expected, rtol=1e-5, atol=1e-5)
    x = nd.arange(4).reshape((1, 4))
    x.attach_grad()
    with autograd.record():
        y = nd.contrib.ifft(x)
    y.backward(nd.array([[1, 3]]))
    assert x.grad.asnumpy().tolist() == [[4, 0, -2, 0]]


@pytest.mark.parametrize(("dtype", "rtol"), [("float16", 1e-3), ("float32", 1e-6)])
def test_types(dtype, rtol):
    x = np.random.default_rng(0).normal(size=(2, 8)).astype(dtype)
    y = nd.contrib.fft(nd.array(x, dtype=dtype))
    assert y.dtype == np.dtype(dtype)
    expected = np.fft.fft(x.astype(np.float64))
    np.testing.assert_allclose(complex_numbers(y), expected, rtol=rtol, atol=rtol)
    assert nd.contrib.ifft(y).dtype == np.dtype(dtype)


def test_not_a_number_and_no_rows():
    y = nd.contrib.fft(nd.array([[1, np.nan], [1, 2]])).asnumpy()
    assert np.isnan(y[0, ::2]).all()
    assert y[1].tolist() == [3, 0, -1, 0]
    assert nd.contrib.fft(nd.zeros((0, 3))).shape == (0, 6)
    assert nd.contrib.ifft(nd.zeros((2, 0))).shape == (2, 0)


def test_an_odd_last_length_is_rejected():
    with pytest.raises(ValueError, match=r"data has shape \(2, 3\); expected an even last length"):
        nd.contrib.ifft(nd.zeros((2, 3)))


def test_symbols_and_blocks():
    y = sym.contrib.ifft(sym.contrib.fft(sym.var("data"), name="f"), name="i")
    assert y.list_outputs() == ["i_output"]
    assert y.infer_shape(data=(2, 3))[1] == [(2, 3)]
    x = nd.array([[1, 2, 3]])
    np.testing.assert_allclose(y.eval(data=x)[0].asnumpy(), 3 * x.asnumpy(), rtol=1e-6)
    block = nn.HybridLambda(lambda F, x: F.contrib.fft(x))
    expected = block(x).asnumpy()
    block.hybridize()
    np.testing.assert_array_equal(block(x).asnumpy(), expected)
