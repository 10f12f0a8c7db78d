# Copies of dense memory, split over threads where they are large.

cdef enum:
    STREAM_BYTES = 12 << 20            # a result of this size and more is better stored past the caches

cdef void copy_bytes(void* dst, const void* src, Py_ssize_t nbytes) noexcept nogil   # no overlap; any alignment
