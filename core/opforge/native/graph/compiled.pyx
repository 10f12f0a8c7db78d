"""`CompiledCall`: a compiled graph that is called like an operator and recorded as one.

A call borrows a program, which enters a region of the arena. If the call is recorded, the tape keeps
both until its gradient has been computed, so calls may overlap. Returned programs are reused; the
steady state creates none.
"""

cimport cython

from operator import itemgetter

from opforge.native.array.array cimport Array, alias, new_array
from opforge.native.dispatch.tape cimport (
    HANDED_OVER, Leaf, Node, Receiver, Rule, direct_target, in_graph, is_awaited, is_recording,
    is_training, record,
)
from opforge.native.graph.arena cimport Arena
from opforge.native.graph.program cimport Program
from opforge.native.graph.programs cimport Programs, clear
from opforge.native.graph.steady cimport SteadyInputs
from opforge.native.graph.steps cimport Step
from opforge.native.memory.types cimport REQ_ADD
from opforge.native.threads.parallel cimport enter_prediction, leave_prediction
from opforge.native.threads.spans cimport (
    GRAPHS, Site, Span, close_span, open_span, site_of, watched,
)

from opforge.base.errors import OpforgeError, OutOfMemoryError

cdef Site FORWARD = site_of("graph", "CachedOp")
cdef Site BACKWARD = site_of("graph", "_backward_CachedOp")


@cython.final
cdef class Lease:
    """A program lent to a recorded call; it is returned when the call is no longer referenced."""

    cdef CompiledCall owner
    cdef Program program

    def __del__(self):
        if self.owner is not None:           # an instance created from Python
            self.owner.take_back(self.program)


@cython.final
cdef class CompiledCall:
    """A compiled graph with its programs.

    Parameters
    ----------
    programs : Programs
    output_types : list of (shape, type code)
    input_types : list of (shape, type code, whether it wants a gradient)
        Compared by `fits`.
    train, recorded : bool
        The modes that the graph was compiled for.
    arena : Arena
        Memory of intermediate results.
    steady : SteadyInputs
        Values computed from inputs only when these have changed.
    composition : callable
        Function of a symbol for each input that returns the graph.
    """

    cdef readonly Programs programs
    cdef list output_types, input_types
    cdef bint train, recorded
    cdef readonly object context
    cdef Arena arena
    cdef SteadyInputs steady
    cdef object composition
    cdef CompiledRule rule

    def __init__(
        self, Programs programs not None, list output_types, list input_types, bint train,
        bint recorded, Arena arena not None, SteadyInputs steady not None, composition,
    ):
        self.programs = programs
        self.output_types = output_types
        self.input_types = input_types
        self.train = train
        self.recorded = recorded
        self.arena = arena
        self.context = arena.context
        self.steady = steady
        self.composition = composition
        self.rule = CompiledRule.__new__(CompiledRule)
        self.rule.needs_inputs = True
        self.rule.needs_outputs = False

    cdef bint fits_arrays(self, list inputs) except -1:
        """Return whether the graph was compiled for such arrays and the thread's modes."""
        cdef Py_ssize_t position
        cdef Array item
        cdef tuple known
        if len(inputs) != len(self.input_types) or is_training() != self.train:
            return False
        cdef bint recording = is_recording()
        if recording != self.recorded:
            return False
        for position in range(len(inputs)):
            item = inputs[position]  # None for a parameter whose array is not at hand
            known = <tuple?>self.input_types[position]
            if item is None or item.code != <int>known[1]:
                return False
            if item.context is not self.context and item.context != self.context:
                return False
            if item.shape is not known[0] and item.shape != known[0]:
                return False
            if recording and in_graph(item) != <bint>known[2]:
                return False
        return True

    def fits(self, list inputs):
        """Return whether the graph was compiled for such arrays and the current modes."""
        return self.fits_arrays(inputs)

    cdef int take_back(self, Program program) except -1:
        """Keep a program for later calls, without the arrays of this call."""
        self.programs.give_back(program)
        return self.steady.clear(program)

    def __call__(self, list inputs not None):
        """Run the forward pass on matching arrays; return the outputs, recorded if recording is on.

        Parameters
        ----------
        inputs : list of NDArray
        """
        cdef Span span
        if not self.fits_arrays(inputs):
            raise OpforgeError("the arrays do not fit the shapes that the graph was compiled for")
        if not watched & GRAPHS:
            return self.called(inputs)
        open_span(&span, FORWARD)
        try:
            return self.called(inputs)
        finally:
            close_span(&span)

    cdef list called(self, list inputs):
        """Return the outputs for matching arrays."""
        cdef Programs programs = self.programs
        cdef Program program = programs.borrow()
        cdef list outputs = []
        cdef Py_ssize_t position
        cdef tuple kind
        cdef Array item
        cdef Lease lease
        for position in range(len(inputs)):
            program.set(programs.input_slots[position], <Array>inputs[position])
        self.steady.put(program, self.train)
        program.enter(self.arena)
        for position in range(len(programs.output_slots)):
            kind = <tuple?>self.output_types[position]
            try:
                item = new_array(kind[0], kind[1], self.context)
            except MemoryError as error:
                raise OutOfMemoryError(
                    f"{described(program, programs.n_forward)}: no memory for output {position}: {error}"
                ) from error
            outputs.append(item)
            # An alias without the tape's node, which refers to the program.
            program.set(programs.output_slots[position], alias(item))
        if self.recorded or self.train:
            program.run_range(0, programs.n_forward, self.train)
        else:
            enter_prediction()
            try:
                program.run_range(0, programs.n_forward, False)
            finally:
                leave_prediction()
        for position in range(len(outputs)):
            item = <Array>program.arrays[<Py_ssize_t>programs.output_slots[position]]
            (<Array>outputs[position]).is_mask = item.is_mask
        if self.recorded:
            lease = Lease.__new__(Lease)
            lease.owner = self
            lease.program = program
            record(self.rule, lease, tuple(inputs), outputs)
        else:
            self.take_back(program)
        return outputs


