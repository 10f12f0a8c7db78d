"""Detection of conflicting memory accesses: a block has one writer or any number of readers.

Blocks are identified by their start address, so that views of one block count as the same memory. A
sorted list of address ranges would be exact, but take ten times as long.
"""

from libc.stdint cimport uint64_t, uintptr_t
from libc.stdlib cimport calloc, free

cdef enum:
    SEVERAL = -1


cdef int open_claims(Claims* claims, Py_ssize_t uses) noexcept nogil:
    cdef Py_ssize_t size = 64
    while size < 2 * uses:
        size *= 2
    claims.table, claims.mask = <Owner*>calloc(size, sizeof(Owner)), size - 1
    return 0 if claims.table != NULL else -1


cdef bint claim(Claims* claims, Py_ssize_t user, Use* use) noexcept nogil:
    cdef uint64_t hashed = <uint64_t><uintptr_t>use.block * 0x9E3779B97F4A7C15ULL
    cdef Py_ssize_t slot = <Py_ssize_t>(hashed >> 20) & claims.mask
    cdef Owner* entry = &claims.table[slot]
    while entry.block != NULL and entry.block != use.block:
        slot = (slot + 1) & claims.mask
        entry = &claims.table[slot]
    if entry.block == NULL:
        entry.block, entry.user, entry.written = use.block, user, use.written
    elif entry.user == user:
        entry.written = entry.written or use.written
    elif entry.written or use.written:
        return False
    else:
        entry.user = SEVERAL
    return True


cdef void close_claims(Claims* claims) noexcept nogil:
    free(claims.table)
