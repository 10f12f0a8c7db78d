# Copies of dense memory, split over threads where they are large.

cdef void copy_bytes(void* dst, const void* src, Py_ssize_t nbytes) noexcept nogil   # no overlap; any alignment
