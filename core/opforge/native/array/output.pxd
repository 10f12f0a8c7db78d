# Combination of a kernel's result with the contents of `out`, as `req` specifies.

from opforge.native.array.array cimport Array

cdef int req_code(object req) except -1                        # "null" "write" "inplace" "add" -> REQ_*

# Return `out` itself if it can be written directly (write or inplace, no overlap with an input), else a
# pooled temporary of its shape and type. Non-Array elements of `inputs` (None) are ignored.
cdef Array target_of(Array out, int req, tuple inputs)
# Like target_of, for kernels that can run in place: an input with exactly `out`'s memory is allowed.
cdef Array elementwise_target_of(Array out, int req, tuple inputs)
# Copy or add the temporary into `out`; do nothing if `target` is `out`.
cdef int settle(Array out, Array target, int req) except -1
