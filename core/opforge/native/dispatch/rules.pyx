"""Gradient rules of general operators: composed by the declaration, provided by a computation, or
the author's `backward`.
"""

cimport cython

from opforge.native.array.array cimport Array, alias, new_array, sync_overwrite, sync_read
from opforge.native.calls.computation cimport Gradient
from opforge.native.dispatch.elementwise cimport graph_outputs, namespace, zeros_of
from opforge.native.dispatch.plans cimport Plan
from opforge.native.dispatch.running cimport aliases
from opforge.native.dispatch.tape cimport (
    Leaf, Node, Rule, direct_target, is_recording, record, swap_recording,
)
from opforge.native.dispatch.temporaries cimport any_large, close_outputs, open_outputs
from opforge.native.memory.numpy_memory cimport restore, use_pool
from opforge.native.memory.types cimport REQ_ADD, REQ_WRITE
from opforge.native.threads.spans cimport Site, Span, author_of, close_span, open_span, watched

from opforge.base.errors import OpforgeError, SecondGradientError
from opforge.native.array.stored import StoredArray


cdef class PlannedRule(Rule):
    """A rule for calls whose state begins with their plan."""

    cdef object operation(self, Node node):
        return (<Plan>node.state[0]).bound

    cdef Site site(self, Node node):
        return (<Plan>node.state[0]).bound.handle.backward_site


@cython.final
cdef class GradientRule(PlannedRule):
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
    """Return the checked result of an author's `gradient`: one array or None per input."""
    cdef list grads = list(answer) if isinstance(answer, (list, tuple)) else [answer]
    if len(grads) < len(node.parents):
        raise OpforgeError(
            f"it returned {len(grads)} gradients for {len(node.parents)} inputs; return a list "
            "with None for an input without a gradient"
        )
    for item in grads:
        if item is not None and not isinstance(item, (Array, StoredArray)):
            raise TypeError(f"it returned {type(item).__name__}, expected NDArrays or None")
    return grads


@cython.final
cdef class OperatorRule(PlannedRule):
    """The gradient as the `backward` of the operator object that ran forward."""

    def __init__(self, reads, zero_grads):
        self.reads = reads
        self.zero_grads = zero_grads
        self.kept_inputs, self.kept_outputs = tuple(reads[1]), tuple(reads[2])
        self.needs_inputs, self.needs_outputs = True, any(reads[2])

    cdef object apply(self, Node node, list out_grads):
        cdef Plan plan
        cdef list in_grad = [], req = []
        cdef Array target
        cdef tuple like
        cdef Py_ssize_t position
        plan, instance, aux = node.state
        if is_recording():
            raise SecondGradientError(
                f"operator '{plan.bound.handle.name}' defines backward(), so its gradient "
                "cannot be differentiated again; give it a gradient() made of operators"
            )
        for position in range(len(node.parents)):
            like = (plan.in_shapes[position], plan.in_codes[position], plan.context)
            target = direct_target(node, position)
            req.append(request_of(node.parents[position], target is not None))
            if target is None and self.zero_grads:
                target = zeros_of(like)
            elif target is None:
                target = new_array(like[0], like[1], like[2])
            in_grad.append(target)
        target = None                                       # reference counts matter: see temporaries.pyx
        run_backward(
            self, plan, instance, aux, node.inputs, node.outputs, out_grads, in_grad, req, node
        )
        return [grad if wanted != "null" else None for grad, wanted in zip(in_grad, req)]


@cython.final
cdef class ComputationRule(PlannedRule):
    """The gradient that a computation provides; first order only.

    Parameters
    ----------
    gradient : Gradient
    heads : sequence of bool
        Outputs whose gradients it reads; the others may be None.
    inputs, outputs : sequence of bool
        Inputs and outputs that it reads; the others are not kept.
    """

    def __init__(self, Gradient gradient not None, heads, inputs, outputs):
        self.gradient = gradient
        self.read_heads = tuple(heads)
        self.kept_inputs, self.kept_outputs = tuple(inputs), tuple(outputs)
        self.needs_inputs, self.needs_outputs = True, any(outputs)

    @property
    def reads(self):
        """The output gradients, inputs and outputs that it reads, as three tuples of bool."""
        return self.read_heads, self.kept_inputs, self.kept_outputs

    @property
    def partial(self):
        """True if it can compute a subset of the gradients."""
        return self.gradient.partial

    def workspace_bytes(self, Plan plan not None, list wanted not None):
        """Return the bytes of workspace for computing the wanted gradients."""
        return self.gradient.workspace_bytes(plan, wanted)

    cdef object apply(self, Node node, list out_grads):
        cdef Plan plan = node.state[0]
        cdef Py_ssize_t position
        cdef list grads = [], inputs = list(node.inputs), made
        cdef list outputs = node.outputs
        cdef Array target
        if outputs is None:
            outputs = [None] * len(plan.out_shapes)
        for position in range(len(inputs)):
            if node.parents[position] is None and self.gradient.partial:
                grads.append(None)
                continue
            target = written_target(node, position)
            if target is None:
                target = new_array(plan.in_shapes[position], plan.in_codes[position], plan.context)
            grads.append(target)
        run_gradient(
            self.gradient, plan, out_grads, inputs, outputs, node.state[2], grads, None
        )
        if is_recording():
            made = [grad for grad in grads if grad is not None]
            record(FINAL, (plan, None, []), kept(out_grads) + kept(inputs), made)
        return grads


