# How a kernel's result meets what `out` holds: write, in place, add.

from opforge.native.array.array cimport Array

cdef int req_code(object req) except -1                        # "null" "write" "inplace" "add" -> REQ_*

# `out` itself where it may be written at once (write or inplace, no overlap with an input), else a pooled
# temporary of its shape and type. Elements of `inputs` that are not Arrays (None) are passed over.
cdef Array target_of(Array out, int req, tuple inputs)
# As target_of, for kernels that may run in place: an input that is exactly `out`'s memory is no overlap.
cdef Array elementwise_target_of(Array out, int req, tuple inputs)
# Copies or adds the temporary into `out`; does nothing when `target` is `out`.
cdef int settle(Array out, Array target, int req) except -1
