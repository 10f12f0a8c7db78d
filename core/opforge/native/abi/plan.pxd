# What a native operator's functions are told about one combination of shapes and types.

from libc.stdint cimport int32_t, int64_t
from opforge.abi cimport opforge_call, opforge_tensor

from opforge.native.abi.instance cimport ForeignInstance
from opforge.native.calls.epilogue cimport Epilogue

cdef struct Counts:                    # of an operator's arrays
    int inputs
    int outputs
    int states

cdef class ForeignPlan:                # the plugin's plan, and the views of the arrays without their data
    cdef ForeignInstance instance
    cdef readonly list shapes          # inputs, outputs, states, as many as `Counts` says
    cdef readonly list codes
    cdef list wanted                   # bools, of `backward`; else None
    cdef readonly Py_ssize_t workspace_bytes   # of each call
    cdef int threads                   # that it was planned for
    cdef Counts counts
    cdef opforge_tensor* tensors       # inputs, outputs, states; of `backward` also heads and gradients
    cdef int n_tensors
    cdef int32_t* wants
    cdef void* plan
    cdef bint planned

# Makes a plan; `wanted` None: for `forward`, with an epilogue or None.
cdef ForeignPlan new_plan(
    ForeignInstance instance, Counts counts, list shapes, list codes, list wanted, Epilogue epilogue
)

# Lets a call have the plan, and its arrays in `tensors`, a copy of the plan's.
cdef void describe_call(ForeignPlan plan, opforge_call* call, opforge_tensor* tensors) noexcept
