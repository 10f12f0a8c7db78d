"""Arguments of operator calls: checks of inputs and outputs, completion of deferred parameters."""

from opforge.native.array.array cimport Array, new_array, plain
from opforge.native.dispatch.elementwise cimport checked_out, zeros_of
from opforge.native.dispatch.plans cimport Bound, Handle, Plan

from opforge.base.context import are_apart
from opforge.base.context import current_context as _current_context
from opforge.base.errors import ContextError, OpforgeError, ShapeError
from opforge.native.array.deferred import DeferredArray
from opforge.native.array.stored import StoredArray


cdef str origin(Handle handle):
    """Return the name, plugin and version of an operator, with which errors begin."""
    return f"operator '{handle.name}' ({handle.entry.origin_text})"


cdef list checked_inputs(Bound bound, inputs):
    """Return the inputs as a list of arrays, checked and with deferred ones completed.

    Returns None if one has another storage type.
    """
    cdef int expected = bound.n_arguments + bound.n_auxiliary
    cdef int count = len(inputs)
    cdef list arrays
    cdef bint deferred = False
    while count > expected and inputs[count - 1] is None:
        count -= 1
    arrays = list(inputs[:count])
    if count > expected:
        arrays = without_unused(bound, arrays)
        count = len(arrays)
    for position, item in enumerate(arrays):
        if isinstance(item, Array):
            arrays[position] = plain(<Array>item)
        elif isinstance(item, DeferredArray):
            deferred = True
        elif isinstance(item, StoredArray):
            return None
        elif item is None:
            count = position
            break
        else:
            names = input_names(bound)
            name = names[position] if position < len(names) else f"number {position}"
            raise TypeError(
                f"{origin(bound.handle)}: input '{name}' must be an NDArray, got "
                f"{type(item).__name__}; nd.array() makes one"
            )
    if count != expected:
        raise count_error(bound, count)
    if deferred:
        complete_deferred(bound, arrays)
    expect_one_context(bound, arrays)
    return arrays


cdef int expect_one_context(Bound bound, list arrays) except -1:
    """Reject arrays on different devices."""
    cdef Py_ssize_t position
    cdef Array first, item
    for position in range(1, len(arrays)):
        first, item = <Array>arrays[0], <Array>arrays[position]
        if item.context is not first.context and are_apart(item.context, first.context):
            names = input_names(bound)
            raise ContextError(
                f"{origin(bound.handle)}: input '{names[position]}' is on {item.context}, "
                f"'{names[0]}' on {first.context}; move one with "
                f"as_in_context({first.context})"
            )
    return 0


cdef list without_unused(Bound bound, list inputs):
    """Return the inputs of a call that lists them all, without those disabled by attributes."""
    names = [*getattr(bound.prop, "arguments", ())]
    used = input_names(bound)
    return [x for i, x in enumerate(inputs) if x is not None or i >= len(names) or names[i] in used]


cdef object count_error(Bound bound, int count):
    """Return the error for too few or too many inputs, in MXNet's wording."""
    names = input_names(bound)
    text = f"{origin(bound.handle)} expects {len(names)} inputs, but got {count} instead"
    if count < len(names):
        return OpforgeError(f"{text}: {', '.join(map(repr, names[count:]))} missing")
    return OpforgeError(f"{text}; it takes {', '.join(map(repr, names)) or 'no arrays'}")


cdef list input_names(Bound bound):
    """Return the names of the arguments and auxiliary states."""
    return list(bound.prop.list_arguments()) + list(bound.prop.list_auxiliary_states())


cdef int complete_deferred(Bound bound, list arrays) except -1:
    """Infer all shapes from the known ones and initialize the deferred parameters."""
    codes = [item.dtype_code for item in arrays]
    context = _current_context()
    for item in arrays:
        if isinstance(item, Array):
            context = item.context
            break
    cdef Plan plan = bound.make_plan(bound, context, [item.shape for item in arrays], codes)
    for position, item in enumerate(arrays):
        if isinstance(item, DeferredArray):
            if bound.compose is not None and 0 in plan.in_shapes[position]:
                continue                                    # a nested call may be able to infer more
            arrays[position] = item.complete(plan.in_shapes[position])
    return 0


cdef list prepared_outputs(Plan plan, object context, object out):
    """Return fresh outputs, or the caller's after checking them."""
    cdef list outs = []
    cdef Py_ssize_t position
    cdef list given = [] if out is None else (list(out) if isinstance(out, (list, tuple)) else [out])
    cdef Array item
    if out is not None and len(given) not in (plan.n_visible, len(plan.out_shapes)):
        raise ValueError(
            f"{origin(plan.bound.handle)} has {plan.n_visible} outputs, out has {len(given)}"
        )
    for position in range(len(plan.out_shapes)):
        if position < len(given):
            if not isinstance(given[position], Array):
                raise TypeError(
                    f"{origin(plan.bound.handle)}: out must be an NDArray, got "
                    f"{type(given[position]).__name__}"
                )
            item = checked_out(
                given[position], plan.out_shapes[position], plan.out_codes[position], context,
                plan.bound.handle.name,
            )
            item.is_mask = False                            # unless the writer sets it again
        elif plan.zero_outputs:
            item = zeros_of((plan.out_shapes[position], plan.out_codes[position], context))
        else:
            item = new_array(plan.out_shapes[position], plan.out_codes[position], context)
        outs.append(item)
    return outs


cdef object bad_input(Handle handle, object item):
    """Return the error for an input that is not an array."""
    if item is None:
        return OpforgeError(f"{origin(handle)} is called without one of its inputs")
    if isinstance(item, DeferredArray):
        return ShapeError(
            f"{origin(handle)} cannot infer the shape of a parameter from its other "
            f"inputs: it is {item.shape}; give the parameter a full shape"
        )
    return TypeError(
        f"{origin(handle)}: Argument data must have NDArray type, but got {item!r:.60}"
    )
