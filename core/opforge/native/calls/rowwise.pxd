# Softmax along one axis of raw memory, divided among threads.
#
# The memory is viewed as (outer, n, inner) and normalized over n. `code` is F32 or F64; for other types
# nothing is computed and the result is nonzero. `scale` multiplies the input: 1 / temperature, negative
# for softmin. `log` requests log-softmax; for the gradient, `y` is then its output. An output may be one
# of the inputs.

cdef int run_softmax(
    int code, const void* x, void* y, Py_ssize_t outer, Py_ssize_t n, Py_ssize_t inner,
    double scale, bint log,
) noexcept nogil
cdef int run_softmax_grad(
    int code, const void* dy, const void* y, void* dx, Py_ssize_t outer, Py_ssize_t n,
    Py_ssize_t inner, double scale, bint log,
) noexcept nogil
