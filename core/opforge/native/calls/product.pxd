# Matrix products on raw memory, for callers that have checked shapes and waited for the arrays.

from opforge.abi cimport opforge_step

# c[m, n] = op(a)[m, k] op(b)[k, n] + bias + beta * c, on as many threads as it is worth. Rows are dense:
# `a` is [m, k], or [k, m] with `ta`; `b` is [k, n], or [n, k] with `tb`. `bias` is n elements, added to
# each row, or NULL; `beta` is 0 (c is not read) or 1. `c` overlaps none of the others. Not 0: nothing was
# computed, for `code` is neither F32 nor F64, a side is beyond 32 bits, or OpenBLAS is not loaded yet;
# the Python-level `gemm` loads it, and says what is wrong. `steps` are those of an epilogue.
cdef int run_gemm(
    int code, bint ta, bint tb, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k, const void* a, const void* b,
    void* c, const void* bias, double beta, const opforge_step* steps, int n_steps,
) noexcept nogil
