# C declarations of the kernel table.

cdef extern from "opforge_transpose.h" nogil:
    ctypedef void (*opforge_transpose_fn)(
        const void* src, Py_ssize_t src_step, void* dst, Py_ssize_t dst_step, Py_ssize_t rows,
        Py_ssize_t cols) noexcept nogil
    ctypedef struct opforge_transpose_table:
        opforge_transpose_fn transpose[4]
