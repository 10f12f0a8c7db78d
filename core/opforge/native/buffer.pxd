# Pooled, 64-byte aligned, reference-counted memory. The GIL is the pool's lock: every function here needs it.

cdef class Buffer:                     # owns `data`; Python's reference count is its reference count
    cdef char* data                    # 64-byte aligned when it comes from the pool
    cdef readonly Py_ssize_t nbytes    # bytes that were asked for
    cdef int size_class                # its free list; -1: foreign memory that `owner` keeps alive
    cdef object owner                  # exporter of foreign memory, else None
    cdef void* var                     # engine variable, NULL until a pushed task names this buffer

ctypedef void (*var_free_fn)(void* var) noexcept

cdef Buffer allocate(Py_ssize_t nbytes)                                       # raises MemoryError with the size
cdef Buffer wrap_foreign(void* data, Py_ssize_t nbytes, object owner)         # `owner` must allow writes
cdef void set_var_free(var_free_fn fn) noexcept                               # how a dying buffer frees its variable
