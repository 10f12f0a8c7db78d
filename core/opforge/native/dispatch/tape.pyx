"""The tape: each thread's recording state, and the nodes created by recorded calls."""

cimport cython

from opforge.native.array.array cimport Array, alias, bare, is_plain, new_array, plain, take_class
from opforge.native.array.creation cimport set_zero
from opforge.native.array.output cimport req_code
from opforge.native.memory.buffer cimport allocate
from opforge.native.memory.types cimport REQ_ADD, REQ_NULL, REQ_WRITE
from opforge.native.threads.random_streams cimport set_training_flag
from opforge.native.threads.spans cimport Site, site_of

from opforge.base.errors import OpforgeError
from opforge.native.array.stored import StoredArray

cdef extern from *:
    """
    #include "opforge_tls.h"
    static __thread int opforge_recording OPFORGE_FROM_START = 0;
    static __thread int opforge_training OPFORGE_FROM_START = 0;
    """
    int opforge_recording
    int opforge_training


cdef bint is_recording() noexcept nogil:
    return opforge_recording


cdef bint is_training() noexcept nogil:
    return opforge_training


cdef bint swap_recording(bint value) noexcept nogil:
    global opforge_recording
    cdef bint old = opforge_recording
    opforge_recording = value
    return old


cdef bint swap_training(bint value) noexcept nogil:
    global opforge_training
    cdef bint old = opforge_training
    opforge_training = value
    return old


set_training_flag(is_training)


@cython.final
cdef class Leaf:
    """A variable whose gradient is requested."""


cdef class Receiver:
    """Receiver of gradients from a rule that has not yet computed all of them."""

    cdef int receive(self, Node node, Py_ssize_t position, Array grad) except -1:
        raise NotImplementedError(f"{type(self).__name__} must define receive()")


# Stands for a gradient that was handed to the receiver.
cdef object HANDED_OVER = object()


cdef class Rule:
    """Gradient rule of one kind of operator."""

    cdef object apply(self, Node node, list out_grads):
        raise NotImplementedError(f"{type(self).__name__} must define apply()")

    cdef object apply_for(self, Node node, list out_grads, Receiver receiver):
        return self.apply(node, out_grads)

    cdef object operation(self, Node node):
        return None

    cdef Site site(self, Node node):
        return site_of("operator", f"_backward_{type(self).__name__}")


@cython.final
@cython.trashcan(True)
cdef class Node:
    """One recorded call of an operator."""

    @property
    def operation(self):
        """The called operation: a `Bound`, the declaration of an elementwise kernel, a function of
        symbols, or None if graphs have no equivalent.
        """
        return None if self.rule is None else self.rule.operation(self)  # a bare instance has no rule


cdef int record(Rule rule, object state, tuple inputs, list outputs) except -1:
    """Append a call to the tape if any input depends on a variable."""
    cdef Array item
    cdef object parent
    cdef list parents = [], indices = [], metas, kept
    cdef int index
    cdef bint leads = False, keep
    for item in inputs:
        parent = item.node if in_graph(item) else None
        if parent is not None:
            leads = True
        parents.append(parent)
        indices.append(item.index)
    if not leads:
        return 0
    for item in inputs:
        item.buffer.is_recorded = True
    cdef Node node = Node.__new__(Node)
    node.rule = rule
    node.state = state
    node.parents = parents
    node.parent_indices = indices
    if rule.needs_inputs:
        inputs = all_plain(inputs)
        node.inputs = inputs if rule.kept_inputs is None else kept_of(inputs, rule.kept_inputs)
    if rule.needs_outputs:
        kept = []
        for index in range(len(outputs)):
            keep = rule.kept_outputs is None or rule.kept_outputs[index]
            kept.append(alias(<Array>outputs[index]) if keep else None)
            (<Array>outputs[index]).buffer.is_recorded = True
        node.outputs = kept
    metas = []
    index = 0
    for item in outputs:
        metas.append((item.shape, item.code, item.context))
        item.node = node
        item.index = index
        index += 1
    node.metas = metas
    return 0


cdef tuple all_plain(tuple inputs):
    """Return the inputs as NDArrays, for which gradient rules are written."""
    cdef Array item
    for item in inputs:
        if not is_plain(item):
            return tuple([plain(<Array>one) for one in inputs])
    return inputs


cdef tuple kept_of(tuple inputs, tuple kept):
    """Return the inputs to keep, with None for the others."""
    return tuple([item if flag else None for item, flag in zip(inputs, kept)])


