"""Elementwise kernels for the four compute types.

The loops are generated in C from a table (opforge_elementwise_ops.h) and vectorized by the compiler. An output
may be identical to an input, but must not overlap it otherwise; the callers in `native/loops` ensure that.
Imports only the type codes from opforge; compiled once for each instruction set.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from opforge.native.kernels.elementwise cimport *
from opforge.native.memory.types cimport F32, F64, I8, I32, I64, U8

cdef extern from "opforge_elementwise_kernels.h" nogil:
    const opforge_unary_fn* of_unary_kernels
    const opforge_binary_fn* of_binary_kernels
    const opforge_scalar_fn* of_scalar_kernels

cdef extern from "opforge_stores.h" nogil:
    void of_stream(const char* tile, char* y, Py_ssize_t nbytes)

ctypedef fused word:
    uint8_t
    uint16_t
    uint32_t
    uint64_t

ctypedef fused number:
    float
    double
    uint8_t
    int8_t
    int32_t
    int64_t

cdef opforge_elementwise_table table


cdef void where(
    const uint8_t* condition, const word* a, const word* b, word* y, Py_ssize_t n
) noexcept nogil:
    """y[i] = a[i] if condition[i] else b[i]."""
    cdef Py_ssize_t i
    for i in range(n):
        y[i] = a[i] if condition[i] else b[i]


cdef void clip(
    const number* x, const number* low, const number* high, number* y, Py_ssize_t n
) noexcept nogil:
    cdef number least = low[0], most = high[0], value
    cdef Py_ssize_t i
    for i in range(n):
        value = x[i]
        value = least if value < least else value
        y[i] = most if value > most else value


cdef void stream(const void* tile, void* y, Py_ssize_t nbytes) noexcept nogil:
    of_stream(<const char*>tile, <char*>y, nbytes)


cdef void fill_table() noexcept:
    cdef int i
    for i in range(COMPUTE_COUNT):
        table.unary[i] = of_unary_kernels[i]
        table.binary[i] = of_binary_kernels[i]
        table.scalar[i] = of_scalar_kernels[i]
    table.where[0] = <opforge_where_fn>&where[uint8_t]
    table.where[1] = <opforge_where_fn>&where[uint16_t]
    table.where[2] = <opforge_where_fn>&where[uint32_t]
    table.where[3] = <opforge_where_fn>&where[uint64_t]
    table.clip[F32] = <opforge_clip_fn>&clip[float]
    table.clip[F64] = <opforge_clip_fn>&clip[double]
    table.clip[U8] = <opforge_clip_fn>&clip[uint8_t]
    table.clip[I8] = <opforge_clip_fn>&clip[int8_t]
    table.clip[I32] = <opforge_clip_fn>&clip[int32_t]
    table.clip[I64] = <opforge_clip_fn>&clip[int64_t]
    table.stream = stream


fill_table()
TABLE = PyCapsule_New(&table, "opforge.kernels.elementwise", NULL)
