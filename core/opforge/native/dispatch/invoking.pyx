"""Dispatch: the call path of every operator.

A call is: attributes -> `Bound` (cached), shapes and types -> `Plan` (cached), outputs from the
pool, the kernel or the author's code, one tape entry if an input needs a gradient. Elementwise
operators skip the caches. No plugin hook is called on this path.
"""

from opforge.native.array.array cimport Array, alias, new_array, wait_read
from opforge.native.array.copies cimport copy_array
from opforge.native.dispatch.elementwise cimport (
    GENERAL, SCALAR, UNARY, binary, checked_out, namespace, scalar, unary, zeros_of,
)
from opforge.native.dispatch.plans cimport Bound, Handle, Plan, bound_of, last_plan, plan_of
from opforge.native.dispatch.tape cimport (
    is_recording, is_training, record, swap_recording, swap_training,
)
from opforge.native.dispatch.temporaries cimport any_large, close_outputs, open_outputs
from opforge.native.memory.numpy_memory cimport restore, use_pool
from opforge.native.threads.parallel cimport enter_stoppable, leave_stoppable

from opforge.base.context import current_context as _current_context
from opforge.base.errors import OpforgeError, ShapeError
from opforge.native.array.deferred import DeferredArray


cdef list checked_inputs(Bound bound, inputs):
    """The inputs as a list of arrays of the right number; deferred ones are completed."""
    cdef int expected = bound.n_arguments + bound.n_auxiliary
    cdef int count = len(inputs)
    cdef list arrays
    cdef bint deferred = False
    while count > expected and inputs[count - 1] is None:
        count -= 1
    arrays = list(inputs[:count])
    for position, item in enumerate(arrays):
        if not isinstance(item, Array):
            if isinstance(item, DeferredArray):
                deferred = True
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
    return arrays


cdef object count_error(Bound bound, int count):
    """The error for too few or too many inputs, in MXNet's words."""
    names = input_names(bound)
    text = f"{origin(bound.handle)} expects {len(names)} inputs, but got {count} instead"
    if count < len(names):
        return OpforgeError(f"{text}: {', '.join(map(repr, names[count:]))} missing")
    return OpforgeError(f"{text}; it takes {', '.join(map(repr, names)) or 'no arrays'}")


cdef str origin(Handle handle):
    """Who an operator is, as errors begin: name, plugin and version."""
    return f"operator '{handle.name}' ({handle.entry.origin_text})"


cdef list input_names(Bound bound):
    """Names of the arguments and auxiliary states."""
    return list(bound.prop.list_arguments()) + list(bound.prop.list_auxiliary_states())


cdef int complete_deferred(Bound bound, list arrays) except -1:
    """Infer all shapes from the known ones and initialise the parameters that waited for theirs."""
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
                continue                                    # one of the inner calls may know more
            arrays[position] = item.complete(plan.in_shapes[position])
    return 0


cdef list prepared_outputs(Plan plan, object context, object out):
    """Fresh outputs, or the caller's after a check."""
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
                given[position], plan.out_shapes[position], plan.out_codes[position],
                plan.bound.handle.name,
            )
        elif plan.zero_outputs:
            item = zeros_of((plan.out_shapes[position], plan.out_codes[position], context))
        else:
            item = new_array(plan.out_shapes[position], plan.out_codes[position], context)
        outs.append(item)
    return outs


cdef list aliases(list arrays):
    """The same arrays without their history, for code that may record on its own account."""
    cdef list result = []
    cdef Array item
    for item in arrays:
        result.append(alias(item))
    return result


cdef object operator_of(Plan plan, object context):
    """A fresh operator object; the plan's own where one may serve all calls."""
    if plan.instance is not None:
        return plan.instance
    prop = plan.bound.prop
    instance = prop.create_operator(
        context, [list(shape) for shape in plan.in_shapes], list(plan.in_codes)
    )
    if instance is None:
        raise TypeError("it returned None, expected an object with forward and backward")
    if getattr(prop, "stateless", False):
        plan.instance = instance
    return instance


cdef object run_forward(
    Plan plan, object instance, object context, list arguments, list aux, list outs, bint train,
    bint fresh,
):
    """Run the operator with recording off; returns the operator object, made if None, or None.

    Memory may be handed to outputs that are `fresh`: nobody else has them yet.
    """
    cdef list req = ["write"] * len(outs)
    cdef bint was_recording = swap_recording(False)
    cdef bint was_training = swap_training(train)
    cdef bint was_stoppable = enter_stoppable()
    cdef str stage = "forward"
    cdef object scope = None, former = None
    cdef list given = aliases(outs) if plan.compute is None else outs, lent = None
    cdef object outer = _current_context()
    if context is not outer and context != outer:
        scope = context
        scope.__enter__()
    try:
        if any_large(outs) or any_large(arguments):
            former = use_pool()
        if plan.compute is not None:
            plan.compute(arguments if plan.computation is None else arguments + aux, outs, req, int(train))
        else:
            stage = "create_operator"
            if instance is None:
                instance = operator_of(plan, context)
            stage = "forward"
            if fresh and any_large(outs):
                lent = list(given)
                open_outputs(lent, 2, 2)
            instance.forward(
                is_train=int(train), req=req, in_data=aliases(arguments), out_data=given,
                aux=aliases(aux),
            )
    except Exception as error:
        wrapped = plan.bound.wrap_error(plan.bound.handle, stage, plan.in_shapes, error)
        if wrapped is error:
            raise
        raise wrapped from error
    finally:
        swap_recording(was_recording)
        swap_training(was_training)
        restore(former)
        if lent is not None:
            close_outputs(lent, outs)
        if scope is not None:
            scope.__exit__()
        leave_stoppable(was_stoppable)
    return instance


