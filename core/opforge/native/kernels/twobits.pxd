# C declarations of the kernel table.

from libc.stdint cimport uint8_t

cdef extern from "opforge_twobits.h" nogil:
    ctypedef struct opforge_twobits_table:
        void (*pack)(
            const float* x, float* residual, uint8_t* words, float threshold, Py_ssize_t n) noexcept nogil
        void (*unpack)(
            const uint8_t* words, float* y, float threshold, int adds, Py_ssize_t n) noexcept nogil
