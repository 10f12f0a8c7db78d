# C declarations of the kernel table for cumulative sums.

from libc.stdint cimport int64_t

cdef extern from "opforge_cumulative.h" nogil:
    ctypedef struct opforge_cumulative_table:
        void (*f64)(double* x, Py_ssize_t n, Py_ssize_t lag, int from_end) noexcept nogil
        void (*i64)(int64_t* x, Py_ssize_t n, Py_ssize_t lag, int from_end) noexcept nogil
    void opforge_cumsum_f64(double*, Py_ssize_t, Py_ssize_t, int) noexcept nogil
    void opforge_cumsum_i64(int64_t*, Py_ssize_t, Py_ssize_t, int) noexcept nogil
