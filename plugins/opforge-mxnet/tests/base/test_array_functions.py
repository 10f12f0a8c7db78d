import ctypes
import gc
import weakref

import numpy as np
import pytest

import opforge as mx
from opforge.base import _LIB, NDArrayHandle, check_call


def handle_of(array):
    return ctypes.cast(array, NDArrayHandle)


def test_arrays_are_waited_for_and_have_a_context():
    x = mx.nd.ones((2,), ctx=mx.cpu(3))
    for handle in (x, handle_of(x)):
        kind, number = ctypes.c_int(), ctypes.c_int()
        check_call(_LIB.MXNDArrayWaitToRead(handle))
        check_call(_LIB.MXNDArrayWaitToWrite(handle))
        check_call(_LIB.MXNDArrayGetContext(handle, ctypes.byref(kind), ctypes.byref(number)))
        assert (kind.value, number.value) == (1, 3)


def test_a_copied_handle_shares_memory_and_keeps_it_alive():
    x = mx.nd.zeros((2,))
    handle = NDArrayHandle()
    check_call(_LIB.MXShallowCopyNDArray(handle_of(x), ctypes.byref(handle)))
    copied = mx.nd.NDArray(handle=handle)
    copied[:] = 3
    assert x.asnumpy().tolist() == [3, 3]
    alive = weakref.ref(copied)
    del copied
    gc.collect()
    assert alive() is not None
    check_call(_LIB.MXNDArrayFree(handle))
    gc.collect()
    assert alive() is None


def test_tensors_of_dlpack_are_exchanged_by_address():
    x = mx.nd.array([1, 2, 3])
    address, handle = ctypes.c_void_p(), NDArrayHandle()
    check_call(_LIB.MXNDArrayToDLPack(handle_of(x), ctypes.byref(address)))
    check_call(_LIB.MXNDArrayFromDLPack(address, ctypes.byref(handle)))
    y = mx.nd.NDArray(handle=handle)
    y[0] = 9
    np.testing.assert_array_equal(x.asnumpy(), [9, 2, 3])
    check_call(_LIB.MXNDArrayToDLPack(x, ctypes.byref(address)))
    check_call(_LIB.MXNDArrayCallDLPackDeleter(address))


def test_a_capsule_is_consumed_as_in_programs_for_older_versions():
    capsule = mx.nd.to_dlpack_for_read(mx.nd.ones((2, 3)))
    holder = ctypes.py_object(capsule)
    handle, name = NDArrayHandle(), mx.base.c_str("dltensor")
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype = ctypes.c_void_p
    address = ctypes.c_void_p(get_pointer(holder, name))
    check_call(_LIB.MXNDArrayFromDLPack(address, ctypes.byref(handle)))
    ctypes.pythonapi.PyCapsule_SetName(holder, b"used_dltensor")
    ctypes.pythonapi.PyCapsule_SetDestructor(holder, None)
    assert mx.nd.NDArray(handle=handle).asnumpy().sum() == 6


def test_other_handles_are_errors():
    with pytest.raises(mx.MXNetError, match="expected an NDArray"):
        _LIB.MXNDArrayWaitToRead(ctypes.c_void_p(0))