cdef int deliver(Array target, Array result) except -1:
    """Copy a composed result into the caller's array, which takes its place in the graph."""
    copy_array(target, result)
    if is_recording():
        target.node = result.node
        target.index = result.index
    return 0


cdef object composed(Bound bound, list arrays, object out):
    """Call an operator that is made of others: they record themselves, so the gradient follows."""
    cdef list results, given
    cdef bint was_recording = is_recording()
    if was_recording and not getattr(bound.prop, "differentiable", True):
        swap_recording(False)
    try:
        result = bound.compose(namespace(), *arrays)
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
        deliver(checked_out(target, item.shape, (<Array>item).code, bound.handle.name), item)
    return out


cdef list composed_outputs(Bound bound, object result):
    """What `compose` returned as a list, after a check."""
    cdef list results = list(result) if isinstance(result, (list, tuple)) else [result]
    for item in results:
        if not isinstance(item, Array):
            raise TypeError(
                f"it returned {type(item).__name__}, expected one NDArray for each output"
            )
    if len(results) != bound.n_outputs:
        raise ValueError(f"it returned {len(results)} arrays for {bound.n_outputs} outputs")
    return results


cdef int run_computation(Plan plan, list inputs, list outputs, Array workspace) except -1:
    """Run a plan's computation; what it raises names operator and plugin."""
    try:
        plan.computation.run_in(inputs, outputs, workspace)
    except Exception as error:
        wrapped = plan.bound.wrap_error(plan.bound.handle, "forward", plan.in_shapes, error)
        if wrapped is error:
            raise
        raise wrapped from error
    return 0


cdef object run_native(Plan plan, tuple inputs):
    """Run a plan's computation on arrays that fit it, into fresh outputs."""
    cdef Py_ssize_t position, count = len(plan.in_shapes)
    cdef list arguments = [], outs = []
    cdef Array item
    for position in range(count):
        item = <Array>inputs[position]
        wait_read(item)
        arguments.append(item)
    for position in range(len(plan.out_shapes)):
        outs.append(
            new_array(plan.out_shapes[position], plan.out_codes[position], plan.context)
        )
    cdef bint was_stoppable = enter_stoppable()
    try:
        run_computation(plan, arguments, outs, None)
    finally:
        leave_stoppable(was_stoppable)
    if is_recording() and plan.rule is not None:
        states = arguments[plan.bound.n_arguments:]
        if states:
            del arguments[plan.bound.n_arguments:]
        record(plan.rule, (plan, None, states), tuple(arguments), outs)
    return outs[0] if plan.n_visible == 1 else outs[:plan.n_visible]


cdef object invoke_general(Handle handle, object inputs, object attributes, object out):
    """Call an operator that is not one elementwise kernel."""
    cdef Bound bound = bound_of(handle, attributes)
    cdef Plan plan
    if out is None:
        plan = last_plan(bound, inputs)
        if plan is not None and plan.computation is not None:
            return run_native(plan, <tuple>inputs)
    cdef list arrays = checked_inputs(bound, inputs)
    if bound.compose is not None:
        return composed(bound, arrays, out)
    cdef object context = (<Array>arrays[0]).context if arrays else _current_context()
    cdef Array item
    for item in arrays:
        wait_read(item)
    plan = plan_of(bound, context, arrays)
    if out is None and plan.computation is not None:
        return run_native(plan, tuple(arrays))
    cdef list outs = prepared_outputs(plan, context, out)
    cdef list aux = arrays[bound.n_arguments:] if bound.n_auxiliary else []
    cdef list arguments = arrays[:bound.n_arguments] if bound.n_auxiliary else arrays
    instance = run_forward(plan, None, context, arguments, aux, outs, is_training(), out is None)
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
        In the order of the arguments, then auxiliary states; trailing None are left out.
    attributes : tuple
        Attribute values in declared order.
    out : NDArray or list of NDArray, optional

    Returns
    -------
    NDArray or list of NDArray
    """
    cdef object first, second
    if handle.kind == GENERAL:
        return invoke_general(handle, inputs, attributes, out)
    first = inputs[0] if inputs else None
    if not isinstance(first, Array):
        raise bad_input(handle, first)
    if out is not None and not isinstance(out, Array):
        raise TypeError(f"{origin(handle)}: out must be an NDArray, got {out!r:.60}")
    if handle.kind == UNARY:
        return unary(handle.op, <Array>first, <Array>out)
    if handle.kind == SCALAR:
        return scalar(handle.op, <Array>first, number(handle, attributes[0]), handle.reverse, <Array>out)
    second = inputs[1] if len(inputs) > 1 else None
    if not isinstance(second, Array):
        raise bad_input(handle, second)
    if not handle.broadcasts and (<Array>first).shape != (<Array>second).shape:
        raise ShapeError(
            f"{origin(handle)}: inputs have shapes {first.shape} and {second.shape}, which "
            "must be equal; the broadcast_ operators accept different ones"
        )
    return binary(handle.op, <Array>first, <Array>second, <Array>out)


cdef object number(Handle handle, object value):
    """A scalar attribute as a Python number; strings are accepted."""
    if isinstance(value, str):
        value = float(value)
    if not hasattr(value, "__float__"):
        raise TypeError(f"{origin(handle)}: scalar must be a number, got {value!r:.60}")
    return value


cdef object bad_input(Handle handle, object item):
    """The error for an input that is no array."""
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
