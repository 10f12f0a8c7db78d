"""Drivers of the elementwise kernels.

Types without kernels are converted in tiles on the stack, and scalars and small broadcast operands are
expanded in tiles as well, so kernels only process arrays of one type and size. Results that exceed the
caches are also streamed from tiles. Nothing here allocates; calls below the grain run on the calling
thread.
"""

from libc.math cimport NAN, isnan, ldexp
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy, memset

from opforge.native.kernels.elementwise cimport opforge_clip_fn
from opforge.native.loops.broadcast cimport Layout, RowCursor, gather, make_layout, next_row, seek_row
from opforge.native.loops.choice cimport (
    Arithmetic, choose_binary, choose_binary_scalar, choose_unary, converters, grain_of, kernel_table,
    specialize_scalar,
)
from opforge.native.loops.stores cimport (
    STREAMED, STREAMED_SPACE, exceeds_cache, fence, first_tile, line_of, cached_fraction, stream,
)
from opforge.native.memory.types cimport BOOL, I64, U8, is_float, itemsize_of
from opforge.native.threads.parallel cimport parallel_for, range_fn

cdef extern from *:
    """
    #define OPFORGE_NAME(name, ...) #name,
    static const char* const opforge_unary_names[] = { OPFORGE_UNARY_OPS(OPFORGE_NAME) };
    static const char* const opforge_binary_names[] = { OPFORGE_BINARY_OPS(OPFORGE_NAME) };
    """
    const char** opforge_unary_names
    const char** opforge_binary_names

cdef enum:
    TILE = 512                         # elements; three tiles of 8-byte elements fit L1 with their sources
    SERIAL_ELEMENTS = 1024             # smaller arrays are computed on the calling thread
    LONG_ROW = 128                     # broadcast rows of at least this length are computed one by one

cdef dict UNARY_CODES = {opforge_unary_names[i].decode(): i for i in range(UNARY_COUNT)}
cdef dict BINARY_CODES = {opforge_binary_names[i].decode(): i for i in range(BINARY_COUNT)}

cdef struct Job:
    Arithmetic kernel
    int mode
    bint compares                      # y is bool; the kernel's zeros and ones are converted in tiles
    Py_ssize_t y_size                  # of an element of y
    bint streams                       # y exceeds the caches and is stored with streaming stores
    double kept                        # fraction of y that is kept in the caches
    range_fn part                      # computes a range of y
    Py_ssize_t step                    # elements of a tile
    const char* a
    const char* b
    char* y
    double scalar                      # 8 bytes that hold the scalar operand in the compute type
    opforge_clip_fn clip               # instead of a unary kernel: `scalar` is the lowest value,
    double high                        # and this the highest one
    Layout* layout                     # of a broadcast operation


cdef inline void prepare(Job* job, int mode, const void* a, const void* b, void* y) noexcept nogil:
    job.mode = mode
    job.a = <const char*>a
    job.b = <const char*>b
    job.y = <char*>y
    job.compares = False
    job.y_size = job.kernel.size
    job.streams = False
    job.step = TILE
    job.clip = NULL


cdef inline void compare_into_bool(Job* job) noexcept nogil:
    """Let the results of a comparison be stored as bool."""
    job.compares = True
    job.y_size = 1
    job.kernel.is_memory_bound = False


