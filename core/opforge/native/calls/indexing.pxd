# Class numbers and other indices, read as int64.

from opforge.native.array.array cimport Array

# A copy of `indices` as int64 in [0, length); `mode` is "clip", "wrap" or "raise".
cdef Array whole_indices(str function, Array indices, str mode, Py_ssize_t length)