cdef int check_writable(Array a) except -1:
    if opforge_recording and in_graph(a):
        raise OpforgeError(
            "Inplace operations (+=, -=, x[:]=, etc) are not supported when recording with "
            "autograd: the array is part of a recorded graph. Write into a new array, or do it "
            "outside autograd.record() or inside autograd.pause()."
        )
    return 0


cdef Array direct_target(Node node, Py_ssize_t position):
    """Return the gradient array of input `position` if it is a dense leaf used once in this pass.

    Returns None if the graph may still read the array, as a constant or as the gradient of a head.
    """
    cdef object parent = node.parents[position]
    cdef Leaf leaf
    if isinstance(parent, Leaf):
        leaf = <Leaf>parent
        if (
            leaf.uses == 1 and leaf.stamp == node.stamp and leaf.stored is None
            and not grad_of_leaf(leaf).buffer.is_recorded
        ):
            return leaf.grad
    return None


cdef bint is_awaited(Node node, Py_ssize_t position):
    cdef object parent = node.parents[position]
    return isinstance(parent, Leaf) and bool((<Leaf>parent).hooks)


@cython.final
cdef class Scope:
    """Context manager that sets this thread's recording and training state; None leaves it unchanged.

    The previous state is restored at the end, also after an exception.
    """

    cdef int recording
    cdef int training
    cdef list before

    def __cinit__(self, recording=None, training=None):
        self.recording = -1 if recording is None else <bint>recording
        self.training = -1 if training is None else <bint>training
        self.before = []

    def __enter__(self):
        self.before.append((opforge_recording, opforge_training))
        if self.recording >= 0:
            swap_recording(self.recording)
        if self.training >= 0:
            swap_training(self.training)
        return self

    def __exit__(self, *error):
        recording, training = self.before.pop()
        swap_recording(recording)
        swap_training(training)
        return False


def recording():
    """Return whether this thread is recording."""
    return bool(opforge_recording)


def training():
    """Return whether this thread is in training mode."""
    return bool(opforge_training)


def modes():
    """Return the modes of this thread as a number: 1 for training, plus 2 for recording."""
    return is_training() + 2 * is_recording()


def set_recording(bint value):
    """Set this thread's recording state and return the old one."""
    return bool(swap_recording(value))


def set_training(bint value):
    """Set this thread's training state and return the old one."""
    return bool(swap_training(value))


cdef Array placeholder(like):
    """Return an array without elements that has the shape and type of `like`, of any storage type."""
    cdef Array result = bare(like.shape, like.dtype_code, like.context)
    result.buffer = allocate(0)
    result.data = result.buffer.data
    return result


cdef Array stand_in_of(variable):
    """Return an array's identity on the tape: itself, a StoredArray's stand-in, or None for constants."""
    if not isinstance(variable, Array) and isinstance(variable, StoredArray):
        return variable.stand_in
    return variable


def mark(variable not None, grad, req="write"):
    """Mark a variable whose gradient goes to `grad`, both of any storage type; drop its history."""
    cdef Array target = stand_in_of(variable)
    cdef int code = req_code(req)
    if grad is not None and not isinstance(grad, (Array, StoredArray)):
        raise TypeError(f"a gradient array must be an NDArray, got {type(grad).__name__}")
    if grad is not None and (
        grad.shape != variable.shape or grad.dtype_code != variable.dtype_code
    ):
        raise ValueError(
            f"the gradient array has shape {grad.shape} and dtype {grad.dtype.__name__}, the "
            f"variable {variable.shape} and {variable.dtype.__name__}: they must be equal"
        )
    if target is None:
        target = placeholder(variable)
        variable.stand_in = target
    if code == REQ_NULL or grad is None:
        target.node = None
        return
    cdef Leaf leaf = Leaf.__new__(Leaf)
    if isinstance(grad, Array):
        leaf.grad = grad
    else:
        leaf.stored, leaf.grad = grad, placeholder(variable)
    leaf.req = REQ_ADD if code == REQ_ADD else REQ_WRITE
    target.node = leaf
    target.index = 0


def mark_lazily(Array variable not None, req="write"):
    """Mark a variable whose gradient array of zeros is created on first use."""
    cdef int code = req_code(req)
    if code == REQ_NULL:
        variable.node = None
        return
    cdef Leaf leaf = Leaf.__new__(Leaf)
    leaf.meta = (variable.shape, variable.code, variable.context)
    leaf.req = REQ_ADD if code == REQ_ADD else REQ_WRITE
    variable.node = leaf
    variable.index = 0


