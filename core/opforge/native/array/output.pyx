"""Combination of a kernel's result with the contents of `out`: write, in place, add, or nothing."""

from opforge.native.array.array cimport Array, is_elsewhere, new_array, overlaps
from opforge.native.array.copies cimport copy_array
from opforge.native.array.exchange cimport HOST
from opforge.native.loops.casting cimport run_cast
from opforge.native.loops.elementwise cimport BINARY_add, MODE_VV, run_binary
from opforge.native.memory.types cimport REQ_ADD, REQ_INPLACE, REQ_NULL, REQ_WRITE
from opforge.native.threads.parallel cimport enter_work, leave_work

cdef dict REQS = {"null": REQ_NULL, "write": REQ_WRITE, "inplace": REQ_INPLACE, "add": REQ_ADD}


cdef int req_code(object req) except -1:
    code = REQS.get(req)
    if code is None:
        raise ValueError(f"req {req!r} is unknown; expected one of {sorted(REQS)}")
    return code


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
    if is_elsewhere(out):
        return settle_elsewhere(out, target, req)
    out.buffer.seal = 0                    # other threads may have read it since the call began
    enter_work()
    with nogil:
        if req == REQ_ADD:
            run_binary(BINARY_add, out.code, out.data, target.data, out.data, out.size, MODE_VV)
        else:
            run_cast(out.code, out.code, target.data, out.data, out.size)
    leave_work()
    return 0


cdef int settle_elsewhere(Array out, Array target, int req) except -1:
    """Combine arrays of another device than the CPU, which adds if necessary."""
    cdef Array total, addend
    if req != REQ_ADD:
        return copy_array(out, target)
    total, addend = new_array(out.shape, out.code, HOST), new_array(out.shape, out.code, HOST)
    copy_array(total, out)
    copy_array(addend, target)
    settle(total, addend, REQ_ADD)
    return copy_array(out, total)
