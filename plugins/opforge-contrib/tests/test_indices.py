import numpy as np
import pytest

from opforge import autograd, nd, sym


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "int64"])
def test_results_have_the_type_of_the_data(dtype):
    columns = nd.array([[3, 6, 6], [4, 5, 1]], dtype=dtype)
    flat = nd.ravel_multi_index(columns, shape=(-1, 6))
    assert flat.dtype == np.dtype(dtype)
    assert flat.asnumpy().tolist() == [22, 41, 37]
    back = nd.unravel_index(flat, shape=(-1, 6))
    assert back.dtype == np.dtype(dtype)
    assert back.asnumpy().tolist() == columns.asnumpy().tolist()


def test_indices_are_not_compared_with_the_shape():
    assert nd.ravel_multi_index(nd.array([[8, -1], [9, -2]]), shape=(7, 6)).asnumpy().tolist() == [
        57,
        -8,
    ]
    back = nd.unravel_index(nd.array([100, -1, -7]), shape=(7, 6)).asnumpy()
    assert back.tolist() == [[16, 0, -1], [4, -1, -1]]


def test_fractions_are_truncated_after_each_axis():
    assert nd.ravel_multi_index(nd.array([[1.7], [2.6]]), shape=(7, 6)).asscalar() == 8
    assert nd.unravel_index(nd.array([22.7]), shape=(7, 6)).asnumpy().tolist() == [[3], [4]]


def test_large_indices_are_exact():
    big = 2**60 + 1
    back = nd.unravel_index(nd.array([big], dtype="int64"), shape=(-1, 3, 5))
    assert nd.ravel_multi_index(back, shape=(-1, 3, 5)).asnumpy().tolist() == [big]


def test_matrices_of_flat_indices_get_a_new_first_axis():
    back = nd.unravel_index(nd.array([[22, 41], [37, 1]]), shape=(7, 6))
    assert back.asnumpy().tolist() == [[[3, 6], [6, 0]], [[4, 5], [1, 1]]]


def test_gradients_are_zero():
    x = nd.array([[1.0], [2]])
    x.attach_grad()
    with autograd.record():
        y = nd.ravel_multi_index(x, shape=(7, 6))
    y.backward()
    assert x.grad.asnumpy().tolist() == [[0], [0]]


@pytest.mark.parametrize("data", [(2,), (3, 4), (2, 1, 3)])
def test_misfits(data):
    with pytest.raises(ValueError, match=r"expected \(2, n\)"):
        nd.ravel_multi_index(nd.ones(data), shape=(7, 6))


@pytest.mark.parametrize("shape", [(), (2, 0), (3, -1)])
def test_invalid_shapes(shape):
    with pytest.raises(ValueError, match="shape"):
        nd.unravel_index(nd.ones((1,)), shape=shape)


def test_shapes_are_inferred_backwards():
    y = sym.ravel_multi_index(sym.var("a"), shape=(7, 6)) + sym.var("b")
    assert y.infer_shape(b=(5,))[0] == [(2, 5), (5,)]
