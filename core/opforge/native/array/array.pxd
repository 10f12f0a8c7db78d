# Array: a C-contiguous view of a Buffer with shape, element type and context; base class of NDArray.

cimport numpy as cnp
from libc.stdint cimport uint64_t

from opforge.native.memory.buffer cimport Buffer

cdef class Array:
    cdef Buffer buffer
    cdef char* data                    # first element, inside `buffer`
    cdef Py_ssize_t size               # elements
    cdef int ndim
    cdef int code                      # element type
    cdef readonly tuple shape          # of int, its length is ndim
    cdef readonly object context
    # autograd (written by tape.pyx only)
    cdef object node                   # the tape's Node that made this array, its Leaf, or None
    cdef int index                     # which output of `node` this is
    # while memory may be handed to this array (temporaries.pyx), who has it; 0: it may not
    cdef short holders                 # references to the array besides those of the calling path
    cdef short sharers                 # arrays on its buffer
    cdef bint is_mask                  # a comparison or logical operation made it, or it is a copy of such

cdef Py_ssize_t size_of(tuple shape) except -1                 # elements; refuses negative and overflowing shapes
cdef int dims_of(Array a, Py_ssize_t* dims) except -1          # fills the first ndim of MAX_NDIM slots; returns ndim
cdef bint overlaps(Array a, Array b) noexcept                  # do their bytes intersect
cdef bint same_shape(Array a, Array b)
cdef Array new_array(tuple shape, int code, object context)    # uninitialised, of the NDArray class
cdef Array view(Array base, Py_ssize_t offset, tuple shape)    # shares memory; `offset` in elements; no tape
cdef Array alias(Array base)                                   # the same memory and shape; no tape
cdef int wait_read(Array a) except -1                          # pushed tasks that write `a` are done; raises theirs
cdef int wait_write(Array a) except -1                         # and those that read it; whoever writes calls it, which breaks the seal
cdef int wait_overwrite(Array a) except -1                     # wait_write for a write of all of `a`: what failed before no longer matters
# A number that the memory of `a` has until somebody writes it, and no other memory ever; 0 where writes can pass
# unnoticed. Writes that have begun before are noticed as well if no other thread works now (threads/parallel.pxd).
cdef uint64_t seal(Array a) noexcept
cdef Array bare(tuple shape, int code, object context)         # without memory
cdef cnp.ndarray numpy_view(Array a)                           # on the memory of `a`, which it keeps alive (not `a`, whose memory may change)
cdef cnp.ndarray numpy_copy(Array a)                            # waits for nobody
