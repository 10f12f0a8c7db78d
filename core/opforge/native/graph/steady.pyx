"""`SteadyValue`: what depends on parameters alone, computed once while they do not change.

Whether an array changed is read off its seal (array.pxd), which costs a comparison. A value is
computed into new memory, so that whoever still reads the former one is not disturbed; programs have
it in a slot only while they run. Memory that others can write to without notice has no seal: what
depends on it is computed for each run.
"""

cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport uint64_t

from opforge.native.array.array cimport Array, new_array, seal, size_of, wait_read
from opforge.native.graph.arena cimport Arena
from opforge.native.graph.program cimport Program
from opforge.native.memory.types cimport itemsize_of
from opforge.native.threads.parallel cimport others_work, work_epoch

from opforge.base.errors import OutOfMemoryError


cdef struct Seen:                      # of an array, when the value was last computed
    uint64_t seal                      # 0: nothing was
    char* data


@cython.final
cdef class SteadyValue:
    """One value, for all programs that read it.

    Parameters
    ----------
    make : callable
        Returns a program that computes the value and nothing else.
    input_slots : list of int
        Of that program: where the arrays go that the value depends on.
    output_slot : int
    shape : tuple of int
    code : int
        The type.
    context : Context

    Examples
    --------
    Steady values are made by the compiler of graphs: see `opforge.symbol`.
    """

    cdef object make
    cdef list input_slots
    cdef Py_ssize_t output_slot
    cdef tuple shape
    cdef int code
    cdef object context
    cdef readonly Py_ssize_t n_runs    # how often it was computed
    cdef Array result
    cdef Program program               # None while it runs
    # What it was, or is to be, computed from:
    cdef Seen* seen
    cdef bint train
    cdef bint can_last                 # all arrays have seals
    cdef uint64_t since                # the epoch in which they were noted
    cdef uint64_t turn                 # how often that was
    cdef object __weakref__

    def __init__(self, make, list input_slots, Py_ssize_t output_slot, tuple shape, int code, context):
        cdef Py_ssize_t position
        self.make, self.input_slots, self.output_slot = make, input_slots, output_slot
        self.shape, self.code, self.context = shape, code, context
        PyMem_Free(self.seen)
        self.seen = <Seen*>PyMem_Malloc((len(input_slots) + 1) * sizeof(Seen))
        if self.seen == NULL:
            raise OutOfMemoryError("no memory for what a steady value depends on")
        for position in range(len(input_slots)):
            self.seen[position].seal = 0

    def __dealloc__(self):
        PyMem_Free(self.seen)

    @property
    def nbytes(self):
        """What the value takes."""
        return size_of(self.shape) * itemsize_of(self.code)

    cdef bint is_current(self, list arrays) except -1:
        """Whether the arrays are what was noted, unwritten."""
        cdef Py_ssize_t position
        cdef uint64_t found
        cdef Array item
        for position in range(len(arrays)):
            item = <Array>arrays[position]
            wait_read(item)
            found = seal(item)
            if (
                found == 0 or found != self.seen[position].seal
                or item.data != self.seen[position].data
            ):
                return False
        return True

    cdef bint note(self, list arrays) except -1:
        """Note what the arrays are now; False: some can be written without notice."""
        cdef Py_ssize_t position
        cdef Array item
        cdef bint all_sealed = True
        for position in range(len(arrays)):
            item = <Array>arrays[position]
            wait_read(item)
            self.seen[position].seal, self.seen[position].data = seal(item), item.data
            all_sealed = all_sealed and self.seen[position].seal != 0
        return all_sealed

    cdef Array read(self, list arrays, bint train):
        """The value for `arrays`, computed if need be."""
        cdef Array result = self.result
        cdef uint64_t turn
        cdef bint settled
        if train != self.train or not self.is_current(arrays):
            self.turn += 1
            self.result = result = None                    # gives its memory back first
            self.can_last = self.note(arrays)
            self.train, self.since = train, work_epoch()
        if result is not None:
            return result
        turn = self.turn
        # A write that had begun before the arrays were noted may go on after the value is computed.
        settled = self.can_last and (not others_work() or work_epoch() >= self.since + 2)
        result = self.computed(arrays, train)
        if settled and turn == self.turn:                  # no other thread has noted anew meanwhile
            self.result = result
        return result

    cdef Array computed(self, list arrays, bint train):
        """The value in new memory."""
        cdef Program program = self.program
        cdef Array result = new_array(self.shape, self.code, self.context)
        cdef Py_ssize_t position, slot
        self.program = None                                # another thread makes its own meanwhile
        if program is None:
            program = self.make()
        program.enter(Arena(self.context, 0))
        try:
            for position, slot in enumerate(self.input_slots):
                program.set(slot, <Array>arrays[position])
            program.set(self.output_slot, result)
            program.run_range(0, len(program.steps), train)
        finally:
            program.leave()
            for slot in self.input_slots:
                program.set(slot, None)
            program.set(self.output_slot, None)
        self.n_runs += 1
        self.program = program
        return result


@cython.final
cdef class SteadyInputs:
    """The steady values that a program reads, and in which slots.

    Parameters
    ----------
    rows : list of (SteadyValue, slot, slots)
        Each with the slots that hold the arrays which it depends on.
    """

    def __init__(self, rows=()):
        self.values, self.slots, self.sources = [], [], []
        for value, slot, sources in rows:
            if not isinstance(value, SteadyValue) or len(sources) != len((<SteadyValue>value).input_slots):
                raise TypeError(f"SteadyInputs: {value!r} does not depend on {len(sources)} arrays")
            self.values.append(value)
            self.slots.append(slot)
            self.sources.append(list(sources))

    cpdef int put(self, Program program, bint train) except -1:
        """Let the slots hold the values for what the program's other slots hold."""
        cdef Py_ssize_t position, slot
        for position in range(len(self.values)):
            arrays = [<Array?>program.arrays[slot] for slot in <list>self.sources[position]]
            program.set(self.slots[position], (<SteadyValue>self.values[position]).read(arrays, train))
        return 0

    cpdef int clear(self, Program program) except -1:
        """Let the slots hold nothing, so that values live no longer than somebody needs them."""
        for slot in self.slots:
            program.set(slot, None)
        return 0

    def __len__(self):
        return len(self.values)
