"""How a kernel's result meets what `out` holds: write, in place, add, or nothing."""

from opforge.native.array.array cimport REQ_ADD, Array, new_array, overlaps
from opforge.native.loops.elementwise cimport BINARY_add, MODE_VV, run_binary, run_cast


cdef Array temporary_of(Array out):
    return new_array(out.shape, out.code, out.context)


cdef Array target_of(Array out, int req, tuple inputs):
    if req == REQ_ADD:
        return temporary_of(out)
    for item in inputs:
        if isinstance(item, Array) and overlaps(out, <Array>item):
            return temporary_of(out)
    return out


cdef Array elementwise_target_of(Array out, int req, tuple inputs):
    cdef Array x
    if req == REQ_ADD:
        return temporary_of(out)
    for item in inputs:
        if isinstance(item, Array):
            x = <Array>item
            if overlaps(out, x) and not (
                x.data == out.data and x.size == out.size and x.code == out.code
            ):
                return temporary_of(out)
    return out


cdef int settle(Array out, Array target, int req) except -1:
    if target is out:
        return 0
    with nogil:
        if req == REQ_ADD:
            run_binary(BINARY_add, out.code, out.data, target.data, out.data, out.size, MODE_VV)
        else:
            run_cast(out.code, out.code, target.data, out.data, out.size)
    return 0
