"""Pooled memory: blocks in size classes, four per doubling, that are reused through free lists.

A fresh block costs one page fault per 4 KiB, which for large outputs takes several times as long as
the arithmetic; a block from a free list costs nothing. Large blocks are cut from segments (see
`large`) and request 2 MiB pages where the system offers them: that means fewer faults and fewer
page-table walks, which a virtual machine pays for twice. The GIL guards all state; functions are
declared nogil only so that NumPy's C callbacks can call them.
"""

cimport cython
from libc.stdlib cimport free
from libc.string cimport memset
from opforge.abi cimport opforge_device

from opforge.native.memory.atomics cimport RELAXED, add_to, load, store
from opforge.native.memory.classes cimport N_CLASSES, class_bytes, class_of
from opforge.native.memory.large cimport (
    LARGE_FROM, large_bytes, large_kept, put_large, release_large, return_large, take_large,
)
from opforge.native.memory.spares cimport put_spare, spare_bytes, take_any, take_spare

from opforge.base import config as _config
from opforge.base.errors import OutOfMemoryError
from opforge.base.limits import memory_limit as _memory_limit

import os as _os

cdef extern from "stdlib.h" nogil:
    int posix_memalign(void** out, size_t alignment, size_t size)

cdef extern from "opforge_pages.h" nogil:
    void opforge_ask_for_huge_pages(char* start, size_t size)

cdef extern from "Python.h":
    int PyGILState_Check() nogil

cdef extern from "opforge_poison.h" nogil:
    void opforge_poison(const void* start, size_t size)
    void opforge_unpoison(const void* start, size_t size)

cdef enum:
    ALIGNMENT = 64
    HUGE_PAGES_FROM = 4 << 20          # bytes; above this, the unused rest of a 2 MiB page is small
    LARGE = N_CLASSES                  # `size_class` of blocks cut from segments

cdef Py_ssize_t MAX_BYTES = <Py_ssize_t>1 << 46
cdef Py_ssize_t CHECK_AVAILABLE_FROM = <Py_ssize_t>1 << 30       # bytes from which available memory is checked first

cdef struct Block:                     # header of a free block
    Block* next

cdef Block* free_lists[N_CLASSES]
memset(free_lists, 0, sizeof(free_lists))

cdef struct Stats:
    Py_ssize_t live_bytes
    Py_ssize_t live_buffers
    Py_ssize_t peak_bytes
    Py_ssize_t pool_bytes              # changed with the GIL, read without it
    Py_ssize_t system_allocations
    Py_ssize_t pool_hits

cdef Stats stats
memset(&stats, 0, sizeof(stats))

cdef Py_ssize_t lent_bytes = 0         # the only counter that is changed without the GIL

cdef Py_ssize_t pool_limit = 0
cdef var_free_fn var_free = NULL


def _default_limit():
    """Return the pool's limit in bytes: the setting, or a quarter of the machine's memory."""
    megabytes = _config.get_int("OPFORGE_POOL_LIMIT_MB", 0)
    if megabytes:
        return megabytes << 20
    return _os.sysconf("SC_PAGE_SIZE") * _os.sysconf("SC_PHYS_PAGES") // 4


pool_limit = _default_limit()


@cython.final
@cython.freelist(256)
cdef class Buffer:
    """A reference-counted block of memory, made by `allocate`, `wrap_foreign`, `adopt` or `allocate_on`."""

    def __cinit__(self):
        self.data = NULL
        self.size_class = FOREIGN
        self.var = NULL
        self.memory = NULL

    def __dealloc__(self):
        cdef opforge_device device
        if self.var != NULL and var_free != NULL:
            var_free(self.var)
        if self.size_class != FOREIGN:
            stats.live_bytes -= self.nbytes
            stats.live_buffers -= 1
        if self.size_class >= 0:
            recycle(self.data, self.size_class)
        if self.memory != NULL and self.data != NULL:
            device.type, device.id = self.memory.device_type, self.device_id
            self.memory.release(device, self.data)

    @property
    def address(self):
        """Address of the first byte, as an int."""
        return <size_t>self.data


