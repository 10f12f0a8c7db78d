# Pooled, 64-byte aligned, reference-counted memory. The GIL is the pool's lock: every function here needs it.

from libc.stdint cimport uint64_t

# What `size_class` says of memory that is not of the pool.
cdef enum:
    FOREIGN = -1                       # others may reach it
    ADOPTED = -2                       # nobody else can; it counts as this buffer's
    FOREVER = 1 << 30                  # of pins

cdef class Buffer:                     # owns `data`; Python's reference count is its reference count
    cdef char* data                    # 64-byte aligned when it comes from the pool
    cdef readonly Py_ssize_t nbytes    # bytes that were asked for
    cdef int size_class                # its free list, or FOREIGN or ADOPTED: `owner` keeps the memory alive
    cdef int pins                      # exports that have its address, or FOREVER: it must stay the memory of its arrays
    cdef object owner                  # exporter of memory that is not of the pool, else None
    cdef void* var                     # engine variable, NULL until a pushed task names this buffer
    cdef uint64_t seal                 # 0 once it is written: see `seal` in array.pxd
    cdef bint is_recorded              # the tape may have it yet: no gradient is written into it before its time

ctypedef void (*var_free_fn)(void* var) noexcept

cdef Buffer allocate(Py_ssize_t nbytes)                                       # raises MemoryError with the size
cdef Buffer wrap_foreign(void* data, Py_ssize_t nbytes, object owner)         # `owner` must allow writes
cdef Buffer adopt(void* data, Py_ssize_t nbytes, object owner)                # the same where nobody else has `owner`
cdef void set_var_free(var_free_fn fn) noexcept                               # how a dying buffer frees its variable
cdef Py_ssize_t live_bytes() noexcept                                         # of all buffers but foreign ones

# Blocks for memory that is no Buffer. These two may be called without the GIL; then they use the spares.
cdef char* lend_block(Py_ssize_t nbytes, int* size_class) noexcept nogil      # NULL where there is none
cdef void take_back(char* data, int size_class) noexcept nogil