cdef Array grad_of_leaf(Leaf leaf):
    """Return the array that receives a variable's gradient."""
    cdef Array made
    if leaf.grad is None:
        made = new_array(leaf.meta[0], leaf.meta[1], leaf.meta[2])
        set_zero(made)
        leaf.grad = made
    return leaf.grad


def lead_to(result not None, source not None):
    """Give `result` the tape history of `source`, which has the same elements; any storage types."""
    cdef Array origin = stand_in_of(source), led = stand_in_of(result)
    if led is None:
        led = result.stand_in = placeholder(result)
    led.node, led.index = origin.node, origin.index


cdef Leaf leaf_of(variable):
    """Return the leaf of a variable of any storage type; None if it is not marked."""
    cdef Array found = stand_in_of(variable)
    return <Leaf>found.node if found is not None and isinstance(found.node, Leaf) else None


def grad_of(variable):
    """Return the gradient array of a marked variable, else None."""
    cdef Leaf leaf = leaf_of(variable)
    return None if leaf is None else gradient_of(leaf)


def made_grad_of(variable):
    """Return the gradient array of a marked variable if it already exists, else None."""
    cdef Leaf leaf = leaf_of(variable)
    return None if leaf is None or (leaf.stored is None and leaf.grad is None) else gradient_of(leaf)


cdef object gradient_of(Leaf leaf):
    return grad_of_leaf(leaf) if leaf.stored is None else leaf.stored


def request_of(variable):
    """Return a marked variable's gradient request, "write" or "add"; None if not marked."""
    cdef Leaf leaf = leaf_of(variable)
    if leaf is None:
        return None
    return "add" if leaf.req == REQ_ADD else "write"


def is_fresh(variable):
    """Return whether a backward pass wrote the gradient since `set_fresh(variable, False)`."""
    cdef Leaf leaf = leaf_of(variable)
    return leaf is not None and bool(leaf.fresh)


def set_fresh(variable, bint value):
    """Set or clear the flag that `is_fresh` reads."""
    cdef Leaf leaf = leaf_of(variable)
    if leaf is not None:
        leaf.fresh = value


def set_hooks(variable, dict hooks):
    """Set the hooks of a marked variable: the values of `hooks`, which may change later, or None.

    A backward pass calls each with the gradient array as soon as the gradient is complete.
    """
    cdef Leaf leaf = leaf_of(variable)
    if leaf is not None:
        leaf.hooks = hooks


cpdef bint in_graph(Array a) noexcept:
    """Return whether `a` is a marked variable or was computed from one while recording.

    Once a backward pass has freed its graph, an array is a constant: a state carried from batch to
    batch starts a new graph each time and keeps no history alive.
    """
    if a.node is None:
        return False
    if isinstance(a.node, Node) and (<Node>a.node).is_freed:
        a.node = None
        return False
    return True


def leads(value):
    """Return whether `value` is an array of any storage type that is `in_graph`."""
    cdef Array known = stand_in_of(value) if isinstance(value, (Array, StoredArray)) else None
    return known is not None and in_graph(known)


def reject_recorded_write(Array a):
    """Raise an error if an in-place write to `a` would break the recorded graph."""
    check_writable(a)


def detach(Array a):
    """Return an array that shares the memory of `a` and has no history."""
    cdef Array result = alias(a)
    take_class(result, a)
    return result


@cython.final
cdef class CallbackRule(Rule):
    """A rule that is a Python function of the output gradients."""

    cdef object apply(self, Node node, list out_grads):
        return node.state[0](out_grads)

    cdef object operation(self, Node node):
        return node.state[1]

    cdef Site site(self, Node node):
        name = getattr(node.state[0], "__qualname__", None)
        if name is None:
            name = type(node.state[0]).__name__
        found = callback_sites.get(name)
        if found is None:
            found = site_of("operator", "_backward_" + name.partition(".")[0])
            callback_sites[name] = found
        return <Site>found


cdef CallbackRule CALLBACK = CallbackRule()
cdef dict callback_sites = {}          # keyed by function name


def record_callback(tuple inputs, list outputs, backward, composition=None):
    """Record a call whose gradient is ``backward(out_grads) -> sequence of gradients or None``.

    Does nothing unless this thread is recording and an input depends on a variable.

    Parameters
    ----------
    inputs, outputs : NDArrays
    backward : callable
    composition : callable, optional
        ``composition(*symbols) -> symbol``: the equivalent of the call in a graph.
    """
    if opforge_recording:
        record(CALLBACK, (backward, composition), inputs, outputs)


def source_of(Array a not None):
    """Return the `Node` or `Leaf` that produced `a`, or None, and the index of the output."""
    return (a.node if in_graph(a) else None), a.index
