"""Steps of programs: one call each, of a kernel, a computation or an author's operator.

A step is created with the call alone; the program that it belongs to assigns its arrays.
"""

cimport cython

from opforge.native.array.array cimport Array
from opforge.native.array.copies cimport COPY, copy_array
from opforge.native.array.output cimport req_code
from opforge.native.calls.computation cimport Computation
from opforge.native.dispatch.elementwise cimport BINARY, UNARY, binary, scalar, unary
from opforge.native.dispatch.plans cimport Handle, Plan
from opforge.native.dispatch.rules cimport (
    ComputationRule, OperatorRule, run_backward, run_gradient,
)
from opforge.native.dispatch.running cimport run_computation, run_forward
from opforge.native.graph.arena cimport Arena
from opforge.native.loops.elementwise cimport BINARY_add
from opforge.native.memory.types cimport REQ_ADD
from opforge.native.threads.spans cimport Site, site_of

cdef dict step_sites = {}              # sites of steps without an operator, by type


cdef class Step:
    """One call of a program."""

    cdef int run(self, bint train) except -1:
        raise NotImplementedError(f"{type(self).__name__} must define run()")

    cdef int request(self, Py_ssize_t position, bint adds) except -1:
        raise NotImplementedError(f"{type(self).__name__} must define request()")

    cdef Site site(self):
        kind = type(self)
        if kind not in step_sites:
            step_sites[kind] = site_of("operator", f"_{kind.__name__}")
        return <Site>step_sites[kind]

    cdef int enter(self, Arena arena) except -1:
        return 0

    cdef int leave(self) except -1:
        return 0


@cython.final
cdef class ElementwiseStep(Step):
    """An elementwise kernel of the core.

    Parameters
    ----------
    handle : Handle
        Dispatch's handle of the operator.
    number : float or None
        The operand of a scalar kernel.
    """

    cdef Handle handle
    cdef object number

    def __init__(self, Handle handle not None, number=None):
        self.handle = handle
        self.number = number

    cdef int run(self, bint train) except -1:
        cdef Handle handle = self.handle
        cdef Array out = <Array>self.outputs[0]
        if handle.kind == UNARY:
            unary(handle.op, <Array>self.inputs[0], out)
        elif handle.kind == BINARY:
            binary(handle.op, <Array>self.inputs[0], <Array>self.inputs[1], out)
        else:
            scalar(handle.op, <Array>self.inputs[0], self.number, handle.reverse, out)
        return 0

    cdef Site site(self):
        return self.handle.site


@cython.final
cdef class ComputationStep(Step):
    """A native computation, or the kernel calls made by a declaration's `compute`.

    Parameters
    ----------
    plan : Plan
    has_workspace : bool
        Whether the last output is workspace memory.
    computation : Computation, optional
        Runs instead of the plan's: the same computation with an epilogue.
    """

    cdef Plan plan
    cdef bint has_workspace
    cdef Computation computation

    def __init__(self, Plan plan not None, bint has_workspace=False, Computation computation=None):
        self.plan = plan
        self.has_workspace = has_workspace
        self.computation = plan.computation if computation is None else computation

    cdef int run(self, bint train) except -1:
        cdef Plan plan = self.plan
        cdef Py_ssize_t last
        if self.computation is None:
            run_forward(plan, None, plan.context, self.inputs, [], self.outputs, None, train, False)
        elif self.has_workspace:
            last = len(self.outputs) - 1
            run_computation(
                plan, self.computation, self.inputs, self.outputs[:last], <Array>self.outputs[last]
            )
        else:
            run_computation(plan, self.computation, self.inputs, self.outputs, None)
        return 0

    cdef Site site(self):
        return self.plan.bound.handle.site


@cython.final
cdef class TermStep(Step):
    """A native computation that writes its output or adds to it.

    Parameters
    ----------
    plan : Plan
    adding : Computation
        The plan's computation with an additional input to add, possibly the output itself.
    adds : bool
    """

    cdef Plan plan
    cdef Computation adding
    cdef bint adds

    def __init__(self, Plan plan not None, Computation adding not None, bint adds):
        if plan.computation is None:
            raise TypeError("TermStep: the operator has no native computation")
        self.plan, self.adding, self.adds = plan, adding, adds

    cdef int run(self, bint train) except -1:
        if self.adds:
            return run_computation(
                self.plan, self.adding, self.inputs + self.outputs, self.outputs, None
            )
        return run_computation(self.plan, self.plan.computation, self.inputs, self.outputs, None)

    cdef int request(self, Py_ssize_t position, bint adds) except -1:
        self.adds = adds
        return 0

    cdef Site site(self):
        return self.plan.bound.handle.site


