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
    assert not hasattr(base._LIB, "MXSymbolCreateVariable")
    assert repr(base._LIB) == "<no libmxnet.so>"
    base.check_call(0)
    with pytest.raises(mx.MXNetError, match=r"returned -1.*no libmxnet.so"):
        base.check_call(-1)


@pytest.mark.parametrize("pass_by", [ctypes.byref, ctypes.pointer])
def test_library_functions_write_results(pass_by):
    for name, expected in (("MXGetVersion", 10901), ("MXGetGPUCount", 0)):
        found = ctypes.c_int(-1)
        base.check_call(getattr(base._LIB, name)(pass_by(found)))
        assert found.value == expected
    before = ctypes.c_int(-1)
    initial = mx.engine.set_bulk_size(7)
    base.check_call(base._LIB.MXEngineSetBulkSize(ctypes.c_int(initial), pass_by(before)))
    assert before.value == 7
    assert mx.engine.set_bulk_size(initial) == initial


def test_library_functions_without_results():
    for seed in (5, ctypes.c_int(5)):
        base.check_call(base._LIB.MXRandomSeed(seed))
        first = mx.nd.random.uniform(shape=3).asnumpy().tolist()
        mx.random.seed(5)
        assert mx.nd.random.uniform(shape=3).asnumpy().tolist() == first
    base.check_call(base._LIB.MXNDArrayWaitAll())
    base.check_call(base._LIB.MXSetNumOMPThreads(ctypes.c_int(2)))
    base.check_call(base._LIB.MXNotifyShutdown())
