# Free blocks of memory for threads without the GIL, which guards the pool's own lists. No function waits
# for another thread: one that finds the lists in use finds nothing.

cdef char* take_spare(int size_class) noexcept nogil                     # NULL where there is none
cdef bint put_spare(char* data, int size_class, Py_ssize_t nbytes) noexcept nogil   # False: it stays the caller's
cdef Py_ssize_t spare_bytes() noexcept nogil                             # of all blocks
cdef char* take_any(Py_ssize_t* nbytes) noexcept nogil                   # NULL where there is none
