"""The results are those of MXNet 1.9.1."""

import numpy as np
import pytest

from opforge.util import np_ufunc_legal_option, wrap_np_binary_func, wrap_np_unary_func


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("where", 3, True),
        ("casting", "safe", True),
        ("casting", "x", False),
        ("order", "C", True),
        ("order", 1, False),
        ("dtype", np.float32, True),
        ("dtype", "int8", True),
        ("dtype", "bool", False),
        ("dtype", None, False),
        ("subok", False, True),
        ("subok", 1, False),
        ("other", 1, False),
    ],
)
def test_legal_options(key, value, expected):
    assert np_ufunc_legal_option(key, value) is expected


def double(x, out=None):
    return 2 * x if out is None else out


def add(x1, x2, out=None):
    return x1 + x2


def test_wrapped_functions_take_default_options():
    assert wrap_np_unary_func(double)(2, where=True, dtype=None) == 4
    assert wrap_np_unary_func(double)(2, 5) == 5
    assert wrap_np_binary_func(add)(2, 3, order="K") == 5
    assert wrap_np_binary_func(add).__name__ == "add"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"order": "C"}, NotImplementedError, "order=C is not implemented yet"),
        ({"casting": "x"}, TypeError, "casting=x not understood"),
        ({"axis": 1}, TypeError, "axis is an invalid keyword to function '{}'"),
    ],
)
def test_other_options_are_errors(options, error, message):
    with pytest.raises(error, match=message.format("double")):
        wrap_np_unary_func(double)(2, **options)
    with pytest.raises(error, match=message.format("add")):
        wrap_np_binary_func(add)(2, 3, **options)
