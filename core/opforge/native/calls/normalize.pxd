# Kernel table and helpers of layer and batch normalization.

from opforge.native.array.array cimport Array
from opforge.native.kernels.normalize cimport opforge_normalize_table

cdef opforge_normalize_table* normalize_kernels

cdef int expect_gradients(str function, Array x, Array dy, Array dx) except -1   # `dy` and `dx`, which may be None, have the shape of `x`
cdef Array cast_to(Array x, int code)              # `x` itself or a copy cast to `code`; None for None
cdef int store_result(Array result, Array out, int req) except -1   # casts to the dtype of `out`, then writes or adds
