"""Copies between strided walks, by element size, split over threads.

Transposing, tiling, repeating, slicing, flipping and joining are all one walk: dimensions, steps of
the source and steps of the destination. The walk is merged to the fewest dimensions first; then the
innermost one is a plain copy, a fill, a blocked transpose or a strided loop.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from opforge.native.loops.stores cimport exceeds_cache, fence
from opforge.native.threads.parallel cimport parallel_for

cdef extern from "opforge_copy.h" nogil:
    void of_copy(void* dst, const void* src, size_t n)
    void of_copy_stream(void* dst, const void* src, size_t n)

ctypedef fused Unit:
    uint8_t
    uint16_t
    uint32_t
    uint64_t

cdef enum:
    PIECE = 32768                      # elements of one innermost run that a thread takes at once
    BLOCK = 16                         # edge of a transposed block: 16 float32 fill a cache line
    SHORT = 64                         # bytes below which a loop beats a call
    STREAM_RUN = 1024                  # bytes of a run whose ends may be stored through the caches
    GRAIN = 32768                      # elements that are worth a thread

cdef struct Job:
    const void* src
    void* dst
    int itemsize
    bint stream                        # the result is stored past the caches
    Walk outer                         # what the units walk over
    Py_ssize_t pieces                  # units an outer index is cut into
    Py_ssize_t run                     # length of the innermost run
    Py_ssize_t run_src, run_dst
    Py_ssize_t rows                    # transposes: length of the dimension where the source is dense
    Py_ssize_t rows_dst


cdef void walk_start(Walk* walk) noexcept nogil:
    walk.ndim = 0


cdef void walk_push(Walk* walk, Py_ssize_t dim, Py_ssize_t src, Py_ssize_t dst) noexcept nogil:
    """Append an inner dimension; merge it with the one before where both sides allow."""
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
    const Unit* src, Unit* dst, Py_ssize_t n, Py_ssize_t src_step, Py_ssize_t dst_step, bint stream
) noexcept nogil:
    cdef Py_ssize_t i
    cdef Unit value
    if dst_step == 1 and src_step == 1:
        if stream:
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
    else:
        for i in range(n):
            dst[i * dst_step] = src[i * src_step]


cdef inline void transpose_block(
    const Unit* src, Unit* dst, Py_ssize_t rows, Py_ssize_t cols, Py_ssize_t src_step, Py_ssize_t dst_step
) noexcept nogil:
    """dst[i, j] = src[j, i]: whole lines are read into a small block and written from it."""
    cdef Unit[BLOCK * BLOCK] block
    cdef Py_ssize_t i, j
    if rows == BLOCK and cols == BLOCK:
        for j in range(BLOCK):
            for i in range(BLOCK):
                block[j * BLOCK + i] = src[j * src_step + i]
        for i in range(BLOCK):
            for j in range(BLOCK):
                dst[i * dst_step + j] = block[j * BLOCK + i]
        return
    for i in range(rows):
        for j in range(cols):
            dst[i * dst_step + j] = src[j * src_step + i]


cdef inline void seek(Walk* outer, Py_ssize_t index, Py_ssize_t* at, Py_ssize_t* src, Py_ssize_t* dst) noexcept nogil:
    cdef int axis
    src[0] = 0
    dst[0] = 0
    for axis in range(outer.ndim - 1, -1, -1):
        at[axis] = index % outer.dims[axis]
        index //= outer.dims[axis]
        src[0] += at[axis] * outer.src[axis]
        dst[0] += at[axis] * outer.dst[axis]


cdef inline void advance(Walk* outer, Py_ssize_t* at, Py_ssize_t* src, Py_ssize_t* dst) noexcept nogil:
    cdef int axis
    for axis in range(outer.ndim - 1, -1, -1):
        at[axis] += 1
        src[0] += outer.src[axis]
        dst[0] += outer.dst[axis]
        if at[axis] < outer.dims[axis]:
            return
        src[0] -= at[axis] * outer.src[axis]
        dst[0] -= at[axis] * outer.dst[axis]
        at[axis] = 0


cdef void copy_units(Unit* tag, Job* job, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Copy units [begin, end): unit = outer index * pieces + piece of the run."""
    cdef Py_ssize_t[WALK_NDIM] at
    cdef Py_ssize_t src, dst, _unit, start, n, piece = begin % job.pieces
    cdef const Unit* x = <const Unit*>job.src
    cdef Unit* y = <Unit*>job.dst
    seek(&job.outer, begin // job.pieces, at, &src, &dst)
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
            advance(&job.outer, at, &src, &dst)


cdef void transpose_units(Unit* tag, Job* job, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Transpose units [begin, end): unit = outer index * pieces + band of BLOCK rows."""
    cdef Py_ssize_t[WALK_NDIM] at
    cdef Py_ssize_t src, dst, _unit, row, col, rows, piece = begin % job.pieces
    cdef const Unit* x = <const Unit*>job.src
    cdef Unit* y = <Unit*>job.dst
    seek(&job.outer, begin // job.pieces, at, &src, &dst)
    for _unit in range(begin, end):
        row = piece * BLOCK
        rows = min(job.rows - row, <Py_ssize_t>BLOCK)
        col = 0
        while col < job.run:
            transpose_block(
                x + src + col * job.run_src + row,
                y + dst + row * job.rows_dst + col,
                rows, min(job.run - col, <Py_ssize_t>BLOCK), job.run_src, job.rows_dst,
            )
            col += BLOCK
        piece += 1
        if piece == job.pieces:
            piece = 0
            advance(&job.outer, at, &src, &dst)


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


cdef void transpose_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Job* job = <Job*>arg
    if job.itemsize == 4:
        transpose_units(<uint32_t*>NULL, job, begin, end)
    elif job.itemsize == 8:
        transpose_units(<uint64_t*>NULL, job, begin, end)
    elif job.itemsize == 2:
        transpose_units(<uint16_t*>NULL, job, begin, end)
    else:
        transpose_units(<uint8_t*>NULL, job, begin, end)


cdef int dense_source_axis(Walk* walk) noexcept nogil:
    """The dimension where the source is dense while the destination is dense in the last one."""
    cdef int axis, last = walk.ndim - 1
    if walk.dst[last] != 1 or walk.src[last] == 0 or walk.src[last] == 1 or walk.dims[last] < 4:
        return -1
    for axis in range(last):
        if walk.src[axis] == 1 and walk.dims[axis] >= 4:
            return axis
    return -1


cdef void strided_copy(const void* src, void* dst, int itemsize, Walk* walk) noexcept nogil:
    cdef Job job
    cdef int axis, last, dense = -1
    cdef Py_ssize_t outer = 1, work
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
        job.pieces = (job.rows + BLOCK - 1) // BLOCK
        work = min(job.rows, <Py_ssize_t>BLOCK) * job.run
        parallel_for(outer * job.pieces, GRAIN // work + 1, transpose_part, &job)
        return
    # Repeated sources are small, so the cache is the result's: 32 MB took 1.5 ms streamed, 1.0 not.
    job.stream = exceeds_cache(outer * job.run * itemsize // 3) and job.run * itemsize >= STREAM_RUN
    job.pieces = (job.run + PIECE - 1) // PIECE
    work = min(job.run, <Py_ssize_t>PIECE)
    parallel_for(outer * job.pieces, GRAIN // work + 1, copy_part, &job)
