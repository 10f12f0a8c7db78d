# Array: a C-contiguous view of a Buffer with shape, element type and context; base class of NDArray.

cimport numpy as cnp

from opforge.native.memory.buffer cimport Buffer

cdef enum:
    MAX_NDIM = 32

# Codes of base/dtypes.py.
cdef enum:
    F32 = 0
    F64 = 1
    F16 = 2
    U8 = 3
    I32 = 4
    I8 = 5
    I64 = 6
    BOOL = 7
    N_DTYPES = 8

# How a result meets what its destination holds; same order as MXNet's OpReqType.
cdef enum:
    REQ_NULL = 0
    REQ_WRITE = 1
    REQ_INPLACE = 2
    REQ_ADD = 3

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

cdef Py_ssize_t itemsize_of(int code) noexcept nogil
cdef Py_ssize_t size_of(tuple shape) except -1                 # elements; refuses negative and overflowing shapes
cdef int dims_of(Array a, Py_ssize_t* dims) except -1          # fills the first ndim of MAX_NDIM slots; returns ndim
cdef int req_code(object req) except -1                        # "null" "write" "inplace" "add" -> REQ_*
cdef bint overlaps(Array a, Array b) noexcept                  # do their bytes intersect
cdef bint same_shape(Array a, Array b)
cdef Array new_array(tuple shape, int code, object context)    # uninitialised, of the NDArray class
cdef Array view(Array base, Py_ssize_t offset, tuple shape)    # shares memory; `offset` in elements; no tape
cdef Array alias(Array base)                                   # the same memory and shape; no tape
cdef int wait_read(Array a) except -1                          # pushed tasks that write `a` are done; raises theirs
cdef int wait_write(Array a) except -1                         # and those that read it
cdef int copy_array(Array target, Array source) except -1       # same size; converts the type
cdef int wait_overwrite(Array a) except -1                     # wait_write for a write of all of `a`: what failed before no longer matters
cdef Array bare(tuple shape, int code, object context)         # without memory
cdef cnp.ndarray numpy_view(Array a)                           # on the memory of `a`, which it keeps alive (not `a`, whose memory may change)
cdef int numpy_type_of(int code) noexcept nogil                # NPY_FLOAT32, ...
# Gives `target` the memory of `source`, which nobody may use afterwards; False, and nothing done, where
# somebody else can see either memory, or it is not all of a pool block.
cdef bint take_memory(Array target, Array source)
