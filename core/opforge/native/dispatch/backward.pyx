"""The backward pass: gradients flow from the heads through the tape to the variables.

A pass first counts the uses of each node reachable from the heads, then applies a node's rule once
all its users have delivered their gradients. Every pass has its own stamp, so that counts left behind
by an interrupted pass are never mistaken for current ones.

Variables receive their gradients at the end, when most sums can hand over their memory. A variable
with hooks receives its gradient with the last edge that leads to it, and its hooks are called while
the pass continues.
"""

from opforge.native.array.array cimport Array
from opforge.native.array.copies cimport copy_array, take_memory
from opforge.native.dispatch.elementwise cimport add_arrays, binary, ones_like, zeros_of
from opforge.native.dispatch.tape cimport (
    HANDED_OVER, Leaf, Node, Receiver, grad_of_leaf, gradient_of, in_graph, stand_in_of,
    swap_recording, swap_training,
)
from opforge.native.loops.elementwise cimport BINARY_add
from opforge.native.memory.types cimport REQ_ADD
from opforge.native.threads.parallel cimport enter_stoppable, leave_stoppable
from opforge.native.threads.spans cimport (
    CALLS, INTERFACE, Site, Span, close_span, open_span, site_of, watched,
)

from opforge.base.errors import OpforgeError, ShapeError
from opforge.base.out_of_memory import named_out_of_memory
from opforge.native.array.stored import StoredArray

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(object)

cdef enum:
    SETTLED = -1                       # replaces the edge count once the gradient is stored

cdef Py_ssize_t last_stamp = 0
cdef Site PASS = site_of("autograd", "backward")

_NOT_IN_GRAPH = (
    "Cannot differentiate node because it is not in a computational graph. You need to set "
    "is_recording to true or use autograd.record() to save computational graphs for backward. If "
    "you want to differentiate the same graph twice, you need to pass retain_graph=True to backward."
)


