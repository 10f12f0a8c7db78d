# Slices of a table by place: gathered, or added where they belong. Split over threads.

from libc.stdint cimport int64_t

cdef struct Slots:                     # which slice of `table` each index names
    const int64_t* at                  # `count` places in [0, length), the same for each outer index
    char* table                        # (outer, length, inner)
    char* rows                         # (outer, count, inner)
    Py_ssize_t count, outer, length, inner
    Py_ssize_t row                     # bytes of a slice, more than 0
    int code                           # element type
    int64_t* ends                      # of add_slices: where the rows of each slice end in `order`
    int64_t* order                     # the rows, sorted by slice

# rows[:, i] = table[:, at[i]]
cdef void gather_slices(Slots* s) noexcept nogil
# table[:, j] = the sum of all rows[:, i] with at[i] == j, in the order of i; there is at least one row.
# `room`: as many numbers as room_to_add says, NULL if that is 0.
cdef void add_slices(Slots* s, int64_t* room) noexcept nogil
cdef Py_ssize_t room_to_add(Slots* s) noexcept nogil
