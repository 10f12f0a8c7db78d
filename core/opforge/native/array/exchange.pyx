"""Elements to and from NumPy and between arrays: whole copies, converted, parallel where it pays."""

cimport numpy as cnp
from libc.string cimport memcpy

from opforge.native.array.array cimport (
    MAX_NDIM, N_DTYPES, Array, dims_of, itemsize_of, new_array, numpy_type_of, numpy_view,
)
from opforge.native.loops.copying cimport copy_bytes
from opforge.native.loops.elementwise cimport run_cast
from opforge.native.memory.numpy_memory cimport POOLED, restore, use_pool

cnp.import_array()

cdef enum:
    INLINE_BYTES = 1 << 16             # below this the GIL is kept


cdef void copy_elements(
    int given, int code, const char* source, char* target, Py_ssize_t size
) noexcept:
    cdef Py_ssize_t nbytes = size * itemsize_of(code)
    if nbytes < INLINE_BYTES:
        if given == code:
            memcpy(target, source, nbytes)
        else:
            run_cast(given, code, source, target, size)
        return
    with nogil:
        if given == code:
            copy_bytes(target, source, nbytes)
        else:
            run_cast(given, code, source, target, size)


cdef int code_of_numpy(cnp.ndarray source) noexcept:
    cdef int code
    for code in range(N_DTYPES):
        if cnp.PyArray_TYPE(source) == numpy_type_of(code):
            return code
    return -1


cdef cnp.ndarray numpy_empty(Array a):
    """A new NumPy array of the shape and type of `a`, from the pool if it is large."""
    cdef cnp.npy_intp[MAX_NDIM] dims
    cdef object former = None
    dims_of(a, <Py_ssize_t*>dims)
    if a.size * itemsize_of(a.code) >= POOLED:
        former = use_pool()
    try:
        return cnp.PyArray_EMPTY(a.ndim, dims, numpy_type_of(a.code), 0)
    finally:
        restore(former)


cdef cnp.ndarray numpy_copy(Array a):
    cdef cnp.ndarray result = numpy_empty(a)
    copy_elements(a.code, a.code, a.data, cnp.PyArray_BYTES(result), a.size)
    return result


cdef Array array_from(cnp.ndarray source, int code, object context):
    cdef Array result = new_array((<object>source).shape, code, context)
    copy_numpy(result, source)
    return result


cdef int copy_numpy(Array target, cnp.ndarray source) except -1:
    cdef const char* data = cnp.PyArray_BYTES(source)
    cdef Py_ssize_t nbytes = target.size * itemsize_of(target.code)
    cdef int given = -1
    if (
        cnp.PyArray_ISCARRAY_RO(source)
        and (target.data + nbytes <= data or data + cnp.PyArray_NBYTES(source) <= target.data)
    ):
        given = code_of_numpy(source)
    if given >= 0:
        copy_elements(given, target.code, data, target.data, target.size)
    elif target.size:
        cnp.PyArray_CopyInto(numpy_view(target), source)
    return 0
