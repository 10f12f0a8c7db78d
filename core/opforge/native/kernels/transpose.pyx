"""Table of the kernels that transpose matrix blocks; the loops are in `opforge_transpose.h`."""

from cpython.pycapsule cimport PyCapsule_New

from opforge.native.kernels.transpose cimport opforge_transpose_fn, opforge_transpose_table

cdef extern from "opforge_transpose.h" nogil:
    void of_transpose_8(const void*, Py_ssize_t, void*, Py_ssize_t, Py_ssize_t, Py_ssize_t)
    void of_transpose_16(const void*, Py_ssize_t, void*, Py_ssize_t, Py_ssize_t, Py_ssize_t)
    void of_transpose_32(const void*, Py_ssize_t, void*, Py_ssize_t, Py_ssize_t, Py_ssize_t)
    void of_transpose_64(const void*, Py_ssize_t, void*, Py_ssize_t, Py_ssize_t, Py_ssize_t)

cdef opforge_transpose_table table
table.transpose[0] = <opforge_transpose_fn>&of_transpose_8
table.transpose[1] = <opforge_transpose_fn>&of_transpose_16
table.transpose[2] = <opforge_transpose_fn>&of_transpose_32
table.transpose[3] = <opforge_transpose_fn>&of_transpose_64

TABLE = PyCapsule_New(&table, b"opforge.kernels.transpose", NULL)
