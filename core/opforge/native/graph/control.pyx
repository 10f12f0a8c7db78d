"""Control-flow steps: loops and branches, whose bodies are separately compiled graphs.

A body is compiled once, and a loop runs one of its programs repeatedly. If a backward pass follows,
each iteration has its own program, which keeps the values that its backward pass reads; the programs
are returned when the enclosing graph leaves its arena. Programs of bodies use the same arena.
"""

cimport cython
from libc.string cimport memset

from opforge.native.array.array cimport Array, new_array, numpy_view, size_of, view
from opforge.native.array.copies cimport copy_array
from opforge.native.calls.computation cimport Computation
from opforge.native.graph.arena cimport Arena
from opforge.native.graph.program cimport Program
from opforge.native.graph.programs cimport Programs, clear, put_at
from opforge.native.graph.steps cimport Step
from opforge.native.memory.types cimport itemsize_of


cdef class ControlStep(Step):
    """A step that runs programs of other graphs."""

    def __cinit__(self):
        self.has_programs = True
        self.owners, self.lent = [], []

    cdef int enter(self, Arena arena) except -1:
        self.arena = arena
        return 0

    cdef int leave(self) except -1:
        cdef Programs owner
        cdef list owners = self.owners, lent = self.lent
        self.owners, self.lent = [], []
        for owner, program in zip(owners, lent):
            owner.give_back(<Program>program)
        return 0

    cdef Program borrow(self, Programs programs):
        cdef Program program
        if self.arena is None:
            raise RuntimeError(f"node '{self.label}' runs outside an arena")
        program = programs.borrow()
        self.owners.append(programs)
        self.lent.append(program)
        program.enter(self.arena)
        return program

    cdef int settle(self) except -1:
        return 0 if self.keeps else self.leave()


@cython.final
cdef class LoopStep(ControlStep):
    """A loop over rows of data, or while a condition holds.

    Its inputs are data, states and the values read by every iteration; its outputs are results, one
    row per iteration, and the final states. Rows of iterations that did not run are zero.

    Parameters
    ----------
    body : Programs
        Has the step's inputs; its outputs are one row of each result, and the new states.
    n_data, n_states : int
    length : int
        Number of iterations; with a condition, the maximum.
    keeps : bool
        Whether a `LoopBackwardStep` follows.
    operands : list of (slot, shape, type code)
        Slots of values kept by the backward pass of the body.
    products : list of (input, operand, operand, Computation)
        Inputs whose gradient is a product of two of those values over all iterations.
    condition : Programs, optional
        Has the same inputs and one output: whether to run another iteration.
    condition_type : (shape, type code), optional
    """

    def __init__(
        self, Programs body not None, Py_ssize_t n_data, Py_ssize_t n_states, Py_ssize_t length,
        bint keeps, object operands=(), object products=(), Programs condition=None,
        tuple condition_type=None,
    ):
        self.body, self.n_data, self.n_states, self.length = body, n_data, n_states, length
        self.keeps, self.condition, self.condition_type = keeps, condition, condition_type
        self.operands, self.products = list(operands), list(products)

    cdef int run(self, bint train) except -1:
        cdef list states = self.inputs[self.n_data : self.n_data + self.n_states], targets
        cdef list results = self.outputs[len(self.outputs) - self.n_states :]
        cdef Array item
        cdef Py_ssize_t at = 0
        self.leave()                             # kept by a previous run
        try:
            while at < self.length and self.goes_on(states, train):
                # The last possible iteration writes the states directly into the outputs.
                targets = results if at == self.length - 1 else [like(item) for item in states]
                self.run_once(at, states, targets, train)
                states = targets
                at += 1
        except BaseException:
            self.leave()
            raise
        self.n_done = at
        if at < self.length or at == 0:
            for item, state in zip(results, states):
                copy_array(item, <Array>state)
            for item in self.outputs[: len(self.outputs) - self.n_states]:
                zero_rows(item, at)
        return self.settle()

    cdef bint goes_on(self, list states, bint train) except -1:
        """Return whether the condition holds."""
        if self.condition is None:
            return True
        return holds(self.condition, self.condition_type, states + self.inputs[self.n_states :], self, train)

    cdef int run_once(self, Py_ssize_t at, list states, list targets, bint train) except -1:
        cdef Programs body = self.body
        cdef Program program
        cdef Py_ssize_t position, n_rows = len(self.outputs) - self.n_states
        if self.keeps or not self.lent:
            program = self.borrow(body)
        else:
            program = <Program>self.lent[0]
            program.drop_operators()
        for position in range(len(self.inputs)):
            if position < self.n_data:
                put_at(program, body.input_slots, position, row(<Array>self.inputs[position], at))
            elif position < self.n_data + self.n_states:
                put_at(program, body.input_slots, position, <Array>states[position - self.n_data])
            else:
                put_at(program, body.input_slots, position, <Array>self.inputs[position])
        for position in range(len(self.outputs)):
            if position < n_rows:
                put_at(program, body.output_slots, position, row(<Array>self.outputs[position], at))
            else:
                put_at(program, body.output_slots, position, <Array>targets[position - n_rows])
        return program.run_range(0, body.n_forward, train)


