"""Copies between strided walks, by element size, divided among threads.

Transposing, tiling, repeating, slicing, flipping and concatenating are described by one walk: dimensions,
strides of the source and strides of the destination. Dimensions are merged where possible; the innermost
one is then a plain copy, a fill, a blocked transpose or a strided loop.
"""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.string cimport memcpy

from opforge.native.kernels.strided cimport opforge_strided_table
from opforge.native.kernels.transpose cimport opforge_transpose_fn, opforge_transpose_table
from opforge.native.loops.stores cimport exceeds_cache, fence, stream
from opforge.native.threads.parallel cimport parallel_for

from opforge.native.kernels import isa as _isa

cdef extern from "opforge_copy.h" nogil:
    void of_copy(void* dst, const void* src, size_t n)
    void of_copy_stream(void* dst, const void* src, size_t n)

cdef opforge_strided_table* kernels = <opforge_strided_table*>PyCapsule_GetPointer(
    _isa.table("strided"), b"opforge.kernels.strided"
)
cdef opforge_transpose_table* transposes = <opforge_transpose_table*>PyCapsule_GetPointer(
    _isa.table("transpose"), b"opforge.kernels.transpose"
)

cdef enum:
    PIECE = 32768                      # elements of an innermost run per unit of work
    LINE = 64                          # bytes of a cache line; a transposed band has one line of rows
    LONG = 128                         # columns of a block, and rows if there are few columns
    MAX_BYTES = 4 * LONG * LINE        # of a block, whose sides may be almost twice as long
    FEW = 8                            # columns: shorter rows are copied column by column
    FEW_COPIES = 64                    # columns that repeat one element
    BLOCK = 256                        # rows copied column by column at once
    STREAM_RUN = 1024                  # minimum bytes of a run to stream, whose ends are stored normally
    GRAIN = 32768                      # minimum elements per thread

cdef struct Job:
    const void* src
    void* dst
    int itemsize
    int width                          # log2(itemsize)
    bint stream                        # the result is stored with streaming stores
    Walk outer                         # dimensions that the units iterate over
    Py_ssize_t pieces                  # units per outer index
    Py_ssize_t piece                   # elements of the run in a unit
    Py_ssize_t run                     # length of the innermost run, or of a column
    Py_ssize_t run_src, run_dst
    Py_ssize_t columns                 # 1, or the number of columns of equal runs
    Py_ssize_t columns_src, columns_dst
    Py_ssize_t rows                    # for transposes: length of the dimension in which the source is contiguous
    Py_ssize_t rows_dst
    Py_ssize_t band, block             # rows and columns transposed at once
    opforge_transpose_fn transpose


cdef void walk_start(Walk* walk) noexcept nogil:
    walk.ndim = 0


cdef void walk_push(Walk* walk, Py_ssize_t dim, Py_ssize_t src, Py_ssize_t dst) noexcept nogil:
    """Append an inner dimension, merged with the previous one if both sides are contiguous."""
    cdef int last = walk.ndim - 1
    if dim == 1:
        return
    if last >= 0 and walk.src[last] == src * dim and walk.dst[last] == dst * dim:
        walk.dims[last] *= dim
        walk.src[last] = src
        walk.dst[last] = dst
        return
    walk.dims[walk.ndim] = dim
    walk.src[walk.ndim] = src
    walk.dst[walk.ndim] = dst
    walk.ndim += 1


cdef inline void copy_run(Job* job, const char* src, char* dst, Py_ssize_t n) noexcept nogil:
    """Copy n elements of the innermost run."""
    if job.run_dst == 1 and job.run_src == 1:
        if job.stream:
            of_copy_stream(dst, src, n * job.itemsize)
        else:
            of_copy(dst, src, n * job.itemsize)
    else:
        kernels.run[job.width](src, job.run_src, dst, job.run_dst, n)


cdef inline void copy_columns(Job* job, const char* src, char* dst, Py_ssize_t n) noexcept nogil:
    """Copy n elements of each column, in blocks whose cache lines remain in the L1 cache."""
    cdef Py_ssize_t start = 0, count, column
    cdef Py_ssize_t src_step = job.run_src * job.itemsize, dst_step = job.run_dst * job.itemsize
    if job.columns_src == 0 and job.columns_dst == 1 and job.run_src == 1 and job.run_dst == job.columns:
        kernels.repeat[job.width](src, dst, job.columns, n)
        return
    while start < n:
        count = min(n - start, <Py_ssize_t>BLOCK)
        for column in range(job.columns):
            kernels.run[job.width](
                src + start * src_step + column * job.columns_src * job.itemsize, job.run_src,
                dst + start * dst_step + column * job.columns_dst * job.itemsize, job.run_dst, count,
            )
        start += count