cdef class Pass(Receiver):
    """One pass over the graph; `wanted` maps (parent, index) to results requested by `grad`."""

    cdef Py_ssize_t stamp
    cdef list ready
    cdef list leaves
    cdef list seen
    cdef list complete                 # variables with hooks whose gradient is complete
    cdef dict wanted                   # (id of Node or Leaf, index) -> Array or None; None: write leaves
    cdef bint retain

    cdef int count(self, list roots) except -1:
        """Stamp all nodes reachable from `roots` and count the edges to each."""
        cdef list stack = []
        cdef Node node
        cdef object parent
        for parent in roots:
            self.visit(parent, stack)
        while stack:
            node = stack.pop()
            for parent in node.parents:
                self.visit(parent, stack)
        return 0

    cdef int visit(self, object parent, list stack) except -1:
        """Count one edge to `parent`, a Node, a Leaf or None."""
        cdef Node node
        cdef Leaf leaf
        if parent is None:
            return 0
        if isinstance(parent, Leaf):
            leaf = <Leaf>parent
            if leaf.stamp != self.stamp:
                leaf.stamp = self.stamp
                leaf.uses = 0
                leaf.pending = 0
                leaf.total = leaf.given = None
                self.leaves.append(leaf)
            leaf.pending += 1
            leaf.uses += 1 if self.wanted is None else 2     # two: never written directly
            return 0
        node = <Node>parent
        if node.stamp != self.stamp:
            if node.is_freed:
                raise OpforgeError(_NOT_IN_GRAPH)
            node.stamp = self.stamp
            node.pending = 0
            node.grads = [None] * len(node.metas)
            stack.append(node)
            self.seen.append(node)
        node.pending += 1
        return 0

    cdef int deliver(self, object parent, int index, object gradient) except -1:
        """Add `gradient` (None: nothing) to the sum that `parent` has received."""
        cdef Node node
        cdef Leaf leaf
        cdef Array grad
        if parent is None:
            return 0
        if gradient is not None and not isinstance(gradient, Array):
            return self.deliver_stored(parent, index, gradient)
        grad = <Array>gradient
        if isinstance(parent, Leaf):
            leaf = <Leaf>parent
            if grad is not None and grad is not leaf.grad:
                check_gradient(grad, grad_of_leaf(leaf).shape)
                leaf.total = grad if leaf.total is None else add_arrays(leaf.total, grad)
            elif grad is not None:                       # already written by the rule: see direct_target
                leaf.fresh = True
                leaf.uses = 0
            leaf.pending -= 1
            if leaf.pending == 0 and leaf.hooks and self.wanted is None:
                self.complete.append(leaf)
            return 0
        node = <Node>parent
        if grad is not None:
            check_gradient(grad, node.metas[index][0])
            have = node.grads[index]
            node.grads[index] = grad if have is None else add_arrays(have, grad)
        node.pending -= 1
        if node.pending == 0:
            self.ready.append(node)
        return 0

    cdef int deliver_stored(self, object parent, int index, object gradient) except -1:
        """Keep a gradient of another storage type if the variable's is of that type, else densify it."""
        cdef Leaf leaf
        if not isinstance(gradient, StoredArray):
            raise TypeError(f"a gradient must be an NDArray, got {type(gradient).__name__}")
        leaf = <Leaf>parent if isinstance(parent, Leaf) and self.wanted is None else None
        if leaf is None or leaf.stored is None:
            return self.deliver(parent, index, gradient.tostype("default"))
        check_shape(gradient.shape, grad_of_leaf(leaf).shape)
        if leaf.given is None:
            leaf.given = []
        leaf.given.append(gradient)
        return self.deliver(parent, index, None)

    cdef int receive(self, Node node, Py_ssize_t position, Array grad) except -1:
        """Accept the gradient of one input of `node` while its rule is still running."""
        self.deliver(node.parents[position], node.parent_indices[position], grad)
        return self.run_hooks()

    cdef int run_hooks(self) except -1:
        """Store the complete gradients of variables with hooks, and call the hooks."""
        cdef Leaf leaf
        while self.complete:
            leaf = self.complete.pop(0)
            if not grad_of_leaf(leaf).buffer.is_recorded:         # else the graph may still read it
                settle(leaf)
        return 0

    cdef int run(self) except -1:
        """Apply the rules in order until no node is ready."""
        cdef Node node
        self.run_hooks()                                 # for heads that are variables themselves
        while self.ready:
            node = self.ready.pop()
            self.step(node)
        return 0

    cdef int step(self, Node node) except -1:
        """Apply the rule of one node, whose output gradients are complete."""
        cdef Py_ssize_t position
        cdef object key, results
        cdef list grads = node.grads
        cdef bint reached = False, was_stoppable
        if self.wanted is not None:
            for position in range(len(grads)):
                key = (id(node), position)
                if key in self.wanted:
                    self.wanted[key] = (
                        zeros_of(node.metas[position]) if grads[position] is None
                        else grads[position]
                    )
        for position in range(len(grads)):
            if grads[position] is not None:
                reached = True
        node.grads = None
        if reached:
            was_stoppable = enter_stoppable()
            try:
                for position in range(len(grads)):
                    if grads[position] is None and (
                        node.rule.read_heads is None or node.rule.read_heads[position]
                    ):
                        grads[position] = zeros_of(node.metas[position])
                results = applied(node, grads, self)
            except MemoryError as error:
                named = named_error(node, error)
                if named is error:
                    raise
                raise named from error
            finally:
                leave_stoppable(was_stoppable)
            if len(results) < len(node.parents):
                raise OpforgeError(
                    f"a gradient rule returned {len(results)} gradients for "
                    f"{len(node.parents)} inputs"
                )
        for position in range(len(node.parents)):
            if reached and results[position] is HANDED_OVER:
                continue
            self.deliver(
                node.parents[position],
                node.parent_indices[position],
                results[position] if reached else None,
            )
        if not self.retain:
            free_node(node)                              # now, so that its memory can be reused
        if self.complete:
            results = grads = None                       # so that a sum can hand over its memory
            self.run_hooks()
        return 0

    cdef int finish(self) except -1:
        """Write the leaves' gradients, or store them in `wanted`; free the graph."""
        cdef Leaf leaf
        cdef Node node
        for leaf in self.leaves:
            if self.wanted is None:
                if leaf.pending != SETTLED:
                    settle(leaf)
                continue
            total = leaf.total
            leaf.total = None
            if (id(leaf), 0) in self.wanted:
                self.wanted[(id(leaf), 0)] = zeros_like_gradient(leaf) if total is None else total
        if not self.retain:
            for node in self.seen:
                free_node(node)
        return 0


cdef object applied(Node node, list grads, Receiver receiver):
    """Return the gradients computed by a node's rule."""
    cdef Span span
    if not watched & CALLS:
        return node.rule.apply_for(node, grads, receiver)
    open_span(&span, node.rule.site(node))
    try:
        return node.rule.apply_for(node, grads, receiver)
    finally:
        close_span(&span)


cdef object named_error(Node node, object error):
    """Return the error for a failed allocation in a rule."""
    return named_out_of_memory(node.rule.site(node).name.removeprefix("_backward_"), "backward", error)


cdef int free_node(Node node) except -1:
    """Drop the saved arrays of a call; differentiating through it again is an error."""
    node.inputs = None
    node.outputs = None
    node.state = None
    node.parents = []
    node.is_freed = True
    return 0


cdef Array zeros_like_gradient(Leaf leaf):
    if leaf.grad is None:
        return zeros_of(leaf.meta)
    return zeros_of((leaf.grad.shape, leaf.grad.code, leaf.grad.context))


cdef int settle(Leaf leaf) except -1:
    """Store a variable's gradient and call its hooks."""
    cdef Array total = leaf.total
    leaf.total = None
    leaf.pending = SETTLED
    if leaf.stored is not None:
        settle_stored(leaf, total)
    elif total is not None:
        store(leaf, total)
    elif leaf.uses != 0 and leaf.req != REQ_ADD:         # otherwise already written, or nothing to add
        store(leaf, zeros_like_gradient(leaf))
    if leaf.hooks:
        for hook in list(leaf.hooks.values()):           # a hook may detach itself
            hook(gradient_of(leaf))
    return 0