cdef inline Py_ssize_t kept_bytes() noexcept nogil:
    """Return the bytes kept for reuse."""
    return load(&stats.pool_bytes, RELAXED) + spare_bytes() + large_kept()


cdef inline void count_kept(Py_ssize_t nbytes) noexcept nogil:
    """Add `nbytes` to the bytes kept under the GIL."""
    store(&stats.pool_bytes, stats.pool_bytes + nbytes, RELAXED)


cdef inline Py_ssize_t block_bytes(char* data, int index) noexcept nogil:
    """Return the bytes of a block of class `index`, or of a large block."""
    return large_bytes(data) if index == LARGE else class_bytes(index)


cdef void spare(char* data, int index) noexcept nogil:
    """Keep a block on the spare lists, without the GIL, or free it."""
    cdef Py_ssize_t nbytes = block_bytes(data, index)
    opforge_unpoison(data, nbytes)
    if index == LARGE:
        return_large(data)
    elif kept_bytes() + nbytes > pool_limit or not put_spare(data, index, nbytes):
        free(data)


cdef void recycle(char* data, int index) noexcept nogil:
    """Put a block on its free list, or free it if the pool is full."""
    cdef Py_ssize_t nbytes = block_bytes(data, index)
    cdef bint keeps = kept_bytes() + nbytes <= pool_limit
    opforge_unpoison(data, nbytes)
    if index == LARGE:
        put_large(data, keeps)
        return
    if not keeps:
        free(data)
        return
    (<Block*>data).next = free_lists[index]
    free_lists[index] = <Block*>data
    count_kept(nbytes)
    opforge_poison(data + sizeof(Block), nbytes - sizeof(Block))


cdef char* system_block(int index) noexcept nogil:
    """Return a fresh block of class `index`, or NULL."""
    cdef void* fresh = NULL
    if posix_memalign(&fresh, ALIGNMENT, class_bytes(index)) != 0:
        return NULL
    if class_bytes(index) >= HUGE_PAGES_FROM:
        opforge_ask_for_huge_pages(<char*>fresh, class_bytes(index))
    return <char*>fresh


cdef char* fresh_block(Py_ssize_t nbytes, int* index, bint* is_fresh) noexcept nogil:
    """Return a block from the system, or NULL; for large blocks, set `index` to LARGE."""
    is_fresh[0] = True
    if nbytes < LARGE_FROM:
        return system_block(index[0])
    index[0] = LARGE
    return take_large(nbytes, is_fresh)


cdef char* take_block(Py_ssize_t nbytes, int* size_class) noexcept nogil:
    """Return a block from a free list, a segment or the system, or NULL."""
    cdef int index = class_of(nbytes)
    cdef Block* block = free_lists[index]
    cdef char* fresh
    cdef bint is_fresh
    size_class[0] = index
    if block != NULL:
        free_lists[index] = block.next
        count_kept(-class_bytes(index))
        stats.pool_hits += 1
        return <char*>block
    fresh = take_spare(index)
    if fresh != NULL:
        stats.pool_hits += 1
        return fresh
    fresh = fresh_block(nbytes, size_class, &is_fresh)
    if fresh == NULL:
        empty_pool()
        fresh = fresh_block(nbytes, size_class, &is_fresh)
    if fresh != NULL:
        stats.system_allocations += is_fresh
        stats.pool_hits += not is_fresh
    return fresh


cdef inline void expose(char* data, Py_ssize_t nbytes, int index) noexcept nogil:
    """Let AddressSanitizer allow access to the first `nbytes` of a block only."""
    opforge_unpoison(data, nbytes)
    opforge_poison(data + nbytes, block_bytes(data, index) - nbytes)


cdef int expect_possible(Py_ssize_t nbytes) except -1:
    """Reject sizes that an overcommitting system would grant but could never provide."""
    limit = _memory_limit()
    if limit is not None and nbytes > limit:
        raise OutOfMemoryError(
            f"cannot allocate {nbytes} bytes for an array: this process can have {limit} bytes"
        )
    return 0


