# A computation: a kernel with its attributes, which dispatch runs without Python.

from opforge.native.array.array cimport Array

cdef class Computation:
    cdef bint in_place                 # an input may be exactly the output's memory
    # Fills `outputs` from `inputs`, which they do not overlap but as `in_place` says. Checks counts,
    # shapes and types itself: what the caller inferred is not trusted.
    cdef int run(self, list inputs, list outputs) except -1

# Runs `c` as each output's REQ_* code says, through temporaries where it must.
cdef int fulfil(Computation c, list inputs, list outputs, list codes) except -1

# Checks for `run`: the numbers of arrays; shape and type of `a`, which its author calls `name`.
cdef int expect_count(Computation c, list inputs, int n_inputs, list outputs, int n_outputs) except -1
cdef int expect_like(Computation c, str name, Array a, Array model) except -1