cdef inline void seek(Walk* outer, Py_ssize_t index, Py_ssize_t* indices, Py_ssize_t* src, Py_ssize_t* dst) noexcept nogil:
    cdef int axis
    src[0] = 0
    dst[0] = 0
    for axis in range(outer.ndim - 1, -1, -1):
        indices[axis] = index % outer.dims[axis]
        index //= outer.dims[axis]
        src[0] += indices[axis] * outer.src[axis]
        dst[0] += indices[axis] * outer.dst[axis]


cdef inline void advance(Walk* outer, Py_ssize_t* indices, Py_ssize_t* src, Py_ssize_t* dst) noexcept nogil:
    cdef int axis
    for axis in range(outer.ndim - 1, -1, -1):
        indices[axis] += 1
        src[0] += outer.src[axis]
        dst[0] += outer.dst[axis]
        if indices[axis] < outer.dims[axis]:
            return
        src[0] -= indices[axis] * outer.src[axis]
        dst[0] -= indices[axis] * outer.dst[axis]
        indices[axis] = 0


cdef void copy_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Copy units [begin, end): unit = outer index * pieces + piece of the run."""
    cdef Job* job = <Job*>arg
    cdef Py_ssize_t[WALK_NDIM] indices
    cdef Py_ssize_t src, dst, _unit, start, n, piece = begin % job.pieces
    cdef const char* x
    cdef char* y
    seek(&job.outer, begin // job.pieces, indices, &src, &dst)
    for _unit in range(begin, end):
        start = piece * job.piece
        n = min(job.run - start, job.piece)
        x = <const char*>job.src + (src + start * job.run_src) * job.itemsize
        y = <char*>job.dst + (dst + start * job.run_dst) * job.itemsize
        if job.columns == 1:
            copy_run(job, x, y, n)
        else:
            copy_columns(job, x, y, n)
        piece += 1
        if piece == job.pieces:
            piece = 0
            advance(&job.outer, indices, &src, &dst)
    if job.stream:
        fence()


cdef inline void stream_rows(
    const char* tile, char* y, Py_ssize_t rows, Py_ssize_t width, Py_ssize_t step
) noexcept nogil:
    """Stream contiguous rows of `width` bytes to rows that are `step` bytes apart."""
    cdef Py_ssize_t row
    if step == width:
        width, rows = width * rows, 1
    for row in range(rows):
        stream(tile + row * width, y + row * step, width)


cdef void transpose_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Transpose units [begin, end): unit = outer index * pieces + band of rows.

    The last band, and the last block of a band, include the remainder and may be almost twice as large.
    """
    cdef char[MAX_BYTES] tile
    cdef Job* job = <Job*>arg
    cdef Py_ssize_t[WALK_NDIM] indices
    cdef Py_ssize_t src, dst, _unit, row, col, rows, cols, size = job.itemsize
    cdef Py_ssize_t piece = begin % job.pieces
    cdef const char* x
    cdef char* y
    seek(&job.outer, begin // job.pieces, indices, &src, &dst)
    for _unit in range(begin, end):
        row = piece * job.band
        rows = job.band if piece < job.pieces - 1 else job.rows - row
        col = 0
        while col < job.run:
            cols = job.block if col + 2 * job.block <= job.run else job.run - col
            x = <const char*>job.src + (src + col * job.run_src + row) * size
            y = <char*>job.dst + (dst + row * job.rows_dst + col) * size
            if job.stream:
                job.transpose(x, job.run_src, tile, cols, rows, cols)
                stream_rows(tile, y, rows, cols * size, job.rows_dst * size)
            else:
                job.transpose(x, job.run_src, y, job.rows_dst, rows, cols)
            col += cols
        piece += 1
        if piece == job.pieces:
            piece = 0
            advance(&job.outer, indices, &src, &dst)
    if job.stream:
        fence()


cdef int dense_source_axis(Walk* walk) noexcept nogil:
    """Return the dimension in which the source is contiguous if the destination is in the last one, or -1."""
    cdef int axis, last = walk.ndim - 1
    if walk.dst[last] != 1 or walk.src[last] == 0 or walk.src[last] == 1 or walk.dims[last] < 4:
        return -1
    for axis in range(last):
        if walk.src[axis] == 1 and walk.dims[axis] >= 4:
            return axis
    return -1


cdef int width_of(int itemsize) noexcept nogil:
    """Return log2 of 1, 2, 4 or 8."""
    return 3 if itemsize == 8 else 2 if itemsize == 4 else itemsize - 1


cdef bint has_few_columns(Walk* walk) noexcept nogil:
    """Return whether the last two dimensions are copied column by column, which are longer than the rows."""
    cdef int last = walk.ndim - 1
    if last < 1 or walk.dims[last] >= walk.dims[last - 1]:
        return False
    return walk.dims[last] <= (FEW_COPIES if walk.src[last] == 0 and walk.src[last - 1] == 1 else FEW)


cdef void set_run(Job* job, Walk* walk, int axis) noexcept nogil:
    job.run = walk.dims[axis]
    job.run_src = walk.src[axis]
    job.run_dst = walk.dst[axis]


cdef Py_ssize_t push_outer(Job* job, Walk* walk, int count, int skipped) noexcept nogil:
    """Let the units iterate over the first `count` dimensions except one; return the number of indices."""
    cdef Py_ssize_t outer = 1
    cdef int axis
    job.outer.ndim = 0
    for axis in range(count):
        if axis != skipped:
            job.outer.dims[job.outer.ndim] = walk.dims[axis]
            job.outer.src[job.outer.ndim] = walk.src[axis]
            job.outer.dst[job.outer.ndim] = walk.dst[axis]
            job.outer.ndim += 1
            outer *= walk.dims[axis]
    return outer


cdef void strided_copy(const void* src, void* dst, int itemsize, Walk* walk) noexcept nogil:
    cdef Job job
    cdef int axis, last = walk.ndim - 1, dense
    for axis in range(walk.ndim):
        if walk.dims[axis] == 0:
            return
    if walk.ndim == 0:
        memcpy(dst, src, itemsize)
        return
    job.src = src
    job.dst = dst
    job.itemsize = itemsize
    job.width = width_of(itemsize)
    dense = dense_source_axis(walk)
    if dense >= 0:
        copy_transposed(&job, walk, dense)
    elif has_few_columns(walk):
        job.columns = walk.dims[last]
        job.columns_src = walk.src[last]
        job.columns_dst = walk.dst[last]
        set_run(&job, walk, last - 1)
        copy_runs(&job, push_outer(&job, walk, last - 1, -1))
    else:
        job.columns = 1
        set_run(&job, walk, last)
        copy_runs(&job, push_outer(&job, walk, last, -1))


cdef void copy_transposed(Job* job, Walk* walk, int dense) noexcept nogil:
    cdef int last = walk.ndim - 1
    cdef Py_ssize_t outer = push_outer(job, walk, last, dense), line_elements = LINE // job.itemsize, work
    set_run(job, walk, last)
    job.rows = walk.dims[dense]
    job.rows_dst = walk.dst[dense]
    job.band = line_elements if job.run > 2 * line_elements else LONG
    job.block = LONG
    job.pieces = max(job.rows // job.band, <Py_ssize_t>1)
    job.transpose = transposes.transpose[job.width]
    job.stream = exceeds_cache(2 * outer * job.rows * job.run * job.itemsize)
    work = min(job.rows, job.band) * job.run
    parallel_for(outer * job.pieces, GRAIN // work + 1, transpose_part, job)


cdef void copy_runs(Job* job, Py_ssize_t outer) noexcept nogil:
    cdef Py_ssize_t nbytes = job.run * job.columns * job.itemsize
    # Repeated sources are small, so the result has the entire cache: 32 MB took 1.5 ms streamed, 1.0 not.
    job.stream = (
        exceeds_cache(outer * nbytes * 3 // 4) and job.columns == 1 and job.run * job.itemsize >= STREAM_RUN
    )
    job.piece = max(PIECE // job.columns, <Py_ssize_t>1)
    job.pieces = (job.run + job.piece - 1) // job.piece
    parallel_for(
        outer * job.pieces, GRAIN // (min(job.run, job.piece) * job.columns) + 1, copy_part, job
    )
