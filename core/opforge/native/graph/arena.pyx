"""`Arena`: memory for intermediate results, shared by programs that do not run at the same time.

A program does not own memory. It enters a region of its arena before it runs and leaves it when its
intermediate results are no longer needed: after a call, or after the backward pass that reads them.
No other program can enter meanwhile, so overlapping calls use different regions. A region that is too
small is replaced by a larger one. The GIL guards everything here.
"""

cimport cython

from opforge.native.array.array cimport Array, bare, new_array, size_of
from opforge.native.memory.types cimport U8, itemsize_of

from sys import is_finalizing as _is_finalizing
from weakref import WeakSet as _WeakSet

from opforge.base import config as _config
from opforge.base.errors import ShapeError

#: A C variable outlives module globals, which are cleared while programs are still being returned.
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
        Device of the memory.
    limit : int, optional
        Maximum bytes of unused regions to keep; memory beyond it returns to the pool and is
        allocated again when needed. Default: ``OPFORGE_GRAPH_LIMIT_MB``.

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
        """Enter an idle region."""
        region.busy = True
        self.idle_bytes -= region.memory.size
        return 0

    cdef Region take(self, Py_ssize_t nbytes):
        """Enter the smallest idle region of at least `nbytes`, or replace a smaller one by a new one."""
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
        """Free the memory of an idle region; no program may keep slots in it."""
        self.idle_bytes -= region.memory.size
        region.busy = True                     # its previous user must find another one
        self.regions.remove(region)
        for program in list(region.users):
            program.forget_region()
        return 0


cdef Py_ssize_t roomy(Py_ssize_t nbytes):
    """Return the size of the pool block for `nbytes`: the real cost of a region of this size."""
    cdef Py_ssize_t step = 64
    while step * 8 <= nbytes:
        step *= 2
    return (nbytes + step - 1) // step * step


cdef Array arena_view(Array memory, Py_ssize_t offset, tuple shape, int code):
    """Return an array of a shape and type at a byte offset of an arena's memory."""
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
