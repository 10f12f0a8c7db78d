"""Conversions of mixed precision, and the tests of gradients."""

import numpy as np
import pytest

from opforge import autograd, nd, sym
from opforge.base.errors import DTypeError


def array(values, dtype="float32"):
    return nd.array(values, dtype=dtype)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_floats_are_cast_and_their_gradients_come_back_in_their_type(dtype):
    x = array([1.0, 2.0], dtype)
    x.attach_grad()
    with autograd.record():
        y = nd.amp_cast(x, dtype="float16")
        total = (y * y).sum()
    total.backward()
    assert y.dtype == np.float16
    assert x.grad.dtype == np.dtype(dtype)
    assert x.grad.asnumpy().tolist() == [2.0, 4.0]


def test_other_types_stay():
    assert nd.amp_cast(array([1], "int32"), dtype="float16").dtype == np.int32


@pytest.mark.parametrize(
    ("given", "narrow", "expected"),
    [
        (["float16", "float32"], False, ["float32", "float32"]),
        (["float16", "float32"], True, ["float16", "float16"]),
        (["float64", "float32", "int8"], False, ["float64", "float64", "int8"]),
        (["int8", "int32"], True, ["int8", "int32"]),
    ],
)
def test_arrays_are_cast_to_one_type(given, narrow, expected):
    arrays = [array([[1, 2]] * (at + 1), dtype) for at, dtype in enumerate(given)]
    outs = nd.amp_multicast(*arrays, num_outputs=len(arrays), cast_narrow=narrow)
    assert [np.dtype(out.dtype).name for out in outs] == expected
    assert [out.shape for out in outs] == [x.shape for x in arrays]


def test_casts_of_several_arrays_have_gradients():
    a, b = array([1.0], "float16"), array([2.0])
    a.attach_grad()
    b.attach_grad()
    with autograd.record():
        x, y = nd.amp_multicast(a, b, num_outputs=2)
        z = x * y
    z.backward()
    assert (a.grad.dtype, b.grad.dtype) == (np.float16, np.float32)
    assert (a.grad.asscalar(), b.grad.asscalar()) == (2.0, 1.0)


def test_casts_in_graphs():
    pair = sym.amp_multicast(sym.var("a"), sym.var("b"), num_outputs=2)
    _, types, _ = sym.Group([sym.amp_cast(pair[0], dtype="float64"), pair[1]]).infer_type(
        a="float16", b="float32"
    )
    assert [np.dtype(t).name for t in types] == ["float64", "float32"]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("length", [1, 17, 1000])
def test_one_element_that_is_not_finite(dtype, bad, length):
    values = np.ones(length)
    assert nd.all_finite(array(values, dtype)).asscalar() == 1
    values[length // 2] = bad
    x = array(values, dtype)
    assert nd.all_finite(x).asscalar() == 0
    assert nd.multi_all_finite(array([1.0]), x, num_arrays=2).asscalar() == 0


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_large_numbers_are_finite(dtype):
    largest = np.finfo(dtype).max
    assert nd.all_finite(nd.full((1000,), largest, dtype=dtype)).asscalar() == 1


def test_nothing_is_finite():
    with np.errstate(all="raise"):
        assert nd.all_finite(nd.zeros((0,))).asscalar() == 1


@pytest.mark.parametrize("before", [0, 1])
def test_init_output_false_keeps_the_previous_value(before):
    out = array([before])
    nd.multi_all_finite(array([1.0]), num_arrays=1, init_output=False, out=out)
    assert out.asscalar() == before
    nd.multi_all_finite(array([1.0]), num_arrays=1, out=out)
    assert out.asscalar() == 1


def test_integers_are_rejected():
    with pytest.raises(DTypeError, match="input 'arg1' has dtype int32"):
        nd.multi_all_finite(array([1.0]), array([1], "int32"), num_arrays=2)


def test_sums_of_squares_of_several_arrays():
    arrays = [array([1.0, 2.0], "float16"), array([[3.0, 4.0]], "float64"), array([-2.0])]
    sums = nd.multi_sum_sq(*arrays, num_arrays=3)
    assert sums.dtype == np.float32
    assert sums.asnumpy().tolist() == [5.0, 25.0, 4.0]