cdef str described(Program program, Py_ssize_t count):
    """Describe the first `count` steps of a graph for an error message, by the last of them."""
    if count == 0:
        return "a graph without operators"
    return f"operator '{(<Step>program.steps[count - 1]).site().name}' and what precedes it in a graph"


@cython.final
cdef class CompiledRule(Rule):
    """Gradient rule of a compiled call: the backward pass of its program."""

    cdef object operation(self, Node node):
        return (<Lease>node.state).owner.composition

    cdef Site site(self, Node node):
        return BACKWARD

    cdef object apply_for(self, Node node, list out_grads, Receiver receiver):
        cdef Lease lease = <Lease>node.state
        cdef CompiledCall call = lease.owner
        cdef Programs programs = call.programs
        cdef Program program = lease.program
        cdef Py_ssize_t position, slot, done = programs.n_forward, end
        cdef list found = [None] * len(programs.grad_slots)
        cdef Array source, target
        cdef bint adds, can_add
        if is_recording():
            raise OpforgeError(
                "the gradient of a hybridized block cannot be recorded: call hybridize(False) "
                "to compute gradients of gradients"
            )
        for position in range(len(out_grads)):
            slot = programs.head_slots[position]
            if slot >= 0:
                program.set(slot, <Array>out_grads[position])
        for position in range(len(programs.grad_slots)):
            slot = programs.grad_slots[position]
            if slot < 0:
                continue
            source = <Array>node.inputs[position]
            target = direct_target(node, position)
            adds = target is not None and (<Leaf>node.parents[position]).req == REQ_ADD
            can_add = program.request(slot, adds)
            if target is None or (adds and not can_add):
                target = new_array(source.shape, source.code, source.context)
            program.set(slot, target)
            found[position] = target
        try:
            for end, position in awaited(node, programs):
                program.run_range(done, end, call.train)
                done = end
                receiver.receive(node, position, <Array>found[position])
                found[position] = HANDED_OVER
            program.run_range(done, len(program.steps), call.train)
        finally:
            clear(program, programs.head_slots)
            clear(program, programs.grad_slots)
        return found


cdef list awaited(Node node, Programs programs):
    """Return (number of steps, gradient) for gradients awaited by hooks, in the order of completion."""
    cdef Py_ssize_t position
    cdef list found = []
    for position in reversed(range(len(programs.grad_slots))):
        if programs.grad_slots[position] >= 0 and is_awaited(node, position):
            found.append((programs.grad_ends[position], position))
    found.sort(key=itemgetter(0))
    return found
