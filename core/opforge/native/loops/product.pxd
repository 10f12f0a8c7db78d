# Matrix products on raw memory; the caller has checked the shapes and waited for the arrays.

from opforge.abi cimport opforge_step

from opforge.native.loops.blas cimport Blas

cdef enum:
    MAX_SIDE = 0x7FFFFFFF              # BLAS uses 32-bit sizes

cdef enum:                             # kernels
    BLAS
    DOTS
    PANELS
    BRAIN_DOTS
    BRAIN_PANELS

# out[m, n] = alpha * op(a)[m, k] op(b)[k, n] + bias + beta * out; unused fields are zero.
cdef struct Product:
    Blas* blas
    const char* a
    const char* b
    const char* bias                   # n elements, m with `bias_by_row`, or NULL
    char* out
    Py_ssize_t m, n, k
    Py_ssize_t lda, ldb, ldc
    Py_ssize_t units, parts            # groups of PART_ALIGN rows or columns, divided among parts
    bint ta, tb
    double alpha, beta
    int code
    bint by_column
    # Chosen before dividing, so that results do not depend on the threads:
    int kernel
    Py_ssize_t depth                   # elements of the rows that DOTS multiplies at a time
    bint bias_by_row
    bint single_thread                 # run on the calling thread only
    Py_ssize_t batch_a, batch_b, batch_out   # bytes from one product of a batch to the next
    const opforge_step* steps          # of an epilogue; float32 and float64 only
    int n_steps
    const char* result                 # start of the array that contains `out`; epilogues index it

cdef bint has_brain_kernel(const Product* p) noexcept nogil    # or bfloat16 is computed in float32
cdef void run_product(Product* p) noexcept nogil               # m and n are nonzero; modifies `p`
cdef void run_batch(Product* p, Py_ssize_t count) noexcept nogil   # `count` products, none empty
