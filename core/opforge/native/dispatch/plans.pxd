# What dispatch caches. All caches are bounded, and the GIL is their lock.

from opforge.native.array.array cimport Array
from opforge.native.calls.computation cimport Computation, Types
from opforge.native.dispatch.tape cimport Rule
from opforge.native.threads.spans cimport Site

cdef class Handle:                     # one operator name; the generated functions hold it
    cdef readonly str name
    cdef readonly object entry         # the registry's entry
    cdef int kind                      # of dispatch/elementwise.pxd
    cdef int op                        # kernel code of an elementwise kind
    cdef bint broadcasts               # BINARY: shapes may differ
    cdef bint reverse                  # SCALAR: the scalar is the left operand
    cdef object bind                   # callable(handle, attribute values) -> Bound
    cdef dict bounds                   # attribute values -> Bound
    cdef readonly Site site            # of the profiler: its calls, and those of its gradient
    cdef readonly Site backward_site

cdef class Plan(Types)

cdef class Bound:                      # an operator with its attributes parsed
    cdef readonly Handle handle
    cdef readonly object attributes    # the values it was bound with, as dispatch passes them
    cdef readonly object prop          # the declaration's instance
    cdef readonly int n_arguments
    cdef readonly int n_auxiliary
    cdef readonly object make_plan     # callable(bound, context, shapes, codes) -> Plan
    cdef object compose                # prop.compose, or None: not made of other operators
    cdef int n_outputs                 # of a composed operator
    cdef object wrap_error             # callable(handle, stage, shapes, exception) -> exception
    cdef dict plans                    # (context, shapes, codes) -> Plan
    cdef Plan last                     # the plan of the last call, most often that of the next

cdef class Plan(Types):                # an operator with attributes, shapes and types settled
    cdef readonly Bound bound
    cdef readonly int n_visible
    cdef readonly object context       # the device it was made for
    cdef readonly object compute       # prop.compute, or None: a fresh operator per call
    cdef Computation computation       # `compute` where it is native, else None
    cdef object instance               # of a stateless declaration, once made
    cdef readonly bint zero_outputs    # hand zeroed outputs to code that may not write them
    cdef readonly Rule rule            # None: not differentiable

cdef Bound bound_of(Handle handle, object attributes)                  # cached; lists count as tuples
cdef Plan plan_of(Bound bound, object context, list arrays)            # cached
cdef Plan last_plan(Bound bound, object inputs)                        # where it fits these inputs, else None
