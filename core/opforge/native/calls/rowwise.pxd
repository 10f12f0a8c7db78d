# Softmax along one axis of raw memory, shared out over threads.
#
# The memory is seen as (outer, n, inner) and folded over n. `code` is F32 or F64; any other does nothing
# and gives a nonzero result. `scale` multiplies the input first: 1 / temperature, negative for softmin.
# `log` asks for the logarithm, and tells the gradient that `y` is one. An output may be one of the inputs.

cdef int run_softmax(
    int code, const void* x, void* y, Py_ssize_t outer, Py_ssize_t n, Py_ssize_t inner,
    double scale, bint log,
) noexcept nogil
cdef int run_softmax_grad(
    int code, const void* dy, const void* y, void* dx, Py_ssize_t outer, Py_ssize_t n,
    Py_ssize_t inner, double scale, bint log,
) noexcept nogil
