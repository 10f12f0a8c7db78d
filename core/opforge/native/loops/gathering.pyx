"""Gathering slices of a table by place, and adding slices where they belong.

Scattering adds in the order of the indices whatever the number of threads, so results repeat: a
thread has a part of the table and reads all indices.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcpy

from opforge.native.loops.elementwise cimport BINARY_add, run_binary
from opforge.native.memory.types cimport F32, F64
from opforge.native.threads.parallel cimport parallel_for

cdef enum:
    GRAIN_BYTES = 65536                # bytes moved that are worth a thread
    SHORT = 32                         # elements of a row that are not worth a call

ctypedef fused Float:
    float
    double

ctypedef fused Item:                   # slices of one element, whatever it means
    uint32_t
    uint64_t


cdef void gather_items(
    Item* rows, const Item* table, const int64_t* at, Py_ssize_t count
) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(count):
        rows[i] = table[at[i]]


cdef void gather_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Copy slices [begin, end) of the result, a run of those with one `outer` at a time."""
    cdef Slots* s = <Slots*>arg
    cdef Py_ssize_t outer = begin // s.count, first = begin % s.count, count, i
    cdef char* rows = s.rows + begin * s.row
    cdef const char* table
    while begin < end:
        count = min(s.count - first, end - begin)
        table = s.table + outer * s.length * s.row
        if s.row == sizeof(uint32_t):
            gather_items(<uint32_t*>rows, <const uint32_t*>table, s.at + first, count)
        elif s.row == sizeof(uint64_t):
            gather_items(<uint64_t*>rows, <const uint64_t*>table, s.at + first, count)
        else:
            for i in range(count):
                memcpy(rows + i * s.row, table + s.at[first + i] * s.row, s.row)
        rows += count * s.row
        begin += count
        outer, first = outer + 1, 0


cdef void gather_slices(Slots* s) noexcept nogil:
    parallel_for(s.outer * s.count, GRAIN_BYTES // s.row + 1, gather_part, s)


cdef void add_run(Slots* s, Py_ssize_t outer, Py_ssize_t low, Py_ssize_t high) noexcept nogil:
    """Add the rows that belong to slices [low, high) of one part of the table."""
    cdef char* table = s.table + outer * s.length * s.row
    cdef const char* rows = s.rows + outer * s.count * s.row
    cdef char* slot
    cdef Py_ssize_t i
    if s.inner < SHORT and s.code == F32:
        add_short(<float*>table, <const float*>rows, s, low, high)
        return
    if s.inner < SHORT and s.code == F64:
        add_short(<double*>table, <const double*>rows, s, low, high)
        return
    for i in range(s.count):
        if low <= s.at[i] < high:
            slot = table + s.at[i] * s.row
            run_binary(BINARY_add, s.code, slot, rows + i * s.row, slot, s.inner, 0)


cdef void add_short(
    Float* table, const Float* rows, Slots* s, Py_ssize_t low, Py_ssize_t high
) noexcept nogil:
    """`add_run` where a call of a kernel would take longer than the row."""
    cdef Py_ssize_t i, k, at
    for i in range(s.count):
        at = s.at[i]
        if low <= at < high:
            for k in range(s.inner):
                table[at * s.inner + k] += rows[i * s.inner + k]


cdef void add_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Add what belongs to slices [begin, end) of the whole table; each thread has its own."""
    cdef Slots* s = <Slots*>arg
    cdef Py_ssize_t outer, start
    for outer in range(begin // s.length, (end - 1) // s.length + 1):
        start = outer * s.length
        add_run(s, outer, max(begin - start, 0), min(end - start, s.length))


cdef void add_slices(Slots* s) noexcept nogil:
    cdef Py_ssize_t share = s.length * GRAIN_BYTES // (s.count * s.row) + 1
    parallel_for(s.outer * s.length, share, add_part, s)
