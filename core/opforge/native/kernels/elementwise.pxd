# C declarations of the table of elementwise kernels.

cdef extern from "opforge_elementwise.h" nogil:
    enum:
        COMPUTE_F32, COMPUTE_F64, COMPUTE_I32, COMPUTE_I64, COMPUTE_COUNT
        COMPUTE_U8, COMPUTE_I8, COMPUTE_ALL
    ctypedef int (*opforge_unary_fn)(int op, const void* x, void* y, Py_ssize_t n) noexcept nogil
    ctypedef int (*opforge_binary_fn)(
        int op, const void* a, const void* b, void* y, Py_ssize_t n
    ) noexcept nogil
    ctypedef int (*opforge_scalar_fn)(
        int op, const void* x, const void* scalar, bint reverse, void* y, Py_ssize_t n
    ) noexcept nogil
    ctypedef void (*opforge_where_fn)(
        const unsigned char* condition, const void* a, const void* b, void* y, Py_ssize_t n
    ) noexcept nogil
    ctypedef void (*opforge_clip_fn)(
        const void* x, const void* low, const void* high, void* y, Py_ssize_t n
    ) noexcept nogil
    ctypedef void (*opforge_stream_fn)(const void* tile, void* y, Py_ssize_t nbytes) noexcept nogil
    ctypedef struct opforge_elementwise_table:
        opforge_unary_fn unary[4]
        opforge_binary_fn binary[4]
        opforge_scalar_fn scalar[4]
        opforge_where_fn where[4]
        opforge_clip_fn clip[9]
        opforge_stream_fn stream
    ctypedef struct opforge_narrow_table:
        opforge_unary_fn unary[2]
        opforge_binary_fn binary[2]
        opforge_scalar_fn scalar[2]
