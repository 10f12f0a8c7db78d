# The kernels' table and what layer and batch normalisation share.

from opforge.native.array.array cimport Array
from opforge.native.kernels.normalize cimport opforge_normalize_table

cdef opforge_normalize_table* normalize_kernels

cdef Array as_code(Array x, int code)              # `x` itself, or a copy cast to `code`; None stays None
cdef int deliver(Array result, Array out, int req) except -1   # casts where types differ, then writes or adds
