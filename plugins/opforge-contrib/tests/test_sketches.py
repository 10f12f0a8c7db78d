import numpy as np
import pytest

from opforge import autograd, nd, sym
from opforge.gluon import nn

X = [[1.25, 2.5, 3.5], [3.25, 5.75, 6.5]]
H, S = [[0, 3, 3]], [[1, -1, 1]]


@pytest.mark.parametrize("shape", [(2, 3), (2, 1, 1, 3)])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_elements_of_equal_index_are_added(shape, dtype):
    x = nd.array(X, dtype=dtype).reshape(shape)
    x.attach_grad()
    with autograd.record():
        y = nd.contrib.count_sketch(
            x, nd.array(H, dtype=dtype), nd.array(S, dtype=dtype), out_dim=5
        )
    assert (y.shape, y.dtype) == ((*shape[:-1], 5), np.dtype(dtype))
    assert y.reshape((2, 5)).asnumpy().tolist() == [[1.25, 0, 0, 1, 0], [3.25, 0, 0, 0.75, 0]]
    y.backward(nd.arange(10, dtype=dtype).reshape(y.shape))
    assert x.grad.reshape((2, 3)).asnumpy().tolist() == [[0, -3, 3], [5, -8, 8]]


def test_indices_and_signs_have_no_gradient():
    x, h, s = map(nd.array, (X, H, S))
    for array in (x, h, s):
        array.attach_grad()
    with autograd.record():
        y = nd.contrib.count_sketch(x, h, s, out_dim=5)
    y.backward()
    assert h.grad.asnumpy().tolist() == s.grad.asnumpy().tolist() == [[0, 0, 0]]


def test_indices_of_another_type_and_further_rows():
    h = nd.array([*H, [9, 9, 9]], dtype="int64")
    y = nd.contrib.count_sketch(nd.array(X), h, nd.array([*S, [7, 7, 7]]), out_dim=4)
    assert y.asnumpy().tolist() == [[1.25, 0, 0, 1], [3.25, 0, 0, 0.75]]


def test_fractions_of_indices_are_truncated():
    y = nd.contrib.count_sketch(nd.array(X), nd.array([[-0.5, 3.9, 3]]), nd.array(S), out_dim=4)
    assert y.asnumpy().tolist() == [[1.25, 0, 0, 1], [3.25, 0, 0, 0.75]]


def test_empty_data():
    y = nd.contrib.count_sketch(nd.zeros((0, 3)), nd.array(H), nd.array(S), out_dim=4)
    assert y.shape == (0, 4)


@pytest.mark.parametrize("index", [4, -1, np.nan])
def test_indices_out_of_range(index):
    with pytest.raises(
        RuntimeError, match=r"'h' has the index .*; expected 0 to 3 because out_dim"
    ):
        nd.contrib.count_sketch(nd.array(X), nd.array([[0, 1, index]]), nd.array(S), out_dim=4)


@pytest.mark.parametrize(
    ("h", "s", "match"),
    [
        ([[0, 3]], S, r"'h' has shape \(1, 2\); expected \(1, 3\) because data has shape \(2, 3\)"),
        (H, [1, 1, 1], r"'s' has shape \(3,\); expected \(1, 3\)"),
    ],
)
def test_misfits(h, s, match):
    with pytest.raises(ValueError, match=match):
        nd.contrib.count_sketch(nd.array(X), nd.array(h), nd.array(s), out_dim=4)


def test_symbols_and_blocks():
    y = sym.contrib.count_sketch(sym.var("data"), out_dim=4, name="c")
    assert y.list_arguments() == ["data", "c_h", "c_s"]
    assert y.infer_shape(data=(2, 3)) == ([(2, 3), (1, 3), (1, 3)], [(2, 4)], [])
    block = nn.HybridLambda(lambda F, *inputs: F.contrib.count_sketch(*inputs, out_dim=4))
    block.hybridize()
    y = block(*map(nd.array, (X, H, S)))
    assert y.asnumpy().tolist() == [[1.25, 0, 0, 1], [3.25, 0, 0, 0.75]]
