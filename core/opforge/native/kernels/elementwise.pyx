"""Elementwise kernels for the four compute types.

The loops are generated in C from a table (opforge_elementwise_ops.h) and vectorized by the compiler. An output
may be identical to an input, but must not overlap it otherwise; the callers in `native/loops` ensure that.
Imports nothing from opforge; compiled once for each instruction set.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from opforge.native.kernels.elementwise cimport *

cdef extern from "opforge_elementwise_kernels.h" nogil:
    const opforge_unary_fn* of_unary_kernels
    const opforge_binary_fn* of_binary_kernels

cdef extern from "opforge_stores.h" nogil:
    void of_stream(const char* tile, char* y, Py_ssize_t nbytes)

ctypedef fused word:
    uint8_t
    uint16_t
    uint32_t
    uint64_t

cdef opforge_elementwise_table table


cdef void where(
    const uint8_t* condition, const word* a, const word* b, word* y, Py_ssize_t n
) noexcept nogil:
    """y[i] = a[i] if condition[i] else b[i]."""
    cdef Py_ssize_t i
    for i in range(n):
        y[i] = a[i] if condition[i] else b[i]


cdef void stream(const void* tile, void* y, Py_ssize_t nbytes) noexcept nogil:
    of_stream(<const char*>tile, <char*>y, nbytes)


cdef void fill_table() noexcept:
    cdef int i
    for i in range(COMPUTE_COUNT):
        table.unary[i] = of_unary_kernels[i]
        table.binary[i] = of_binary_kernels[i]
    table.where[0] = <opforge_where_fn>&where[uint8_t]
    table.where[1] = <opforge_where_fn>&where[uint16_t]
    table.where[2] = <opforge_where_fn>&where[uint32_t]
    table.where[3] = <opforge_where_fn>&where[uint64_t]
    table.stream = stream


fill_table()
TABLE = PyCapsule_New(&table, "opforge.kernels.elementwise", NULL)
