"""Drivers of the elementwise kernels.

Types that no kernel computes in pass through tiles on the stack, a scalar operand and a small
broadcast are spread over tiles as well; so a kernel only ever sees whole arrays of one type. A
result that exceeds the caches is streamed from a tile too. Nothing here allocates; calls below the
grain stay on the calling thread.
"""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

from opforge.native.array cimport F16, F32, F64, I32, I64
from opforge.native.broadcast cimport Layout, Rows, gather, make_layout, next_row, seek_row
from opforge.native.kernels.convert cimport opforge_convert_table
from opforge.native.kernels.elementwise cimport (
    COMPUTE_F32, COMPUTE_F64, COMPUTE_I32, COMPUTE_I64, opforge_elementwise_table,
)
from opforge.native.parallel cimport parallel_for
from opforge.native.stream cimport exceeds_cache, fence, first_tile, stream

from opforge.native import isa as _isa

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
    STREAMED = 512                     # bytes of a tile whose stores drain while the next is computed
    GRAIN = 16384                      # elements of cheap arithmetic worth another thread
    GRAIN_MEDIUM = 4096                # vectorised elementary functions
    GRAIN_DEAR = 1024                  # calls into libm
    LONG_ROW = 128                     # broadcast rows from here on are run one by one

cdef opforge_elementwise_table* table = <opforge_elementwise_table*>PyCapsule_GetPointer(
    _isa.table("elementwise"), "opforge.kernels.elementwise"
)
cdef opforge_convert_table* converters = <opforge_convert_table*>PyCapsule_GetPointer(
    _isa.table("convert"), "opforge.kernels.convert"
)

cdef dict UNARY_CODES = {opforge_unary_names[i].decode(): i for i in range(UNARY_COUNT)}
cdef dict BINARY_CODES = {opforge_binary_names[i].decode(): i for i in range(BINARY_COUNT)}

# By element code: the type to compute in, and that type's element code.
cdef int[8] COMPUTE = [
    COMPUTE_F32, COMPUTE_F64, COMPUTE_F32, COMPUTE_I32, COMPUTE_I32, COMPUTE_I32, COMPUTE_I64,
    COMPUTE_I32,
]
cdef int[8] COMPUTE_CODE = [F32, F64, F32, I32, I32, I32, I64, I32]
cdef Py_ssize_t[8] SIZES = [4, 8, 2, 1, 4, 1, 8, 1]

cdef struct Job:
    int op
    int code
    int compute                        # COMPUTE[code]
    int wide                           # COMPUTE_CODE[code]
    int mode
    bint streams                       # y exceeds the caches and is stored past them
    Py_ssize_t step                    # elements of a tile
    const char* a
    const char* b
    char* y
    double scalar                      # 8 bytes that hold the scalar operand in the compute type
    Layout* layout                     # of a broadcast


cdef inline void prepare(Job* job, int op, int code, int mode, const void* a, const void* b,
                         void* y) noexcept nogil:
    job.op = op
    job.code = code
    job.compute = COMPUTE[code]
    job.wide = COMPUTE_CODE[code]
    job.mode = mode
    job.a = <const char*>a
    job.b = <const char*>b
    job.y = <char*>y
    job.streams = False
    job.step = TILE


cdef inline void stream_where_it_pays(Job* job, Py_ssize_t n, int y_code) noexcept nogil:
    """For arithmetic that waits for memory; other arithmetic, conversions included, would wait for
    the stores. The lines of an operand that is overwritten are in the cache already.
    """
    if job.wide != job.code or job.a == job.y or job.b == job.y:
        return
    job.streams = exceeds_cache(n * SIZES[y_code])
    if job.streams:
        job.step = STREAMED // SIZES[y_code]


cdef inline bint is_code(int code) noexcept nogil:
    return 0 <= code < 8


# Unary ------------------------------------------------------------------------------------------

cdef inline Py_ssize_t unary_grain(int op, int code) noexcept nogil:
    if op < UNARY_exp:
        return GRAIN
    return GRAIN_MEDIUM if op < UNARY_expm1 and COMPUTE[code] == COMPUTE_F32 else GRAIN_DEAR


cdef void unary_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Job* job = <Job*>arg
    cdef Py_ssize_t size = SIZES[job.code], start = begin, n
    cdef bint narrow = job.wide != job.code
    cdef double[TILE] tile, y_tile
    cdef char* y
    cdef void* out
    if not narrow and not job.streams:
        table.unary[job.compute](job.op, job.a + begin * size, job.y + begin * size, end - begin)
        return
    n = first_tile(job.y + begin * size, size, job.step) if job.streams else job.step
    while start < end:
        n = min(n, end - start)
        y = job.y + start * size
        out = <void*>y_tile if job.streams else y
        if narrow:
            converters.cast[job.code][job.wide](job.a + start * size, tile, n)
            table.unary[job.compute](job.op, tile, tile, n)
            converters.cast[job.wide][job.code](tile, out, n)
        else:
            table.unary[job.compute](job.op, job.a + start * size, out, n)
        if job.streams:
            stream(out, y, n * size)
        start += n
        n = job.step
    if job.streams:
        fence()