cdef Array written_target(Node node, Py_ssize_t position):
    """Return the gradient array of input `position` if it is overwritten and not added to, else None."""
    cdef Array target = direct_target(node, position)
    if target is None or (<Leaf>node.parents[position]).req != REQ_WRITE:
        return None
    sync_overwrite(target)
    target.is_mask = False
    return target


cdef tuple kept(list arrays):
    """Return the items that are not None."""
    return tuple([item for item in arrays if item is not None])


cdef int run_gradient(
    Gradient gradient, Plan plan, list heads, list inputs, list outputs, list states, list grads,
    Array workspace,
) except -1:
    cdef object item
    for group in (heads, inputs, outputs):
        for item in group:
            if item is not None:
                sync_read(<Array>item)
    try:
        gradient.run(plan, heads, inputs, outputs, states, grads, workspace)
    except Exception as error:
        wrapped = plan.bound.wrap_error(plan.bound.handle, "backward", plan.in_shapes, error)
        if wrapped is error:
            raise
        raise wrapped from error
    return 0


@cython.final
cdef class FinalRule(PlannedRule):
    """Raise the error for gradients that cannot be differentiated again."""

    cdef object apply(self, Node node, list out_grads):
        cdef Plan plan = node.state[0]
        error = SecondGradientError(
            f"operator '{plan.bound.handle.name}' computes its gradient in C, so it cannot be "
            "differentiated again; give it a gradient() made of operators"
        )
        raise plan.bound.wrap_error(plan.bound.handle, "backward", plan.in_shapes, error) from error

    cdef object operation(self, Node node):
        return None                    # no graph operator corresponds to it


cdef FinalRule FINAL = FinalRule()


cdef int run_backward(
    OperatorRule rule, Plan plan, object instance, list aux, object inputs, object outputs,
    list out_grads, list in_grad, list req, Node node,
) except -1:
    """Call the author's backward with recording off.

    With a tape `node`, the author's code may hand memory over to the gradients.
    """
    cdef bint was_recording = swap_recording(False)
    cdef object former = None
    cdef list lent = None
    cdef Span span
    cdef bint is_timed = watched != 0
    if is_timed:
        open_span(&span, author_of(plan.bound.handle.backward_site.name))
    try:
        if any_large(in_grad) or any_large(out_grads):
            former = use_pool()
            if node is not None:
                lent = list(in_grad)
                open_gradients(node, lent)
        instance.backward(
            req=req,
            out_grad=declared(out_grads, rule.reads[0], plan.out_codes, plan.context),
            in_data=declared(inputs, rule.reads[1], plan.in_codes, plan.context),
            out_data=declared(outputs, rule.reads[2], plan.out_codes, plan.context),
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
        if is_timed:
            close_span(&span)
    return 0


cdef int open_gradients(Node node, list grads) except -1:
    """Let the author's backward hand memory over to `grads`, which variables may also refer to."""
    cdef Py_ssize_t position
    for position in range(len(grads)):
        direct = grads[position] is direct_target(node, position)
        open_outputs([grads[position]], 3 if direct else 2, 1)
    return 0


cdef str request_of(object parent, bint direct):
    """Return the `req` for one input's gradient, passed to the author's backward."""
    if parent is None:
        return "null"
    return "add" if direct and (<Leaf>parent).req == REQ_ADD else "write"


cdef list declared(object arrays, list reads, list codes, object context):
    """Return aliases of the declared arrays, and arrays of shape (0,) for undeclared ones."""
    cdef list result = []
    cdef Py_ssize_t position
    for position in range(len(reads)):
        if reads[position]:
            result.append(alias(<Array>arrays[position]))
        else:
            result.append(new_array((0,), codes[position], context))
    return result
