# Streamed stores: results that no cache can hold are computed in tiles and stored past the caches.

from libc.stdint cimport uintptr_t

cdef enum:
    STREAMED = 512                     # bytes of a tile whose stores drain while the next is computed
    STREAMED_SPACE = 576               # with what its first whole line may leave unused

# Whether an output leaves little of itself in the caches anyway: `moved` is its bytes and its operands'.
cdef bint exceeds_cache(Py_ssize_t moved) noexcept nogil
# Which share of such a result, so many bytes, the caches hold beside its operands.
cdef double share_kept(Py_ssize_t result, Py_ssize_t operands) noexcept nogil
# Elements of `size` bytes up to the first whole line of `y`, or `most` where y begins with one.
cdef Py_ssize_t first_tile(const void* y, Py_ssize_t size, Py_ssize_t most) noexcept nogil
# Copy a tile to `y`; `fence` before another thread is told that it is there.
cdef void stream(const void* tile, void* y, Py_ssize_t nbytes) noexcept nogil
cdef void fence() noexcept nogil


# The first line of `space`: tiles begin there, because a load across two lines waits for both stores.
cdef inline char* line_of(char* space) noexcept nogil:
    return <char*>((<uintptr_t>space + 63) & ~<uintptr_t>63)
