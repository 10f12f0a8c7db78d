# Vectorized row operations of softmax: maximum, exponentials and sums. Inline and generic.
#
# The order of additions depends only on the length. Rows are not padded: the remainder of 32 lanes uses 8 lanes, and
# the remainder of these is added one by one. Rows and columns are summed in pieces, and the rounding errors of adding
# the pieces are accumulated, so that long rows lose no accuracy.

cdef extern from "opforge/simd.h" nogil:
    float of_exp2_scaled_f32(float, float)
    double of_exp2_scaled_f64(double, double)

cdef enum:
    LANES = 32
    FEW = 8
    PIECE = 4096                       # elements that are summed without error compensation

ctypedef fused Real:
    float
    double

# Terms of sums as types, so that each sum gets a separate loop.
cdef struct Plain:
    char unused
cdef struct Product:
    char unused
cdef struct Exponential:
    char unused

ctypedef fused Term:
    Plain
    Product
    Exponential


cdef inline Real exp2_of(Real d, Real c) noexcept nogil:
    """2^(d * c)."""
    if Real is float:
        return of_exp2_scaled_f32(d, c)
    else:
        return of_exp2_scaled_f64(d, c)


cdef inline Real larger(Real a, Real b) noexcept nogil:
    """Return the maximum, in one instruction. A NaN in `b` propagates, one in `a` does not; exponentials do later."""
    return a if a > b else b


cdef inline void add_piece(Real* total, Real* error, Real piece) noexcept nogil:
    """Add to `total` and accumulate the rounding error in `error` (Knuth's two-sum)."""
    cdef Real before = total[0], after = before + piece, added = after - before
    total[0] = after
    error[0] += (before - (after - added)) + (piece - added)


cdef inline Real sum_of(Real total, Real error) noexcept nogil:
    # If `total` is infinite, `error` is NaN.
    return total + (error if error == error else 0)


cdef inline Real fold_sum(Real* lanes) noexcept nogil:
    """Return the sum of LANES lanes, followed by FEW lanes."""
    cdef int k, width = LANES // 2
    while width >= FEW:
        for k in range(width):
            lanes[k] += lanes[k + width]
        width //= 2
    for k in range(FEW):
        lanes[k] += lanes[LANES + k]
    while width:
        for k in range(width):
            lanes[k] += lanes[k + width]
        width //= 2
    return lanes[0]


cdef inline Real negated_if(Real x, bint negate) noexcept nogil:
    return -x if negate else x


cdef inline Real row_max(const Real* x, Py_ssize_t n, bint negate) noexcept nogil:
    """Return the maximum of x, or of -x; a NaN may be ignored."""
    cdef Real[LANES] lanes
    cdef Real top = negated_if(x[0], negate)
    cdef Py_ssize_t i = 0
    cdef int k, width = LANES // 2
    if n >= LANES:
        for k in range(LANES):
            lanes[k] = negated_if(x[k], negate)
        i = LANES
        while i + LANES <= n:
            for k in range(LANES):
                lanes[k] = larger(negated_if(x[i + k], negate), lanes[k])
            i += LANES
        for k in range(LANES):         # the last LANES elements, some of them again
            lanes[k] = larger(negated_if(x[n - LANES + k], negate), lanes[k])
        while width:
            for k in range(width):
                lanes[k] = larger(lanes[k + width], lanes[k])
            width //= 2
        return lanes[0]
    while i < n:
        top = larger(negated_if(x[i], negate), top)
        i += 1
    return top


cdef inline Real term(
    Term* tag, const Real* x, const Real* y, Py_ssize_t i, bint negate, Real top, Real c
) noexcept nogil:
    """Return the term of element i."""
    if Term is Exponential:
        return exp2_of(negated_if(x[i], negate) - top, c)
    elif Term is Product:
        return x[i] * y[i]
    else:
        return x[i]


cdef inline Real piece_of_terms(
    Term* tag, const Real* x, const Real* y, Py_ssize_t n, bint negate, Real top, Real c
) noexcept nogil:
    cdef Real[LANES + FEW] lanes
    cdef Real total = 0
    cdef Py_ssize_t i = 0
    cdef int k
    for k in range(LANES + FEW):
        lanes[k] = 0
    while i + LANES <= n:
        for k in range(LANES):
            lanes[k] += term(tag, x, y, i + k, negate, top, c)
        i += LANES
    while i + FEW <= n:
        for k in range(FEW):
            lanes[LANES + k] += term(tag, x, y, i + k, negate, top, c)
        i += FEW
    while i < n:
        total += term(tag, x, y, i, negate, top, c)
        i += 1
    return total + fold_sum(lanes)


cdef inline Real sum_of_terms(
    Term* tag, const Real* x, const Real* y, Py_ssize_t n, bint negate, Real top, Real c
) noexcept nogil:
    cdef Real total = 0, error = 0
    cdef Py_ssize_t i = 0
    while i < n:
        add_piece(
            &total, &error,
            piece_of_terms(tag, x + i, y + i, min(n - i, <Py_ssize_t>PIECE), negate, top, c),
        )
        i += PIECE
    return sum_of(total, error)


cdef inline Real row_sum(const Real* x, Py_ssize_t n) noexcept nogil:
    return sum_of_terms(<Plain*>NULL, x, x, n, False, 0, 0)


cdef inline Real row_dot(const Real* x, const Real* y, Py_ssize_t n) noexcept nogil:
    return sum_of_terms(<Product*>NULL, x, y, n, False, 0, 0)


cdef inline Real exp_sum(const Real* x, Py_ssize_t n, bint negate, Real top, Real c) noexcept nogil:
    """Return the sum of 2^((x - top) * c), or the same of -x."""
    return sum_of_terms(<Exponential*>NULL, x, x, n, negate, top, c)
