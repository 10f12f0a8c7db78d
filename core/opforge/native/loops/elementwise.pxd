# Elementwise drivers: they convert tiles, broadcast, and split over threads; the arithmetic is in kernels/.
# `code` is an element type of memory/types.pxd. Without the GIL; no allocation; nonzero result: no such operation.

cdef extern from "opforge_elementwise.h" nogil:
    enum:
        UNARY_identity, UNARY_negative, UNARY_abs, UNARY_sign, UNARY_square, UNARY_sqrt
        UNARY_logical_not, UNARY_isfinite, BINARY_logical_xor
        UNARY_exp, UNARY_log, UNARY_sigmoid, UNARY_tanh, UNARY_relu, UNARY_expm1, UNARY_COUNT
        BINARY_add, BINARY_subtract, BINARY_multiply, BINARY_divide, BINARY_maximum, BINARY_minimum
        BINARY_equal, BINARY_not_equal, BINARY_lesser, BINARY_power, BINARY_mod, BINARY_COUNT

# How run_binary reads its operands.
cdef enum:
    MODE_VV = 0                        # a[i], b[i]
    MODE_VS = 1                        # a[i], b[0]
    MODE_SV = 2                        # a[0], b[i]

cdef dict UNARY_CODES                  # name -> operation code
cdef dict BINARY_CODES

# Is every result true or false, 1 or 0? An identity gives what it is given.
cdef inline bint unary_gives_mask(int op, bint given) noexcept nogil:
    return UNARY_logical_not <= op <= UNARY_isfinite or (op == UNARY_identity and given)

cdef inline bint binary_gives_mask(int op) noexcept nogil:
    return BINARY_equal <= op <= BINARY_logical_xor

# y may be an operand itself, where it has that operand's size and type, but not overlap it otherwise.
cdef int run_unary(int op, int code, const void* x, void* y, Py_ssize_t n) noexcept nogil
cdef int run_binary(
    int op, int code, const void* a, const void* b, void* y, Py_ssize_t n, int mode
) noexcept nogil
# The scalar is rounded to the element type; integer types narrower than 32 bits meet it in 32 bits.
cdef int run_binary_scalar(
    int op, int code, const void* x, double scalar, void* y, Py_ssize_t n, bint reverse
) noexcept nogil
cdef int run_binary_scalar_i64(
    int op, int code, const void* x, long long scalar, void* y, Py_ssize_t n, bint reverse
) noexcept nogil
# dims are right-aligned to `ndim` entries, padded with 1s on the left; y is no operand that is repeated.
cdef int run_broadcast(
    int op, int code,
    const void* a, const Py_ssize_t* a_dims,
    const void* b, const Py_ssize_t* b_dims,
    void* y, const Py_ssize_t* y_dims, int ndim,
) noexcept nogil
