"""`Program`: the calls of a whole graph on arrays that are settled, run in one native call.

A program has slots, each with an array, and steps that read and write slots. Shapes and types are
settled when it is made; the arrays of some slots change from run to run, and those of others lie in a
region of an arena, which the program enters before it runs. Nothing is recorded while it runs. Steps of operators that are written in Python call them where they stand.
"""

cimport cython

from opforge.native.array.array cimport Array, wait_overwrite, wait_read
from opforge.native.array.copies cimport copy_array
from opforge.native.array.output cimport req_code
from opforge.native.calls.computation cimport Computation
from opforge.native.dispatch.elementwise cimport BINARY, UNARY, binary, scalar, unary
from opforge.native.dispatch.plans cimport Handle, Plan
from opforge.native.dispatch.rules cimport (
    ComputationRule, OperatorRule, run_backward, run_gradient,
)
from opforge.native.dispatch.running cimport run_computation, run_forward
from opforge.native.dispatch.tape cimport swap_recording, swap_training
from opforge.native.graph.arena cimport Arena, Region, arena_view
from opforge.native.loops.elementwise cimport BINARY_add
from opforge.native.memory.types cimport REQ_ADD
from opforge.native.threads.parallel cimport enter_stoppable, leave_stoppable

from opforge.base.errors import OpforgeError


cdef class Step:
    """One call of a program."""

    cdef int run(self, bint train) except -1:
        raise NotImplementedError(f"{type(self).__name__} does not say what to run")


@cython.final
cdef class ElementwiseStep(Step):
    """An elementwise kernel of the core.

    Parameters
    ----------
    handle : Handle
        As dispatch has it for the operator.
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


@cython.final
cdef class ComputationStep(Step):
    """A native computation, or the kernel calls that a declaration's `compute` makes.

    Parameters
    ----------
    plan : Plan
    has_workspace : bool
        The last output is memory to work in.
    computation : Computation, optional
        What runs instead of the plan's: the same with an epilogue.
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
        if self.computation is None:
            run_forward(plan, None, plan.context, self.inputs, [], self.outputs, train, False)
        elif self.has_workspace:
            run_computation(
                plan, self.computation, self.inputs, self.outputs[:-1], <Array>self.outputs[-1]
            )
        else:
            run_computation(plan, self.computation, self.inputs, self.outputs, None)
        return 0


@cython.final
cdef class GradientStep(Step):
    """The gradient that a computation brings.

    Its inputs are the gradients of the outputs, the inputs and outputs that it reads, and auxiliary
    states; its outputs the gradients that are computed.

    Parameters
    ----------
    plan : Plan
        Of the operator.
    computed : list of bool
        Of which inputs the gradient is computed.
    has_workspace : bool
        The last output is memory to work in.
    """

    cdef Plan plan
    cdef ComputationRule rule
    cdef list computed
    cdef bint has_workspace

    def __init__(self, Plan plan not None, list computed not None, bint has_workspace):
        if not isinstance(plan.rule, ComputationRule):
            raise TypeError("GradientStep: the operator's computation brings no gradient")
        self.plan, self.rule = plan, <ComputationRule>plan.rule
        self.computed, self.has_workspace = computed, has_workspace

    cdef int run(self, bint train) except -1:
        cdef object sources = iter(self.inputs), targets = iter(self.outputs)
        cdef list heads = [next(sources) for _ in self.plan.out_shapes]
        cdef list inputs = dealt(sources, self.rule.kept_inputs)
        cdef list outputs = dealt(sources, self.rule.kept_outputs)
        cdef list grads = dealt(targets, self.computed)
        cdef object workspace = next(targets) if self.has_workspace else None
        return run_gradient(
            self.rule.gradient, self.plan, heads, inputs, outputs, list(sources), grads, workspace
        )


cdef list dealt(object arrays, object flags):
    """The next array for each true flag, None for the others."""
    cdef list found = []
    for flag in flags:
        found.append(next(arrays) if flag else None)
    return found


@cython.final
cdef class OperatorStep(Step):
    """The `forward` of an operator object, which is made once and kept."""

    cdef Plan plan
    cdef readonly object instance

    def __init__(self, Plan plan not None):
        self.plan = plan

    cdef int run(self, bint train) except -1:
        cdef Plan plan = self.plan
        cdef int n = plan.bound.n_arguments
        self.instance = run_forward(
            plan, self.instance, plan.context, self.inputs[:n], self.inputs[n:], self.outputs, train,
            False,
        )
        return 0


