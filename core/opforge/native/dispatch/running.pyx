"""Execution of one operator with recording off: its computation, kernel or author's code.

Exceptions are wrapped: the new error names the operator and plugin, and the author's is its cause.
"""

from opforge.native.array.array cimport Array, alias
from opforge.native.calls.computation cimport Computation
from opforge.native.dispatch.plans cimport Plan
from opforge.native.dispatch.tape cimport swap_recording, swap_training
from opforge.native.dispatch.temporaries cimport any_large, close_outputs, open_outputs
from opforge.native.memory.numpy_memory cimport restore, token_memory, use_pool
from opforge.native.threads.parallel cimport enter_stoppable, leave_stoppable
from opforge.native.threads.spans cimport Span, author_of, close_span, open_span, watched

from opforge.base.context import current_context as _current_context, open_contexts as _open_contexts

cdef list aliases(list arrays):
    """Return the same arrays without tape history, for code that may record on its own."""
    cdef list result = []
    cdef Array item
    for item in arrays:
        result.append(alias(item))
    return result


cdef object operator_of(Plan plan, object context):
    """Return a new operator object, or the plan's if one object serves all calls."""
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
    Plan plan, object instance, object context, list arguments, list aux, list outs, list req,
    bint train, bint fresh,
):
    """Run the operator with recording off; return its operator object, created if needed, or None.

    Outputs that are `fresh`, without other references, may receive memory of temporaries.
    """
    if req is None:
        req = ["write"] * len(outs)
    cdef str stage = "forward"
    cdef object contexts = None, former = None
    cdef bytes reserve = None
    cdef list given = aliases(outs) if plan.compute is None else outs, lent = None
    cdef object outer = _current_context()
    cdef bint is_foreign = context is not outer and context != outer
    cdef Span span
    cdef bint is_timed = watched != 0 and plan.compute is None
    if is_timed:
        open_span(&span, author_of(plan.bound.handle.name))
    # Python code, which an exception may interrupt anywhere, runs before the thread's state changes or
    # where it is restored.
    cdef bint was_recording = swap_recording(False)
    cdef bint was_training = swap_training(train)
    cdef bint was_stoppable = enter_stoppable()
    try:
        if is_foreign:
            # Set here, not by `with context`, whose Python code can be interrupted after the change.
            reserve = token_memory()
            token_memory()             # freed at once; the token of this change takes it
            contexts = _open_contexts.get()
            _open_contexts.set((*contexts, context))
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
        try:
            restore(former)
            if lent is not None:
                close_outputs(lent, outs)
            if contexts is not None:
                reserve = None
                _open_contexts.set(contexts)
            if is_timed:
                close_span(&span)
        finally:
            leave_stoppable(was_stoppable)
    return instance


cdef int run_computation(
    Plan plan, Computation computation, list inputs, list outputs, Array workspace
) except -1:
    """Run a plan's computation or a variant of it; exceptions name operator and plugin."""
    try:
        computation.run_in(inputs, outputs, workspace)
    except Exception as error:
        wrapped = plan.bound.wrap_error(plan.bound.handle, "forward", plan.in_shapes, error)
        if wrapped is error:
            raise
        raise wrapped from error
    return 0