@cython.final
cdef class GradientStep(Step):
    """The gradient that a computation provides.

    Its inputs are the output gradients, inputs and outputs that it reads, and auxiliary states; its
    outputs are the gradients that it computes.

    Parameters
    ----------
    plan : Plan
        Of the operator.
    computed : list of bool
        Inputs whose gradient is computed.
    has_workspace : bool
        Whether the last output is workspace memory.
    """

    cdef Plan plan
    cdef ComputationRule rule
    cdef list computed
    cdef bint has_workspace

    def __init__(self, Plan plan not None, list computed not None, bint has_workspace):
        if not isinstance(plan.rule, ComputationRule):
            raise TypeError("GradientStep: the operator's computation provides no gradient")
        self.plan, self.rule = plan, <ComputationRule>plan.rule
        self.computed, self.has_workspace = computed, has_workspace

    cdef int run(self, bint train) except -1:
        cdef object sources = iter(self.inputs), targets = iter(self.outputs)
        cdef list heads = dealt(sources, self.rule.read_heads)
        cdef list inputs = dealt(sources, self.rule.kept_inputs)
        cdef list outputs = dealt(sources, self.rule.kept_outputs)
        cdef list grads = dealt(targets, self.computed)
        cdef object workspace = next(targets) if self.has_workspace else None
        return run_gradient(
            self.rule.gradient, self.plan, heads, inputs, outputs, list(sources), grads, workspace
        )

    cdef Site site(self):
        return self.plan.bound.handle.backward_site


cdef list dealt(object arrays, object flags):
    """Return the next array for each true flag, and None for the others."""
    cdef list found = []
    for flag in flags:
        found.append(next(arrays) if flag else None)
    return found


@cython.final
cdef class OperatorStep(Step):
    """The `forward` of an operator object, which an executor keeps and a call of a block does not.

    Parameters
    ----------
    plan : Plan
        Of the operator.
    req : list of {"write", "null"}
        How to store each output.
    """

    def __init__(self, Plan plan not None, req):
        self.plan = plan
        self.req = list(req)

    cdef int run(self, bint train) except -1:
        cdef Plan plan = self.plan
        cdef int n = plan.bound.n_arguments
        self.instance = run_forward(
            plan, self.instance, plan.context, self.inputs[:n], self.inputs[n:], self.outputs,
            list(self.req), train, False,
        )
        return 0

    cdef Site site(self):
        return self.plan.bound.handle.site


@cython.final
cdef class OperatorBackwardStep(Step):
    """The `backward` of the operator object of another step.

    Its first inputs are the gradients that `backward` reads, the others what else it reads; its
    outputs are the gradients of the arguments.

    Parameters
    ----------
    forward : OperatorStep
    req : list of {"write", "add", "null"}
        How to store the gradient of each argument.
    """

    def __init__(self, OperatorStep forward not None, req):
        if forward.plan is None or not isinstance(forward.plan.rule, OperatorRule):
            raise TypeError("OperatorBackwardStep: the operator does not define backward()")
        self.forward = forward
        self.req = list(req)

    cdef int run(self, bint train) except -1:
        cdef Plan plan = self.forward.plan
        cdef OperatorRule rule = <OperatorRule>plan.rule
        cdef int n = plan.bound.n_arguments
        run_backward(
            rule, plan, self.forward.instance, self.forward.inputs[n:], self.forward.inputs[:n],
            self.forward.outputs, self.heads(rule.reads[0]), self.outputs, list(self.req), None,
        )
        return 0

    cdef int request(self, Py_ssize_t position, bint adds) except -1:
        self.req[position] = "add" if adds else "write"
        return 0

    cdef Site site(self):
        return self.forward.plan.bound.handle.backward_site

    cdef list heads(self, reads):
        """Return the output gradients; for an unread one, any array of its type."""
        cdef list found = []
        cdef Py_ssize_t position, read = 0
        for position in range(len(reads)):
            if reads[position]:
                found.append(self.inputs[read])
                read += 1
            else:
                found.append(self.forward.outputs[position])
        return found


@cython.final
cdef class StoreStep(Step):
    """Write an array into the output, or add it.

    Parameters
    ----------
    req : {"write", "add"}
    """

    cdef int req

    def __init__(self, req="write"):
        self.req = req_code(req)

    cdef int run(self, bint train) except -1:
        cdef Array source = <Array>self.inputs[0], target = <Array>self.outputs[0]
        if self.req == REQ_ADD:
            binary(BINARY_add, target, source, target)
        else:
            copy_array(target, source)
        return 0

    cdef Site site(self):
        return COPY
