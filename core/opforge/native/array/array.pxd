# Array: a C-contiguous view of a Buffer with shape, element type and context; base class of NDArray.

cimport numpy as cnp
from libc.stdint cimport uint64_t

from opforge.native.memory.buffer cimport Buffer

cdef class Array:
    cdef Buffer buffer
    cdef char* data                    # first element, within `buffer`
    cdef Py_ssize_t size               # number of elements
    cdef int ndim
    cdef int code                      # element type
    cdef readonly tuple shape          # of ints; its length is ndim
    cdef readonly object context
    # autograd (written by tape.pyx only)
    cdef object node                   # the tape's Node that made this array, its Leaf, or None
    cdef int index                     # which output of `node` this is
    # for temporaries.pyx: reference counts while memory may be handed to this array, else 0
    cdef short holders                 # references to the array beyond those of the calling path
    cdef short sharers                 # arrays on its buffer
    cdef bint is_mask                  # result of a comparison or logical operation, or a copy of one

cdef Py_ssize_t size_of(tuple shape) except -1                 # number of elements; rejects negative and overflowing shapes
cdef int dims_of(Array a, Py_ssize_t* dims) except -1          # fills the first ndim of MAX_NDIM slots; returns ndim
cdef bint overlaps(Array a, Array b) noexcept                  # do their bytes intersect
cdef bint same_shape(Array a, Array b)
cdef Array new_array(tuple shape, int code, object context)    # uninitialised, of the NDArray class, on the device of `context`
cdef Array view(Array base, Py_ssize_t offset, tuple shape)    # shares memory, same class; `offset` in elements; no tape
cdef Array alias(Array base)                                   # the same memory and shape; no tape
cdef bint is_elsewhere(Array a) noexcept                       # is its memory on another device than the CPU
cdef int expect_host(Array a) except -1                        # reject arrays that are elsewhere
# Wait for pushed tasks before the CPU accesses the memory; reject arrays that are elsewhere.
cdef int wait_read(Array a) except -1                          # for those that write `a`; raises their exceptions
cdef int wait_write(Array a) except -1                         # also wait for readers; called before every write, which breaks the seal
cdef int wait_overwrite(Array a) except -1                     # wait_write before overwriting all of `a`: earlier failures are discarded
# The same for functions that run on any device.
cdef int sync_read(Array a) except -1
cdef int sync_write(Array a) except -1
cdef int sync_overwrite(Array a) except -1
# Return a number, unique to the memory of `a`, that changes with the next write; 0 if writes can go unnoticed.
# Writes already in progress are noticed as well if no other thread is at work now (threads/parallel.pxd).
cdef uint64_t seal(Array a) noexcept
cdef Array bare(tuple shape, int code, object context)         # without memory
cdef cnp.ndarray numpy_view(Array a)                           # over the memory of `a`; keeps that memory alive, not `a`, whose memory may change
cdef cnp.ndarray numpy_copy(Array a)                            # does not wait for tasks

# Classes of arrays. Subclasses of NDArray show the same memory with other methods; operators run on
# NDArrays, and their results get the class of the first input.
cdef bint is_plain(Array a) noexcept                           # is it exactly an NDArray
cdef Array plain(Array a)                                      # `a`, or an NDArray with its memory and history
cdef Array recast(Array a, object cls)                         # the same memory and history as an instance of `cls`
cdef Array new_array_of(object cls, tuple shape, int code, object context)
cdef int take_class(Array a, Array like) except -1             # give `a` the class of `like`
