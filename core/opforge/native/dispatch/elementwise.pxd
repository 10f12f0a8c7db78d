# Elementwise calls on arrays, recorded on the tape if an input needs a gradient.

from opforge.native.array.array cimport Array
from opforge.native.dispatch.tape cimport Node
from opforge.native.threads.spans cimport Site

cdef enum:
    GENERAL = 0                        # kinds of operators; all except GENERAL are a single elementwise kernel
    UNARY = 1
    BINARY = 2
    SCALAR = 3

# `out` None: a new array.
cdef Array unary(int op, Array x, Array out)
cdef int expect_together(Array a, Array b) except -1                          # rejects arrays on different devices
cdef Array binary(int op, Array a, Array b, Array out)                        # broadcasts
cdef Array scalar(int op, Array x, object value, bint reverse, Array out)     # reverse: value op x
cdef Array compared(int op, Array a, object b)                                # bool, of the class of `a`; b: a float or an array
cdef Array add_arrays(Array a, Array b)
cdef Array ones_like(Array a)
cdef Array zeros_of(tuple meta)                                               # (shape, code, context)
cdef Array checked_out(Array out, tuple shape, int code, object context, str name)   # rejects an unsuitable `out`

cdef object namespace()                                                       # F of gradient rules
cdef list graph_outputs(Node node)                                            # saved outputs, connected to the graph if recording
cdef int set_rule(
    int kind, int op, bint reverse, object make, object saves, bint broadcasts, Site site,
    Site backward_site,
) except -1
cdef Site elementwise_site(int kind, int op, bint reverse)                    # profiler site of a call without a name
