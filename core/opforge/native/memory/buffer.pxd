# Pooled, 64-byte-aligned, reference-counted memory. The GIL guards the pool: every function here needs it
# unless declared nogil.

from libc.stdint cimport uint64_t
from opforge.abi cimport opforge_memory

# Values of `size_class` for memory outside the pool.
cdef enum:
    FOREIGN = -1                       # other code may hold references to it
    ADOPTED = -2                       # exclusively owned, so counted as live bytes of this buffer
    FOREVER = 1 << 30                  # value of `pins`: never unpinned

cdef class Buffer:                     # owns `data`; Python's reference count is its reference count
    cdef char* data                    # 64-byte aligned when it comes from the pool; only the CPU's may be accessed
    cdef readonly Py_ssize_t nbytes    # requested bytes
    cdef int size_class                # index of its free list; FOREIGN or ADOPTED: `owner` keeps the memory alive
    cdef int pins                      # exports that hold its address, or FOREVER; a pinned buffer is never replaced
    cdef object owner                  # exporter of memory outside the pool, else None
    cdef void* var                     # engine variable, NULL until a pushed task names this buffer
    cdef uint64_t seal                 # 0 after a write: see `seal` in array.pxd
    cdef bint is_recorded              # the tape may still read it, so gradients must not be written into it yet
    cdef int device_id
    cdef const opforge_memory* memory  # functions of the device that has the memory; NULL: the CPU

ctypedef void (*var_free_fn)(void* var) noexcept

cdef Buffer allocate(Py_ssize_t nbytes)                                       # raises MemoryError, which names the size
cdef Buffer wrap_foreign(void* data, Py_ssize_t nbytes, object owner)         # `owner` must allow writes
cdef Buffer adopt(void* data, Py_ssize_t nbytes, object owner)                # the same if `owner` is exclusively ours
cdef void set_var_free(var_free_fn fn) noexcept                               # frees the engine variable of a dying buffer
cdef Py_ssize_t live_bytes() noexcept                                         # of all buffers except foreign ones

# Blocks outside any Buffer. Both functions may be called without the GIL; they then use the spare lists.
cdef char* lend_block(Py_ssize_t nbytes, int* size_class) noexcept nogil      # NULL if none is available
cdef void take_back(char* data, int size_class) noexcept nogil
