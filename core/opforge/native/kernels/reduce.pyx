"""Reductions over strided rows and columns.

Rows are folded in explicit lanes: the loop vectorises, the order of the additions depends on the
length alone, and float32 is accumulated in double. No imports but headers.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint64_t

from opforge.native.kernels.half cimport half, half_load

cdef enum:
    LANES = 32

ctypedef fused Real:
    float
    double
    half

ctypedef fused Integral:
    uint8_t
    int8_t
    int32_t
    int64_t

ctypedef fused Element:
    float
    double
    half
    uint8_t
    int8_t
    int32_t
    int64_t

# Operations as types, so that each gets a loop of its own.
cdef struct Sum:
    char unused
cdef struct Prod:
    char unused
cdef struct Max:
    char unused
cdef struct Min:
    char unused
cdef struct SumSq:
    char unused
cdef struct SumAbs:
    char unused
cdef struct NanSum:
    char unused
cdef struct NanProd:
    char unused
cdef struct SqDev:
    char unused
cdef struct DotDev:
    char unused

ctypedef fused RealOp:
    Sum
    Prod
    Max
    Min
    SumSq
    SumAbs
    NanSum
    NanProd
    SqDev
    DotDev

ctypedef fused IntegralOp:
    Sum
    Prod
    Max
    Min
    SumSq
    SumAbs


cdef inline double real_of(Real x) noexcept nogil:
    if Real is half:
        return half_load(x)
    else:
        return x


cdef inline double lift(RealOp* tag, double x, double other, double shift) noexcept nogil:
    """What one element adds."""
    if RealOp is SumSq:
        return x * x
    elif RealOp is SumAbs:
        return x if x >= 0 else -x
    elif RealOp is NanSum:
        return x if x == x else 0.0
    elif RealOp is NanProd:
        return x if x == x else 1.0
    elif RealOp is SqDev:
        return (x - shift) * (x - shift)
    elif RealOp is DotDev:
        return other * (x - shift)
    else:
        return x


cdef inline double merge(RealOp* tag, double a, double b) noexcept nogil:
    if RealOp is Max:
        return b if (b > a) | (b != b) else a
    elif RealOp is Min:
        return b if (b < a) | (b != b) else a
    elif RealOp is Prod or RealOp is NanProd:
        return a * b
    else:
        return a + b


cdef void real_rows(
    Real* type_tag, RealOp* tag, const void* x, const void* other, const double* shift,
    Py_ssize_t w, Py_ssize_t stride, Py_ssize_t n, double* acc
) noexcept nogil:
    cdef double[LANES] lanes
    cdef double total, s = 0.0
    cdef Py_ssize_t i, j
    cdef int k, width
    cdef const Real* p
    cdef const Real* q
    for j in range(w):
        p = <const Real*>x + j * stride
        if RealOp is DotDev:
            q = <const Real*>other + j * stride
        else:
            q = p
        if RealOp is SqDev or RealOp is DotDev:
            s = shift[j]
        total = acc[j]
        i = 0
        if n >= LANES:
            for k in range(LANES):
                lanes[k] = lift(tag, real_of(p[k]), real_of(q[k]), s)
            i = LANES
            while i + LANES <= n:
                for k in range(LANES):
                    lanes[k] = merge(tag, lanes[k], lift(tag, real_of(p[i + k]), real_of(q[i + k]), s))
                i += LANES
            width = LANES // 2
            while width:
                for k in range(width):
                    lanes[k] = merge(tag, lanes[k], lanes[k + width])
                width //= 2
            total = merge(tag, total, lanes[0])
        while i < n:
            total = merge(tag, total, lift(tag, real_of(p[i]), real_of(q[i]), s))
            i += 1
        acc[j] = total


cdef void real_cols(
    Real* type_tag, RealOp* tag, const void* x, const void* other, const double* shift,
    Py_ssize_t w, Py_ssize_t stride, Py_ssize_t n, double* acc
) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef const Real* p
    cdef const Real* q
    for i in range(n):
        p = <const Real*>x + i * stride
        if RealOp is DotDev:
            q = <const Real*>other + i * stride
            for j in range(w):
                acc[j] = merge(tag, acc[j], lift(tag, real_of(p[j]), real_of(q[j]), shift[j]))
        elif RealOp is SqDev:
            for j in range(w):
                acc[j] = merge(tag, acc[j], lift(tag, real_of(p[j]), 0.0, shift[j]))
        else:
            for j in range(w):
                acc[j] = merge(tag, acc[j], lift(tag, real_of(p[j]), 0.0, 0.0))


cdef inline int64_t integral_lift(IntegralOp* tag, int64_t x) noexcept nogil:
    if IntegralOp is SumSq:
        return <int64_t>(<uint64_t>x * <uint64_t>x)
    elif IntegralOp is SumAbs:
        return x if x >= 0 else <int64_t>(0 - <uint64_t>x)
    else:
        return x


cdef inline int64_t integral_merge(IntegralOp* tag, int64_t a, int64_t b) noexcept nogil:
    """Unsigned arithmetic, where overflow wraps."""
    if IntegralOp is Max:
        return b if b > a else a
    elif IntegralOp is Min:
        return b if b < a else a
    elif IntegralOp is Prod:
        return <int64_t>(<uint64_t>a * <uint64_t>b)
    else:
        return <int64_t>(<uint64_t>a + <uint64_t>b)


cdef void integral_rows(
    Integral* type_tag, IntegralOp* tag, const void* x,
    Py_ssize_t w, Py_ssize_t stride, Py_ssize_t n, int64_t* acc
) noexcept nogil:
    """One accumulator: integer folds are associative, so the compiler makes the lanes."""
    cdef Py_ssize_t i, j
    cdef const Integral* p
    cdef int64_t total
    for j in range(w):
        p = <const Integral*>x + j * stride
        total = acc[j]
        for i in range(n):
            total = integral_merge(tag, total, integral_lift(tag, <int64_t>p[i]))
        acc[j] = total


cdef void integral_cols(
    Integral* type_tag, IntegralOp* tag, const void* x,
    Py_ssize_t w, Py_ssize_t stride, Py_ssize_t n, int64_t* acc
) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef const Integral* p
    for i in range(n):
        p = <const Integral*>x + i * stride
        for j in range(w):
            acc[j] = integral_merge(tag, acc[j], integral_lift(tag, <int64_t>p[j]))


cdef void real_op(
    Real* t, RealOp* tag, bint by_column, const void* x, const void* other, const double* shift,
    Py_ssize_t w, Py_ssize_t stride, Py_ssize_t n, double* acc
) noexcept nogil:
    if by_column:
        real_cols(t, tag, x, other, shift, w, stride, n, acc)
    else:
        real_rows(t, tag, x, other, shift, w, stride, n, acc)


cdef void reduce_real(
    Real* t, bint by_column, int op, const void* x, const void* o, const double* s,
    Py_ssize_t w, Py_ssize_t d, Py_ssize_t n, void* acc
) noexcept nogil:
    cdef double* a = <double*>acc
    if op == REDUCE_sum:
        real_op[Real, Sum](t, NULL, by_column, x, o, s, w, d, n, a)
    elif op == REDUCE_prod:
        real_op[Real, Prod](t, NULL, by_column, x, o, s, w, d, n, a)
    elif op == REDUCE_max:
        real_op[Real, Max](t, NULL, by_column, x, o, s, w, d, n, a)
    elif op == REDUCE_min:
        real_op[Real, Min](t, NULL, by_column, x, o, s, w, d, n, a)
    elif op == REDUCE_sumsq:
        real_op[Real, SumSq](t, NULL, by_column, x, o, s, w, d, n, a)
    elif op == REDUCE_sumabs:
        real_op[Real, SumAbs](t, NULL, by_column, x, o, s, w, d, n, a)
    elif op == REDUCE_nansum:
        real_op[Real, NanSum](t, NULL, by_column, x, o, s, w, d, n, a)
    elif op == REDUCE_nanprod:
        real_op[Real, NanProd](t, NULL, by_column, x, o, s, w, d, n, a)
    elif op == REDUCE_sqdev:
        real_op[Real, SqDev](t, NULL, by_column, x, o, s, w, d, n, a)
    elif op == REDUCE_dotdev:
        real_op[Real, DotDev](t, NULL, by_column, x, o, s, w, d, n, a)


cdef void integral_op(
    Integral* t, IntegralOp* tag, bint by_column, const void* x,
    Py_ssize_t w, Py_ssize_t stride, Py_ssize_t n, int64_t* acc
) noexcept nogil:
    if by_column:
        integral_cols(t, tag, x, w, stride, n, acc)
    else:
        integral_rows(t, tag, x, w, stride, n, acc)


cdef void reduce_integral(
    Integral* t, bint by_column, int op, const void* x,
    Py_ssize_t w, Py_ssize_t d, Py_ssize_t n, void* acc
) noexcept nogil:
    """Integers have no NaN: nansum is sum."""
    cdef int64_t* a = <int64_t*>acc
    if op == REDUCE_sum or op == REDUCE_nansum:
        integral_op[Integral, Sum](t, NULL, by_column, x, w, d, n, a)
    elif op == REDUCE_prod or op == REDUCE_nanprod:
        integral_op[Integral, Prod](t, NULL, by_column, x, w, d, n, a)
    elif op == REDUCE_max:
        integral_op[Integral, Max](t, NULL, by_column, x, w, d, n, a)
    elif op == REDUCE_min:
        integral_op[Integral, Min](t, NULL, by_column, x, w, d, n, a)
    elif op == REDUCE_sumsq:
        integral_op[Integral, SumSq](t, NULL, by_column, x, w, d, n, a)
    elif op == REDUCE_sumabs:
        integral_op[Integral, SumAbs](t, NULL, by_column, x, w, d, n, a)


cdef void rows_of(
    int op, const Element* x, const void* other, const double* shift,
    Py_ssize_t w, Py_ssize_t stride, Py_ssize_t n, void* acc
) noexcept nogil:
    if Element is float or Element is double or Element is half:
        reduce_real[Element](<Element*>x, False, op, x, other, shift, w, stride, n, acc)
    else:
        reduce_integral[Element](<Element*>x, False, op, x, w, stride, n, acc)


cdef void cols_of(
    int op, const Element* x, const void* other, const double* shift,
    Py_ssize_t w, Py_ssize_t stride, Py_ssize_t n, void* acc
) noexcept nogil:
    if Element is float or Element is double or Element is half:
        reduce_real[Element](<Element*>x, True, op, x, other, shift, w, stride, n, acc)
    else:
        reduce_integral[Element](<Element*>x, True, op, x, w, stride, n, acc)


cdef inline bint comes_before(Element a, Element b, bint want_min) noexcept nogil:
    """Whether `a` displaces the earlier `b`."""
    cdef double u, v
    if Element is float or Element is double or Element is half:
        u = real_of(a)
        v = real_of(b)
        return v == v and (u != u or (u < v if want_min else u > v))
    else:
        return a < b if want_min else a > b


cdef void arg_strided(
    int want_min, const Element* x, Py_ssize_t w, Py_ssize_t to_next, Py_ssize_t step,
    Py_ssize_t n, long long* index
) noexcept nogil:
    cdef Py_ssize_t i, j, best
    cdef const Element* p
    for j in range(w):
        p = x + j * to_next
        best = 0
        for i in range(1, n):
            if comes_before[Element](p[i * step], p[best * step], want_min):
                best = i
        index[j] = best


cdef void arg_rows_of(
    int want_min, const Element* x, Py_ssize_t w, Py_ssize_t stride, Py_ssize_t n,
    long long* index
) noexcept nogil:
    arg_strided(want_min, x, w, stride, 1, n, index)


cdef void arg_cols_of(
    int want_min, const Element* x, Py_ssize_t w, Py_ssize_t stride, Py_ssize_t n,
    long long* index
) noexcept nogil:
    """Row by row, so that memory is read in order."""
    cdef Py_ssize_t i, j
    for j in range(w):
        index[j] = 0
    for i in range(1, n):
        for j in range(w):
            if comes_before[Element](x[i * stride + j], x[index[j] * stride + j], want_min):
                index[j] = i


# Indexed by the element type codes of base/dtypes.py; bool is held as uint8.
cdef opforge_reduce_table table
table.rows[0] = <opforge_reduce_fn>rows_of[float]
table.rows[1] = <opforge_reduce_fn>rows_of[double]
table.rows[2] = <opforge_reduce_fn>rows_of[half]
table.rows[3] = <opforge_reduce_fn>rows_of[uint8_t]
table.rows[4] = <opforge_reduce_fn>rows_of[int32_t]
table.rows[5] = <opforge_reduce_fn>rows_of[int8_t]
table.rows[6] = <opforge_reduce_fn>rows_of[int64_t]
table.rows[7] = <opforge_reduce_fn>rows_of[uint8_t]
table.cols[0] = <opforge_reduce_fn>cols_of[float]
table.cols[1] = <opforge_reduce_fn>cols_of[double]
table.cols[2] = <opforge_reduce_fn>cols_of[half]
table.cols[3] = <opforge_reduce_fn>cols_of[uint8_t]
table.cols[4] = <opforge_reduce_fn>cols_of[int32_t]
table.cols[5] = <opforge_reduce_fn>cols_of[int8_t]
table.cols[6] = <opforge_reduce_fn>cols_of[int64_t]
table.cols[7] = <opforge_reduce_fn>cols_of[uint8_t]
table.arg_rows[0] = <opforge_arg_fn>arg_rows_of[float]
table.arg_rows[1] = <opforge_arg_fn>arg_rows_of[double]
table.arg_rows[2] = <opforge_arg_fn>arg_rows_of[half]
table.arg_rows[3] = <opforge_arg_fn>arg_rows_of[uint8_t]
table.arg_rows[4] = <opforge_arg_fn>arg_rows_of[int32_t]
table.arg_rows[5] = <opforge_arg_fn>arg_rows_of[int8_t]
table.arg_rows[6] = <opforge_arg_fn>arg_rows_of[int64_t]
table.arg_rows[7] = <opforge_arg_fn>arg_rows_of[uint8_t]
table.arg_cols[0] = <opforge_arg_fn>arg_cols_of[float]
table.arg_cols[1] = <opforge_arg_fn>arg_cols_of[double]
table.arg_cols[2] = <opforge_arg_fn>arg_cols_of[half]
table.arg_cols[3] = <opforge_arg_fn>arg_cols_of[uint8_t]
table.arg_cols[4] = <opforge_arg_fn>arg_cols_of[int32_t]
table.arg_cols[5] = <opforge_arg_fn>arg_cols_of[int8_t]
table.arg_cols[6] = <opforge_arg_fn>arg_cols_of[int64_t]
table.arg_cols[7] = <opforge_arg_fn>arg_cols_of[uint8_t]

TABLE = PyCapsule_New(&table, b"opforge.kernels.reduce", NULL)
