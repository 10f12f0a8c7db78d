# A computation: a kernel with its attributes, which dispatch runs without Python.

from opforge.native.array.array cimport Array

cdef class Types:                      # of an operator's arrays
    cdef readonly list in_shapes       # of arguments, then auxiliary states
    cdef readonly list in_codes
    cdef readonly list out_shapes
    cdef readonly list out_codes

cdef class Gradient:                   # the gradient of a computation that brings its own
    cdef readonly bint partial         # it computes some gradients alone; else `grads` has all
    # Fills `grads` from the gradients of the outputs and from what is kept of inputs and outputs; None
    # stands for what is not. `workspace`: memory that it may use, or None.
    cdef int run(
        self, Types types, list heads, list inputs, list outputs, list states, list grads,
        Array workspace,
    ) except -1

cdef class Computation:
    cdef bint in_place                 # an input may be exactly the output's memory
    cdef readonly Gradient gradient    # None: the declaration has it, or there is none
    cdef tuple made_with               # what the constructor was given
    # Fills `outputs` from `inputs`, which they do not overlap but as `in_place` says. Checks counts,
    # shapes and types itself: what the caller inferred is not trusted.
    cdef int run(self, list inputs, list outputs) except -1
    # The same with memory to work in; `run` takes its own.
    cdef int run_in(self, list inputs, list outputs, Array workspace) except -1

# Runs `c` as each output's REQ_* code says, through temporaries where it must.
cdef int fulfil(Computation c, list inputs, list outputs, list codes) except -1

# Checks for `run`: the numbers of arrays; shape and type of `a`, which its author calls `name`.
cdef int expect_count(Computation c, list inputs, int n_inputs, list outputs, int n_outputs) except -1
cdef int expect_like(Computation c, str name, Array a, Array model) except -1
