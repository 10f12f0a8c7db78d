"""Conversions of whole arrays: split over threads, and streamed where they exceed the caches."""

from libc.string cimport memcpy

from opforge.native.loops.choice cimport converters, moving_grain
from opforge.native.loops.copying cimport copy_bytes
from opforge.native.loops.stores cimport (
    STREAMED, STREAMED_SPACE, exceeds_cache, fence, first_tile, line_of, stream,
)
from opforge.native.memory.types cimport N_DTYPES, itemsize_of
from opforge.native.threads.parallel cimport enter_work, leave_work, parallel_for

cdef enum:
    ALONE = 1024                       # elements that are not worth another thread
    INLINE_BYTES = 1 << 16             # below this the GIL is kept

cdef struct Job:
    int given, code
    bint streams                       # y exceeds the caches and is stored past them
    const char* x
    char* y


cdef void cast_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Job* job = <Job*>arg
    cdef Py_ssize_t x_size = itemsize_of(job.given), y_size = itemsize_of(job.code), n
    cdef const char* x = job.x + begin * x_size
    cdef char* y = job.y + begin * y_size
    cdef char[STREAMED_SPACE] space
    if not job.streams:
        converters.cast[job.given][job.code](x, y, end - begin)
        return
    n = first_tile(y, y_size, STREAMED // y_size)
    while begin < end:
        n = min(n, end - begin)
        converters.cast[job.given][job.code](x, line_of(space), n)
        stream(line_of(space), y, n * y_size)
        begin += n
        x += n * x_size
        y += n * y_size
        n = STREAMED // y_size
    fence()


cdef int run_cast(int from_code, int to_code, const void* x, void* y, Py_ssize_t n) noexcept nogil:
    cdef Job job
    cdef Py_ssize_t moved
    if not 0 <= from_code < N_DTYPES or not 0 <= to_code < N_DTYPES:
        return 1
    if n <= 0:
        return 0
    job.given, job.code, job.x, job.y, job.streams = from_code, to_code, <const char*>x, <char*>y, False
    if n < ALONE:
        cast_part(&job, 0, n)
    else:
        # The lines of an operand that is overwritten are in the cache already.
        moved = n * (itemsize_of(from_code) + itemsize_of(to_code))
        job.streams = x != y and exceeds_cache(moved)
        parallel_for(n, moving_grain(max(itemsize_of(from_code), itemsize_of(to_code))), cast_part, &job)
    return 0


cdef void copy_elements(
    int given, int code, const char* source, char* target, Py_ssize_t size
) noexcept:
    cdef Py_ssize_t nbytes = size * itemsize_of(code)
    if nbytes < INLINE_BYTES:
        if given == code:
            memcpy(target, source, nbytes)
        else:
            run_cast(given, code, source, target, size)
        return
    enter_work()
    with nogil:
        if given == code:
            copy_bytes(target, source, nbytes)
        else:
            run_cast(given, code, source, target, size)
    leave_work()
