"""`Program`: the calls of a whole graph, run in one native call.

A program has slots, each with an array, and steps that read and write slots. Shapes and types are
fixed when it is made. The arrays of some slots change from run to run; those of others are in a
region of an arena, which the program enters before it runs. Nothing is recorded while it runs. Steps
of operators written in Python call them in order.
"""

cimport cython

from opforge.native.array.array cimport Array, wait_overwrite, wait_read
from opforge.native.dispatch.tape cimport swap_recording, swap_training
from opforge.native.graph.arena cimport Arena, Region, arena_view
from opforge.native.graph.steps cimport OperatorStep, Step
from opforge.native.threads.parallel cimport enter_stoppable, leave_stoppable
from opforge.native.threads.spans cimport (
    GRAPHS, NODES, Site, Span, close_span, open_span, site_of, watched,
)

from opforge.base.errors import OpforgeError, OutOfMemoryError
from opforge.base.out_of_memory import named_out_of_memory


cdef int expect_ready(Step step) except -1:
    """Reject empty slots; wait for pushed tasks that use the arrays."""
    cdef object item
    for item in step.inputs:
        if item is None:
            raise OpforgeError(f"node '{step.label}' has an input without an array")
        wait_read(<Array>item)
    for item in step.outputs:
        if item is None:
            raise OpforgeError(f"node '{step.label}' has an output without an array")
        wait_overwrite(<Array>item)
    return 0


cdef int run_timed(Step step, bint train) except -1:
    """Run a step inside a profiler span."""
    cdef Span span
    cdef Site site = step.site()
    if watched & NODES and step.label:
        site = site_of(site.name, step.label)
    open_span(&span, site)
    try:
        return step.run(train)
    finally:
        close_span(&span)


@cython.final
cdef class Program:
    """Steps over slots.

    Parameters
    ----------
    steps : list of (Step, label, input slots, output slots)
        In execution order; `label` names the node in errors.
    arrays : list of NDArray or None
        Array of each slot; None is replaced before the steps that use the slot run.
    placed : list of (slot, offset, shape, type code)
        The slots in a region and their offsets.
    nbytes : int
        Required size of the region.
    sums : dict of int to (Step, int), optional
        Slots that no step reads, and the step and result index that can add to their contents.

    Examples
    --------
    Programs are made by the graph compiler: see `opforge.symbol`.
    """

    def __init__(self, steps, arrays, placed=(), Py_ssize_t nbytes=0, dict sums=None):
        cdef Step step
        self.placed = list(placed)
        self.nbytes = nbytes
        self.steps = []
        self.arrays = list(arrays)
        for item in self.arrays:
            if item is not None and not isinstance(item, Array):
                raise TypeError(f"Program: a slot holds {type(item).__name__}, expected an NDArray")
        self.users = [[] for _ in self.arrays]
        self.sums = {} if sums is None else sums
        self.nested = []
        self.operators = []
        for step, label, inputs, outputs in steps:
            step.label = label
            step.inputs = self.attach(inputs)
            step.outputs = self.attach(outputs)
            self.steps.append(step)
            if step.has_programs:
                self.nested.append(step)
            if isinstance(step, OperatorStep):
                self.operators.append(step)

    def attach(self, slots):
        """Return the arrays of some slots as a list that is updated with the slots."""
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
        """Make the step that fills a slot add to its contents, or overwrite them.

        Returns False if no step supports it.
        """
        found = self.sums.get(slot)
        if found is None:
            return False
        step, position = found
        (<Step>step).request(position, adds)
        return True

    def put(self, Py_ssize_t slot, Array array):
        """Replace the array of a slot; None empties it."""
        self.set(slot, array)

    def get(self, Py_ssize_t slot):
        """Return the array of a slot."""
        return self.arrays[slot]

    # -- memory -------------------------------------------------------------------------------

    cpdef int enter(self, Arena arena) except -1:
        """Acquire memory for intermediate results, exclusively until `leave`."""
        cdef Step step
        if self.arena is not None or (self.nbytes == 0 and not self.nested):
            return 0
        if self.nbytes:
            self.occupy(arena)
        self.arena = arena
        for step in self.nested:
            step.enter(arena)
        return 0

    cdef int occupy(self, Arena arena) except -1:
        """Acquire a region of an arena, preferably the one used before."""
        cdef Region region = self.region
        if region is not None and not region.busy:
            return arena.occupy(region)
        try:
            region = arena.take(self.nbytes)
        except MemoryError as error:
            raise OutOfMemoryError(
                f"operator '{(<Step>self.steps[0]).site().name}' and what follows it in a graph: no "
                f"memory for the intermediate results of {len(self.steps)} steps: {error}"
            ) from error
        try:
            self.settle(region)
        except BaseException:
            arena.give_back(region)
            raise
        return 0

    cdef int settle(self, Region region) except -1:
        """Move the slots to another region.

        They get new arrays, because an author's operator may have kept the old ones.
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
        """Release the memory of the intermediate results."""
        cdef Arena arena = self.arena
        cdef Step step
        if arena is not None:
            self.arena = None
            for step in self.nested:
                step.leave()
            if self.nbytes:
                arena.give_back(self.region)
        return 0

    cdef int drop_operators(self) except -1:
        """Drop the operator objects of authors, so that the next run creates its own ones."""
        cdef OperatorStep step
        for step in self.operators:
            step.instance = None
        return 0

    @property
    def is_inside(self):
        """Return whether the intermediate results of the last run are still valid."""
        return self.arena is not None or (self.nbytes == 0 and not self.nested)

    def forget_region(self):
        """Drop all memory of a region that is being freed."""
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
                if watched & GRAPHS:
                    run_timed(step, train)
                else:
                    step.run(train)
                position += 1
        except Exception as error:
            if isinstance(error, MemoryError):
                named = named_out_of_memory(step.site().name, "a graph", error)
                if named is not error:
                    raise named from error
            if step.label:
                error.add_note(f"raised in the node '{step.label}' of a graph")
            raise
        finally:
            swap_recording(was_recording)
            swap_training(was_training)
            leave_stoppable(was_stoppable)
        return 0

    def run(self, Py_ssize_t begin, Py_ssize_t end, bint train):
        """Run steps [begin, end); `train` is passed to operators as ``is_train``."""
        if begin < 0 or end > len(self.steps):
            raise ValueError(f"steps {begin} to {end} of {len(self.steps)}")
        self.run_range(begin, end, train)

    def __len__(self):
        return len(self.steps)