cdef int run_unary(int op, int code, const void* x, void* y, Py_ssize_t n) noexcept nogil:
    cdef Job job
    if not is_code(code) or op < 0 or op >= UNARY_COUNT:
        return 1
    prepare(&job, op, code, MODE_VV, x, x, y)
    if n < 2 * GRAIN_DEAR:
        unary_part(&job, 0, n)
    else:
        if op < UNARY_exp:
            stream_where_it_pays(&job, n, code)
        parallel_for(n, unary_grain(op, code), unary_part, &job)
    return 0


# Binary -----------------------------------------------------------------------------------------

cdef inline Py_ssize_t binary_grain(int op) noexcept nogil:
    return GRAIN if op < BINARY_mod else GRAIN_DEAR


cdef inline void spread(int compute, const void* scalar, void* tile, Py_ssize_t n) noexcept nogil:
    """Fill a tile with one element of the compute type."""
    cdef Py_ssize_t i
    cdef int32_t narrow
    cdef int64_t wide
    if compute == COMPUTE_F32 or compute == COMPUTE_I32:
        memcpy(&narrow, scalar, 4)
        for i in range(n):
            (<int32_t*>tile)[i] = narrow
    else:
        memcpy(&wide, scalar, 8)
        for i in range(n):
            (<int64_t*>tile)[i] = wide


cdef inline const void* widened(Job* job, const void* x, void* tile, Py_ssize_t n) noexcept nogil:
    """Elements of `x` in the compute type: themselves, or a tile of conversions."""
    if job.wide == job.code:
        return x
    converters.cast[job.code][job.wide](x, tile, n)
    return tile


cdef inline void compute_tile(Job* job, const void* a, const void* b, char* y, void* wide_tile,
                              void* y_tile, Py_ssize_t n) noexcept nogil:
    """One kernel call on operands in the compute type; the tiles take a result on its way to y."""
    cdef void* out = y_tile if job.streams else y
    if job.wide == job.code:
        table.binary[job.compute](job.op, a, b, out, n)
    else:
        table.binary[job.compute](job.op, a, b, wide_tile, n)
        converters.cast[job.wide][job.code](wide_tile, out, n)
    if job.streams:
        stream(out, y, n * SIZES[job.code])


cdef void binary_run(Job* job, int mode, const char* a, const char* b, char* y, Py_ssize_t count) noexcept nogil:
    """`count` elements of y; an operand that is repeated is given in the compute type."""
    cdef Py_ssize_t size = SIZES[job.code], start = 0, n = job.step
    cdef double[TILE] a_tile, b_tile, y_tile
    cdef const void* left = a_tile
    cdef const void* right = b_tile
    cdef void* wide_tile = a_tile
    if mode == MODE_VV and job.wide == job.code and not job.streams:
        table.binary[job.compute](job.op, a, b, y, count)
        return
    if mode == MODE_VS:
        spread(job.compute, b, b_tile, min(<Py_ssize_t>TILE, count))
    elif mode == MODE_SV:
        spread(job.compute, a, a_tile, min(<Py_ssize_t>TILE, count))
        wide_tile = b_tile
    if job.streams:
        n = first_tile(y, size, job.step)
    while start < count:
        n = min(n, count - start)
        if mode != MODE_SV:
            left = widened(job, a + start * size, a_tile, n)
        if mode != MODE_VS:
            right = widened(job, b + start * size, b_tile, n)
        compute_tile(job, left, right, y + start * size, wide_tile, y_tile, n)
        start += n
        n = job.step


cdef void binary_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Job* job = <Job*>arg
    cdef Py_ssize_t at = begin * SIZES[job.code]
    cdef const char* scalar = <const char*>&job.scalar
    cdef const char* a = scalar if job.mode == MODE_SV else job.a + at
    cdef const char* b = scalar if job.mode == MODE_VS else job.b + at
    binary_run(job, job.mode, a, b, job.y + at, end - begin)
    if job.streams:
        fence()


cdef inline void start_binary(Job* job, Py_ssize_t n) noexcept nogil:
    if n < 2 * GRAIN_DEAR:
        binary_part(job, 0, n)
    else:
        if job.op < BINARY_mod:
            stream_where_it_pays(job, n, job.code)
        parallel_for(n, binary_grain(job.op), binary_part, job)


cdef int run_binary(
    int op, int code, const void* a, const void* b, void* y, Py_ssize_t n, int mode
) noexcept nogil:
    cdef Job job
    if not is_code(code) or op < 0 or op >= BINARY_COUNT:
        return 1
    if n <= 0:
        return 0
    prepare(&job, op, code, mode, a, b, y)
    if mode != MODE_VV:
        converters.cast[code][job.wide](b if mode == MODE_VS else a, &job.scalar, 1)
    start_binary(&job, n)
    return 0


