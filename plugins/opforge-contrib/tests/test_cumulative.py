import numpy as np
import pytest

from opforge import autograd, nd, sym
from opforge.base.errors import DTypeError


def test_flattens_without_an_axis():
    x = nd.array([[1, 2, 3], [4, 5, 6]])
    x.attach_grad()
    with autograd.record():
        y = nd.cumsum(x)
    y.backward(nd.array([1, 2, 3, 4, 5, 6]))
    assert y.asnumpy().tolist() == [1, 3, 6, 10, 15, 21]
    assert x.grad.asnumpy().tolist() == [[21, 20, 18], [15, 11, 6]]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "float16", "float64"])
def test_keeps_the_type(dtype):
    assert nd.cumsum(nd.ones((2,), dtype=dtype)).dtype == np.dtype(dtype)


def test_bool_is_rejected_as_in_mxnet():
    with pytest.raises(DTypeError, match="'a' has dtype bool"):
        nd.cumsum(nd.array([True, False, True], dtype="bool"))


def test_small_integers_wrap_around():
    assert nd.cumsum(nd.array([100, 100], dtype="int8")).asnumpy().tolist() == [100, -56]


def test_each_element_is_converted_before_the_sum():
    y = nd.cumsum(nd.array([1.5, 1.5]), dtype="int32")
    assert y.asnumpy().tolist() == [1, 2]


def test_gradient_of_another_type():
    x = nd.array([1, 2], dtype="float16")
    x.attach_grad()
    with autograd.record():
        y = nd.cumsum(x, axis=0, dtype="float64")
    y.backward()
    assert x.grad.dtype == np.float16
    assert x.grad.asnumpy().tolist() == [2, 1]


def test_half_precision_is_summed_in_a_wide_type():
    y = nd.cumsum(nd.array([2048, 1, 1, 1, 1], dtype="float16"))
    assert y.asnumpy().tolist() == [2048, 2048, 2050, 2052, 2052]


def test_symbol():
    y = sym.cumsum(sym.var("a"), axis=1, name="c")
    assert y.list_outputs() == ["c_output"]
    assert y.infer_shape(a=(2, 3)) == ([(2, 3)], [(2, 3)], [])
