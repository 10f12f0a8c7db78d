"""Conversion kernels from every element type to every other.

Bools are bytes with the value 0 or 1, so they are read as uint8; conversion to bool compares with 0. Imports only
the type codes from opforge; compiled once for each instruction set.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t
from libc.string cimport memmove

from opforge.native.kernels.convert cimport *
from opforge.native.memory.types cimport BF16, BOOL, F16, F32, F64, I8, I32, I64, U8

ctypedef fused source:
    float
    double
    uint8_t
    int8_t
    int32_t
    int64_t

ctypedef fused target:                 # its own type, so that a conversion has any pair of both
    source

cdef opforge_convert_table table


cdef inline target converted(source x, target witness) noexcept nogil:
    """Convert like C, but defined for every float; the argument `witness` only selects the target type."""
    if (source is float or source is double) and (target is float or target is double):
        return <target>x
    elif source is float and target is int64_t:
        return of_truncate_f32_i64(x)
    elif source is float:
        return <target>of_truncate_f32_i32(x)
    elif source is double and target is int64_t:
        return of_truncate_f64_i64(x)
    elif source is double:
        return <target>of_truncate_f64_i32(x)
    else:
        return <target>x


cdef void convert(const source* x, target* y, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        y[i] = converted(x[i], <target>0)


cdef void to_bool(const source* x, uint8_t* y, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        y[i] = x[i] != 0


cdef void half_to_bool(const uint16_t* x, uint8_t* y, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        y[i] = (x[i] & 0x7fff) != 0


cdef void to_half(const source* x, uint16_t* y, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    if source is float:
        of_floats_to_halves(x, y, n)
    elif source is double:
        for i in range(n):
            y[i] = of_float_to_half(of_round_to_odd(x[i]))
    else:
        for i in range(n):
            y[i] = of_float_to_half(<float>x[i])


cdef void from_half(const uint16_t* x, target* y, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    if target is float:
        of_halves_to_floats(x, y, n)
    else:
        for i in range(n):
            y[i] = converted(of_half_to_float(x[i]), <target>0)


cdef void to_brain(const source* x, uint16_t* y, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        if source is float:
            y[i] = of_float_to_brain(x[i])
        else:                          # float32 is not exact for all integers
            y[i] = of_float_to_brain(of_round_to_odd(<double>x[i]))


cdef void from_brain(const uint16_t* x, target* y, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        y[i] = converted(of_brain_to_float(x[i]), <target>0)


cdef void half_to_brain(const uint16_t* x, uint16_t* y, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        y[i] = of_float_to_brain(of_half_to_float(x[i]))


cdef void brain_to_half(const uint16_t* x, uint16_t* y, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        y[i] = of_float_to_half(of_brain_to_float(x[i]))


cdef void copy1(const void* x, void* y, Py_ssize_t n) noexcept nogil:
    memmove(y, x, n)


cdef void copy2(const void* x, void* y, Py_ssize_t n) noexcept nogil:
    memmove(y, x, 2 * n)


cdef void copy4(const void* x, void* y, Py_ssize_t n) noexcept nogil:
    memmove(y, x, 4 * n)


cdef void copy8(const void* x, void* y, Py_ssize_t n) noexcept nogil:
    memmove(y, x, 8 * n)


cdef void fill_row(opforge_cast_fn* row, source witness) noexcept:
    """Fill one row of the table; the argument `witness` only selects the source type."""
    row[F32] = <opforge_cast_fn>&convert[source, float]
    row[F64] = <opforge_cast_fn>&convert[source, double]
    row[F16] = <opforge_cast_fn>&to_half[source]
    row[U8] = <opforge_cast_fn>&convert[source, uint8_t]
    row[I32] = <opforge_cast_fn>&convert[source, int32_t]
    row[I8] = <opforge_cast_fn>&convert[source, int8_t]
    row[I64] = <opforge_cast_fn>&convert[source, int64_t]
    row[BOOL] = <opforge_cast_fn>&to_bool[source]
    row[BF16] = <opforge_cast_fn>&to_brain[source]


cdef void fill_table() noexcept:
    fill_row(table.cast[F32], <float>0)
    fill_row(table.cast[F64], <double>0)
    fill_row(table.cast[U8], <uint8_t>0)
    fill_row(table.cast[I32], <int32_t>0)
    fill_row(table.cast[I8], <int8_t>0)
    fill_row(table.cast[I64], <int64_t>0)
    fill_row(table.cast[BOOL], <uint8_t>0)
    table.cast[F16][F32] = <opforge_cast_fn>&from_half[float]
    table.cast[F16][F64] = <opforge_cast_fn>&from_half[double]
    table.cast[F16][U8] = <opforge_cast_fn>&from_half[uint8_t]
    table.cast[F16][I32] = <opforge_cast_fn>&from_half[int32_t]
    table.cast[F16][I8] = <opforge_cast_fn>&from_half[int8_t]
    table.cast[F16][I64] = <opforge_cast_fn>&from_half[int64_t]
    table.cast[F16][BOOL] = <opforge_cast_fn>&half_to_bool
    table.cast[F16][BF16] = <opforge_cast_fn>&half_to_brain
    table.cast[BF16][F32] = <opforge_cast_fn>&from_brain[float]
    table.cast[BF16][F64] = <opforge_cast_fn>&from_brain[double]
    table.cast[BF16][F16] = <opforge_cast_fn>&brain_to_half
    table.cast[BF16][U8] = <opforge_cast_fn>&from_brain[uint8_t]
    table.cast[BF16][I32] = <opforge_cast_fn>&from_brain[int32_t]
    table.cast[BF16][I8] = <opforge_cast_fn>&from_brain[int8_t]
    table.cast[BF16][I64] = <opforge_cast_fn>&from_brain[int64_t]
    table.cast[BF16][BOOL] = <opforge_cast_fn>&half_to_bool
    table.cast[F32][F32] = table.cast[I32][I32] = copy4
    table.cast[F64][F64] = table.cast[I64][I64] = copy8
    table.cast[F16][F16] = table.cast[BF16][BF16] = copy2
    table.cast[U8][U8] = table.cast[I8][I8] = table.cast[U8][I8] = table.cast[I8][U8] = copy1
    table.cast[BOOL][BOOL] = table.cast[BOOL][U8] = table.cast[BOOL][I8] = copy1


fill_table()
TABLE = PyCapsule_New(&table, "opforge.kernels.convert", NULL)
