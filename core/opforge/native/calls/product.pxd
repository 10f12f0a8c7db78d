# Matrix products on raw memory, for callers that have checked shapes and waited for the arrays.

from opforge.abi cimport opforge_step

# Computes c[m, n] = op(a)[m, k] op(b)[k, n] + bias + beta * c on as many threads as pay off. Rows are dense:
# `a` is [m, k], or [k, m] with `ta`; `b` is [k, n], or [n, k] with `tb`. `bias` is n elements, added to
# each row, or NULL; `beta` is 0 (c is not read) or 1. `c` must not overlap the other arrays. `steps` are
# those of an epilogue. Returns nonzero, having computed nothing, if `code` is neither F32 nor F64, a side
# exceeds 32 bits, or OpenBLAS is not loaded yet; the Python function `gemm` loads it or raises the error.
cdef int run_gemm(
    int code, bint ta, bint tb, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k, const void* a, const void* b,
    void* c, const void* bias, double beta, const opforge_step* steps, int n_steps,
) noexcept nogil
