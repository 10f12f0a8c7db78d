"""Products of a few rows with a matrix, without packing; the loops are in the header."""

from cpython.pycapsule cimport PyCapsule_New

cdef extern from "opforge_product.h" nogil:
    ctypedef void (*opforge_few_rows_fn)(
        const float*, const float*, const float*, float*, Py_ssize_t, Py_ssize_t, Py_ssize_t,
        Py_ssize_t, int) noexcept nogil
    ctypedef struct opforge_product_table:
        opforge_few_rows_fn few_rows
    void opforge_few_rows(
        const float*, const float*, const float*, float*, Py_ssize_t, Py_ssize_t, Py_ssize_t,
        Py_ssize_t, int) noexcept nogil

cdef opforge_product_table table

table.few_rows = opforge_few_rows
TABLE = PyCapsule_New(&table, "opforge.kernels.product", NULL)
