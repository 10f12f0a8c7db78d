"""Dispatch: the call path of every operator.

A call is: attributes -> `Bound` (cached), shapes and types -> `Plan` (cached), outputs from the
pool, the kernel or the author's code, one tape entry if an input needs a gradient. Elementwise
operators skip the caches. No plugin hook is called on this path.
"""

from opforge.native.array.array cimport (
    Array, is_elsewhere, is_plain, new_array, new_array_of, sync_read, take_class,
)
from opforge.native.dispatch.arguments cimport bad_input, checked_inputs, origin, prepared_outputs
from opforge.native.dispatch.composing cimport composed
from opforge.native.dispatch.elementwise cimport (
    GENERAL, SCALAR, UNARY, binary, expect_together, scalar, unary,
)
from opforge.native.dispatch.plans cimport Bound, Handle, Plan, bound_of, last_plan, plan_of
from opforge.native.dispatch.running cimport run_computation, run_forward
from opforge.native.dispatch.tape cimport is_recording, is_training, record
from opforge.native.threads.parallel cimport enter_stoppable, leave_stoppable
from opforge.native.threads.spans cimport CALLS, Span, close_span, open_span, watched

from opforge.base.context import current_context as _current_context
from opforge.base.errors import ShapeError
from opforge.base.out_of_memory import named_out_of_memory
from opforge.native.array.stored import StoredArray


cdef object run_native(Plan plan, tuple inputs):
    """Run a plan's computation on matching arrays, into fresh outputs."""
    cdef Py_ssize_t position, count = len(plan.in_shapes)
    cdef list arguments = [], outs = []
    cdef Array item
    cdef object cls = type(inputs[0]) if count else None
    for position in range(count):
        item = <Array>inputs[position]
        sync_read(item)
        arguments.append(item)
    for position in range(len(plan.out_shapes)):
        if cls is None:
            item = new_array(plan.out_shapes[position], plan.out_codes[position], plan.context)
        else:
            item = new_array_of(
                cls, plan.out_shapes[position], plan.out_codes[position], plan.context
            )
        outs.append(item)
    cdef bint was_stoppable = enter_stoppable()
    try:
        run_computation(plan, plan.computation, arguments, outs, None)
    finally:
        leave_stoppable(was_stoppable)
    if is_recording() and plan.rule is not None:
        states = arguments[plan.bound.n_arguments:]
        if states:
            del arguments[plan.bound.n_arguments:]
        record(plan.rule, (plan, None, states), tuple(arguments), outs)
    return outs[0] if plan.n_visible == 1 else outs[:plan.n_visible]


cdef object call_without_dense(Handle handle, object inputs, object attributes, object out, object item):
    """Call an operator that got `item` instead of a dense array: dispatch to a storage type, or raise an error."""
    if any([isinstance(one, StoredArray) for one in (*inputs, out)]):
        return stored(handle, inputs, attributes, out)
    raise bad_input(handle, item)


cdef object stored(Handle handle, object inputs, object attributes, object out):
    """Call an operator on arrays of other storage types."""
    declared = handle.entry.prop_class if handle.kind != GENERAL else bound_of(handle, attributes).prop
    return StoredArray.call(handle, declared, inputs, attributes, out)


cdef bint is_stored(object out):
    """Return whether `out`, or an element of it, has another storage type."""
    if isinstance(out, (list, tuple)):
        return any([isinstance(one, StoredArray) for one in out])
    return isinstance(out, StoredArray)


