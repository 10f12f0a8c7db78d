# One operator run with recording off; what it raises names operator and plugin.

from opforge.native.array.array cimport Array
from opforge.native.calls.computation cimport Computation
from opforge.native.dispatch.plans cimport Plan

cdef list aliases(list arrays)          # the same arrays without their history
# Runs an operator that is no elementwise kernel, with recording off; `instance` None: made where one is needed,
# `req` None: all outputs are to be written.
cdef object run_forward(
    Plan plan, object instance, object context, list arguments, list aux, list outs, list req,
    bint train, bint fresh,
)

# Runs a plan's computation into arrays that fit it, in memory to work in, or None; what it raises names
# operator and plugin. `inputs` are arguments, then auxiliary states.
cdef int run_computation(
    Plan plan, Computation computation, list inputs, list outputs, Array workspace
) except -1
