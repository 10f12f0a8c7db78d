# Matrix products on raw memory; the caller has checked the shapes and waited for the arrays.

from opforge.abi cimport opforge_step

from opforge.native.loops.blas cimport Blas

cdef enum:
    MAX_SIDE = 0x7FFFFFFF              # BLAS counts in 32 bits

# out[m, n] = alpha * op(a)[m, k] op(b)[k, n] + bias + beta * out; all zero but what is set.
cdef struct Product:
    Blas* blas
    const char* a
    const char* b
    const char* bias                   # n elements, m where `bias_by_row`, or NULL
    char* out
    Py_ssize_t m, n, k
    Py_ssize_t lda, ldb, ldc
    Py_ssize_t units, parts            # CUT_ALIGN rows or columns each, and what they are dealt to
    bint ta, tb
    double alpha, beta
    int code
    bint by_column
    bint by_panels                     # decided before it is cut, for the same bits with any number of threads
    bint bias_by_row
    bint alone                         # on this thread
    Py_ssize_t batch_a, batch_b, batch_out   # bytes from one product of a batch to the next
    const opforge_step* steps          # of an epilogue; of float32 and float64
    int n_steps
    const char* result                 # the array that `out` is in: epilogues count elements from there

cdef void run_product(Product* p) noexcept nogil               # m and n are not 0; changes `p`
cdef void run_batch(Product* p, Py_ssize_t count) noexcept nogil   # `count` products, none of them empty
