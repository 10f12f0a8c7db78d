# Execution of one operator with recording off; exceptions name operator and plugin.

from opforge.native.array.array cimport Array
from opforge.native.calls.computation cimport Computation
from opforge.native.dispatch.plans cimport Plan

cdef list aliases(list arrays)          # the same arrays without their tape history
# Run an operator that is not an elementwise kernel, with recording off. `instance` None: create one if
# needed; `req` None: write all outputs.
cdef object run_forward(
    Plan plan, object instance, object context, list arguments, list aux, list outs, list req,
    bint train, bint fresh,
)

# Run a plan's computation into matching arrays, with workspace memory or None; exceptions name operator
# and plugin. `inputs` are arguments followed by auxiliary states.
cdef int run_computation(
    Plan plan, Computation computation, list inputs, list outputs, Array workspace
) except -1
