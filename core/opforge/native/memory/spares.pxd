# Spare blocks for threads without the GIL, which guards the pool's own lists. No function waits for
# another thread: while the lists are in use, they count as empty.

cdef char* take_spare(int size_class) noexcept nogil                     # NULL if none is available
cdef bint put_spare(char* data, int size_class, Py_ssize_t nbytes) noexcept nogil   # False: the caller keeps it
cdef Py_ssize_t spare_bytes() noexcept nogil                             # of all blocks
cdef char* take_any(Py_ssize_t* nbytes) noexcept nogil                   # NULL if none is available
