import ctypes

import pytest

import opforge as mx
from opforge import base


def test_values_of_c_types():
    assert [item.decode() for item in base.c_str_array(["a", "ü"])] == ["a", "ü"]
    assert base.c_str("ab").value == b"ab"
    assert list(base.c_array(base.mx_float, [0.5, 2])) == [0.5, 2.0]
    assert base.py_str(b"x") == "x"
    assert base.SymbolHandle() is not None
    assert base.mx_uint(3).value == 3
    assert ctypes.sizeof(base.NDArrayHandle) == ctypes.sizeof(ctypes.c_void_p)


def test_library_functions_raise():
    with pytest.raises(mx.MXNetError, match=r"base\._LIB.MXSymbolCreateVariable is a function of"):
        base._LIB.MXSymbolCreateVariable(base.c_str("x"))
    assert not hasattr(base._LIB, "__len__")
    assert repr(base._LIB) == "<no libmxnet.so>"
    base.check_call(0)
    with pytest.raises(mx.MXNetError, match=r"returned -1.*no libmxnet.so"):
        base.check_call(-1)
