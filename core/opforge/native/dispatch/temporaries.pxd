# Memory that changes hands: while an operator written in Python runs, its outputs take over temporaries.

from opforge.native.array.array cimport Array

cdef bint any_large(list arrays)       # is one so large that a fresh block costs page faults
cdef int open_outputs(list arrays, short holders, short sharers) except -1     # memory may be handed to the large ones
cdef int close_outputs(list arrays, list outs) except -1       # no more; `outs` share the memory of `arrays` from now on
