"""Elementwise kernels of one-byte integers, for operations whose result needs no wider arithmetic.

Sums, differences and products wrap, so their low byte does not depend on the width; comparisons and
logic never leave it. Imports nothing of opforge; compiled once for each instruction set.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int8_t, uint8_t

from opforge.native.kernels.elementwise cimport *

ctypedef fused byte:
    uint8_t
    int8_t

cdef opforge_narrow_table table


cdef int unary(int op, const byte* x, byte* y, Py_ssize_t n) noexcept nogil:
    """y[i] = f(x[i])."""
    cdef Py_ssize_t i
    if op == UNARY_negative:
        for i in range(n): y[i] = <byte>(0 - x[i])
    elif op == UNARY_abs:
        for i in range(n): y[i] = <byte>(-x[i] if x[i] < 0 else x[i])
    elif op == UNARY_sign:
        for i in range(n): y[i] = <byte>((x[i] > 0) - (x[i] < 0))
    elif op == UNARY_square:
        for i in range(n): y[i] = <byte>(x[i] * x[i])
    elif op == UNARY_relu:
        for i in range(n): y[i] = <byte>(0 if x[i] < 0 else x[i])
    elif op == UNARY_logical_not:
        for i in range(n): y[i] = x[i] == 0
    else:
        return 1
    return 0


cdef int binary(int op, const byte* a, const byte* b, byte* y, Py_ssize_t n) noexcept nogil:
    """y[i] = f(a[i], b[i])."""
    cdef Py_ssize_t i
    if op == BINARY_add:
        for i in range(n): y[i] = <byte>(a[i] + b[i])
    elif op == BINARY_subtract:
        for i in range(n): y[i] = <byte>(a[i] - b[i])
    elif op == BINARY_multiply:
        for i in range(n): y[i] = <byte>(a[i] * b[i])
    elif op == BINARY_maximum:
        for i in range(n): y[i] = a[i] if a[i] > b[i] else b[i]
    elif op == BINARY_minimum:
        for i in range(n): y[i] = a[i] if a[i] < b[i] else b[i]
    elif op == BINARY_equal:
        for i in range(n): y[i] = a[i] == b[i]
    elif op == BINARY_not_equal:
        for i in range(n): y[i] = a[i] != b[i]
    elif op == BINARY_greater:
        for i in range(n): y[i] = a[i] > b[i]
    elif op == BINARY_greater_equal:
        for i in range(n): y[i] = a[i] >= b[i]
    elif op == BINARY_lesser:
        for i in range(n): y[i] = a[i] < b[i]
    elif op == BINARY_lesser_equal:
        for i in range(n): y[i] = a[i] <= b[i]
    elif op == BINARY_logical_and:
        for i in range(n): y[i] = (a[i] != 0) & (b[i] != 0)
    elif op == BINARY_logical_or:
        for i in range(n): y[i] = (a[i] != 0) | (b[i] != 0)
    elif op == BINARY_logical_xor:
        for i in range(n): y[i] = (a[i] != 0) ^ (b[i] != 0)
    else:
        return 1
    return 0


table.unary[0] = <opforge_unary_fn>&unary[uint8_t]
table.unary[1] = <opforge_unary_fn>&unary[int8_t]
table.binary[0] = <opforge_binary_fn>&binary[uint8_t]
table.binary[1] = <opforge_binary_fn>&binary[int8_t]
TABLE = PyCapsule_New(&table, "opforge.kernels.narrow", NULL)
