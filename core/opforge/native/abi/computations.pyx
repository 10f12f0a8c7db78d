"""Computations that call the forward and backward functions of plugins, without the GIL.

Shapes and types are compared with what inference says before a function sees an array, however the
computation was reached. What is known of a combination of them is kept with the plugin's plan for it.
"""

cimport cython
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy
from opforge.abi cimport OPFORGE_WANTED, opforge_step, opforge_tensor

from opforge.native.array.array cimport Array, wait_write
from opforge.native.memory.buffer cimport Buffer, allocate
from opforge.native.calls.computation cimport Computation, Gradient, Types, expect_count
from opforge.native.calls.epilogue cimport Epilogue
from opforge.native.loops.epilogue cimport MOST_STEPS
from opforge.native.abi.instance cimport ForeignInstance, raise_status
from opforge.native.abi.frame cimport Frame, close_frame
from opforge.native.abi.plan cimport Counts, ForeignPlan, describe_call, new_plan
from opforge.native.threads.parallel cimport num_threads

from opforge.base import dtypes as _dtypes
from opforge.base.errors import DTypeError, OutOfMemoryError, PluginError, ShapeError

__all__ = ["ForeignForward", "ForeignGradient"]

cdef tuple NAMES = _dtypes.NAMES

cdef enum:
    SMALL = 12                         # views on the stack
    MOST_PLANS = 256                   # of one operator with its attributes

cdef struct Views:                     # of the arrays of one call
    opforge_tensor* tensors
    opforge_tensor* heap               # NULL where `small` was enough
    opforge_tensor[SMALL] small


cdef int open_views(Views* views, ForeignPlan plan) except -1:
    """Copy a plan's views."""
    cdef size_t nbytes = plan.n_tensors * sizeof(opforge_tensor)
    views.heap = NULL
    views.tensors = views.small
    if plan.n_tensors > SMALL:
        views.tensors = views.heap = <opforge_tensor*>malloc(nbytes)
        if views.heap == NULL:
            raise OutOfMemoryError("no memory for the views of a native operator's arrays")
    memcpy(views.tensors, plan.tensors, nbytes)
    return 0


cdef opforge_tensor* put(
    opforge_tensor* tensor, list arrays, Py_ssize_t begin, Py_ssize_t end
) noexcept:
    """Put the data of some arrays into their views; returns the view behind them."""
    cdef Py_ssize_t position
    for position in range(begin, end):
        if arrays[position] is not None:
            tensor.data = (<Array>arrays[position]).data
        tensor += 1
    return tensor


cdef bint fits(ForeignPlan plan, Py_ssize_t source, Array item) except -1:
    """Has an array the shape and type that the plan has in this place?"""
    shape = plan.shapes[source]
    return (item.shape is shape or item.shape == shape) and item.code == <int>plan.codes[source]


cdef int expect(ForeignPlan plan, Py_ssize_t source, Array item, str what, Py_ssize_t position) except -1:
    """Refuse an array that does not fit."""
    if fits(plan, source, item):
        return 0
    if item.shape != plan.shapes[source]:
        raise ShapeError(
            f"{plan.instance.operator!r}: {what} {position} has shape {item.shape}, expected "
            f"{plan.shapes[source]}"
        )
    raise DTypeError(
        f"{plan.instance.operator!r}: {what} {position} has dtype {NAMES[item.code]}, expected "
        f"{NAMES[plan.codes[source]]}"
    )


cdef int keep(dict plans, object key, ForeignPlan plan) except -1:
    """Remember a plan; the oldest makes room for it."""
    if len(plans) >= MOST_PLANS:
        del plans[next(iter(plans))]
    plans[key] = plan
    return 0


cdef Buffer workspace_of(ForeignPlan plan, Array given, Frame* frame):
    """Give a call its workspace: `given`, or memory of the pool, which is returned to be kept."""
    cdef Buffer memory = None
    if plan.workspace_bytes == 0:
        return None
    if given is not None and given.size >= plan.workspace_bytes:
        frame.call.workspace = given.data
    else:
        memory = allocate(plan.workspace_bytes)
        frame.call.workspace = memory.data
    frame.call.workspace_bytes = plan.workspace_bytes
    return memory


cdef int finish(ForeignInstance instance, Views* views, Frame* frame, int32_t status) except -1:
    """Free what the call had, and raise what it reports."""
    free(views.heap)
    if status:
        raise_status(instance.operator, status, frame)
    return 0


