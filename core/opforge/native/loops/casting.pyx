"""Conversions of entire arrays, divided among threads and streamed if they exceed the caches."""

from libc.string cimport memcpy

from opforge.native.loops.choice cimport converters, moving_grain
from opforge.native.loops.copying cimport copy_bytes
from opforge.native.loops.stores cimport (
    STREAMED, STREAMED_SPACE, exceeds_cache, fence, first_tile, line_of, stream,
)
from opforge.native.memory.types cimport N_DTYPES, itemsize_of
from opforge.native.threads.parallel cimport enter_work, leave_work, parallel_for

cdef enum:
    SERIAL_ELEMENTS = 1024             # smaller arrays are converted on the calling thread
    INLINE_BYTES = 1 << 16             # smaller copies do not release the GIL

cdef struct Job:
    int from_code, to_code
    bint streams                       # y exceeds the caches and is stored with streaming stores
    const char* x
    char* y


cdef void cast_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Job* job = <Job*>arg
    cdef Py_ssize_t x_size = itemsize_of(job.from_code), y_size = itemsize_of(job.to_code), n
    cdef const char* x = job.x + begin * x_size
    cdef char* y = job.y + begin * y_size
    cdef char[STREAMED_SPACE] space
    if not job.streams:
        converters.cast[job.from_code][job.to_code](x, y, end - begin)
        return
    n = first_tile(y, y_size, STREAMED // y_size)
    while begin < end:
        n = min(n, end - begin)
        converters.cast[job.from_code][job.to_code](x, line_of(space), n)
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
    job.from_code, job.to_code, job.x, job.y, job.streams = from_code, to_code, <const char*>x, <char*>y, False
    if n < SERIAL_ELEMENTS:
        cast_part(&job, 0, n)
    else:
        # When x is overwritten, its cache lines are already in the cache.
        moved = n * (itemsize_of(from_code) + itemsize_of(to_code))
        job.streams = x != y and exceeds_cache(moved)
        parallel_for(n, moving_grain(max(itemsize_of(from_code), itemsize_of(to_code))), cast_part, &job)
    return 0


cdef void copy_elements(
    int from_code, int to_code, const char* source, char* target, Py_ssize_t size
) noexcept:
    cdef Py_ssize_t nbytes = size * itemsize_of(to_code)
    if nbytes < INLINE_BYTES:
        if from_code == to_code:
            memcpy(target, source, nbytes)
        else:
            run_cast(from_code, to_code, source, target, size)
        return
    enter_work()
    with nogil:
        if from_code == to_code:
            copy_bytes(target, source, nbytes)
        else:
            run_cast(from_code, to_code, source, target, size)
    leave_work()
