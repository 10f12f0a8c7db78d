# The tape: what was computed from what while recording. Nodes point backwards only, so graphs are
# freed by reference counting.

from opforge.native.array.array cimport Array
from opforge.native.threads.spans cimport Site

cdef class Leaf:                       # a variable that `attach_grad` marked
    cdef Array grad                    # see `grad_of_leaf`; without memory where `stored` is not None
    cdef tuple meta                    # shape, type and context of `grad` where it is not made yet
    cdef object stored                 # the StoredArray that its gradient goes to, or None
    cdef int req                       # REQ_*
    cdef bint fresh                    # a backward pass wrote `grad` since this was last cleared
    cdef dict hooks                    # of whoever wants to know when `grad` is complete, or None
    # scratch of one backward pass (backward.pyx)
    cdef Array total
    cdef list given                    # what was delivered as StoredArrays, or None
    cdef Py_ssize_t uses
    cdef Py_ssize_t pending            # edges over which nothing was delivered yet
    cdef Py_ssize_t stamp

cdef class Receiver:                   # a backward pass, as rules see it
    cdef int receive(self, Node node, Py_ssize_t position, Array grad) except -1

cdef class Rule:                       # how the gradient passes through one kind of operator
    cdef bint needs_inputs             # `apply` reads node.inputs
    cdef bint needs_outputs            # `apply` reads node.outputs
    cdef tuple read_heads              # bools, of which outputs it reads the gradients; None: of all
    cdef tuple kept_inputs             # bools, of which inputs and outputs alone; None: of all
    cdef tuple kept_outputs
    cdef object apply(self, Node node, list out_grads)         # -> sequence: a gradient or None per input
    # As `apply`, for a rule that hands some gradients to the receiver before it returns: these are HANDED_OVER.
    cdef object apply_for(self, Node node, list out_grads, Receiver receiver)
    cdef object operation(self, Node node)                     # what was called, for graphs; None: nothing that they have
    cdef Site site(self, Node node)                            # of the profiler: what `apply` takes its time for

cdef class Node:                       # one recorded call
    cdef Rule rule
    cdef object state                  # what the rule wants to remember of the call
    cdef tuple inputs                  # arrays; None for those, or all, that the rule does not need
    cdef list outputs                  # aliases without a node of their own, or None
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
cdef Array stand_in_of(variable)                               # what the tape knows an array of any storage type by, or None
cdef int check_writable(Array a) except -1                     # refuses arrays of a graph while recording
cdef Array direct_target(Node node, Py_ssize_t position)           # a leaf's gradient array that a rule may write itself, or None
cdef Array grad_of_leaf(Leaf leaf)                             # its dense gradient array, made now if it was not
cdef object gradient_of(Leaf leaf)                             # the array that its gradient goes to
cdef bint is_awaited(Node node, Py_ssize_t position)               # does a hook wait for the gradient of this input?
