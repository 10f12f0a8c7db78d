# Rows of softmax in lanes: the largest element, exponentials and their sum. Inline and generic.
#
# The order of additions depends on the length alone. A row is padded to none: what 32 lanes leave goes
# through 8, and what these leave one by one. Rows and columns are summed piece by piece, and what adding
# the pieces up rounds off is kept, so that their length costs no digits.

cdef extern from "opforge_rowmath.h" nogil:
    float opforge_exp2_f32(float, float)
    double opforge_exp2_f64(double, double)

cdef enum:
    LANES = 32
    FEW = 8
    PIECE = 4096                       # elements of a row that are summed without care

ctypedef fused Real:
    float
    double


cdef inline Real exp2_of(Real d, Real c) noexcept nogil:
    """2^(d * c)."""
    if Real is float:
        return opforge_exp2_f32(d, c)
    else:
        return opforge_exp2_f64(d, c)


cdef inline Real larger(Real a, Real b) noexcept nogil:
    """One instruction. A NaN in `b` stays, one in `a` is passed over: exponentials find it again."""
    return a if a > b else b


cdef inline void add_piece(Real* total, Real* lost, Real piece) noexcept nogil:
    """Add to `total`; what that rounds off goes to `lost` (Knuth's two-sum)."""
    cdef Real before = total[0], after = before + piece, added = after - before
    total[0] = after
    lost[0] += (before - (after - added)) + (piece - added)


cdef inline Real sum_of(Real total, Real lost) noexcept nogil:
    """An infinite total has lost NaN."""
    return total + (lost if lost == lost else 0)


cdef inline Real fold_sum(Real* lanes) noexcept nogil:
    """The sum of LANES + FEW lanes, the latter behind the former."""
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


cdef inline Real turned(Real x, bint negate) noexcept nogil:
    return -x if negate else x


cdef inline Real row_max(const Real* x, Py_ssize_t n, bint negate) noexcept nogil:
    """The largest of x, or of -x; a NaN may be passed over."""
    cdef Real[LANES] lanes
    cdef Real top = turned(x[0], negate)
    cdef Py_ssize_t i = 0
    cdef int k, width = LANES // 2
    if n >= LANES:
        for k in range(LANES):
            lanes[k] = turned(x[k], negate)
        i = LANES
        while i + LANES <= n:
            for k in range(LANES):
                lanes[k] = larger(turned(x[i + k], negate), lanes[k])
            i += LANES
        for k in range(LANES):         # what is left, and some of it again
            lanes[k] = larger(turned(x[n - LANES + k], negate), lanes[k])
        while width:
            for k in range(width):
                lanes[k] = larger(lanes[k + width], lanes[k])
            width //= 2
        return lanes[0]
    while i < n:
        top = larger(turned(x[i], negate), top)
        i += 1
    return top


cdef inline Real row_sum(const Real* x, Py_ssize_t n) noexcept nogil:
    cdef Real total = 0, lost = 0
    cdef Py_ssize_t i = 0
    while i < n:
        add_piece(&total, &lost, piece_sum(x + i, min(n - i, <Py_ssize_t>PIECE)))
        i += PIECE
    return sum_of(total, lost)


cdef inline Real piece_sum(const Real* x, Py_ssize_t n) noexcept nogil:
    cdef Real[LANES + FEW] lanes
    cdef Real total = 0
    cdef Py_ssize_t i = 0
    cdef int k
    for k in range(LANES + FEW):
        lanes[k] = 0
    while i + LANES <= n:
        for k in range(LANES):
            lanes[k] += x[i + k]
        i += LANES
    while i + FEW <= n:
        for k in range(FEW):
            lanes[LANES + k] += x[i + k]
        i += FEW
    while i < n:
        total += x[i]
        i += 1
    return total + fold_sum(lanes)


cdef inline Real exp_sum(const Real* x, Py_ssize_t n, bint negate, Real top, Real c) noexcept nogil:
    """Sum of 2^((x - top) * c), or of -x."""
    cdef Real total = 0, lost = 0
    cdef Py_ssize_t i = 0
    while i < n:
        add_piece(
            &total, &lost, piece_exp_sum(x + i, min(n - i, <Py_ssize_t>PIECE), negate, top, c)
        )
        i += PIECE
    return sum_of(total, lost)


cdef inline Real piece_exp_sum(
    const Real* x, Py_ssize_t n, bint negate, Real top, Real c
) noexcept nogil:
    cdef Real[LANES + FEW] lanes
    cdef Real total = 0
    cdef Py_ssize_t i = 0
    cdef int k
    for k in range(LANES + FEW):
        lanes[k] = 0
    while i + LANES <= n:
        for k in range(LANES):
            lanes[k] += exp2_of(turned(x[i + k], negate) - top, c)
        i += LANES
    while i + FEW <= n:
        for k in range(FEW):
            lanes[LANES + k] += exp2_of(turned(x[i + k], negate) - top, c)
        i += FEW
    while i < n:
        total += exp2_of(turned(x[i], negate) - top, c)
        i += 1
    return total + fold_sum(lanes)
