"""Drivers of the elementwise kernels.

Types that no kernel computes in pass through tiles on the stack, a scalar operand and a small
broadcast are spread over tiles as well; so a kernel only ever sees whole arrays of one type. A
result that exceeds the caches is streamed from a tile too. Nothing here allocates; calls below the
grain stay on the calling thread.
"""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy, memset

from opforge.native.loops.broadcast cimport Layout, Rows, gather, make_layout, next_row, seek_row
from opforge.native.loops.choice cimport (
    Arithmetic, choose_binary, choose_binary_scalar, choose_unary, converters, grain_of, repeat_right,
)
from opforge.native.loops.stores cimport (
    STREAMED, STREAMED_SPACE, exceeds_cache, fence, first_tile, line_of, share_kept, stream,
)
from opforge.native.memory.types cimport I64, itemsize_of
from opforge.native.threads.parallel cimport parallel_for, range_fn

cdef extern from *:
    """
    #define OPFORGE_NAME(name) #name,
    static const char* const opforge_unary_names[] = { OPFORGE_UNARY_OPS(OPFORGE_NAME) };
    static const char* const opforge_binary_names[] = { OPFORGE_BINARY_OPS(OPFORGE_NAME) };
    """
    const char** opforge_unary_names
    const char** opforge_binary_names

cdef enum:
    TILE = 512                         # elements; three tiles of 8 bytes each fit L1 with their sources
    ALONE = 1024                       # elements that no arithmetic is worth another thread for
    LONG_ROW = 128                     # broadcast rows from here on are run one by one

cdef dict UNARY_CODES = {opforge_unary_names[i].decode(): i for i in range(UNARY_COUNT)}
cdef dict BINARY_CODES = {opforge_binary_names[i].decode(): i for i in range(BINARY_COUNT)}

cdef struct Job:
    Arithmetic how
    int mode
    bint streams                       # y exceeds the caches and is stored past them
    double kept                        # share of y that the caches hold nevertheless
    range_fn part                       # what computes a part of y
    Py_ssize_t step                    # elements of a tile
    const char* a
    const char* b
    char* y
    double scalar                      # 8 bytes that hold the scalar operand in the compute type
    Layout* layout                     # of a broadcast


cdef inline void prepare(Job* job, int mode, const void* a, const void* b, void* y) noexcept nogil:
    job.mode = mode
    job.a = <const char*>a
    job.b = <const char*>b
    job.y = <char*>y
    job.streams = False
    job.step = TILE


cdef void store_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """A part of a result that exceeds the caches: as much of it as they hold stays in them."""
    cdef Job job = (<Job*>arg)[0]
    cdef Py_ssize_t middle = begin + <Py_ssize_t>((end - begin) * job.kept)
    if middle > begin:
        job.part(&job, begin, middle)
    job.streams = True
    job.step = STREAMED // job.how.size
    job.part(&job, middle, end)


cdef inline void run_parts(Job* job, range_fn part, Py_ssize_t n, Py_ssize_t arrays) noexcept nogil:
    """Run `part` over the `n` elements of a result, whose operands and itself are so many arrays of `n`.

    Only arithmetic that waits for memory streams: other arithmetic would wait for the stores. The lines
    of an operand that is overwritten are in the cache already.
    """
    cdef Py_ssize_t size = n * job.how.size
    job.part = part
    if job.how.waits and job.a != job.y and job.b != job.y and exceeds_cache(arrays * size):
        job.kept = share_kept(size, (arrays - 1) * size)
        part = store_part
    parallel_for(n, grain_of(&job.how), part, job)


# Unary ------------------------------------------------------------------------------------------

cdef void unary_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Job* job = <Job*>arg
    cdef Arithmetic* how = &job.how
    cdef Py_ssize_t size = how.size, n
    cdef const char* x = job.a + begin * size
    cdef char* y = job.y + begin * size
    cdef double[TILE] tile
    cdef char[STREAMED_SPACE] y_space
    if job.streams:
        n = first_tile(y, size, job.step)
    elif how.wide == how.code:
        how.unary(how.op, x, y, end - begin)
        return
    else:
        n = job.step
    while begin < end:
        n = min(n, end - begin)
        if job.streams:
            how.unary(how.op, x, line_of(y_space), n)
            stream(line_of(y_space), y, n * size)
        else:
            converters.cast[how.code][how.wide](x, tile, n)
            how.unary(how.op, tile, tile, n)
            converters.cast[how.wide][how.code](tile, y, n)
        begin += n
        x += n * size
        y += n * size
        n = job.step
    if job.streams:
        fence()


