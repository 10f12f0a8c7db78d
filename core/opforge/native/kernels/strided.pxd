# C declarations of the kernel table.

cdef extern from "opforge_strided.h" nogil:
    ctypedef struct opforge_strided_table:
        void (*run[4])(
            const void* src, Py_ssize_t src_step, void* dst, Py_ssize_t dst_step, Py_ssize_t n
        ) noexcept nogil
        void (*repeat[4])(const void* src, void* dst, Py_ssize_t times, Py_ssize_t n) noexcept nogil