@cython.final
cdef class LoopBackwardStep(Step):
    """The gradient of a loop: runs its iterations backwards.

    Its first inputs are the gradients of the loop's outputs; its outputs are the gradients of the
    inputs that are not auxiliary states.

    Parameters
    ----------
    forward : LoopStep
    wanted : list of bool
        Inputs whose gradient is wanted.
    """

    cdef LoopStep forward
    cdef list wanted

    def __init__(self, LoopStep forward not None, list wanted not None):
        self.forward, self.wanted = forward, wanted

    cdef int run(self, bint train) except -1:
        cdef LoopStep loop = self.forward
        cdef Py_ssize_t n_outputs = len(loop.outputs), at, position
        cdef list rows = self.inputs[: n_outputs - loop.n_states]
        cdef list heads = self.inputs[n_outputs - loop.n_states : n_outputs], targets
        cdef list results = self.outputs[loop.n_data : loop.n_data + loop.n_states]
        cdef Array item
        for position in range(len(self.outputs)):
            # Sums over iterations start at zero, and rows of iterations that did not run stay zero.
            if position < loop.n_data or position >= loop.n_data + loop.n_states:
                if self.wanted[position]:
                    zero_rows(<Array>self.outputs[position], 0)
        stacks = [stack(loop.n_done, shape, code, loop.arena.context) for _, shape, code in loop.operands]
        for at in range(loop.n_done - 1, -1, -1):
            targets = results if at == 0 else [like(item) for item in results]
            self.run_once(at, rows, heads, targets, stacks, train)
            heads = targets
        for position, left, right, product in loop.products if loop.n_done else ():
            (<Computation?>product).run([stacks[left], stacks[right]], [self.outputs[position]])
        if loop.n_done == 0:
            for item, state in zip(results, heads):
                copy_array(item, <Array>state)
        return 0

    cdef int run_once(
        self, Py_ssize_t at, list rows, list heads, list targets, list stacks, bint train
    ) except -1:
        cdef LoopStep loop = self.forward
        cdef Programs body = loop.body
        cdef Program program = <Program>loop.lent[at]
        cdef Py_ssize_t position, n_rows = len(rows), end = loop.n_data + loop.n_states
        for position in range(n_rows):
            put_at(program, body.head_slots, position, row(<Array>rows[position], at))
        for position in range(len(heads)):
            put_at(program, body.head_slots, n_rows + position, <Array>heads[position])
        for position in range(len(self.outputs)):
            if position < loop.n_data:
                put_at(program, body.grad_slots, position, row(<Array>self.outputs[position], at))
            elif position >= end:
                put_at(program, body.grad_slots, position, <Array>self.outputs[position])
            elif <Py_ssize_t>body.grad_slots[position] < 0:      # nothing flows through this state
                zero_rows(<Array>targets[position - loop.n_data], 0)
            else:
                put_at(program, body.grad_slots, position, <Array>targets[position - loop.n_data])
        for (slot, shape, _), item in zip(loop.operands, stacks):
            program.set(slot, part(<Array>item, at, shape))
        try:
            return program.run_range(body.n_forward, len(program.steps), train)
        finally:
            for slot, _, _ in loop.operands:
                program.set(slot, None)
            clear(program, body.head_slots)
            clear(program, body.grad_slots)


