# The caches of dispatch. All are bounded and guarded by the GIL.

from opforge.native.array.array cimport Array
from opforge.native.calls.computation cimport Computation, Types
from opforge.native.dispatch.tape cimport Rule
from opforge.native.threads.spans cimport Site

cdef class Handle:                     # one operator name; held by the generated functions
    cdef readonly str name
    cdef readonly object entry         # the registry's entry
    cdef int kind                      # see dispatch/elementwise.pxd
    cdef int op                        # kernel code of an elementwise kind
    cdef bint broadcasts               # BINARY: shapes may differ
    cdef bint reverse                  # SCALAR: the scalar is the left operand
    cdef object bind                   # callable(handle, attribute values) -> Bound
    cdef dict bounds                   # attribute values -> Bound
    cdef readonly Site site            # profiler sites of its calls and of its gradient's
    cdef readonly Site backward_site

cdef class Plan(Types)

cdef class Bound:                      # an operator with parsed attributes
    cdef readonly Handle handle
    cdef readonly object attributes    # the attribute values as passed by dispatch
    cdef readonly object prop          # the declaration's instance
    cdef readonly tuple names          # lists of names: arguments, outputs, auxiliary states
    cdef readonly int n_arguments
    cdef readonly int n_auxiliary
    cdef readonly object make_plan     # callable(bound, context, shapes, codes) -> Plan
    cdef object compose                # prop.compose, or None if not composed of other operators
    cdef int n_outputs                 # of a composed operator
    cdef tuple type_masks              # accepted types of each input of a composed operator; None: any
    cdef object check_types            # callable(prop, entry, names, codes); raises if one is not accepted
    cdef object wrap_error             # callable(handle, stage, shapes, exception) -> exception
    cdef dict plans                    # (context, shapes, codes) -> Plan
    cdef Plan last                     # the plan of the last call; usually fits the next one too

cdef class Plan(Types):                # an operator with fixed attributes, shapes and types
    cdef readonly Bound bound
    cdef readonly int n_visible
    cdef readonly object context       # its device
    cdef readonly object compute       # prop.compute, or None: a new operator object per call
    cdef Computation computation       # `compute` if it is native, else None
    cdef object instance               # operator object of a stateless declaration, made on first use
    cdef readonly bint zero_outputs    # zero the outputs before code that may not write all of them
    cdef readonly Rule rule            # None: not differentiable

cdef Bound bound_of(Handle handle, object attributes)                  # cached; lists count as tuples
cdef Plan plan_of(Bound bound, object context, list arrays)            # cached
cdef Plan last_plan(Bound bound, object inputs)                        # if it fits these inputs, else None
