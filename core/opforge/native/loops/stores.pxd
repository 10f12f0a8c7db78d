# Streaming stores: results that exceed the caches are computed in tiles and stored around the caches.

from libc.stdint cimport uintptr_t

cdef enum:
    STREAMED = 512                     # bytes of a tile; its stores drain while the next tile is computed
    STREAMED_SPACE = 576               # the same with a margin for aligning the tile to a cache line

# Returns whether an output exceeds the caches; `moved` is its size plus that of its operands, in bytes.
cdef bint exceeds_cache(Py_ssize_t moved) noexcept nogil
# Returns the fraction of such a result of `result` bytes that the caches hold next to its operands.
cdef double cached_fraction(Py_ssize_t result, Py_ssize_t operands) noexcept nogil
# Returns the number of elements of `size` bytes up to the first full cache line of `y`, or `most` if `y` is
# aligned to one.
cdef Py_ssize_t first_tile(const void* y, Py_ssize_t size, Py_ssize_t most) noexcept nogil
# Copies a tile to `y`; call `fence` before signaling another thread that the data is there.
cdef void stream(const void* tile, void* y, Py_ssize_t nbytes) noexcept nogil
cdef void fence() noexcept nogil


# Returns the first cache line of `space`, where a tile starts: a load across two lines waits for both stores.
cdef inline char* line_of(char* space) noexcept nogil:
    return <char*>((<uintptr_t>space + 63) & ~<uintptr_t>63)
