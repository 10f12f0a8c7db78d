"""Argument checks of the kernels: each names function, argument, found and expected."""

import pytest

from opforge import nd
from opforge.base.errors import DTypeError, ShapeError
from opforge.native import calls


def test_shape():
    x, out = nd.zeros((2, 3)), nd.zeros((3, 2))
    with pytest.raises(ShapeError, match=r"softmax.*\(3, 2\).*\(2, 3\)"):
        calls.softmax(x, out, -1)


def test_dtype_of_the_output():
    with pytest.raises(DTypeError, match=r"softmax.*float64.*float32"):
        calls.softmax(nd.zeros((2, 3)), nd.zeros((2, 3), dtype="float64"), -1)


def test_floating():
    x = nd.zeros((2, 3), dtype="int32")
    with pytest.raises(DTypeError, match=r"int32.*expected float16, float32 or float64"):
        calls.softmax(x, nd.zeros((2, 3), dtype="int32"), -1)


@pytest.mark.parametrize("axis", [2, -3])
def test_axis(axis):
    with pytest.raises(ShapeError, match=rf"axis {axis} is not in \[-2, 2\)"):
        calls.softmax(nd.zeros((2, 3)), nd.zeros((2, 3)), axis)
