"""Common properties of arrays: shared memory, views, contexts."""

import ctypes
import pickle

import numpy as np
import pytest

from opforge import cpu, gpu
from opforge.base.errors import ContextError, ShapeError
from opforge.native import array


def test_asnumpy_is_an_independent_writable_copy():
    for size in (4, 100_000):
        x = array.zeros((size,), 0)
        y = x.asnumpy()
        y[0] = 9
        assert y.flags.writeable
        assert x.asnumpy()[0] == 0


def test_asarray_and_memoryview_share_memory():
    x = array.zeros((2, 3), 4)
    np.asarray(x)[1, 2] = 7
    view = memoryview(x)
    assert (view.format, view.shape, view.strides) == ("i", (2, 3), (12, 4))
    assert view[1, 2] == 7
    np.from_dlpack(x)[0, 0] = 5
    assert x.asnumpy()[0, 0] == 5


class Buffer(ctypes.Structure):
    """Python's `Py_buffer`."""

    _fields_ = [
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.c_void_p),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    ]


@pytest.mark.parametrize("shape", [(), (6,), (2, 3), (0, 2)])
def test_buffer_without_a_shape_has_no_dimensions(shape):
    x, buffer = array.zeros(shape, 0), Buffer()
    with_format = 4
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(x), ctypes.byref(buffer), with_format)
    assert (buffer.ndim, buffer.shape, buffer.len) == (len(shape[:1]), None, 4 * x.size)
    ctypes.pythonapi.PyBuffer_Release(ctypes.byref(buffer))


def test_array_protocol_converts_and_rejects():
    x = array.zeros((2,), 0)
    assert np.array(x, dtype="float64").dtype == np.float64
    with pytest.raises(ValueError, match="without a copy"):
        x.__array__(np.float64, copy=False)


def test_views_are_checked():
    x = array.zeros((6,), 0)
    assert x._view(2, (2, 2)).shape == (2, 2)
    for offset, shape in ((3, (4,)), (-1, (1,)), (7, ())):
        with pytest.raises(ShapeError, match="does not fit"):
            x._view(offset, shape)


def test_shared_memory_is_detected():
    x = array.zeros((6,), 0)
    assert x._view(0, (3,))._shares_memory(x)
    assert not x._view(0, (3,))._shares_memory(x._view(3, (3,)))
    assert not x._shares_memory(array.zeros((6,), 0))


def test_context_is_kept_and_gpu_rejected():
    assert array.empty((1,), 0, cpu(3)).context == cpu(3)
    with cpu(2):
        assert array.empty((1,), 0).context == cpu(2)
    with pytest.raises(ContextError, match="GPU support is disabled"):
        array.empty((1,), 0, gpu(0))


def test_asscalar():
    x = array.from_numpy(np.array([2.5]), 0)
    assert x.asscalar() == np.float32(2.5)
    assert isinstance(x.asscalar(), np.float32)
    with pytest.raises(ValueError, match="not a scalar"):
        array.zeros((2,), 0).asscalar()


def test_contexts_pickle():
    assert pickle.loads(pickle.dumps(cpu(2))) == cpu(2)


def test_arrays_cannot_be_created_without_memory():
    for kind in (array.Array, type(array.zeros((2,)))):
        for make in (kind, lambda kind=kind: kind.__new__(kind)):
            with pytest.raises(TypeError, match="not made directly"):
                make()


def test_contexts_are_checked():
    with pytest.raises(TypeError, match="a context must be a Context"):
        array.zeros((2,), 0, "cpu")
