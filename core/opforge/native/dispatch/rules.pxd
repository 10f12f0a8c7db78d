# Gradient rules of general operators.

from opforge.native.array.array cimport Array
from opforge.native.calls.computation cimport Gradient
from opforge.native.dispatch.plans cimport Plan
from opforge.native.dispatch.tape cimport Node, Rule

cdef class PlannedRule(Rule):          # for calls whose state begins with their plan
    pass

cdef class OperatorRule(PlannedRule):  # the `backward` of the operator object that ran forward
    cdef readonly tuple reads          # (out_grad, in_data, out_data): which are declared
    cdef readonly bint zero_grads      # zero the gradients before code that may not write all of them

cdef class ComputationRule(PlannedRule):    # the gradient that a computation provides
    cdef Gradient gradient

# Compute gradients into the arrays in `grads`; exceptions name operator and plugin.
cdef int run_gradient(
    Gradient gradient, Plan plan, list heads, list inputs, list outputs, list states, list grads,
    Array workspace,
) except -1

# Call the author's backward with recording off. With `node` None, the gradients keep their memory.
cdef int run_backward(
    OperatorRule rule, Plan plan, object instance, list aux, object inputs, object outputs,
    list out_grads, list in_grad, list req, Node node,
) except -1