@cython.final
cdef class OperatorBackwardStep(Step):
    """The `backward` of the operator object of another step.

    Its first inputs are the gradients that `backward` reads, the others what else it reads; its
    outputs are the gradients of the arguments.

    Parameters
    ----------
    forward : OperatorStep
    req : list of {"write", "add", "null"}
        What to do with the gradient of each argument.
    """

    cdef OperatorStep forward
    cdef list req

    def __init__(self, OperatorStep forward not None, req):
        if forward.plan is None or not isinstance(forward.plan.rule, OperatorRule):
            raise TypeError("OperatorBackwardStep: the operator has no backward of its own")
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

    cdef list heads(self, reads):
        """The gradients of the outputs; where one is not read, any array of its type."""
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
    """Deliver an array: written into the output, or added to it.

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


cdef int expect_ready(Step step) except -1:
    """Refuse empty slots; wait for pushed tasks that use the arrays."""
    cdef object item
    for item in step.inputs:
        if item is None:
            raise OpforgeError(f"node '{step.label}' has an input that holds no array")
        wait_read(<Array>item)
    for item in step.outputs:
        if item is None:
            raise OpforgeError(f"node '{step.label}' has an output that holds no array")
        wait_overwrite(<Array>item)
    return 0


@cython.final
cdef class Program:
    """Steps over slots.

    Parameters
    ----------
    steps : list of (Step, label, input slots, output slots)
        In the order in which they run; `label` names the node in errors.
    arrays : list of NDArray or None
        What each slot holds; None is set before the steps that use it run.
    placed : list of (slot, offset, shape, type code)
        The slots that lie in a region, and where.
    nbytes : int
        How large a region has to be.

    Examples
    --------
    Programs are made by the compiler of graphs: see `opforge.symbol`.
    """

    def __init__(self, steps, arrays, placed=(), Py_ssize_t nbytes=0):
        cdef Step step
        self.placed = list(placed)
        self.nbytes = nbytes
        self.steps = []
        self.arrays = list(arrays)
        for item in self.arrays:
            if item is not None and not isinstance(item, Array):
                raise TypeError(f"Program: a slot holds {type(item).__name__}, expected an NDArray")
        self.users = [[] for _ in self.arrays]
        self.authors = {}
        for step, label, inputs, outputs in steps:
            step.label = label
            step.inputs = self.attach(inputs)
            step.outputs = self.attach(outputs)
            self.steps.append(step)
            if isinstance(step, OperatorBackwardStep):
                for position, slot in enumerate(outputs):
                    self.authors[slot] = (step, position)

    def attach(self, slots):
        """Return the arrays of some slots as a list that follows the slots."""
        cdef list found = []
        for position, slot in enumerate(slots):
            found.append(self.arrays[slot])
            self.users[slot].append((found, position))
        return found

    cdef int set(self, Py_ssize_t slot, Array array) except -1:
        self.arrays[slot] = array
        for users, position in <list>self.users[slot]:
            (<list>users)[<Py_ssize_t>position] = array
        return 0

    cdef bint request(self, Py_ssize_t slot, bint adds) except -1:
        """Ask the author's backward that fills a slot to add to what it holds, or to write it again.

        False: nobody can be asked, or the slot has other users, for whom a sum is no gradient.
        """
        found = self.authors.get(slot)
        if found is None or len(<list>self.users[slot]) != 1:
            return False
        step, position = found
        (<OperatorBackwardStep>step).req[position] = "add" if adds else "write"
        return True

    def put(self, Py_ssize_t slot, Array array):
        """Let a slot hold another array; None: nothing."""
        self.set(slot, array)

    def get(self, Py_ssize_t slot):
        """Return the array of a slot."""
        return self.arrays[slot]

    # -- memory -------------------------------------------------------------------------------

    cpdef int enter(self, Arena arena) except -1:
        """Take memory for intermediate results; nobody else has it until `leave`."""
        cdef Region region = self.region
        if self.arena is not None or self.nbytes == 0:
            return 0
        if region is not None and not region.busy:
            arena.occupy(region)
        else:
            region = arena.take(self.nbytes)
            try:
                self.settle(region)
            except BaseException:
                arena.give_back(region)
                raise
        self.arena = arena
        return 0

    cdef int settle(self, Region region) except -1:
        """Let slots lie in another region.

        They get new arrays: an author's operator may have kept those of before.
        """
        cdef Py_ssize_t position
        cdef list made = [
            arena_view(region.memory, offset, shape, code) for _, offset, shape, code in self.placed
        ]
        region.users.add(self)
        if self.region is not None and self.region is not region:
            self.region.users.discard(self)
        self.region = region
        for position in range(len(made)):
            self.set((<tuple>self.placed[position])[0], <Array>made[position])
        return 0

    cpdef int leave(self) except -1:
        """Let others have the memory of the intermediate results."""
        cdef Arena arena = self.arena
        if arena is not None:
            self.arena = None
            arena.give_back(self.region)
        return 0

    @property
    def is_inside(self):
        """Whether the intermediate results of the last run are still there."""
        return self.nbytes == 0 or self.arena is not None

    def forget_region(self):
        """Hold no memory of a region that is given up."""
        self.region = None
        for slot, _, _, _ in self.placed:
            self.set(slot, None)

    def __del__(self):
        self.leave()

    # -- running ------------------------------------------------------------------------------

    cdef int run_range(self, Py_ssize_t begin, Py_ssize_t end, bint train) except -1:
        cdef bint was_recording = swap_recording(False)
        cdef bint was_training = swap_training(train)
        cdef bint was_stoppable = enter_stoppable()
        cdef Py_ssize_t position = begin
        cdef Step step
        try:
            while position < end:
                step = <Step>self.steps[position]
                expect_ready(step)
                step.run(train)
                position += 1
        except Exception as error:
            if step.label:
                error.add_note(f"raised in the node '{step.label}' of a graph")
            raise
        finally:
            swap_recording(was_recording)
            swap_training(was_training)
            leave_stoppable(was_stoppable)
        return 0

    def run(self, Py_ssize_t begin, Py_ssize_t end, bint train):
        """Run the steps from `begin` to `end`; `train` is what operators get as ``is_train``."""
        if begin < 0 or end > len(self.steps):
            raise ValueError(f"steps {begin} to {end} of {len(self.steps)}")
        self.run_range(begin, end, train)

    def __len__(self):
        return len(self.steps)
