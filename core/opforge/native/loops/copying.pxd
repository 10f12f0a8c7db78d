# Copies of contiguous memory; large ones are divided among threads.

cdef void copy_bytes(void* dst, const void* src, Py_ssize_t nbytes) noexcept nogil   # no overlap; any alignment