@cython.final
cdef class ForeignForward(Computation):
    """The forward function of a native operator.

    Its inputs are arguments, then auxiliary states, then operands of an epilogue.

    Parameters
    ----------
    instance : ForeignInstance
    n_inputs, n_outputs, n_states : int
    infer : callable
        From the shapes and type codes of the inputs to those of the outputs, checked.
    n_states : int
    epilogue : Epilogue, optional
    """

    cdef ForeignInstance instance
    cdef readonly bint draws_random    # equal inputs do not give equal results
    cdef object infer                  # callable(shapes, codes) -> (output shapes, output codes)
    cdef Epilogue epilogue             # or None
    cdef Counts counts
    cdef dict plans                    # (shapes, codes, threads) -> ForeignPlan
    cdef ForeignPlan last              # of the last call

    def __init__(
        self, ForeignInstance instance not None, int n_inputs, int n_outputs, infer, int n_states=0,
        Epilogue epilogue=None,
    ):
        if not instance.created:
            raise PluginError("a native operator's instance is not made")
        self.instance = instance
        self.draws_random = instance.operator.draws_random
        self.counts.inputs, self.counts.outputs, self.counts.states = n_inputs, n_outputs, n_states
        self.infer = infer
        self.plans = {}
        self.epilogue = epilogue
        if instance.operator.table.backward != NULL:
            self.gradient = ForeignGradient(instance, n_inputs, n_outputs, n_states)

    def __repr__(self):
        return f"{self.instance.operator!r}" if self.instance is not None else "<native operator>"

    def with_epilogue(self, Epilogue epilogue not None):
        """Return the same computation with an epilogue."""
        cdef Counts counts = self.counts
        if counts.outputs != 1:
            raise PluginError(f"{self!r} has {counts.outputs} outputs: an epilogue is for one")
        return ForeignForward(
            self.instance, counts.inputs, counts.outputs, self.infer, counts.states, epilogue
        )

    def workspace_bytes(self, Types types not None):
        """Return how many bytes of workspace a call with these shapes and types needs."""
        return self.cached(types.in_shapes, types.in_codes).workspace_bytes

    cdef ForeignPlan cached(self, list shapes, list codes):
        """The plan for the shapes and types of inputs and states."""
        cdef tuple key = (*shapes, *codes, num_threads())
        cdef Py_ssize_t n = self.counts.inputs
        found = self.plans.get(key)
        if found is None:
            out_shapes, out_codes = self.infer(shapes, codes)
            found = new_plan(
                self.instance, self.counts,
                [*shapes[:n], *[tuple(shape) for shape in out_shapes], *shapes[n:]],
                [*codes[:n], *out_codes, *codes[n:]], None, self.epilogue,
            )
            keep(self.plans, key, found)
        return <ForeignPlan>found

    cdef bint is_last(self, list inputs) except -1:
        """Is the plan of the last call the one for these inputs?"""
        cdef Py_ssize_t position, n = self.counts.inputs
        if self.last is None or self.last.threads != num_threads():
            return False
        for position in range(n + self.counts.states):
            if not fits(
                self.last, position if position < n else position + self.counts.outputs,
                <Array>inputs[position],
            ):
                return False
        return True

    cdef inline int n_operands(self) noexcept:
        return 0 if self.epilogue is None else self.epilogue.n_operands

    cdef int run(self, list inputs, list outputs) except -1:
        return self.run_in(inputs, outputs, None)

    cdef int run_in(self, list inputs, list outputs, Array workspace) except -1:
        cdef Frame frame
        cdef Views views
        cdef opforge_step[MOST_STEPS] steps
        cdef int32_t status
        cdef Py_ssize_t position, n_in = self.counts.inputs, n_all = n_in + self.counts.states
        cdef ForeignInstance instance = self.instance
        cdef ForeignPlan plan
        cdef opforge_tensor* tensor
        cdef Array item
        if instance is None:
            raise PluginError("ForeignForward was made without an operator")
        expect_count(self, inputs, n_all + self.n_operands(), outputs, self.counts.outputs)
        if self.is_last(inputs):
            plan = self.last
        else:
            plan = self.cached(
                [item.shape for item in inputs[:n_all]], [item.code for item in inputs[:n_all]]
            )
            self.last = plan
        for position in range(self.counts.outputs):
            expect(plan, n_in + position, <Array>outputs[position], "output", position)
        for position in range(n_in, n_all):
            wait_write(<Array>inputs[position])
        instance.begin(&frame)
        if self.epilogue is not None:
            self.epilogue.put(steps, inputs[n_all:], <Array>outputs[0])
            frame.call.epilogue, frame.call.n_epilogue = steps, self.epilogue.n_steps
        _memory = workspace_of(plan, workspace, &frame)
        open_views(&views, plan)
        tensor = put(views.tensors, inputs, 0, n_in)
        tensor = put(tensor, outputs, 0, self.counts.outputs)
        put(tensor, inputs, n_in, n_all)
        describe_call(plan, &frame.call, views.tensors)
        with nogil:
            status = instance.operator.table.forward(&frame.call)
            close_frame(&frame)
        return finish(instance, &views, &frame, status)


