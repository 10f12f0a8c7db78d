# Transfer of memory: outputs of operators written in Python take over the memory of temporaries.

from opforge.native.array.array cimport Array

cdef bint any_large(list arrays)       # is one large enough that a fresh block costs page faults
cdef int open_outputs(list arrays, short holders, short sharers) except -1     # allow transfers of memory to the large ones
cdef int close_outputs(list arrays, list outs) except -1       # end transfers; afterwards `outs` share the memory of `arrays`
