# Building blocks of integer reductions, which are computed in 64 bits, where overflow wraps.
#
# Inline and generic, like `folds` for floats. One accumulator suffices: integer folds are associative, so the
# compiler vectorizes them.

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint64_t

from opforge.native.kernels.folds cimport Max, Min, Prod, Sum, SumAbs, SumSq

ctypedef fused Integral:
    uint8_t
    int8_t
    int32_t
    int64_t

ctypedef fused IntegralOp:
    Sum
    Prod
    Max
    Min
    SumSq
    SumAbs


cdef inline int64_t lift_integer(IntegralOp* tag, int64_t x) noexcept nogil:
    if IntegralOp is SumSq:
        return <int64_t>(<uint64_t>x * <uint64_t>x)
    elif IntegralOp is SumAbs:
        return x if x >= 0 else <int64_t>(0 - <uint64_t>x)
    else:
        return x


cdef inline int64_t merge_integers(IntegralOp* tag, int64_t a, int64_t b) noexcept nogil:
    # Unsigned arithmetic, because its overflow wraps.
    if IntegralOp is Max:
        return b if b > a else a
    elif IntegralOp is Min:
        return b if b < a else a
    elif IntegralOp is Prod:
        return <int64_t>(<uint64_t>a * <uint64_t>b)
    else:
        return <int64_t>(<uint64_t>a + <uint64_t>b)


cdef inline void fold_rows(
    Integral* type_tag, IntegralOp* tag, const void* x,
    Py_ssize_t w, Py_ssize_t stride, Py_ssize_t n, int64_t* acc
) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef const Integral* p
    cdef int64_t total
    for j in range(w):
        p = <const Integral*>x + j * stride
        total = acc[j]
        for i in range(n):
            total = merge_integers(tag, total, lift_integer(tag, <int64_t>p[i]))
        acc[j] = total


cdef inline void fold_columns(
    Integral* type_tag, IntegralOp* tag, const void* x,
    Py_ssize_t w, Py_ssize_t stride, Py_ssize_t n, int64_t* acc
) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef const Integral* p
    for i in range(n):
        p = <const Integral*>x + i * stride
        for j in range(w):
            acc[j] = merge_integers(tag, acc[j], lift_integer(tag, <int64_t>p[j]))


cdef inline void fold_integers(
    Integral* t, IntegralOp* tag, bint by_column, const void* x,
    Py_ssize_t w, Py_ssize_t stride, Py_ssize_t n, int64_t* acc
) noexcept nogil:
    if by_column:
        fold_columns(t, tag, x, w, stride, n, acc)
    else:
        fold_rows(t, tag, x, w, stride, n, acc)