cdef int run_unary(int op, int code, const void* x, void* y, Py_ssize_t n) noexcept nogil:
    cdef Job job
    if choose_unary(&job.how, op, code):
        return 1
    prepare(&job, MODE_VV, x, x, y)
    if n < ALONE:
        unary_part(&job, 0, n)
    else:
        run_parts(&job, unary_part, n, 2)
    return 0


# Binary -----------------------------------------------------------------------------------------

cdef inline void spread(Job* job, const void* scalar, void* tile, Py_ssize_t n) noexcept nogil:
    """Fill a tile with one element of the compute type."""
    cdef Py_ssize_t i
    cdef int32_t narrow
    cdef int64_t wide
    if itemsize_of(job.how.wide) == 4:
        memcpy(&narrow, scalar, 4)
        for i in range(n):
            (<int32_t*>tile)[i] = narrow
    elif itemsize_of(job.how.wide) == 8:
        memcpy(&wide, scalar, 8)
        for i in range(n):
            (<int64_t*>tile)[i] = wide
    else:
        memset(tile, (<const unsigned char*>scalar)[0], n)


cdef inline const void* widened(Job* job, const void* x, void* tile, Py_ssize_t n) noexcept nogil:
    """Elements of `x` in the compute type: themselves, or a tile of conversions."""
    if job.how.wide == job.how.code:
        return x
    converters.cast[job.how.code][job.how.wide](x, tile, n)
    return tile


cdef inline void compute_tile(Job* job, const void* a, const void* b, char* y, void* wide_tile,
                              void* y_tile, Py_ssize_t n) noexcept nogil:
    """One kernel call on operands in the compute type; the tiles take a result on its way to y."""
    cdef void* out = y_tile if job.streams else y
    if job.how.wide == job.how.code:
        job.how.binary(job.how.op, a, b, out, n)
    else:
        job.how.binary(job.how.op, a, b, wide_tile, n)
        converters.cast[job.how.wide][job.how.code](wide_tile, out, n)
    if job.streams:
        stream(out, y, n * job.how.size)


cdef void binary_run(Job* job, int mode, const char* a, const char* b, char* y, Py_ssize_t count) noexcept nogil:
    """`count` elements of y; an operand that is repeated is given in the compute type."""
    cdef Py_ssize_t size = job.how.size, start = 0, n = job.step
    cdef double[TILE] a_tile, b_tile
    cdef char[STREAMED_SPACE] y_space
    cdef const void* left = a_tile
    cdef const void* right = b_tile
    cdef void* wide_tile = a_tile
    if mode == MODE_VV and job.how.wide == job.how.code and not job.streams:
        job.how.binary(job.how.op, a, b, y, count)
        return
    if mode == MODE_VS:
        spread(job, b, b_tile, min(<Py_ssize_t>TILE, count))
    elif mode == MODE_SV:
        spread(job, a, a_tile, min(<Py_ssize_t>TILE, count))
        wide_tile = b_tile
    if job.streams:
        n = first_tile(y, size, job.step)
    while start < count:
        n = min(n, count - start)
        if mode != MODE_SV:
            left = widened(job, a + start * size, a_tile, n)
        if mode != MODE_VS:
            right = widened(job, b + start * size, b_tile, n)
        compute_tile(job, left, right, y + start * size, wide_tile, line_of(y_space), n)
        start += n
        n = job.step


cdef void binary_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Job* job = <Job*>arg
    cdef Py_ssize_t at = begin * job.how.size
    cdef const char* scalar = <const char*>&job.scalar
    cdef const char* a = scalar if job.mode == MODE_SV else job.a + at
    cdef const char* b = scalar if job.mode == MODE_VS else job.b + at
    binary_run(job, job.mode, a, b, job.y + at, end - begin)
    if job.streams:
        fence()


cdef inline void start_binary(Job* job, Py_ssize_t n) noexcept nogil:
    if n < ALONE:
        binary_part(job, 0, n)
    else:
        run_parts(job, binary_part, n, 3 if job.mode == MODE_VV else 2)


cdef int run_binary(
    int op, int code, const void* a, const void* b, void* y, Py_ssize_t n, int mode
) noexcept nogil:
    cdef Job job
    if choose_binary(&job.how, op, code):
        return 1
    if n <= 0:
        return 0
    prepare(&job, mode, a, b, y)
    if mode != MODE_VV:
        converters.cast[code][job.how.wide](b if mode == MODE_VS else a, &job.scalar, 1)
    if mode == MODE_VS:
        repeat_right(&job.how, &job.scalar)
    start_binary(&job, n)
    return 0


cdef int run_binary_scalar(
    int op, int code, const void* x, double scalar, void* y, Py_ssize_t n, bint reverse
) noexcept nogil:
    cdef Job job
    if choose_binary_scalar(&job.how, op, code, scalar, &job.scalar):
        return 1
    if not reverse:
        repeat_right(&job.how, &job.scalar)
    prepare(&job, MODE_SV if reverse else MODE_VS, x, x, y)
    start_binary(&job, n)
    return 0


