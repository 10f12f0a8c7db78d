"""`Arena`: memory for the intermediate results of programs, which programs that do not run at once share.

A program has no memory of its own. It enters a region of its arena before it runs and leaves it when
nobody needs its intermediate results any more: after a call, or, where a backward pass will read
them, after that. Nobody else can enter meanwhile, so calls that overlap lie in different regions. A
region that is too small is replaced by a larger one. The GIL is the lock of everything here.
"""

cimport cython

from opforge.native.array.array cimport Array, bare, new_array, size_of
from opforge.native.memory.types cimport U8, itemsize_of

from sys import is_finalizing as _is_finalizing
from weakref import WeakSet as _WeakSet

from opforge.base import config as _config
from opforge.base.errors import ShapeError

#: Here it outlives the names of modules, which are cleared while programs are still given back.
cdef object is_ending = _is_finalizing


@cython.final
cdef class Region:
    """Memory for one program at a time."""


@cython.final
cdef class Arena:
    """Regions for programs.

    Parameters
    ----------
    context : Context
        Where the memory is.
    limit : int, optional
        Most bytes of regions that are kept while nobody is in them; what is beyond goes back to the
        pool and is taken from there again. Default: ``OPFORGE_GRAPH_LIMIT_MB``.

    Examples
    --------
    >>> from opforge import cpu
    >>> Arena(cpu()).idle_bytes
    0
    """

    def __init__(self, context, limit=None):
        self.context = context
        self.limit = _config.graph_limit() if limit is None else limit
        self.regions = []

    cdef int occupy(self, Region region) except -1:
        """Enter a region that is idle."""
        region.busy = True
        self.idle_bytes -= region.memory.size
        return 0

    cdef Region take(self, Py_ssize_t nbytes):
        """Enter the smallest idle region of at least `nbytes`, or a new one in place of a smaller one."""
        cdef Region region, best = None, largest = None
        for region in self.regions:
            if region.busy:
                continue
            if region.memory.size < nbytes:
                if largest is None or region.memory.size > largest.memory.size:
                    largest = region
            elif best is None or region.memory.size < best.memory.size:
                best = region
        if best is not None:
            self.occupy(best)
            return best
        if largest is not None:
            self.drop(largest)
        best = Region.__new__(Region)
        best.memory = new_array((roomy(nbytes),), U8, self.context)
        best.users = _WeakSet()
        best.busy = True
        self.regions.append(best)
        return best

    cdef int give_back(self, Region region) except -1:
        """Leave a region."""
        region.busy = False
        self.idle_bytes += region.memory.size
        if self.idle_bytes > self.limit and not is_ending():
            self.drop(region)
        return 0

    cdef int drop(self, Region region) except -1:
        """Give the memory of an idle region back: nobody's slots may lie there any more."""
        self.idle_bytes -= region.memory.size
        region.busy = True                     # who was here before must look for another one
        self.regions.remove(region)
        for program in list(region.users):
            program.forget_region()
        return 0


cdef Py_ssize_t roomy(Py_ssize_t nbytes):
    """The bytes of the pool's block for `nbytes`: what a region of this size costs anyway."""
    cdef Py_ssize_t step = 64
    while step * 8 <= nbytes:
        step *= 2
    return (nbytes + step - 1) // step * step


cdef Array arena_view(Array memory, Py_ssize_t offset, tuple shape, int code):
    """An array of a shape and type at a byte offset of an arena's memory."""
    cdef Py_ssize_t size = size_of(shape)
    cdef Py_ssize_t nbytes = size * itemsize_of(code)
    if memory.code != U8 or offset < 0 or offset % 8 or offset + nbytes > memory.size:
        raise ShapeError(
            f"an array of {nbytes} bytes at {offset} does not fit an arena of {memory.size}"
        )
    cdef Array result = bare(shape, code, memory.context)
    result.buffer = memory.buffer
    result.data = memory.data + offset
    result.size = size
    return result
