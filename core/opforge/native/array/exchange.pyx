"""Copies between NumPy and arrays, and arrays that share memory with NumPy."""

cimport numpy as cnp

from opforge.native.array.device_memory cimport has_host_memory
from opforge.native.array.array cimport (
    Array, bare, is_elsewhere, new_array, numpy_view, wait_read,
)
from opforge.native.loops.casting cimport copy_elements
from opforge.native.memory.buffer cimport wrap_foreign
from opforge.native.memory.devices cimport copy_bytes
from opforge.native.memory.numpy_arrays cimport code_of_numpy
from opforge.native.memory.types cimport MAX_NDIM, itemsize_of
from opforge.native.threads.parallel cimport enter_work, leave_work

from opforge.base import dtypes as _dtypes
from opforge.base.context import cpu as _cpu, current_context as _current_context
from opforge.base.errors import ContextError, ShapeError

cnp.import_array()

cdef object HOST = _cpu()


cdef Array array_from(cnp.ndarray source, int code, object context):
    cdef Array result = new_array((<object>source).shape, code, context)
    copy_numpy(result, source)
    return result


cdef int copy_numpy(Array target, cnp.ndarray source) except -1:
    cdef const char* data = cnp.PyArray_BYTES(source)
    cdef Py_ssize_t nbytes = target.size * itemsize_of(target.code)
    cdef int given = -1
    cdef Array staged
    if is_elsewhere(target):
        staged = new_array(target.shape, target.code, HOST)
        copy_numpy(staged, source)
        return copy_bytes(target.buffer, target.data, None, staged.data, nbytes)
    if (
        cnp.PyArray_ISCARRAY_RO(source)
        and (target.data + nbytes <= data or data + cnp.PyArray_NBYTES(source) <= target.data)
    ):
        given = code_of_numpy(source)
    if given >= 0:
        copy_elements(given, target.code, data, target.data, target.size)
    elif target.size:
        enter_work()
        try:
            cnp.PyArray_CopyInto(numpy_view(target), source)
        finally:
            leave_work()
    return 0


def wrap_numpy(cnp.ndarray source, context=None):
    """Return an array over the memory of `source`, which must be writable and C-contiguous."""
    cdef int code = _dtypes.code_of((<object>source).dtype)
    if cnp.PyArray_NDIM(source) > MAX_NDIM:
        raise ShapeError(
            f"an array has at most {MAX_NDIM} dimensions, got {cnp.PyArray_NDIM(source)}"
        )
    context = _current_context() if context is None else context
    if not has_host_memory(context):
        raise ContextError(
            f"memory of NumPy cannot be shared with an array on {context}: use nd.array to copy it"
        )
    if not cnp.PyArray_ISCARRAY(source):
        flags = (<object>source).flags
        raise ValueError(
            "only a writable, aligned, C-contiguous array can be shared; this one is not "
            f"{'writable' if not flags.writeable else 'aligned' if not flags.aligned else 'C-contiguous'}"
            ": copy it first"
        )
    cdef Array result = bare((<object>source).shape, code, context)
    result.size = cnp.PyArray_SIZE(source)
    result.buffer = wrap_foreign(cnp.PyArray_DATA(source), result.size * itemsize_of(code), source)
    result.data = result.buffer.data
    return result


def numpy_alias(Array a):
    """Return a NumPy array that shares the memory of `a`."""
    wait_read(a)
    return numpy_view(a)