cdef int run_binary_scalar_i64(
    int op, int code, const void* x, long long scalar, void* y, Py_ssize_t n, bint reverse
) noexcept nogil:
    cdef Job job
    cdef int64_t value = scalar
    if code != I64:
        return run_binary_scalar(op, code, x, <double>scalar, y, n, reverse)
    if choose_binary(&job.how, op, code):
        return 1
    if not reverse:
        repeat_right(&job.how, &value)
    prepare(&job, MODE_SV if reverse else MODE_VS, x, x, y)
    memcpy(&job.scalar, &value, 8)
    start_binary(&job, n)
    return 0


# Broadcasting -----------------------------------------------------------------------------------

cdef void rows_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Long rows, one by one: an operand either goes along with the result or stays where it is."""
    cdef Job* job = <Job*>arg
    cdef Layout* layout = job.layout
    cdef int last = layout.ndim - 1
    cdef Py_ssize_t size = job.how.size, row = layout.dims[last], start = begin, n
    cdef bint a_stays = layout.strides[0][last] == 0, b_stays = layout.strides[1][last] == 0
    cdef int mode = MODE_SV if a_stays else MODE_VS if b_stays else MODE_VV
    cdef const char* a
    cdef const char* b
    cdef double scalar
    cdef Rows at
    seek_row(layout, begin, &at)
    while start < end:
        n = min(row - at.index[last], end - start)
        a = job.a + at.element[0] * size
        b = job.b + at.element[1] * size
        if a_stays:
            converters.cast[job.how.code][job.how.wide](a, &scalar, 1)
            a = <const char*>&scalar
        elif b_stays:
            converters.cast[job.how.code][job.how.wide](b, &scalar, 1)
            b = <const char*>&scalar
        binary_run(job, mode, a, b, job.y + start * size, n)
        next_row(layout, &at)
        start += n
    if job.streams:
        fence()


cdef inline const void* short_rows(
    Job* job, int which, const char* data, void* raw, void* tile, Py_ssize_t start, Py_ssize_t n
) noexcept nogil:
    """Elements of an operand in the compute type, from element `start` of the result on."""
    return widened(job, gather(job.layout, which, data, raw, job.how.size, start, n), tile, n)


cdef void tiles_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Short rows, as many as fit into tiles; a row that all others repeat is spread only once."""
    cdef Job* job = <Job*>arg
    cdef Layout* layout = job.layout
    cdef int last = layout.ndim - 1
    cdef Py_ssize_t size = job.how.size, row = layout.dims[last], start = begin, n, spread_to = 0
    cdef double[TILE] a_tile, b_tile, a_raw, b_raw, wide_tile
    cdef const void* a = NULL
    cdef const void* b = NULL
    cdef bint a_repeats = last == 1 and layout.strides[0][0] == 0
    cdef bint b_repeats = last == 1 and layout.strides[1][0] == 0
    n = row - begin % row              # from then on whole rows
    while start < end:
        n = min(n, end - start)
        if not a_repeats or n > spread_to:
            a = short_rows(job, 0, job.a, a_raw, a_tile, start, n)
        if not b_repeats or n > spread_to:
            b = short_rows(job, 1, job.b, b_raw, b_tile, start, n)
        compute_tile(job, a, b, job.y + start * size, wide_tile, NULL, n)
        if start > begin:
            spread_to = n
        start += n
        n = TILE // row * row


cdef int run_broadcast(
    int op, int code,
    const void* a, const Py_ssize_t* a_dims,
    const void* b, const Py_ssize_t* b_dims,
    void* y, const Py_ssize_t* y_dims, int ndim,
) noexcept nogil:
    cdef Job job
    cdef Layout layout
    cdef int whole = 1                 # arrays of the result's size
    if choose_binary(&job.how, op, code):
        return 1
    make_layout(&layout, a_dims, b_dims, y_dims, ndim)
    if layout.size == 0:
        return 0
    if layout.ndim == 1:               # one operand is whole and the other whole or one element
        return run_binary(
            op, code, a, b, y, layout.size,
            MODE_SV if layout.strides[0][0] == 0 and layout.dims[0] > 1
            else MODE_VS if layout.strides[1][0] == 0 and layout.dims[0] > 1 else MODE_VV,
        )
    prepare(&job, MODE_VV, a, b, y)
    job.layout = &layout
    if layout.dims[layout.ndim - 1] >= LONG_ROW:
        whole += layout.whole[0] + layout.whole[1]
        run_parts(&job, rows_part, layout.size, whole)
    else:
        parallel_for(layout.size, grain_of(&job.how), tiles_part, &job)
    return 0
