"""Operators composed of others, whose recorded calls provide the gradient."""

from cpython.contextvars cimport get_value

from opforge.native.array.array cimport Array
from opforge.native.array.copies cimport copy_array
from opforge.native.dispatch.arguments cimport origin
from opforge.native.dispatch.elementwise cimport checked_out, namespace
from opforge.native.dispatch.plans cimport Bound
from opforge.native.dispatch.tape cimport is_recording, swap_recording

from opforge.base.context import cpu as _cpu
from opforge.base.context import open_contexts as _open_contexts

cdef object OPEN = _open_contexts
cdef object CPU = _cpu()

cdef int deliver(Array target, Array result) except -1:
    """Copy a composed result into the caller's array, which replaces it in the graph."""
    copy_array(target, result)
    if is_recording():
        target.node = result.node
        target.index = result.index
    return 0


cdef int expect_types(Bound bound, list arrays) except -1:
    """Reject inputs of element types that the operator does not accept."""
    cdef Py_ssize_t position
    for position in range(len(arrays)):
        if not (<int>bound.type_masks[position] >> (<Array>arrays[position]).code) & 1:
            names = bound.names[0] + bound.names[2]
            codes = [(<Array>item).code for item in arrays]
            bound.check_types(bound.prop, bound.handle.entry, names, codes)
    return 0


cdef object result_of(Bound bound, list arrays):
    """Call the composition; the arrays that it creates are on the device of its inputs."""
    cdef tuple stack = get_value(OPEN)
    cdef object context = (<Array>arrays[0]).context if arrays else None
    if context is None or context is (stack[-1] if stack else CPU):
        return bound.compose(namespace(), *arrays)
    with context:
        return bound.compose(namespace(), *arrays)


cdef object composed(Bound bound, list arrays, object out):
    """Call a composed operator; the calls it consists of record themselves."""
    if bound.type_masks is not None:
        expect_types(bound, arrays)
    cdef list results, given
    cdef bint was_recording = is_recording()
    if was_recording and not getattr(bound.prop, "differentiable", True):
        swap_recording(False)
    try:
        result = result_of(bound, arrays)
        results = composed_outputs(bound, result)
    except Exception as error:
        wrapped = bound.wrap_error(bound.handle, "compose", [item.shape for item in arrays], error)
        if wrapped is error:
            raise
        raise wrapped from error
    finally:
        swap_recording(was_recording)
    if out is None:
        return results[0] if len(results) == 1 else results
    given = list(out) if isinstance(out, (list, tuple)) else [out]
    if len(given) != len(results):
        raise ValueError(
            f"{origin(bound.handle)} has {len(results)} outputs, out has {len(given)}"
        )
    for target, item in zip(given, results):
        if not isinstance(target, Array):
            raise TypeError(
                f"{origin(bound.handle)}: out must be an NDArray, got {type(target).__name__}"
            )
        deliver(checked_out(target, item.shape, (<Array>item).code, item.context, bound.handle.name), item)
    return out


cdef list composed_outputs(Bound bound, object result):
    """Return the checked result of `compose` as a list."""
    cdef list results = list(result) if isinstance(result, (list, tuple)) else [result]
    for item in results:
        if not isinstance(item, Array):
            raise TypeError(
                f"it returned {type(item).__name__}, expected one NDArray for each output"
            )
    if len(results) != bound.n_outputs:
        raise ValueError(f"it returned {len(results)} arrays for {bound.n_outputs} outputs")
    return results