cdef void store_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Compute a range of a result that exceeds the caches; the fraction that fits is stored normally."""
    cdef Job job = (<Job*>arg)[0]
    cdef Py_ssize_t middle = begin + <Py_ssize_t>((end - begin) * job.kept)
    if middle > begin:
        job.part(&job, begin, middle)
    job.streams = True
    job.step = STREAMED // job.kernel.size
    job.part(&job, middle, end)


cdef inline void run_parts(Job* job, range_fn part, Py_ssize_t n, Py_ssize_t arrays) noexcept nogil:
    """Run `part` over the `n` elements of a result; with its operands it makes `arrays` arrays of size `n`.

    Only memory-bound arithmetic is streamed: other arithmetic would wait for the stores. An operand that
    is overwritten already has its lines in the cache.
    """
    cdef Py_ssize_t size = n * job.kernel.size
    job.part = part
    if job.kernel.is_memory_bound and job.a != job.y and job.b != job.y and exceeds_cache(arrays * size):
        job.kept = cached_fraction(size, (arrays - 1) * size)
        part = store_part
    parallel_for(n, grain_of(&job.kernel), part, job)


# Unary ------------------------------------------------------------------------------------------

cdef inline void unary_run(Job* job, const void* x, void* y, Py_ssize_t n) noexcept nogil:
    if job.clip != NULL:
        job.clip(x, &job.scalar, &job.high, y, n)
    else:
        job.kernel.unary(job.kernel.op, x, y, n)


cdef void unary_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Job* job = <Job*>arg
    cdef Arithmetic* kernel = &job.kernel
    cdef Py_ssize_t size = kernel.size, n
    cdef const char* x = job.a + begin * size
    cdef char* y = job.y + begin * size
    cdef double[TILE] tile
    cdef char[STREAMED_SPACE] y_space
    if job.streams:
        n = first_tile(y, size, job.step)
    elif kernel.wide == kernel.code:
        unary_run(job, x, y, end - begin)
        return
    else:
        n = job.step
    while begin < end:
        n = min(n, end - begin)
        if job.streams:
            unary_run(job, x, line_of(y_space), n)
            stream(line_of(y_space), y, n * size)
        else:
            converters.cast[kernel.code][kernel.wide](x, tile, n)
            unary_run(job, tile, tile, n)
            converters.cast[kernel.wide][kernel.code](tile, y, n)
        begin += n
        x += n * size
        y += n * size
        n = job.step
    if job.streams:
        fence()


cdef inline void start_unary(Job* job, Py_ssize_t n) noexcept nogil:
    if n < SERIAL_ELEMENTS:
        unary_part(job, 0, n)
    else:
        run_parts(job, unary_part, n, 2)


cdef int run_unary(int op, int code, const void* x, void* y, Py_ssize_t n) noexcept nogil:
    cdef Job job
    if choose_unary(&job.kernel, op, code):
        return 1
    prepare(&job, MODE_VV, x, x, y)
    start_unary(&job, n)
    return 0


cdef inline double clamp_bound(double bound, int code) noexcept nogil:
    """Clamp `bound` to the range of an integer type, as far as float64 represents it; NaN is its lowest value."""
    cdef int bits = 8 * <int>itemsize_of(code)
    cdef double least = 0 if code == U8 or code == BOOL else -ldexp(1, bits - 1)
    cdef double most = 1 if code == BOOL else 255 if code == U8 else ldexp(1, bits - 1) - 1
    if code == I64:
        most = ldexp(1, bits - 1) - 1024
    bound = bound if bound > least else least
    return bound if bound < most else most


cdef int run_clip(int code, const void* x, double low, double high, void* y, Py_ssize_t n) noexcept nogil:
    cdef Job job
    cdef Arithmetic upper
    if not is_float(code):
        low, high = clamp_bound(low, code), clamp_bound(high, code)
    elif isnan(low) or isnan(high):
        return run_binary_scalar(BINARY_maximum, code, x, NAN, y, n, False)
    if choose_binary_scalar(&job.kernel, BINARY_maximum, code, low, &job.scalar):
        return 1
    choose_binary_scalar(&upper, BINARY_minimum, code, high, &job.high)
    prepare(&job, MODE_VV, x, x, y)
    job.clip = kernel_table.clip[job.kernel.wide]
    start_unary(&job, n)
    return 0


# Binary -----------------------------------------------------------------------------------------

cdef inline void fill_tile(Job* job, const void* scalar, void* tile, Py_ssize_t n) noexcept nogil:
    """Fill a tile with a scalar of the compute type."""
    cdef Py_ssize_t i
    cdef int32_t narrow
    cdef int64_t wide
    if itemsize_of(job.kernel.wide) == 4:
        memcpy(&narrow, scalar, 4)
        for i in range(n):
            (<int32_t*>tile)[i] = narrow
    elif itemsize_of(job.kernel.wide) == 8:
        memcpy(&wide, scalar, 8)
        for i in range(n):
            (<int64_t*>tile)[i] = wide
    else:
        memset(tile, (<const unsigned char*>scalar)[0], n)


cdef inline const void* widened(Job* job, const void* x, void* tile, Py_ssize_t n) noexcept nogil:
    """Return the elements of `x` in the compute type: `x` itself, or `tile` after converting them."""
    if job.kernel.wide == job.kernel.code:
        return x
    converters.cast[job.kernel.code][job.kernel.wide](x, tile, n)
    return tile


cdef inline void compute(Job* job, int mode, const void* a, const void* b, void* y, Py_ssize_t n) noexcept nogil:
    """Call the kernel for a scalar operand if there is one; else both operands have n elements."""
    if mode == MODE_VV or job.kernel.scalar == NULL:
        job.kernel.binary(job.kernel.op, a, b, y, n)
    elif mode == MODE_VS:
        job.kernel.scalar(job.kernel.op, a, b, False, y, n)
    else:
        job.kernel.scalar(job.kernel.op, b, a, True, y, n)


cdef inline void compute_tile(Job* job, int mode, const void* a, const void* b, char* y, void* wide_tile,
                              void* y_tile, Py_ssize_t n) noexcept nogil:
    """Compute from operands in the compute type; tiles hold results to be converted or streamed."""
    cdef void* out = y_tile if job.streams else y
    if job.compares:
        compute(job, mode, a, b, wide_tile, n)
        converters.cast[job.kernel.wide][BOOL](wide_tile, y, n)
        return
    if job.kernel.wide == job.kernel.code:
        compute(job, mode, a, b, out, n)
    else:
        compute(job, mode, a, b, wide_tile, n)
        converters.cast[job.kernel.wide][job.kernel.code](wide_tile, out, n)
    if job.streams:
        stream(out, y, n * job.kernel.size)


cdef void binary_run(Job* job, int mode, const char* a, const char* b, char* y, Py_ssize_t count) noexcept nogil:
    """Compute `count` elements of y; a scalar operand is passed in the compute type."""
    cdef Py_ssize_t size = job.kernel.size, start = 0, n = job.step
    cdef double[TILE] a_tile, b_tile
    cdef char[STREAMED_SPACE] y_space
    cdef bint has_kernel = mode == MODE_VV or job.kernel.scalar != NULL
    cdef bint is_direct = job.kernel.wide == job.kernel.code and not job.streams and not job.compares
    cdef const void* left = a
    cdef const void* right = b
    cdef void* wide_tile = a_tile
    if has_kernel and is_direct:
        compute(job, mode, a, b, y, count)
        return
    if mode == MODE_SV:
        wide_tile = b_tile
    if mode == MODE_VS and not has_kernel:
        fill_tile(job, b, b_tile, min(<Py_ssize_t>TILE, count))
        right = b_tile
    elif mode == MODE_SV and not has_kernel:
        fill_tile(job, a, a_tile, min(<Py_ssize_t>TILE, count))
        left = a_tile
    if job.streams:
        n = first_tile(y, size, job.step)
    while start < count:
        n = min(n, count - start)
        if mode != MODE_SV:
            left = widened(job, a + start * size, a_tile, n)
        if mode != MODE_VS:
            right = widened(job, b + start * size, b_tile, n)
        compute_tile(job, mode, left, right, y + start * job.y_size, wide_tile, line_of(y_space), n)
        start += n
        n = job.step


cdef void binary_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Job* job = <Job*>arg
    cdef Py_ssize_t offset = begin * job.kernel.size
    cdef const char* scalar = <const char*>&job.scalar
    cdef const char* a = scalar if job.mode == MODE_SV else job.a + offset
    cdef const char* b = scalar if job.mode == MODE_VS else job.b + offset
    binary_run(job, job.mode, a, b, job.y + begin * job.y_size, end - begin)
    if job.streams:
        fence()


cdef inline void start_binary(Job* job, Py_ssize_t n) noexcept nogil:
    if n < SERIAL_ELEMENTS:
        binary_part(job, 0, n)
    else:
        run_parts(job, binary_part, n, 3 if job.mode == MODE_VV else 2)


cdef inline int start_arrays(
    int op, int code, const void* a, const void* b, void* y, Py_ssize_t n, int mode, bint compares
) noexcept nogil:
    cdef Job job
    if choose_binary(&job.kernel, op, code):
        return 1
    if n <= 0:
        return 0
    prepare(&job, mode, a, b, y)
    if mode != MODE_VV:
        converters.cast[code][job.kernel.wide](b if mode == MODE_VS else a, &job.scalar, 1)
    if mode == MODE_VS:
        specialize_scalar(&job.kernel, &job.scalar)
    if compares:
        compare_into_bool(&job)
    start_binary(&job, n)
    return 0


cdef int run_binary(
    int op, int code, const void* a, const void* b, void* y, Py_ssize_t n, int mode
) noexcept nogil:
    return start_arrays(op, code, a, b, y, n, mode, False)


cdef int run_binary_scalar(
    int op, int code, const void* x, double scalar, void* y, Py_ssize_t n, bint reverse
) noexcept nogil:
    cdef Job job
    if choose_binary_scalar(&job.kernel, op, code, scalar, &job.scalar):
        return 1
    if not reverse:
        specialize_scalar(&job.kernel, &job.scalar)
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
    if choose_binary(&job.kernel, op, code):
        return 1
    if not reverse:
        specialize_scalar(&job.kernel, &value)
    prepare(&job, MODE_SV if reverse else MODE_VS, x, x, y)
    memcpy(&job.scalar, &value, 8)
    start_binary(&job, n)
    return 0


# Broadcasting -----------------------------------------------------------------------------------

cdef void rows_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Compute long rows one by one; along a row, an operand is either contiguous or constant."""
    cdef Job* job = <Job*>arg
    cdef Layout* layout = job.layout
    cdef int last = layout.ndim - 1
    cdef Py_ssize_t size = job.kernel.size, row = layout.dims[last], start = begin, n
    cdef bint a_is_constant = layout.strides[0][last] == 0, b_is_constant = layout.strides[1][last] == 0
    cdef int mode = MODE_SV if a_is_constant else MODE_VS if b_is_constant else MODE_VV
    cdef const char* a
    cdef const char* b
    cdef double scalar
    cdef RowCursor cursor
    seek_row(layout, begin, &cursor)
    while start < end:
        n = min(row - cursor.index[last], end - start)
        a = job.a + cursor.element[0] * size
        b = job.b + cursor.element[1] * size
        if a_is_constant:
            converters.cast[job.kernel.code][job.kernel.wide](a, &scalar, 1)
            a = <const char*>&scalar
        elif b_is_constant:
            converters.cast[job.kernel.code][job.kernel.wide](b, &scalar, 1)
            b = <const char*>&scalar
        binary_run(job, mode, a, b, job.y + start * job.y_size, n)
        next_row(layout, &cursor)
        start += n
    if job.streams:
        fence()


