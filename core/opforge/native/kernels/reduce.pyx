"""Reductions over strided rows and columns.

Float rows are read in four streams, which processors fetch from memory faster than one. Elements are combined in
trees of a fixed shape, whose results are added in float64. A tree of float32 sums 16 elements (8 of a column) with
four roundings, so the error of a sum of any length is at most 2.4e-7 of the sum of absolute values, and typically
1e-8 of it; adding float32 numbers one after the other loses 1e-3 for 1e7 elements. Products and squares, which
easily leave the range of float32, are always computed in float64, and so is everything with REDUCE_WIDE. The order
of all operations depends only on the shape. Imports only headers.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t

from opforge.native.kernels.extremes cimport Element, Extreme, extreme_of, is_more_extreme, update_lanes, value_of
from opforge.native.kernels.folds cimport (
    LANES, DotDev, Max, Min, NanProd, NanSum, Prod, Real, RealOp, SqDev, Sum, SumAbs, SumSq, Work, fold_row,
    tree_of_four, merge, neutral, term,
)
from opforge.native.kernels.half cimport brain, half
from opforge.native.kernels.integer_folds cimport Integral, fold_integers

cdef enum:
    NARROW = 32                        # fewer adjacent columns than this are regrouped into more columns
    COLUMNS = 1024

cdef void real_rows(
    Real* type_tag, RealOp* tag, Work* work, const void* x, const void* other, const double* shift,
    Py_ssize_t w, Py_ssize_t stride, Py_ssize_t n, double* acc
) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef Work s = 0
    cdef double total
    cdef const Real* p = <const Real*>x
    cdef const Real* q = <const Real*>other
    for j in range(w):
        if RealOp is SqDev or RealOp is DotDev:
            s = <Work>shift[j]
        if n >= LANES:
            total = merge(tag, acc[j], fold_row(tag, work, p, q, s, n))
        else:
            total = acc[j]
            for i in range(n):
                total = merge(tag, total, <double>term(tag, work, p, q, s, i))
        acc[j] = total
        p += stride
        if RealOp is DotDev:
            q += stride


cdef inline void add_columns(
    RealOp* tag, Work* work, const Real* p, const Real* q, const double* shift,
    Py_ssize_t w, Py_ssize_t stride, Py_ssize_t n, double* acc
) noexcept nogil:
    """Fold the columns, eight rows at a time if the operation has only one operand."""
    cdef Py_ssize_t i = 0, j
    if RealOp is SqDev or RealOp is DotDev:
        while i < n:
            for j in range(w):
                acc[j] = merge(tag, acc[j], <double>term(tag, work, p, q, <Work>shift[j], j))
            i += 1
            p += stride
            if RealOp is DotDev:
                q += stride
        return
    while i + 8 <= n:
        for j in range(w):
            acc[j] = merge(tag, acc[j], <double>merge(
                tag, tree_of_four(tag, work, p, q, <Work>0, j, stride),
                tree_of_four(tag, work, p, q, <Work>0, 4 * stride + j, stride),
            ))
        i += 8
        p += 8 * stride
    while i < n:
        for j in range(w):
            acc[j] = merge(tag, acc[j], <double>term(tag, work, p, q, <Work>0, j))
        i += 1
        p += stride


cdef void real_cols(
    Real* type_tag, RealOp* tag, Work* work, const void* x, const void* other, const double* shift,
    Py_ssize_t w, Py_ssize_t stride, Py_ssize_t n, double* acc
) noexcept nogil:
    """Fold columns; w narrow adjacent ones are regrouped into times * w columns of 1 / times of the length."""
    cdef double[2 * NARROW] wide
    cdef double[2 * NARROW] shifts
    cdef Py_ssize_t times = 2 * NARROW // w, rows, i, j
    cdef const Real* p = <const Real*>x
    cdef const Real* q = <const Real*>other
    if w == stride and w < NARROW and n >= 8 * times:
        rows = n // times
        for j in range(times * w):
            wide[j] = neutral(tag)
            if RealOp is SqDev or RealOp is DotDev:
                shifts[j] = shift[j % w]
        add_columns(tag, work, p, q, shifts, times * w, times * w, rows, wide)
        for i in range(times):
            for j in range(w):
                acc[j] = merge(tag, acc[j], wide[i * w + j])
        p += rows * times * w
        if RealOp is DotDev:
            q += rows * times * w
        n -= rows * times
    add_columns(tag, work, p, q, shift, w, stride, n, acc)


cdef void real_op(
    Real* t, RealOp* tag, Work* work, bint by_column, const void* x, const void* other,
    const double* shift, Py_ssize_t w, Py_ssize_t stride, Py_ssize_t n, double* acc
) noexcept nogil:
    if by_column:
        real_cols(t, tag, work, x, other, shift, w, stride, n, acc)
    else:
        real_rows(t, tag, work, x, other, shift, w, stride, n, acc)


cdef void reduce_sum(
    Real* t, Work* work, bint by_column, int op, const void* x, Py_ssize_t w, Py_ssize_t d,
    Py_ssize_t n, double* a
) noexcept nogil:
    """Reduce by an operation that may be computed in float32."""
    if op == REDUCE_sum:
        real_op[Real, Sum, Work](t, NULL, work, by_column, x, NULL, NULL, w, d, n, a)
    elif op == REDUCE_sumabs:
        real_op[Real, SumAbs, Work](t, NULL, work, by_column, x, NULL, NULL, w, d, n, a)
    elif op == REDUCE_nansum:
        real_op[Real, NanSum, Work](t, NULL, work, by_column, x, NULL, NULL, w, d, n, a)


cdef void extreme_rows(
    Extreme* tag, const Real* x, Work* work, Py_ssize_t w, Py_ssize_t stride, Py_ssize_t n, double* acc
) noexcept nogil:
    cdef Py_ssize_t j
    cdef double v
    for j in range(w):
        v = extreme_of(tag, x + j * stride, n, work)
        acc[j] = v if is_more_extreme(tag, v, acc[j]) else acc[j]


cdef void extreme_cols(
    Extreme* tag, const Real* x, Work* work, Py_ssize_t w, Py_ssize_t stride, Py_ssize_t n, double* acc
) noexcept nogil:
    cdef Work[COLUMNS] top
    cdef Py_ssize_t first = 0, count, _i, j
    cdef const Real* p
    cdef Work v
    cdef double d
    while first < w:
        p, count = x + first, min(w - first, <Py_ssize_t>COLUMNS)
        for j in range(count):
            top[j] = value_of(p[j], work)
        for _i in range(1, n):
            p += stride
            for j in range(count):
                v = value_of(p[j], work)
                top[j] = v if is_more_extreme(tag, v, top[j]) else top[j]
        for j in range(count):
            d = top[j]
            acc[first + j] = d if is_more_extreme(tag, d, acc[first + j]) else acc[first + j]
        first += COLUMNS


cdef void reduce_extreme(
    Extreme* tag, const Real* x, Work* work, bint by_column, Py_ssize_t w, Py_ssize_t d, Py_ssize_t n,
    double* a
) noexcept nogil:
    cdef double[2 * NARROW] wide
    cdef Py_ssize_t times = 2 * NARROW // w, rows, i, j
    if n == 0:
        return
    if not by_column:
        extreme_rows(tag, x, work, w, d, n, a)
    elif w == d and w < NARROW and n >= 8 * times:
        rows = n // times
        for j in range(times * w):
            wide[j] = a[j % w]
        extreme_cols(tag, x, work, times * w, times * w, rows, wide)
        for i in range(times):
            update_lanes(tag, a, wide + i * w, 1, <int>w)
        for i in range(rows * times, n):
            update_lanes(tag, a, x + i * w, 1, <int>w)
    else:
        extreme_cols(tag, x, work, w, d, n, a)


cdef void reduce_real(
    Real* t, bint by_column, int op, const void* x, const void* o, const double* s,
    Py_ssize_t w, Py_ssize_t d, Py_ssize_t n, void* acc
) noexcept nogil:
    cdef double* a = <double*>acc
    cdef double* wide = NULL
    cdef float* narrow = NULL
    if op == REDUCE_prod:
        real_op[Real, Prod, double](t, NULL, wide, by_column, x, o, s, w, d, n, a)
    elif op == REDUCE_sumsq:
        real_op[Real, SumSq, double](t, NULL, wide, by_column, x, o, s, w, d, n, a)
    elif op == REDUCE_nanprod:
        real_op[Real, NanProd, double](t, NULL, wide, by_column, x, o, s, w, d, n, a)
    elif op == REDUCE_sqdev:
        real_op[Real, SqDev, double](t, NULL, wide, by_column, x, o, s, w, d, n, a)
    elif op == REDUCE_dotdev:
        real_op[Real, DotDev, double](t, NULL, wide, by_column, x, o, s, w, d, n, a)
    elif op == REDUCE_max:
        if Real is double:
            reduce_extreme(<Max*>NULL, <const Real*>x, wide, by_column, w, d, n, a)
        else:
            reduce_extreme(<Max*>NULL, <const Real*>x, narrow, by_column, w, d, n, a)
    elif op == REDUCE_min:
        if Real is double:
            reduce_extreme(<Min*>NULL, <const Real*>x, wide, by_column, w, d, n, a)
        else:
            reduce_extreme(<Min*>NULL, <const Real*>x, narrow, by_column, w, d, n, a)
    elif op & REDUCE_WIDE or Real is double:
        reduce_sum[Real, double](t, wide, by_column, op & ~REDUCE_WIDE, x, w, d, n, a)
    else:
        reduce_sum[Real, float](t, narrow, by_column, op, x, w, d, n, a)


cdef void reduce_integral(
    Integral* t, bint by_column, int op, const void* x,
    Py_ssize_t w, Py_ssize_t d, Py_ssize_t n, void* acc
) noexcept nogil:
    # Integers have no NaN, so nansum is sum.
    cdef int64_t* a = <int64_t*>acc
    if op == REDUCE_sum or op == REDUCE_nansum:
        fold_integers[Integral, Sum](t, NULL, by_column, x, w, d, n, a)
    elif op == REDUCE_prod or op == REDUCE_nanprod:
        fold_integers[Integral, Prod](t, NULL, by_column, x, w, d, n, a)
    elif op == REDUCE_max:
        fold_integers[Integral, Max](t, NULL, by_column, x, w, d, n, a)
    elif op == REDUCE_min:
        fold_integers[Integral, Min](t, NULL, by_column, x, w, d, n, a)
    elif op == REDUCE_sumsq:
        fold_integers[Integral, SumSq](t, NULL, by_column, x, w, d, n, a)
    elif op == REDUCE_sumabs:
        fold_integers[Integral, SumAbs](t, NULL, by_column, x, w, d, n, a)


cdef void rows_of(
    int op, const Element* x, const void* other, const double* shift,
    Py_ssize_t w, Py_ssize_t stride, Py_ssize_t n, void* acc
) noexcept nogil:
    if Element is float or Element is double or Element is half or Element is brain:
        reduce_real[Element](<Element*>x, False, op, x, other, shift, w, stride, n, acc)
    else:
        reduce_integral[Element](<Element*>x, False, op, x, w, stride, n, acc)


cdef void cols_of(
    int op, const Element* x, const void* other, const double* shift,
    Py_ssize_t w, Py_ssize_t stride, Py_ssize_t n, void* acc
) noexcept nogil:
    if Element is float or Element is double or Element is half or Element is brain:
        reduce_real[Element](<Element*>x, True, op, x, other, shift, w, stride, n, acc)
    else:
        reduce_integral[Element](<Element*>x, True, op, x, w, stride, n, acc)


# Indexed by the element type codes of base/dtypes.py; bool is stored as uint8.
cdef opforge_reduce_table table
table.rows[0] = <opforge_reduce_fn>rows_of[float]
table.rows[1] = <opforge_reduce_fn>rows_of[double]
table.rows[2] = <opforge_reduce_fn>rows_of[half]
table.rows[3] = <opforge_reduce_fn>rows_of[uint8_t]
table.rows[4] = <opforge_reduce_fn>rows_of[int32_t]
table.rows[5] = <opforge_reduce_fn>rows_of[int8_t]
table.rows[6] = <opforge_reduce_fn>rows_of[int64_t]
table.rows[7] = <opforge_reduce_fn>rows_of[uint8_t]
table.rows[8] = <opforge_reduce_fn>rows_of[brain]
table.cols[0] = <opforge_reduce_fn>cols_of[float]
table.cols[1] = <opforge_reduce_fn>cols_of[double]
table.cols[2] = <opforge_reduce_fn>cols_of[half]
table.cols[3] = <opforge_reduce_fn>cols_of[uint8_t]
table.cols[4] = <opforge_reduce_fn>cols_of[int32_t]
table.cols[5] = <opforge_reduce_fn>cols_of[int8_t]
table.cols[6] = <opforge_reduce_fn>cols_of[int64_t]
table.cols[7] = <opforge_reduce_fn>cols_of[uint8_t]
table.cols[8] = <opforge_reduce_fn>cols_of[brain]

TABLE = PyCapsule_New(&table, b"opforge.kernels.reduce", NULL)
