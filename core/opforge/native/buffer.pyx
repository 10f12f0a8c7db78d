"""Pooled memory: blocks come in size classes, four to a doubling, and go back to a free list.

A fresh block costs the operating system a page fault for each 4 KiB, which for large outputs is
several times the arithmetic; a block from the free list costs nothing. The GIL guards all state.
"""

cimport cython
from libc.stdint cimport uint64_t
from libc.stdlib cimport free
from libc.string cimport memset

from opforge.base import config as _config

import os as _os

cdef extern from "stdlib.h" nogil:
    int posix_memalign(void** out, size_t alignment, size_t size)

cdef extern from "opforge_poison.h" nogil:
    void opforge_poison(const void* start, size_t size)
    void opforge_unpoison(const void* start, size_t size)

cdef extern from *:
    int clz64 "__builtin_clzll"(uint64_t x) nogil

cdef enum:
    ALIGNMENT = 64
    MIN_SHIFT = 6                      # smallest class: 64 bytes
    N_CLASSES = 4 * 48

cdef struct Block:                     # a free block's first bytes
    Block* next

cdef Block* free_lists[N_CLASSES]
memset(free_lists, 0, sizeof(free_lists))

cdef struct Stats:
    Py_ssize_t live_bytes
    Py_ssize_t live_buffers
    Py_ssize_t peak_bytes
    Py_ssize_t pool_bytes
    Py_ssize_t system_allocations
    Py_ssize_t pool_hits

cdef Stats stats
memset(&stats, 0, sizeof(stats))

cdef Py_ssize_t pool_limit = 0
cdef var_free_fn var_free = NULL


def _default_limit():
    """Return a quarter of the machine's memory in bytes, or what the switch says."""
    megabytes = _config.get_int("OPFORGE_POOL_LIMIT_MB", 0)
    if megabytes:
        return megabytes << 20
    return _os.sysconf("SC_PAGE_SIZE") * _os.sysconf("SC_PHYS_PAGES") // 4


pool_limit = _default_limit()


cdef inline int class_of(Py_ssize_t nbytes) noexcept nogil:
    """Smallest class that holds `nbytes`: sizes 2^k * (4, 5, 6, 7) / 4."""
    cdef uint64_t n
    cdef int top
    if nbytes <= 64:
        return 0
    n = <uint64_t>(nbytes - 1)
    top = 63 - clz64(n)                                     # 2^top <= n < 2^(top+1)
    return 4 * (top - MIN_SHIFT) + <int>((n >> (top - 2)) & 3) + 1


cdef inline Py_ssize_t class_bytes(int index) noexcept nogil:
    """Bytes of class `index`; the inverse of `class_of`."""
    return (<Py_ssize_t>(4 + (index & 3))) << (MIN_SHIFT + (index >> 2) - 2)


@cython.final
@cython.freelist(256)
cdef class Buffer:
    """A reference-counted block of memory; made by `allocate` or `wrap_foreign`, never directly."""

    def __cinit__(self):
        self.data = NULL
        self.size_class = -1
        self.var = NULL

    def __dealloc__(self):
        if self.var != NULL and var_free != NULL:
            var_free(self.var)
        if self.size_class >= 0:
            stats.live_bytes -= self.nbytes
            stats.live_buffers -= 1
            recycle(self.data, self.size_class)

    @property
    def address(self):
        """Address of the first byte, as an int."""
        return <size_t>self.data


cdef void recycle(char* data, int index) noexcept:
    """Put a block on its free list, or give it back when the pool is full."""
    cdef Py_ssize_t nbytes = class_bytes(index)
    opforge_unpoison(data, nbytes)
    if stats.pool_bytes + nbytes > pool_limit:
        free(data)
        return
    (<Block*>data).next = free_lists[index]
    free_lists[index] = <Block*>data
    stats.pool_bytes += nbytes
    opforge_poison(data + sizeof(Block), nbytes - sizeof(Block))


cdef char* take_block(int index) except NULL:
    """Return a block of class `index` from the free list or the system."""
    cdef Block* block = free_lists[index]
    cdef void* fresh = NULL
    cdef Py_ssize_t nbytes = class_bytes(index)
    if block != NULL:
        free_lists[index] = block.next
        stats.pool_bytes -= nbytes
        stats.pool_hits += 1
        return <char*>block
    if posix_memalign(&fresh, ALIGNMENT, nbytes) != 0:
        empty_pool()
        if posix_memalign(&fresh, ALIGNMENT, nbytes) != 0:
            raise MemoryError(
                f"cannot allocate {nbytes} bytes for an array; {stats.live_bytes} bytes are live"
            )
    stats.system_allocations += 1
    return <char*>fresh


cdef Buffer allocate(Py_ssize_t nbytes):
    cdef Buffer result
    cdef int index
    if nbytes < 0 or nbytes > (<Py_ssize_t>1 << 46):
        raise MemoryError(f"cannot allocate {nbytes} bytes for an array")
    index = class_of(nbytes)
    cdef char* data = take_block(index)
    result = Buffer.__new__(Buffer)
    result.data = data
    result.nbytes = nbytes
    result.size_class = index
    opforge_unpoison(data, nbytes)
    opforge_poison(data + nbytes, class_bytes(index) - nbytes)
    stats.live_bytes += nbytes
    stats.live_buffers += 1
    if stats.live_bytes > stats.peak_bytes:
        stats.peak_bytes = stats.live_bytes
    return result


cdef Buffer wrap_foreign(void* data, Py_ssize_t nbytes, object owner):
    cdef Buffer result = Buffer.__new__(Buffer)
    result.data = <char*>data
    result.nbytes = nbytes
    result.owner = owner
    return result


cdef void set_var_free(var_free_fn fn) noexcept:
    global var_free
    var_free = fn


cdef Py_ssize_t empty_pool() noexcept:
    """Give every free block back to the system; returns the bytes given back."""
    cdef int index
    cdef Block* block
    cdef Py_ssize_t released = stats.pool_bytes
    for index in range(N_CLASSES):
        while free_lists[index] != NULL:
            block = free_lists[index]
            free_lists[index] = block.next
            opforge_unpoison(block, class_bytes(index))
            free(block)
    stats.pool_bytes = 0
    return released


def memory_stats():
    """Return the counters of the memory pool.

    Returns
    -------
    dict of str to int
        ``live_bytes`` and ``live_buffers`` in use by arrays, ``peak_bytes`` the most that was ever
        live, ``pool_bytes`` kept for reuse, ``pool_limit_bytes`` the most that is kept,
        ``system_allocations`` and ``pool_hits`` since the start.

    Examples
    --------
    >>> import opforge
    >>> before = opforge.memory_stats()["live_bytes"]
    >>> x = opforge.nd.zeros((256,))
    >>> opforge.memory_stats()["live_bytes"] - before
    1024
    """
    return {
        "live_bytes": stats.live_bytes,
        "live_buffers": stats.live_buffers,
        "peak_bytes": stats.peak_bytes,
        "pool_bytes": stats.pool_bytes,
        "pool_limit_bytes": pool_limit,
        "system_allocations": stats.system_allocations,
        "pool_hits": stats.pool_hits,
    }


def release_pool():
    """Give all memory that is kept for reuse back to the system.

    Returns
    -------
    int
        Bytes given back.

    Examples
    --------
    >>> import opforge
    >>> _ = opforge.release_pool()
    >>> opforge.memory_stats()["pool_bytes"]
    0
    """
    return empty_pool()