cdef int settle_stored(Leaf leaf, Array total) except -1:
    """Store the sum of delivered gradients for a variable with a gradient that is not dense."""
    cdef list given = leaf.given or []
    leaf.given = None
    if total is None and not given and leaf.req == REQ_ADD:
        return 0
    leaf.stored.take_gradient(given, total, leaf.req == REQ_ADD)
    leaf.fresh = True
    return 0


cdef int store(Leaf leaf, Array total) except -1:
    """Write or add the gradient of a variable."""
    if leaf.req == REQ_ADD:
        binary(BINARY_add, grad_of_leaf(leaf), total, leaf.grad)
    # A sum without other references hands over its memory; the caller holds the only one.
    elif Py_REFCNT(total) != 1 or not take_memory(grad_of_leaf(leaf), total):
        copy_array(leaf.grad, total)
    leaf.fresh = True
    return 0


cdef int check_gradient(Array grad, tuple shape) except -1:
    """Reject a gradient whose shape differs from its array's."""
    if grad.shape != shape:
        check_shape(grad.shape, shape)
    return 0


cdef int check_shape(tuple got, tuple shape) except -1:
    if got != shape:
        raise ShapeError(f"a gradient has shape {got}, its array has shape {shape}")
    return 0


cdef Array head_gradient(Array head, object given):
    """Return the gradient of `head`: `given`, or ones."""
    if given is None:
        try:
            return ones_like(head)
        except MemoryError as error:
            if isinstance(head.node, Node):
                raise named_error(<Node>head.node, error) from error
            raise
    if isinstance(given, StoredArray):
        given = given.tostype("default")
    if not isinstance(given, Array):
        raise TypeError(f"a head gradient must be an NDArray or None, got {type(given).__name__}")
    if (<Array>given).shape != head.shape or (<Array>given).code != head.code:
        raise ShapeError(
            f"the head gradient has shape {given.shape} and dtype {given.dtype.__name__}, the head "
            f"{head.shape} and {head.dtype.__name__}: they must be equal"
        )
    (<Array>given).buffer.is_recorded = True
    return <Array>given


cdef list known_to_tape(list heads):
    """Return the arrays by which the tape identifies `heads`; a new list only if one is sparse."""
    cdef object head
    for head in heads:
        if not isinstance(head, Array):
            return [stand_in_of(head) for head in heads]
    return heads


cdef Pass start(list heads, object head_grads, bint retain, dict wanted):
    """Seed a pass with the gradients of `heads`."""
    global last_stamp
    cdef Pass run = Pass.__new__(Pass)
    cdef Array head
    cdef Py_ssize_t position
    last_stamp += 1
    run.stamp = last_stamp
    run.ready = []
    run.leaves = []
    run.seen = []
    run.complete = []
    run.retain = retain
    run.wanted = wanted
    if head_grads is not None and len(head_grads) != len(heads):
        raise ValueError(f"got {len(head_grads)} head gradients for {len(heads)} heads")
    heads = known_to_tape(heads)
    for head in heads:
        if head is None or not in_graph(head):
            raise OpforgeError(_NOT_IN_GRAPH)
    run.count([(<Array>head).node for head in heads])
    for position, head in enumerate(heads):
        run.deliver(
            head.node,
            head.index,
            head_gradient(head, None if head_grads is None else head_grads[position]),
        )
    return run


cdef int complete(Pass run, bint recording, bint train_mode) except -1:
    """Run a seeded pass in the given modes."""
    cdef bint was_recording = swap_recording(recording)
    cdef bint was_training = swap_training(train_mode)
    cdef Span span
    cdef bint is_timed = watched & INTERFACE != 0
    if is_timed:
        open_span(&span, PASS)
    try:
        run.run()
        run.finish()
    finally:
        swap_recording(was_recording)
        swap_training(was_training)
        if is_timed:
            close_span(&span)
    return 0


def backward(list heads, head_grads=None, bint retain_graph=False, bint train_mode=True):
    """Compute the gradients of `heads` and write them to the arrays given to `mark`."""
    complete(start(heads, head_grads, retain_graph, None), False, train_mode)


def gradients(
    list heads, list variables, head_grads=None, retain_graph=None, bint create_graph=False,
    bint train_mode=True,
):
    """Return the gradients of `heads` with respect to `variables`; None for unreachable ones."""
    cdef Array variable
    cdef object known
    cdef dict wanted = {}
    cdef bint retain = create_graph if retain_graph is None else retain_graph
    cdef list keys = []
    for known in variables:
        variable = stand_in_of(known)
        if variable is None or not in_graph(variable):
            raise OpforgeError(
                "Cannot differentiate with respect to an array that is not in a computational "
                "graph: call attach_grad() on it before recording."
            )
        key = (id(variable.node), variable.index)
        keys.append(key)
        wanted[key] = None
    complete(start(heads, head_grads, retain, wanted), create_graph, train_mode)
    return [wanted[key] for key in keys]
