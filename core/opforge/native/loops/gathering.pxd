# Slices of a table by place: gathered, or added where they belong. Split over threads.

from libc.stdint cimport int64_t

cdef struct Slots:                     # which slice of `table` each index names
    const int64_t* at                  # `count` places in [0, length), the same for each outer index
    char* table                        # (outer, length, inner)
    char* rows                         # (outer, count, inner)
    Py_ssize_t count, outer, length, inner
    Py_ssize_t row                     # bytes of a slice, more than 0
    int code                           # element type

# rows[:, i] = table[:, at[i]]
cdef void gather_slices(Slots* s) noexcept nogil
# table[:, at[i]] += rows[:, i], in the order of i; there is at least one row.
cdef void add_slices(Slots* s) noexcept nogil