@cython.final
cdef class ForeignGradient(Gradient):
    """The backward function of a native operator.

    Parameters
    ----------
    instance, n_inputs, n_outputs, n_states
        As for `ForeignForward`.
    """

    cdef ForeignInstance instance
    cdef Counts counts
    cdef dict plans                    # (shapes, codes, wanted, threads) -> ForeignPlan
    cdef ForeignPlan last              # of the last call
    cdef Types last_types

    def __init__(self, ForeignInstance instance not None, int n_inputs, int n_outputs, int n_states):
        self.instance = instance
        self.counts.inputs, self.counts.outputs, self.counts.states = n_inputs, n_outputs, n_states
        self.partial = (instance.operator.table.flags & OPFORGE_WANTED) != 0
        self.plans = {}

    def __repr__(self):
        return f"backward of {self.instance.operator!r}"

    def workspace_bytes(self, Types types not None, list wanted not None):
        """Return how many bytes of workspace a call for the wanted gradients needs."""
        return self.cached(types, wanted).workspace_bytes

    cdef ForeignPlan cached(self, Types types, list wanted):
        """The plan for the operator's shapes and types, and the wanted gradients."""
        cdef Py_ssize_t n = self.counts.inputs
        cdef list shapes = [*types.in_shapes[:n], *types.out_shapes, *types.in_shapes[n:]]
        cdef list codes = [*types.in_codes[:n], *types.out_codes, *types.in_codes[n:]]
        cdef tuple key = (*shapes, *codes, *wanted, num_threads())
        found = self.plans.get(key)
        if found is None:
            found = new_plan(self.instance, self.counts, shapes, codes, wanted, None)
            keep(self.plans, key, found)
        return <ForeignPlan>found

    cdef bint is_last(self, Types types, list grads) except -1:
        """Is the plan of the last call the one for this call?"""
        cdef Py_ssize_t position
        if self.last is None or self.last_types is not types or self.last.threads != num_threads():
            return False
        for position in range(self.counts.inputs):
            if self.last.wants[position] != (grads[position] is not None):
                return False
        return True

    cdef int run(
        self, Types types, list heads, list inputs, list outputs, list states, list grads,
        Array workspace,
    ) except -1:
        cdef Frame frame
        cdef Views views
        cdef int32_t status
        cdef ForeignInstance instance = self.instance
        cdef int n_in = self.counts.inputs, n_out = self.counts.outputs
        cdef ForeignPlan plan
        cdef opforge_tensor* tensor
        cdef ForeignPlan before = self.last
        if self.is_last(types, grads):
            plan = before
        else:
            plan = self.cached(types, [grad is not None for grad in grads])
            # Both at once: `before` lives on, so that its `unplan` lets no other thread in between.
            before, _types_before = self.last, self.last_types
            self.last, self.last_types = plan, types
        self.expect_all(plan, heads, n_in, n_out, "the gradient of output")
        self.expect_all(plan, inputs, 0, n_in, "input")
        self.expect_all(plan, outputs, n_in, n_out, "output")
        self.expect_all(plan, states, n_in + n_out, self.counts.states, "auxiliary state")
        self.expect_all(plan, grads, 0, n_in, "the gradient of input")
        instance.begin(&frame)
        _memory = workspace_of(plan, workspace, &frame)
        open_views(&views, plan)
        tensor = put(views.tensors, inputs, 0, n_in)
        tensor = put(tensor, outputs, 0, n_out)
        tensor = put(tensor, states, 0, self.counts.states)
        tensor = put(tensor, heads, 0, n_out)
        put(tensor, grads, 0, n_in)
        describe_call(plan, &frame.call, views.tensors)
        with nogil:
            status = instance.operator.table.backward(&frame.call)
            close_frame(&frame)
        return finish(instance, &views, &frame, status)

    cdef int expect_all(
        self, ForeignPlan plan, list arrays, Py_ssize_t first, Py_ssize_t count, str what
    ) except -1:
        """Refuse arrays that do not fit those of the plan from `first` on; None is none."""
        cdef Py_ssize_t position
        if len(arrays) != count:
            raise PluginError(f"{self!r} got {len(arrays)} of {what}, expected {count}")
        for position in range(count):
            if arrays[position] is not None:
                expect(plan, first + position, <Array>arrays[position], what, position)
        return 0
