# Large blocks, which share segments of memory. The GIL guards them; what needs no GIL says so.

cdef enum:
    LARGE_FROM = 1 << 19               # bytes of the smallest

cdef char* take_large(Py_ssize_t nbytes, bint* is_fresh) noexcept nogil      # NULL where there is none
cdef void put_large(char* data, bint keeps) noexcept nogil                   # not `keeps`: for the system
cdef void return_large(char* data) noexcept nogil                            # without the GIL: put by whoever takes next
cdef Py_ssize_t large_bytes(char* data) noexcept nogil                       # that a block has; needs no GIL
cdef Py_ssize_t large_kept() noexcept nogil                                  # of all free blocks; needs no GIL
cdef Py_ssize_t release_large(Py_ssize_t least) noexcept nogil               # to the system; returns the bytes
