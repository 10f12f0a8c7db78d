"""Argument checks of kernels: messages name function, argument, got and expected."""

import numpy as np
import pytest

from opforge import nd
from opforge.base.errors import DTypeError, OpforgeError, ShapeError
from opforge.native import calls

F32 = nd.zeros((2, 3))


def i32(shape):
    return nd.zeros(shape, dtype="int32")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: calls.transpose(F32, F32, (1, 0)), r"transpose: 'out' .*\(2, 3\), .*\(3, 2\)"),
        (lambda: calls.softmax(F32, nd.zeros((2, 4)), -1), r"softmax: 'out' .*\(2, 4\).*\(2, 3\)"),
        (lambda: calls.gemm(F32, F32, F32), "gemm: "),
        (lambda: calls.permutation(F32), r"permutation: 'out' has shape \(2, 3\), expected 1 dim"),
    ],
)
def test_shapes(call, message):
    with pytest.raises(ShapeError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: calls.transpose(F32, i32((3, 2)), (1, 0)), "transpose: 'out' has dtype int32, "),
        (lambda: calls.gemm(F32, i32((3, 2)), nd.zeros((2, 2))), "gemm: 'b' .* int32, .*float32"),
        (lambda: calls.softmax(i32((2, 3)), i32((2, 3)), -1), "softmax: 'x' .*int32, .*float16,"),
    ],
)
def test_dtypes(call, message):
    with pytest.raises(DTypeError, match=message):
        call()


@pytest.mark.parametrize("axis", [-3, 2, 2**31])
def test_axes(axis):
    for name, call in [
        ("softmax", lambda: calls.softmax(F32, F32, axis)),
        ("concat", lambda: calls.concat((F32,), F32, axis)),
        ("flip", lambda: calls.flip(F32, F32, (axis,))),
    ]:
        with pytest.raises(OpforgeError, match=rf"{name}.*{axis} is not in \[-2, 2\)"):
            call()


@pytest.mark.parametrize("axis", [-2, -1, 0, 1])
def test_negative_axes_count_from_the_end(axis):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    out = nd.zeros((2, 3))
    calls.flip(nd.array(x), out, (axis,))
    np.testing.assert_array_equal(out.asnumpy(), np.flip(x, axis))


@pytest.mark.parametrize("axis", ["1", None, 1.5])
def test_axis_is_an_integer(axis):
    with pytest.raises(TypeError):
        calls.softmax(F32, F32, axis)


def test_failed_checks_write_nothing():
    assert not F32.asnumpy().any()
