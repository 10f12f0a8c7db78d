"""Copies between strided walks, by element size, divided among threads.

Transposing, tiling, repeating, slicing, flipping and concatenating are described by one walk: dimensions,
strides of the source and strides of the destination. Dimensions are merged where possible; the innermost
one is then a plain copy, a fill, a blocked transpose or a strided loop.
"""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from opforge.native.kernels.transpose cimport opforge_transpose_fn, opforge_transpose_table
from opforge.native.loops.stores cimport exceeds_cache, fence, stream
from opforge.native.threads.parallel cimport parallel_for

from opforge.native.kernels import isa as _isa

cdef extern from "opforge_copy.h" nogil:
    void of_copy(void* dst, const void* src, size_t n)
    void of_copy_stream(void* dst, const void* src, size_t n)

ctypedef fused Unit:
    uint8_t
    uint16_t
    uint32_t
    uint64_t

cdef opforge_transpose_table* kernels = <opforge_transpose_table*>PyCapsule_GetPointer(
    _isa.table("transpose"), b"opforge.kernels.transpose"
)

cdef enum:
    PIECE = 32768                      # elements of an innermost run per unit of work
    LINE = 64                          # bytes of a cache line; a transposed band has one line of rows
    LONG = 128                         # columns of a block, and rows if there are few columns
    MAX_BYTES = 4 * LONG * LINE        # of a block, whose sides may be almost twice as long
    SHORT = 64                         # bytes below which a loop is faster than a call
    STREAM_RUN = 1024                  # minimum bytes of a run to stream, whose ends are stored normally
    GRAIN = 32768                      # minimum elements per thread

cdef struct Job:
    const void* src
    void* dst
    int itemsize
    bint stream                        # the result is stored with streaming stores
    Walk outer                         # dimensions that the units iterate over
    Py_ssize_t pieces                  # units per outer index
    Py_ssize_t run                     # length of the innermost run
    Py_ssize_t run_src, run_dst
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


cdef inline void copy_run(
    const Unit* src, Unit* dst, Py_ssize_t n, Py_ssize_t src_step, Py_ssize_t dst_step, bint streamed
) noexcept nogil:
    cdef Py_ssize_t i
    cdef Unit value
    if dst_step == 1 and src_step == 1:
        if streamed:
            of_copy_stream(dst, src, n * sizeof(Unit))
        elif n * <Py_ssize_t>sizeof(Unit) >= SHORT:
            of_copy(dst, src, n * sizeof(Unit))
        else:
            for i in range(n):
                dst[i] = src[i]
    elif dst_step == 1 and src_step == 0:
        value = src[0]
        for i in range(n):
            dst[i] = value
    elif dst_step == 1 and src_step == -1:
        for i in range(n):
            dst[i] = src[-i]
    else:
        for i in range(n):
            dst[i * dst_step] = src[i * src_step]


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


cdef void copy_units(Unit* tag, Job* job, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Copy units [begin, end): unit = outer index * pieces + piece of the run."""
    cdef Py_ssize_t[WALK_NDIM] indices
    cdef Py_ssize_t src, dst, _unit, start, n, piece = begin % job.pieces
    cdef const Unit* x = <const Unit*>job.src
    cdef Unit* y = <Unit*>job.dst
    seek(&job.outer, begin // job.pieces, indices, &src, &dst)
    for _unit in range(begin, end):
        start = piece * PIECE
        n = min(job.run - start, <Py_ssize_t>PIECE)
        copy_run(
            x + src + start * job.run_src, y + dst + start * job.run_dst, n, job.run_src,
            job.run_dst, job.stream,
        )
        piece += 1
        if piece == job.pieces:
            piece = 0
            advance(&job.outer, indices, &src, &dst)


cdef void copy_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Job* job = <Job*>arg
    if job.itemsize == 4:
        copy_units(<uint32_t*>NULL, job, begin, end)
    elif job.itemsize == 8:
        copy_units(<uint64_t*>NULL, job, begin, end)
    elif job.itemsize == 2:
        copy_units(<uint16_t*>NULL, job, begin, end)
    else:
        copy_units(<uint8_t*>NULL, job, begin, end)
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


cdef opforge_transpose_fn transpose_of(int itemsize) noexcept nogil:
    return kernels.transpose[3 if itemsize == 8 else 2 if itemsize == 4 else itemsize - 1]


cdef void strided_copy(const void* src, void* dst, int itemsize, Walk* walk) noexcept nogil:
    cdef Job job
    cdef int axis, last, dense = -1
    cdef Py_ssize_t outer = 1, work, line_elements
    for axis in range(walk.ndim):
        if walk.dims[axis] == 0:
            return
    if walk.ndim == 0:
        memcpy(dst, src, itemsize)
        return
    job.src = src
    job.dst = dst
    job.itemsize = itemsize
    job.outer.ndim = 0
    last = walk.ndim - 1
    dense = dense_source_axis(walk)
    job.run = walk.dims[last]
    job.run_src = walk.src[last]
    job.run_dst = walk.dst[last]
    for axis in range(last):
        if axis != dense:
            job.outer.dims[job.outer.ndim] = walk.dims[axis]
            job.outer.src[job.outer.ndim] = walk.src[axis]
            job.outer.dst[job.outer.ndim] = walk.dst[axis]
            job.outer.ndim += 1
            outer *= walk.dims[axis]
    if dense >= 0:
        job.rows = walk.dims[dense]
        job.rows_dst = walk.dst[dense]
        line_elements = LINE // itemsize
        job.band = line_elements if job.run > 2 * line_elements else LONG
        job.block = LONG
        job.pieces = max(job.rows // job.band, <Py_ssize_t>1)
        job.transpose = transpose_of(itemsize)
        job.stream = exceeds_cache(2 * outer * job.rows * job.run * itemsize)
        work = min(job.rows, job.band) * job.run
        parallel_for(outer * job.pieces, GRAIN // work + 1, transpose_part, &job)
        return
    # Repeated sources are small, so the result has the entire cache: 32 MB took 1.5 ms streamed, 1.0 not.
    job.stream = exceeds_cache(outer * job.run * itemsize * 3 // 4) and job.run * itemsize >= STREAM_RUN
    job.pieces = (job.run + PIECE - 1) // PIECE
    work = min(job.run, <Py_ssize_t>PIECE)
    parallel_for(outer * job.pieces, GRAIN // work + 1, copy_part, &job)
