"""NumPy's arrays in memory of the pool, by NumPy's own means (NEP 49).

The temporaries of an operator written in NumPy cost the system a page fault for each 4 KiB, each
time. While such an operator runs, the handler of this module gives NumPy blocks of the pool
instead. An array keeps the handler that made it, so arrays that outlive the operator return their
blocks whenever they die, from any thread.

A header in front of the elements says which block it is: NumPy tells `realloc` no old size.
NumPy calls the handler with the GIL; the pool is passed by where somebody else does not.

NumPy keeps the handler in a context variable. CPython crashes where it finds no memory for the token
that a change of one gives, so a token's memory is kept until the former handler is back.
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
    HEADER = 64                        # keeps the elements aligned as the pool's blocks are
    ZEROED = -1                        # `size_class` of memory that the system zeroed

# Zeros beyond this size come from the system, which makes the pages when they are touched.
cdef size_t LAZY_ZEROS = 1 << 26
cdef size_t MAX_BYTES = <size_t>1 << 46

cdef struct Header:
    char* block                        # what to give back
    size_t nbytes                      # that NumPy asked for
    int size_class


cdef inline Header* header_of(void* data) noexcept nogil:
    return <Header*>(<char*>data - HEADER)


cdef void* with_header(char* block, size_t nbytes, int size_class) noexcept nogil:
    """Write the header at the next place in `block` that is aligned; returns the elements."""
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
    """The handler before `use_pool`, and memory for the token that its return takes."""
    cdef object handler
    cdef bytes token


cdef bytes token_memory():
    return PyBytes_FromStringAndSize(NULL, TOKEN_BYTES)


cdef object use_pool():
    cdef object chosen = cnp.PyDataMem_GetHandler()
    if <PyObject*>chosen != PyDataMem_DefaultHandler:
        return None                                         # somebody's own, or ours already
    cdef Former former = Former.__new__(Former)
    former.token = token_memory()
    token_memory()                     # freed at once, for the token of this change
    former.handler = cnp.PyDataMem_SetHandler(capsule)
    return former


cdef int restore(object former) except -1:
    if former is not None:
        (<Former>former).token = None
        cnp.PyDataMem_SetHandler((<Former>former).handler)
    return 0