cdef object invoke_general(Handle handle, object inputs, object attributes, object out):
    """Call an operator that is not a single elementwise kernel."""
    cdef Bound bound = bound_of(handle, attributes)
    cdef Plan plan
    if out is None:
        plan = last_plan(bound, inputs)
        if plan is not None and plan.computation is not None:
            return run_native(plan, <tuple>inputs)
    elif is_stored(out):
        return stored(handle, inputs, attributes, out)
    cdef list arrays = checked_inputs(bound, inputs)
    if arrays is None:
        return stored(handle, inputs, attributes, out)
    if bound.compose is not None:
        return composed(bound, arrays, out)
    cdef object context = (<Array>arrays[0]).context if arrays else _current_context()
    cdef Array item
    for item in arrays:
        sync_read(item)
    plan = plan_of(bound, context, arrays)
    if out is None and plan.computation is not None:
        return run_native(plan, tuple(arrays))
    cdef list outs = prepared_outputs(plan, context, out)
    cdef list aux = arrays[bound.n_arguments:] if bound.n_auxiliary else []
    cdef list arguments = arrays[:bound.n_arguments] if bound.n_auxiliary else arrays
    instance = run_forward(plan, None, context, arguments, aux, outs, None, is_training(), out is None)
    if is_recording() and plan.rule is not None:
        record(plan.rule, (plan, instance, aux), tuple(arguments), outs)
    if plan.n_visible == 1:
        return outs[0]
    return outs[:plan.n_visible]


def invoke(Handle handle, inputs, attributes, out=None):
    """Call the operator of `handle`.

    Parameters
    ----------
    handle : Handle
    inputs : sequence of NDArray
        Arguments in order, followed by auxiliary states; trailing None are omitted.
    attributes : tuple
        Attribute values in declared order.
    out : NDArray or list of NDArray, optional

    Returns
    -------
    NDArray or list of NDArray
    """
    cdef Span span
    cdef object result
    if not watched & CALLS:
        result = called(handle, inputs, attributes, out)
    else:
        open_span(&span, handle.site)
        try:
            result = called(handle, inputs, attributes, out)
        finally:
            close_span(&span)
    if out is None and inputs and isinstance(inputs[0], Array) and not is_plain(<Array>inputs[0]):
        give_class(result, <Array>inputs[0])
    return result


cdef int give_class(object result, Array like) except -1:
    """Give the outputs of a call the class of an input."""
    if isinstance(result, Array):
        return take_class(<Array>result, like)
    if isinstance(result, list):
        for item in result:
            give_class(item, like)
    return 0


cdef object called_generally(Handle handle, object inputs, object attributes, object out):
    """Call `invoke_general`, naming the operator in an out-of-memory error."""
    try:
        return invoke_general(handle, inputs, attributes, out)
    except MemoryError as error:
        named = named_out_of_memory(handle.name, "forward", error)
        if named is error:
            raise
        raise named from error


cdef object called(Handle handle, object inputs, object attributes, object out):
    cdef object first, second
    if handle.kind == GENERAL:
        return called_generally(handle, inputs, attributes, out)
    first = inputs[0] if inputs else None
    if isinstance(first, Array) and is_elsewhere(<Array>first):
        return called_generally(handle, inputs, attributes, out)
    if not isinstance(first, Array):
        return call_without_dense(handle, inputs, attributes, out, first)
    if out is not None and not isinstance(out, Array):
        if isinstance(out, StoredArray):
            return stored(handle, inputs, attributes, out)
        raise TypeError(f"{origin(handle)}: out must be an NDArray, got {out!r:.60}")
    if handle.kind == UNARY:
        return unary(handle.op, <Array>first, <Array>out)
    if handle.kind == SCALAR:
        return scalar(handle.op, <Array>first, number(handle, attributes[0]), handle.reverse, <Array>out)
    second = inputs[1] if len(inputs) > 1 else None
    if not isinstance(second, Array):
        return call_without_dense(handle, inputs, attributes, out, second)
    if not handle.broadcasts and (<Array>first).shape != (<Array>second).shape:
        raise ShapeError(
            f"{origin(handle)}: inputs have shapes {first.shape} and {second.shape}, which "
            "must be equal; the broadcast_ operators accept different ones"
        )
    expect_together(<Array>first, <Array>second)
    return binary(handle.op, <Array>first, <Array>second, <Array>out)


cdef object number(Handle handle, object value):
    """Return a scalar attribute as a Python number; strings are accepted."""
    if isinstance(value, str):
        value = float(value)
    if not hasattr(value, "__float__"):
        raise TypeError(f"{origin(handle)}: scalar must be a number, got {value!r:.60}")
    return value
