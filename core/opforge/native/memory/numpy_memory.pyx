"""Pool memory for NumPy's arrays, through NumPy's allocation handlers (NEP 49).

Each temporary of an operator written in NumPy costs a page fault per 4 KiB. While such an operator
runs, the handler of this module gives NumPy blocks of the pool instead. An array keeps the handler
that allocated it, so an array that outlives the operator returns its block when it dies, on any
thread.

A header in front of the elements identifies the block, because NumPy does not pass the old size to
`realloc`. NumPy calls the handler with the GIL held; callers without the GIL bypass the pool.

NumPy stores the handler in a context variable. CPython crashes if it cannot allocate the token that
setting one returns, so memory for a token is reserved until the former handler is restored.
"""

from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

cimport cython
cimport numpy as cnp
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_New

from opforge.native.memory.buffer cimport lend_block, take_back

from opforge.base import context_variables

cnp.import_array()

cdef extern from "numpy/arrayobject.h":
    PyObject* PyDataMem_DefaultHandler

cdef enum:
    HEADER = 64                        # keeps the elements aligned like the pool's blocks
    ZEROED = -1                        # `size_class` of memory zeroed by the system

# Zeroed arrays beyond this size come from the system, which maps pages on first access.
cdef size_t LAZY_ZEROS = 1 << 26
cdef size_t MAX_BYTES = <size_t>1 << 46

cdef struct Header:
    char* block                        # the block to return
    size_t nbytes                      # requested by NumPy
    int size_class


cdef inline Header* header_of(void* data) noexcept nogil:
    return <Header*>(<char*>data - HEADER)


cdef void* with_header(char* block, size_t nbytes, int size_class) noexcept nogil:
    """Write the header at the next aligned address in `block`; return the address of the elements."""
    cdef size_t start = (<size_t>block + HEADER - 1) // HEADER * HEADER
    cdef Header* header = <Header*>start
    header.block = block
    header.nbytes = nbytes
    header.size_class = size_class
    return <void*>(start + HEADER)


cdef void* pool_malloc(void* context, size_t nbytes) noexcept nogil:
    cdef int size_class
    cdef char* block
    if nbytes > MAX_BYTES:
        return NULL
    block = lend_block(<Py_ssize_t>nbytes + HEADER, &size_class)
    return NULL if block == NULL else with_header(block, nbytes, size_class)


cdef void* pool_calloc(void* context, size_t count, size_t size) noexcept nogil:
    cdef size_t nbytes
    cdef void* data
    cdef char* block
    if size and count > MAX_BYTES // size:
        return NULL
    nbytes = count * size
    if nbytes > LAZY_ZEROS:
        block = <char*>calloc(1, nbytes + 2 * HEADER)
        return NULL if block == NULL else with_header(block, nbytes, ZEROED)
    data = pool_malloc(context, nbytes)
    if data != NULL:
        memset(data, 0, nbytes)
    return data


cdef void pool_free(void* context, void* data, size_t nbytes) noexcept nogil:
    cdef Header* header
    if data == NULL:
        return
    header = header_of(data)
    if header.size_class == ZEROED:
        free(header.block)
    else:
        take_back(header.block, header.size_class)


cdef void* pool_realloc(void* context, void* data, size_t nbytes) noexcept nogil:
    cdef void* fresh = pool_malloc(context, nbytes)
    if fresh != NULL and data != NULL:
        memcpy(fresh, data, min(nbytes, header_of(data).nbytes))
        pool_free(context, data, nbytes)
    return fresh


cdef cnp.PyDataMem_Handler handler
memset(&handler, 0, sizeof(handler))
memcpy(handler.name, b"opforge_pool", 12)
handler.version = 1
handler.allocator.ctx = NULL
handler.allocator.malloc = <void* (*)(void*, size_t) noexcept nogil>pool_malloc
handler.allocator.calloc = <void* (*)(void*, size_t, size_t) noexcept nogil>pool_calloc
handler.allocator.realloc = <void* (*)(void*, void*, size_t) noexcept nogil>pool_realloc
handler.allocator.free = <void (*)(void*, void*, size_t) noexcept nogil>pool_free

cdef object capsule = PyCapsule_New(&handler, b"mem_handler", NULL)


cdef Py_ssize_t TOKEN_BYTES = context_variables.TOKEN_BYTES


@cython.final
cdef class Former:
    """The handler before `use_pool`, with memory for the token that restoring it needs."""
    cdef object handler
    cdef bytes token


cdef bytes token_memory():
    return PyBytes_FromStringAndSize(NULL, TOKEN_BYTES)


cdef object use_pool():
    cdef object chosen = cnp.PyDataMem_GetHandler()
    if <PyObject*>chosen != PyDataMem_DefaultHandler:
        return None                                         # a user's own handler, or already ours
    cdef Former former = Former.__new__(Former)
    former.token = token_memory()
    token_memory()                     # freed at once; the token of this change takes it
    former.handler = cnp.PyDataMem_SetHandler(capsule)
    return former


cdef int restore(object former) except -1:
    if former is not None:
        (<Former>former).token = None
        cnp.PyDataMem_SetHandler((<Former>former).handler)
    return 0