cdef inline const void* short_rows(
    Job* job, int which, const char* data, void* raw, void* tile, Py_ssize_t start, Py_ssize_t n
) noexcept nogil:
    """Return the operand's elements for elements [start, start + n) of the result, in the compute type."""
    return widened(job, gather(job.layout, which, data, raw, job.kernel.size, start, n), tile, n)


cdef void tiles_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Compute short rows, as many as fit into a tile; an operand repeated in all rows is expanded once."""
    cdef Job* job = <Job*>arg
    cdef Layout* layout = job.layout
    cdef int last = layout.ndim - 1
    cdef Py_ssize_t row = layout.dims[last], start = begin, n, filled = 0
    cdef double[TILE] a_tile, b_tile, a_raw, b_raw, wide_tile
    cdef const void* a = NULL
    cdef const void* b = NULL
    cdef bint a_repeats = last == 1 and layout.strides[0][0] == 0
    cdef bint b_repeats = last == 1 and layout.strides[1][0] == 0
    n = row - begin % row              # complete the row first; full rows follow
    while start < end:
        n = min(n, end - start)
        if not a_repeats or n > filled:
            a = short_rows(job, 0, job.a, a_raw, a_tile, start, n)
        if not b_repeats or n > filled:
            b = short_rows(job, 1, job.b, b_raw, b_tile, start, n)
        compute_tile(job, MODE_VV, a, b, job.y + start * job.y_size, wide_tile, NULL, n)
        if start > begin:
            filled = n
        start += n
        n = TILE // row * row


cdef inline int start_broadcast(
    int op, int code,
    const void* a, const Py_ssize_t* a_dims,
    const void* b, const Py_ssize_t* b_dims,
    void* y, const Py_ssize_t* y_dims, int ndim, bint compares,
) noexcept nogil:
    cdef Job job
    cdef Layout layout
    cdef int full_arrays = 1           # arrays of the result's size
    if choose_binary(&job.kernel, op, code):
        return 1
    make_layout(&layout, a_dims, b_dims, y_dims, ndim)
    if layout.size == 0:
        return 0
    if layout.ndim == 1:               # one operand is full-size, the other full-size or a scalar
        return start_arrays(
            op, code, a, b, y, layout.size,
            MODE_SV if layout.strides[0][0] == 0 and layout.dims[0] > 1
            else MODE_VS if layout.strides[1][0] == 0 and layout.dims[0] > 1 else MODE_VV,
            compares,
        )
    prepare(&job, MODE_VV, a, b, y)
    if compares:
        compare_into_bool(&job)
    job.layout = &layout
    if layout.dims[layout.ndim - 1] >= LONG_ROW:
        full_arrays += layout.is_full[0] + layout.is_full[1]
        run_parts(&job, rows_part, layout.size, full_arrays)
    else:
        parallel_for(layout.size, grain_of(&job.kernel), tiles_part, &job)
    return 0


cdef int run_broadcast(
    int op, int code,
    const void* a, const Py_ssize_t* a_dims,
    const void* b, const Py_ssize_t* b_dims,
    void* y, const Py_ssize_t* y_dims, int ndim,
) noexcept nogil:
    return start_broadcast(op, code, a, a_dims, b, b_dims, y, y_dims, ndim, False)


cdef int run_comparison(
    int op, int code,
    const void* a, const Py_ssize_t* a_dims,
    const void* b, const Py_ssize_t* b_dims, double scalar,
    void* y, const Py_ssize_t* y_dims, int ndim,
) noexcept nogil:
    cdef Job job
    if b != NULL:
        return start_broadcast(op, code, a, a_dims, b, b_dims, y, y_dims, ndim, True)
    if choose_binary_scalar(&job.kernel, op, code, scalar, &job.scalar):
        return 1
    prepare(&job, MODE_VS, a, a, y)
    compare_into_bool(&job)
    start_binary(&job, a_dims[0])
    return 0