cdef int run_binary_scalar(
    int op, int code, const void* x, double scalar, void* y, Py_ssize_t n, bint reverse
) noexcept nogil:
    cdef Job job
    cdef double half
    if not is_code(code) or op < 0 or op >= BINARY_COUNT:
        return 1
    prepare(&job, op, code, MODE_SV if reverse else MODE_VS, x, x, y)
    if code == F16:
        converters.cast[F64][F16](&scalar, &half, 1)
        converters.cast[F16][F32](&half, &job.scalar, 1)
    else:
        converters.cast[F64][job.wide](&scalar, &job.scalar, 1)
    start_binary(&job, n)
    return 0


cdef int run_binary_scalar_i64(
    int op, int code, const void* x, long long scalar, void* y, Py_ssize_t n, bint reverse
) noexcept nogil:
    cdef Job job
    cdef int64_t value = scalar
    if code != I64:
        return run_binary_scalar(op, code, x, <double>scalar, y, n, reverse)
    if op < 0 or op >= BINARY_COUNT:
        return 1
    prepare(&job, op, code, MODE_SV if reverse else MODE_VS, x, x, y)
    memcpy(&job.scalar, &value, 8)
    start_binary(&job, n)
    return 0


# Broadcasting -----------------------------------------------------------------------------------

cdef void rows_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Long rows, one by one: an operand either goes along with the result or stays where it is."""
    cdef Job* job = <Job*>arg
    cdef Layout* layout = job.layout
    cdef int last = layout.ndim - 1
    cdef Py_ssize_t size = SIZES[job.code], row = layout.dims[last], start = begin, n
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
            converters.cast[job.code][job.wide](a, &scalar, 1)
            a = <const char*>&scalar
        elif b_stays:
            converters.cast[job.code][job.wide](b, &scalar, 1)
            b = <const char*>&scalar
        binary_run(job, mode, a, b, job.y + start * size, n)
        next_row(layout, &at)
        start += n
    if job.streams:
        fence()


cdef void tiles_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Short rows, copied into tiles."""
    cdef Job* job = <Job*>arg
    cdef Layout* layout = job.layout
    cdef Py_ssize_t size = SIZES[job.code], start = begin, n = job.step
    cdef double[TILE] a_tile, b_tile, a_raw, b_raw
    cdef const void* a
    cdef const void* b
    if job.streams:
        n = first_tile(job.y + begin * size, size, job.step)
    while start < end:
        n = min(n, end - start)
        a = gather(layout, 0, job.a, a_raw, size, start, n)
        b = gather(layout, 1, job.b, b_raw, size, start, n)
        a = widened(job, a, a_tile, n)
        b = widened(job, b, b_tile, n)
        compute_tile(job, a, b, job.y + start * size, a_tile, b_tile, n)
        start += n
        n = job.step
    if job.streams:
        fence()


cdef int run_broadcast(
    int op, int code,
    const void* a, const Py_ssize_t* a_dims,
    const void* b, const Py_ssize_t* b_dims,
    void* y, const Py_ssize_t* y_dims, int ndim,
) noexcept nogil:
    cdef Job job
    cdef Layout layout
    if not is_code(code) or op < 0 or op >= BINARY_COUNT:
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
    prepare(&job, op, code, MODE_VV, a, b, y)
    job.layout = &layout
    if op < BINARY_mod:
        stream_where_it_pays(&job, layout.size, code)
    if layout.dims[layout.ndim - 1] >= LONG_ROW:
        parallel_for(layout.size, binary_grain(op), rows_part, &job)
    else:
        parallel_for(layout.size, binary_grain(op), tiles_part, &job)
    return 0


# Casts ------------------------------------------------------------------------------------------

cdef void cast_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Job* job = <Job*>arg
    cdef Py_ssize_t size = SIZES[job.op], start = begin, n = end - begin
    cdef double[TILE] tile
    cdef char* y
    if job.streams:
        n = first_tile(job.y + begin * size, size, job.step)
    while start < end:
        n = min(n, end - start)
        y = job.y + start * size
        converters.cast[job.code][job.op](
            job.a + start * SIZES[job.code], <void*>tile if job.streams else y, n
        )
        if job.streams:
            stream(tile, y, n * size)
        start += n
        n = job.step
    if job.streams:
        fence()


cdef int run_cast(int from_code, int to_code, const void* x, void* y, Py_ssize_t n) noexcept nogil:
    cdef Job job
    if not is_code(from_code) or not is_code(to_code):
        return 1
    prepare(&job, to_code, from_code, MODE_VV, x, x, y)
    if n < 2 * GRAIN:
        cast_part(&job, 0, n)
    else:
        stream_where_it_pays(&job, n, to_code)
        parallel_for(n, GRAIN, cast_part, &job)
    return 0


cdef opforge_elementwise_table* kernels() noexcept nogil:
    return table


# At the end because these faces are made of the drivers above.
from opforge.native.elementwise_calls import (
    binary, binary_scalar, cast, clip, fill, unary, where,  # no-cython-lint
)
