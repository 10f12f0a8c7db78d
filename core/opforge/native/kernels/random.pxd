# C declarations of the table of random number kernels, and of the generator.

from libc.stdint cimport int64_t, uint32_t, uint64_t

cdef extern from "opforge_random.h" nogil:
    enum:
        OPFORGE_BATCH
    ctypedef void (*opforge_fill_fn)(
        void*, Py_ssize_t, uint64_t, uint64_t, double, double) noexcept nogil
    ctypedef void (*opforge_integers_fn)(
        int64_t*, Py_ssize_t, uint64_t, uint64_t, int64_t, uint64_t) noexcept nogil
    ctypedef struct opforge_random_table:
        opforge_fill_fn* uniform
        opforge_fill_fn* normal
        opforge_fill_fn* exponential
        opforge_integers_fn integers
    void opforge_philox(uint64_t key, uint64_t batch, uint64_t purpose, uint32_t* out)
    uint64_t opforge_high_product(uint64_t a, uint64_t b)
