"""`SteadyValue`: a value that depends only on parameters, recomputed when they change.

Changes are detected by comparing an array's seal (array.pxd). A value is computed into new memory, so
readers of the previous one are not disturbed; programs hold it in a slot only while they run. Memory
that foreign code can write unnoticed has no seal: values that depend on it are computed in every run.
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


cdef struct Seen:                      # an array's state when the value was last computed
    uint64_t seal                      # 0: nothing recorded
    char* data


@cython.final
cdef class SteadyValue:
    """One value, shared by all programs that read it.

    Parameters
    ----------
    make : callable
        Returns a program that computes only this value.
    input_slots : list of int
        Slots of that program for the arrays on which the value depends.
    output_slot : int
    shape : tuple of int
    code : int
        The type.
    context : Context

    Examples
    --------
    Steady values are made by the graph compiler: see `opforge.symbol`.
    """

    cdef object make
    cdef list input_slots
    cdef Py_ssize_t output_slot
    cdef tuple shape
    cdef int code
    cdef object context
    cdef readonly Py_ssize_t n_runs    # number of computations
    cdef Array result
    cdef Program program               # None while it is running
    # State of the arrays from which it was, or will be, computed:
    cdef Seen* seen
    cdef bint train
    cdef bint can_last                 # all arrays have seals
    cdef uint64_t since                # epoch in which it was recorded
    cdef uint64_t generation           # number of times it was recorded
    cdef object __weakref__

    def __init__(self, make, list input_slots, Py_ssize_t output_slot, tuple shape, int code, context):
        cdef Py_ssize_t position
        self.make, self.input_slots, self.output_slot = make, input_slots, output_slot
        self.shape, self.code, self.context = shape, code, context
        PyMem_Free(self.seen)
        self.seen = <Seen*>PyMem_Malloc((len(input_slots) + 1) * sizeof(Seen))
        if self.seen == NULL:
            raise OutOfMemoryError("no memory to record the inputs of a steady value")
        for position in range(len(input_slots)):
            self.seen[position].seal = 0

    def __dealloc__(self):
        PyMem_Free(self.seen)

    @property
    def nbytes(self):
        """Size of the value in bytes."""
        return size_of(self.shape) * itemsize_of(self.code)

    cdef bint is_current(self, list arrays) except -1:
        """Return whether the arrays are the recorded ones and have not been written."""
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
        """Record the state of the arrays; return False if some can be written unnoticed."""
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
        """Return the value for `arrays`, computed if necessary."""
        cdef Array result = self.result
        cdef uint64_t generation
        cdef bint settled
        if train != self.train or not self.is_current(arrays):
            self.generation += 1
            self.result = result = None                    # free its memory first
            self.can_last = self.note(arrays)
            self.train, self.since = train, work_epoch()
        if result is not None:
            return result
        generation = self.generation
        # A write begun before the arrays were recorded may continue after the value is computed.
        settled = self.can_last and (not others_work() or work_epoch() >= self.since + 2)
        result = self.computed(arrays, train)
        if settled and generation == self.generation:      # no other thread has recorded a newer state
            self.result = result
        return result

    cdef Array computed(self, list arrays, bint train):
        """Compute the value in new memory."""
        cdef Program program = self.program
        cdef Array result = new_array(self.shape, self.code, self.context)
        cdef Py_ssize_t position, slot
        self.program = None                                # another thread creates its own meanwhile
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
    """The steady values that a program reads, with their slots.

    Parameters
    ----------
    rows : list of (SteadyValue, slot, slots)
        Each value with its slot and the slots of the arrays on which it depends.
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
        """Fill the slots with the values for the program's current arrays."""
        cdef Py_ssize_t position, slot
        for position in range(len(self.values)):
            arrays = [<Array?>program.arrays[slot] for slot in <list>self.sources[position]]
            program.set(self.slots[position], (<SteadyValue>self.values[position]).read(arrays, train))
        return 0

    cpdef int clear(self, Program program) except -1:
        """Empty the slots, so that values do not outlive their use."""
        for slot in self.slots:
            program.set(slot, None)
        return 0

    def __len__(self):
        return len(self.values)
