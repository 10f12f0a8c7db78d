# Pointwise calls: elementwise kernels on arrays, recorded on the tape where an input needs it.

from opforge.native.array.array cimport Array
from opforge.native.dispatch.tape cimport Node
from opforge.native.threads.spans cimport Site

cdef enum:
    GENERAL = 0                        # kinds of operators; all but GENERAL are one elementwise kernel
    UNARY = 1
    BINARY = 2
    SCALAR = 3

# `out` None: a new array.
cdef Array unary(int op, Array x, Array out)
cdef int expect_together(Array a, Array b) except -1                          # refuses arrays of two devices
cdef Array binary(int op, Array a, Array b, Array out)                        # broadcasts
cdef Array scalar(int op, Array x, object value, bint reverse, Array out)     # reverse: value op x
cdef Array add_arrays(Array a, Array b)
cdef Array ones_like(Array a)
cdef Array zeros_of(tuple meta)                                               # (shape, code, context)
cdef Array checked_out(Array out, tuple shape, int code, str name)            # refuses an `out` that does not fit

cdef object namespace()                                                       # F of gradient rules
cdef list graph_outputs(Node node)                                            # saved outputs, in the graph if recording
cdef int set_rule(
    int kind, int op, bint reverse, object make, object saves, bint broadcasts, Site site,
    Site backward_site,
) except -1
cdef Site elementwise_site(int kind, int op, bint reverse)                    # of the profiler, for a call without a name
