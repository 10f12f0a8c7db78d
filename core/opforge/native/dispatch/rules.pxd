# Gradient rules of general operators.

from opforge.native.dispatch.plans cimport Plan
from opforge.native.dispatch.tape cimport Node, Rule

cdef class OperatorRule(Rule):         # the `backward` of the operator object that ran forward
    cdef readonly tuple reads          # (out_grad, in_data, out_data): bools, which are declared
    cdef readonly bint zero_grads      # hand zeroed gradients to code that may not write them

# Calls the author's backward with recording off. `node` None: the gradients keep their memory.
cdef int run_backward(
    OperatorRule rule, Plan plan, object instance, list aux, object inputs, object outputs,
    list out_grads, list in_grad, list req, Node node,
) except -1
