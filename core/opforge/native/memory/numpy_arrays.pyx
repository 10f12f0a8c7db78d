"""NumPy arrays whose elements are in pool memory: views of buffers, and new large arrays."""

cimport numpy as cnp

from opforge.native.memory.numpy_memory cimport POOLED, restore, use_pool
from opforge.native.memory.types cimport N_DTYPES

import numpy as np

from opforge.base import dtypes as _dtypes

cnp.import_array()

# Indexed by element code; NPY_NOTYPE for a type of ml_dtypes until it is needed.
cdef int[N_DTYPES] NUMPY_TYPES = [
    cnp.NPY_FLOAT32, cnp.NPY_FLOAT64, cnp.NPY_FLOAT16, cnp.NPY_UINT8,
    cnp.NPY_INT32, cnp.NPY_INT8, cnp.NPY_INT64, cnp.NPY_BOOL, cnp.NPY_NOTYPE,
]


cdef int numpy_type(int code) except -1:
    if NUMPY_TYPES[code] == cnp.NPY_NOTYPE:
        NUMPY_TYPES[code] = np.dtype(_dtypes.dtype_of(code)).num
    return NUMPY_TYPES[code]


cdef int code_of_numpy(cnp.ndarray source) noexcept:
    cdef int code
    for code in range(N_DTYPES):
        if cnp.PyArray_TYPE(source) == NUMPY_TYPES[code]:
            return code
    return -1


cdef cnp.ndarray numpy_on(Buffer buffer, char* data, int code, int ndim, Py_ssize_t* dims):
    cdef cnp.ndarray result = cnp.PyArray_SimpleNewFromData(
        ndim, <cnp.npy_intp*>dims, numpy_type(code), data
    )
    cnp.set_array_base(result, buffer)
    return result


cdef cnp.ndarray new_numpy(int code, int ndim, Py_ssize_t* dims, Py_ssize_t nbytes):
    cdef object former = use_pool() if nbytes >= POOLED else None
    try:
        return cnp.PyArray_EMPTY(ndim, <cnp.npy_intp*>dims, numpy_type(code), 0)
    finally:
        restore(former)
