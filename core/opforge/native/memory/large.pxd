# Large blocks, which share segments of memory. The GIL guards them; exceptions are marked.

cdef enum:
    LARGE_FROM = 1 << 19               # bytes of the smallest large block

cdef char* take_large(Py_ssize_t nbytes, bint* is_fresh) noexcept nogil      # NULL if none is available
cdef void put_large(char* data, bint keeps) noexcept nogil                   # unless `keeps`, returned to the system
cdef void return_large(char* data) noexcept nogil                            # without the GIL: queued until the next take
cdef Py_ssize_t large_bytes(char* data) noexcept nogil                       # size of a block; needs no GIL
cdef Py_ssize_t large_kept() noexcept nogil                                  # of all free blocks; needs no GIL
cdef Py_ssize_t release_large(Py_ssize_t min_bytes) noexcept nogil           # returns the bytes released
