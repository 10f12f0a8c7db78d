"""``//`` rounds down as in Python, for all types, arrays, symbols and numbers."""

import numpy as np
import pytest

import opforge
from opforge import nd, sym

VALUES = [7, -7, 3, -2]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_arrays_and_numbers(dtype):
    x, y = nd.array(VALUES, dtype=dtype), nd.array([2, 2, -2, 3], dtype=dtype)
    ours, theirs = (x, y), (x.asnumpy(), y.asnumpy())
    for function in (
        lambda a, b: a // b,
        lambda a, b: a // 2,
        lambda a, b: 7 // a,
        lambda a, b: b // a,
    ):
        result = function(*ours)
        assert result.asnumpy().tolist() == function(*theirs).tolist()
        assert result.dtype == np.dtype(dtype)


def test_in_place():
    x = same = nd.array(VALUES)
    x //= 2
    assert x is same and x.asnumpy().tolist() == [3, -4, 1, -1]


def test_symbols():
    x, y = sym.var("x"), sym.var("y")
    arrays = {"x": nd.array(VALUES), "y": nd.array([2, 2, -2, 3])}
    for symbol, expected in ((x // y, [3, -4, -2, -1]), (x // 2, [3, -4, 1, -1])):
        given = {name: arrays[name] for name in symbol.list_arguments()}
        assert symbol.bind(opforge.cpu(), given).forward()[0].asnumpy().tolist() == expected
    seven = (7 // x).bind(opforge.cpu(), {"x": arrays["x"]}).forward()[0]
    assert seven.asnumpy().tolist() == [1, -1, 2, -4]


@pytest.mark.parametrize("other", ["a", b"a", ""])
def test_no_array_equals_a_text(other):
    for value in (nd.array(VALUES), sym.var("x")):
        assert (value == other) is False and (value != other) is True
        assert (other == value) is False and (other != value) is True
