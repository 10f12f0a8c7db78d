# The tape: a graph of the calls made while recording. Nodes point backwards only, so reference counting
# frees graphs.

from opforge.native.array.array cimport Array
from opforge.native.threads.spans cimport Site

cdef class Leaf:                       # a variable marked by `attach_grad`
    cdef Array grad                    # see `grad_of_leaf`; without memory if `stored` is not None
    cdef tuple meta                    # shape, type and context of `grad` before it is created
    cdef object stored                 # the StoredArray that receives its gradient, or None
    cdef int req                       # REQ_*
    cdef bint fresh                    # a backward pass has written `grad` since this was last cleared
    cdef dict hooks                    # callbacks for when `grad` is complete, or None
    # scratch of one backward pass (backward.pyx)
    cdef Array total
    cdef list given                    # gradients delivered as StoredArrays, or None
    cdef Py_ssize_t uses
    cdef Py_ssize_t pending            # edges that have not delivered yet
    cdef Py_ssize_t stamp

cdef class Receiver:                   # interface of a backward pass for rules
    cdef int receive(self, Node node, Py_ssize_t position, Array grad) except -1

cdef class Rule:                       # gradient rule of one kind of operator
    cdef bint needs_inputs             # `apply` reads node.inputs
    cdef bint needs_outputs            # `apply` reads node.outputs
    cdef tuple read_heads              # bools: outputs whose gradients it reads; None: all
    cdef tuple kept_inputs             # bools: the inputs and outputs to keep; None: all
    cdef tuple kept_outputs
    cdef object apply(self, Node node, list out_grads)         # -> sequence: a gradient or None per input
    # Like `apply`, but may hand gradients to the receiver before it returns; those are returned as HANDED_OVER.
    cdef object apply_for(self, Node node, list out_grads, Receiver receiver)
    cdef object operation(self, Node node)                     # the called operation for graphs; None: no equivalent
    cdef Site site(self, Node node)                            # profiler site for the time of `apply`

cdef class Node:                       # one recorded call
    cdef Rule rule
    cdef object state                  # data that the rule keeps from the call
    cdef tuple inputs                  # arrays, None for those not needed; None if none is needed
    cdef list outputs                  # aliases without a node, or None
    cdef list metas                    # (shape, code, context) of each output
    cdef readonly list parents         # Node, Leaf or None per input
    cdef readonly list parent_indices  # which output of that parent
    cdef bint is_freed
    # scratch of one backward pass (backward.pyx)
    cdef list grads
    cdef Py_ssize_t pending
    cdef Py_ssize_t stamp

cdef object HANDED_OVER

cdef bint is_recording() noexcept nogil
cdef bint is_training() noexcept nogil
cdef bint swap_recording(bint value) noexcept nogil            # returns the old value
cdef bint swap_training(bint value) noexcept nogil
cdef int record(Rule rule, object state, tuple inputs, list outputs) except -1
cpdef bint in_graph(Array a) noexcept                          # does `a` lead to a variable?
cdef Array stand_in_of(variable)                               # identity of an array of any storage type on the tape, or None
cdef int check_writable(Array a) except -1                     # rejects arrays of a graph while recording
cdef Array direct_target(Node node, Py_ssize_t position)           # a leaf's gradient array for the rule to write directly, or None
cdef Array grad_of_leaf(Leaf leaf)                             # its dense gradient array, created if necessary
cdef object gradient_of(Leaf leaf)                             # the array that receives its gradient
cdef bint is_awaited(Node node, Py_ssize_t position)               # does a hook wait for the gradient of this input?
