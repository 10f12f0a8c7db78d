# Plan of a native operator for one combination of shapes and types.

from libc.stdint cimport int32_t, int64_t
from opforge.abi cimport opforge_call, opforge_tensor

from opforge.native.abi.instance cimport ForeignInstance
from opforge.native.calls.epilogue cimport Epilogue

cdef struct Counts:                    # numbers of an operator's arrays
    int inputs
    int outputs
    int states

cdef class ForeignPlan:                # the plugin's plan and views of the arrays without data
    cdef ForeignInstance instance
    cdef readonly list shapes          # of inputs, outputs and states, whose numbers are in `counts`
    cdef readonly list codes
    cdef list wanted                   # for `backward`: bools; else None
    cdef readonly Py_ssize_t workspace_bytes   # per call
    cdef int threads                   # number of threads that it was planned for
    cdef Counts counts
    cdef opforge_tensor* tensors       # inputs, outputs, states; for `backward` also heads and gradients
    cdef int n_tensors
    cdef int32_t* wants
    cdef void* plan
    cdef bint planned

# Makes a plan for `backward`, or for `forward` if `wanted` is None; `epilogue` may be None.
cdef ForeignPlan new_plan(
    ForeignInstance instance, Counts counts, list shapes, list codes, list wanted, Epilogue epilogue
)

# Sets the plan and the arrays of a call; `tensors` is a copy of the plan's views with data.
cdef void describe_call(ForeignPlan plan, opforge_call* call, opforge_tensor* tensors) noexcept