@cython.final
cdef class BranchStep(ControlStep):
    """Runs one of two graphs, as chosen by a condition.

    Parameters
    ----------
    condition : Programs
        Has the step's inputs, and one output.
    condition_type : (shape, type code)
    branches : list of Programs
        Run if the condition is false, and if it is true; with the same inputs and the step's
        outputs.
    keeps : bool
        Whether a `BranchBackwardStep` follows.
    """

    def __init__(
        self, Programs condition not None, tuple condition_type not None, list branches not None,
        bint keeps,
    ):
        self.condition, self.condition_type = condition, condition_type
        self.branches, self.keeps = branches, keeps

    cdef int run(self, bint train) except -1:
        cdef Programs branch
        cdef Program program
        cdef Py_ssize_t position
        self.leave()
        self.chosen = holds(self.condition, self.condition_type, self.inputs, self, train)
        branch = <Programs?>self.branches[self.chosen]
        try:
            program = self.borrow(branch)
            for position in range(len(self.inputs)):
                put_at(program, branch.input_slots, position, <Array>self.inputs[position])
            for position in range(len(self.outputs)):
                put_at(program, branch.output_slots, position, <Array>self.outputs[position])
            program.run_range(0, branch.n_forward, train)
        except BaseException:
            self.leave()
            raise
        return self.settle()


@cython.final
cdef class BranchBackwardStep(Step):
    """The gradient of the chosen branch; inputs read only by the other branch get zero.

    Parameters
    ----------
    forward : BranchStep
    """

    cdef BranchStep forward

    def __init__(self, BranchStep forward not None):
        self.forward = forward

    cdef int run(self, bint train) except -1:
        cdef BranchStep step = self.forward
        cdef Programs branch = <Programs>step.branches[step.chosen]
        cdef Program program = <Program>step.lent[0]
        cdef Py_ssize_t position
        for position in range(len(step.outputs)):
            put_at(program, branch.head_slots, position, <Array>self.inputs[position])
        for position in range(len(self.outputs)):
            if <Py_ssize_t>branch.grad_slots[position] < 0:
                zero_rows(<Array>self.outputs[position], 0)
            else:
                put_at(program, branch.grad_slots, position, <Array>self.outputs[position])
        try:
            return program.run_range(branch.n_forward, len(program.steps), train)
        finally:
            clear(program, branch.head_slots)
            clear(program, branch.grad_slots)


cdef bint holds(
    Programs condition, tuple kind, list inputs, ControlStep step, bint train
) except -1:
    """Run a condition and return whether its result is not zero."""
    cdef Program program = condition.borrow()
    cdef Array answer = new_array(kind[0], kind[1], step.arena.context)
    cdef Py_ssize_t position
    try:
        program.enter(step.arena)
        for position in range(len(inputs)):
            put_at(program, condition.input_slots, position, <Array>inputs[position])
        put_at(program, condition.output_slots, 0, answer)
        program.run_range(0, condition.n_forward, train)
    finally:
        condition.give_back(program)
    return bool(numpy_view(answer).item())


cdef Array row(Array a, Py_ssize_t at):
    """Return a view of one row along the first axis; a single element if the array has one axis."""
    cdef tuple shape = a.shape[1:] if a.ndim > 1 else (1,)
    return view(a, at * (a.size // <Py_ssize_t>a.shape[0]), shape)


cdef Array stack(Py_ssize_t count, tuple shape, int code, object context):
    """Allocate an array that stacks `n` rows of a shape."""
    return new_array((count * <Py_ssize_t>shape[0], *shape[1:]), code, context)


cdef Array part(Array stacked, Py_ssize_t at, tuple shape):
    """Return one of the arrays stacked in `stacked`."""
    return view(stacked, at * size_of(shape), shape)


cdef Array like(Array a):
    """Allocate an array of the same shape and type."""
    return new_array(a.shape, a.code, a.context)


cdef int zero_rows(Array a, Py_ssize_t begin) except -1:
    """Set all rows from `begin` on to zero."""
    if a.size == 0:
        return 0
    cdef Py_ssize_t offset = begin * (a.size // <Py_ssize_t>a.shape[0])
    cdef Py_ssize_t itemsize = itemsize_of(a.code)
    memset(a.data + offset * itemsize, 0, (a.size - offset) * itemsize)
    return 0
