"""Gradient rules of general operators: composed by the declaration, or the author's `backward`."""

cimport cython

from opforge.native.array.array cimport Array, alias, new_array
from opforge.native.dispatch.elementwise cimport graph_outputs, namespace, zeros_of
from opforge.native.dispatch.invoking cimport aliases
from opforge.native.dispatch.plans cimport Plan
from opforge.native.dispatch.tape cimport (
    Leaf, Node, Rule, direct_target, is_recording, swap_recording,
)
from opforge.native.dispatch.temporaries cimport any_large, close_outputs, open_outputs
from opforge.native.memory.numpy_memory cimport restore, use_pool
from opforge.native.memory.types cimport F32, REQ_ADD

from opforge.base.context import current_context as _current_context
from opforge.base.errors import OpforgeError, SecondGradientError


@cython.final
cdef class GradientRule(Rule):
    """The gradient as the declaration's composition of operators."""

    def __init__(self, bint needs_inputs, bint needs_outputs):
        self.needs_inputs = needs_inputs
        self.needs_outputs = needs_outputs

    cdef object apply(self, Node node, list out_grads):
        cdef Plan plan = node.state[0]
        try:
            return checked_gradients(
                node,
                plan.bound.prop.gradient(
                    namespace(), out_grads, node.inputs, graph_outputs(node)
                ),
            )
        except Exception as error:
            wrapped = plan.bound.wrap_error(plan.bound.handle, "gradient", plan.in_shapes, error)
            if wrapped is error:
                raise
            raise wrapped from error


cdef list checked_gradients(Node node, object answer):
    """What an author's `gradient` returned, one array or None for each input."""
    cdef list grads = list(answer) if isinstance(answer, (list, tuple)) else [answer]
    if len(grads) < len(node.parents):
        raise OpforgeError(
            f"it returned {len(grads)} gradients for {len(node.parents)} inputs; return a list "
            "with None for an input that has none"
        )
    for item in grads:
        if item is not None and not isinstance(item, Array):
            raise TypeError(f"it returned {type(item).__name__}, expected NDArrays or None")
    return grads


@cython.final
cdef class OperatorRule(Rule):
    """The gradient as the `backward` of the operator object that ran forward."""

    def __init__(self, reads, zero_grads):
        self.reads = reads
        self.zero_grads = zero_grads
        self.needs_inputs = True
        self.needs_outputs = any(reads[2])

    cdef object apply(self, Node node, list out_grads):
        cdef Plan plan
        cdef list in_grad = [], req = []
        cdef Array source, target
        cdef Py_ssize_t position
        plan, instance, aux = node.state
        if is_recording():
            raise SecondGradientError(
                f"operator '{plan.bound.handle.name}' has a backward() of its own, so its gradient "
                "cannot be differentiated again; give it a gradient() made of operators"
            )
        for position in range(len(node.inputs)):
            source = node.inputs[position]
            target = direct_target(node, position)
            req.append(request_of(node.parents[position], target is not None))
            if target is None and self.zero_grads:
                target = zeros_of((source.shape, source.code, source.context))
            elif target is None:
                target = new_array(source.shape, source.code, source.context)
            in_grad.append(target)
        source = target = None                              # references count: see temporaries.pyx
        run_backward(
            self, plan, instance, aux, node.inputs, node.outputs, out_grads, in_grad, req, node
        )
        return [grad if wanted != "null" else None for grad, wanted in zip(in_grad, req)]


cdef int run_backward(
    OperatorRule rule, Plan plan, object instance, list aux, object inputs, object outputs,
    list out_grads, list in_grad, list req, Node node,
) except -1:
    """Call the author's backward with recording off.

    With a `node` of the tape the author's code may hand memory to the gradients.
    """
    cdef bint was_recording = swap_recording(False)
    cdef object former = None
    cdef list lent = None
    try:
        if any_large(in_grad) or any_large(out_grads):
            former = use_pool()
            if node is not None:
                lent = list(in_grad)
                open_gradients(node, lent)
        instance.backward(
            req=req,
            out_grad=declared(out_grads, rule.reads[0]),
            in_data=declared(inputs, rule.reads[1]),
            out_data=declared(outputs, rule.reads[2], len(plan.out_shapes)),
            in_grad=in_grad,
            aux=aliases(aux),
        )
    except Exception as error:
        wrapped = plan.bound.wrap_error(plan.bound.handle, "backward", plan.in_shapes, error)
        if wrapped is error:
            raise
        raise wrapped from error
    finally:
        swap_recording(was_recording)
        restore(former)
        if lent is not None:
            close_outputs(lent, lent)
    return 0


cdef int open_gradients(Node node, list grads) except -1:
    """Let the author's backward hand memory to `grads`; a variable holds its gradient as well."""
    cdef Py_ssize_t position
    for position in range(len(grads)):
        direct = grads[position] is direct_target(node, position)
        open_outputs([grads[position]], 3 if direct else 2, 1)
    return 0


cdef str request_of(object parent, bint direct):
    """What the author's backward is asked to do with one input's gradient."""
    if parent is None:
        return "null"
    return "add" if direct and (<Leaf>parent).req == REQ_ADD else "write"


cdef list declared(arrays, reads, int count=-1):
    """Aliases of the declared arrays; an array of shape (0,) where one was not declared."""
    cdef list result = []
    cdef Array item
    if arrays is None:
        return [new_array((0,), F32, _current_context()) for _ in range(count)]
    for item, read in zip(arrays, reads):
        result.append(alias(item) if read else new_array((0,), item.code, item.context))
    return result
