# Elementwise drivers: they convert tiles, broadcast and divide the work among threads; kernels/ has the arithmetic.
# `code` is an element type of memory/types.pxd. The functions do not allocate; they return nonzero if the
# operation does not exist.

cdef extern from "opforge_elementwise.h" nogil:
    enum:
        UNARY_identity, UNARY_COUNT
        BINARY_add, BINARY_multiply, BINARY_divide, BINARY_maximum, BINARY_minimum, BINARY_lesser, BINARY_COUNT
    bint opforge_unary_is_mask(int op)
    bint opforge_binary_is_mask(int op)

# Operand modes of run_binary.
cdef enum:
    MODE_VV = 0                        # a[i], b[i]
    MODE_VS = 1                        # a[i], b[0]
    MODE_SV = 2                        # a[0], b[i]

cdef dict UNARY_CODES                  # name -> operation code
cdef dict BINARY_CODES

# Return whether all results are 0 or 1; for the identity this holds if `given` does.
cdef inline bint unary_gives_mask(int op, bint given) noexcept nogil:
    return opforge_unary_is_mask(op) or (op == UNARY_identity and given)

cdef inline bint binary_gives_mask(int op) noexcept nogil:
    return opforge_binary_is_mask(op)

# `y` may be an operand of the same size and type, but must not overlap one otherwise.
cdef int run_unary(int op, int code, const void* x, void* y, Py_ssize_t n) noexcept nogil
# Limit elements to [low, high], whose values are rounded to the element type, and for integers toward zero and to
# its range; NaN stays NaN. A bound that is NaN makes all floats NaN.
cdef int run_clip(int code, const void* x, double low, double high, void* y, Py_ssize_t n) noexcept nogil
cdef int run_binary(
    int op, int code, const void* a, const void* b, void* y, Py_ssize_t n, int mode
) noexcept nogil
# The scalar is rounded to the element type; integer types narrower than 32 bits are computed in 32 bits.
cdef int run_binary_scalar(
    int op, int code, const void* x, double scalar, void* y, Py_ssize_t n, bint reverse
) noexcept nogil
cdef int run_binary_scalar_i64(
    int op, int code, const void* x, long long scalar, void* y, Py_ssize_t n, bint reverse
) noexcept nogil
# `*_dims` are right-aligned to `ndim` entries and padded with 1 on the left; y must not be an operand that is
# broadcast.
cdef int run_broadcast(
    int op, int code,
    const void* a, const Py_ssize_t* a_dims,
    const void* b, const Py_ssize_t* b_dims,
    void* y, const Py_ssize_t* y_dims, int ndim,
) noexcept nogil
# A comparison with `y` bool. With b NULL, all `a_dims[0]` elements of `a` are compared with the scalar.
cdef int run_comparison(
    int op, int code,
    const void* a, const Py_ssize_t* a_dims,
    const void* b, const Py_ssize_t* b_dims, double scalar,
    void* y, const Py_ssize_t* y_dims, int ndim,
) noexcept nogil
