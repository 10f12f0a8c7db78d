# Kernels with their attributes bound, which dispatch runs without Python.

from opforge.native.array.array cimport Array

cdef class Types:                      # shapes and type codes of an operator's arrays
    cdef readonly list in_shapes       # arguments, then auxiliary states
    cdef readonly list in_codes
    cdef readonly list out_shapes
    cdef readonly list out_codes

cdef class Gradient:                   # gradient of a computation that implements it itself
    cdef readonly bint is_elsewhere    # runs on another device than the CPU
    cdef readonly bint partial         # can compute a subset of the gradients; else `grads` holds all
    # Fills `grads` from the gradients of the outputs and the saved inputs and outputs; None stands for an
    # array that was not saved. `workspace`: memory to use, or None.
    cdef int run(
        self, Types types, list heads, list inputs, list outputs, list states, list grads,
        Array workspace,
    ) except -1

cdef class Computation:
    cdef readonly bint is_elsewhere    # runs on another device than the CPU, and checks that its arrays are there
    cdef bint in_place                 # an input may share the output's memory exactly
    cdef readonly Gradient gradient    # None if the declaration defines it, or none exists
    cdef tuple made_with               # arguments of the constructor
    # Fills `outputs` from `inputs`; they overlap only as `in_place` permits. Checks counts, shapes and
    # types: the caller's inference is not trusted.
    cdef int run(self, list inputs, list outputs) except -1
    # The same with workspace from the caller; `run` allocates its own.
    cdef int run_in(self, list inputs, list outputs, Array workspace) except -1

# Runs `c` with a REQ_* code for each output, through temporaries where necessary.
cdef int run_with_requests(Computation c, list inputs, list outputs, list codes) except -1

# Checks for `run`: the numbers of arrays; the shape and type of `a`, called `name` in errors.
cdef int expect_count(Computation c, list inputs, int n_inputs, list outputs, int n_outputs) except -1
cdef int expect_like(Computation c, str name, Array a, Array model) except -1