cdef Buffer allocate(Py_ssize_t nbytes):
    cdef Buffer result = Buffer.__new__(Buffer)              # first: nothing may fail once the block is taken
    cdef int index
    if nbytes < 0 or nbytes > MAX_BYTES:
        raise OutOfMemoryError(f"cannot allocate {nbytes} bytes for an array")
    if nbytes > CHECK_AVAILABLE_FROM:
        expect_possible(nbytes)
    cdef char* data = take_block(nbytes, &index)
    if data == NULL:
        raise OutOfMemoryError(
            f"cannot allocate {nbytes} bytes for an array; {stats.live_bytes} bytes are live"
        )
    expose(data, nbytes, index)
    result.data = data
    result.nbytes = nbytes
    result.size_class = index
    count_live(nbytes)
    return result


cdef inline void count_live(Py_ssize_t nbytes) noexcept:
    """Count a buffer of `nbytes` as in use."""
    stats.live_bytes += nbytes
    stats.live_buffers += 1
    if stats.live_bytes > stats.peak_bytes:
        stats.peak_bytes = stats.live_bytes


cdef Buffer wrap_foreign(void* data, Py_ssize_t nbytes, object owner):
    cdef Buffer result = Buffer.__new__(Buffer)
    result.data = <char*>data
    result.nbytes = nbytes
    result.owner = owner
    return result


cdef Buffer adopt(void* data, Py_ssize_t nbytes, object owner):
    cdef Buffer result = wrap_foreign(data, nbytes, owner)
    result.size_class = ADOPTED
    count_live(nbytes)
    return result


cdef char* lend_block(Py_ssize_t nbytes, int* size_class) noexcept nogil:
    cdef char* data
    if nbytes < 0 or nbytes > MAX_BYTES:
        return NULL
    if PyGILState_Check():
        data = take_block(nbytes, size_class)
    else:
        size_class[0] = class_of(nbytes)
        data = take_spare(size_class[0])
        if data == NULL:
            data = system_block(size_class[0])
    if data != NULL:
        expose(data, nbytes, size_class[0])
        add_to(&lent_bytes, block_bytes(data, size_class[0]), RELAXED)
    return data


cdef void take_back(char* data, int size_class) noexcept nogil:
    add_to(&lent_bytes, -block_bytes(data, size_class), RELAXED)
    if PyGILState_Check():
        recycle(data, size_class)
    else:
        spare(data, size_class)


cdef void set_var_free(var_free_fn fn) noexcept:
    global var_free
    var_free = fn


cdef Py_ssize_t empty_pool() noexcept nogil:
    """Return every free block to the system; return the number of bytes."""
    cdef int index
    cdef Block* block
    cdef char* spared
    cdef Py_ssize_t released = stats.pool_bytes + release_large(MAX_BYTES), nbytes = 0
    for index in range(N_CLASSES):
        while free_lists[index] != NULL:
            block = free_lists[index]
            free_lists[index] = block.next
            opforge_unpoison(block, class_bytes(index))
            free(block)
    count_kept(-stats.pool_bytes)
    spared = take_any(&nbytes)
    while spared != NULL:
        released += nbytes
        free(spared)
        spared = take_any(&nbytes)
    return released


cdef Py_ssize_t live_bytes() noexcept:
    return stats.live_bytes


def memory_stats():
    """Return the counters of the memory pool.

    Returns
    -------
    dict of str to int
        ``live_bytes`` and ``live_buffers``: in use by arrays. ``peak_bytes``: the largest
        ``live_bytes`` so far. ``pool_bytes``: kept for reuse, at most ``pool_limit_bytes``.
        ``system_allocations`` and ``pool_hits``: since the start. ``lent_bytes``: held by NumPy
        arrays made in custom operators and by ``asnumpy``, and by running native operators.

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
        "pool_bytes": kept_bytes(),
        "pool_limit_bytes": pool_limit,
        "system_allocations": stats.system_allocations,
        "pool_hits": stats.pool_hits,
        "lent_bytes": lent_bytes,
    }


def release_pool():
    """Return all memory that is kept for reuse to the system.

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
