"""Computations that call the forward and backward functions of plugins without the GIL.

Shapes and types are always compared with the results of inference before a function gets an array. The
plugin's plans are cached by combination of shapes and types.
"""

cimport cython
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy
from opforge.abi cimport (
    OPFORGE_CPU, OPFORGE_WANTED, opforge_device, opforge_memory, opforge_step, opforge_tensor,
)

from opforge.native.array.array cimport Array, sync_write
from opforge.native.memory.buffer cimport Buffer, allocate
from opforge.native.memory.devices cimport allocate_on, device_of, memory_of
from opforge.native.calls.computation cimport Computation, Gradient, Types, expect_count
from opforge.native.calls.epilogue cimport Epilogue
from opforge.native.loops.epilogue cimport MAX_STEPS
from opforge.native.abi.instance cimport ForeignInstance, raise_status
from opforge.native.abi.frame cimport Frame, close_frame
from opforge.native.abi.plan cimport Counts, ForeignPlan, describe_call, new_plan
from opforge.native.threads.parallel cimport num_threads

from opforge.base import dtypes as _dtypes
from opforge.base.errors import ContextError, DTypeError, OutOfMemoryError, PluginError, ShapeError

__all__ = ["ForeignForward", "ForeignGradient", "MissingForward", "MissingGradient"]

cdef tuple NAMES = _dtypes.NAMES

cdef enum:
    STACK_VIEWS = 12                   # views stored on the stack
    MAX_PLANS = 256                    # cached plans of one operator with its attributes

cdef struct Views:                     # views of the arrays of one call
    opforge_tensor* tensors
    opforge_tensor* heap               # NULL where `stack` was enough
    opforge_tensor[STACK_VIEWS] stack


cdef int open_views(Views* views, ForeignPlan plan) except -1:
    """Copy a plan's views."""
    cdef size_t nbytes = plan.n_tensors * sizeof(opforge_tensor)
    views.heap = NULL
    views.tensors = views.stack
    if plan.n_tensors > STACK_VIEWS:
        views.tensors = views.heap = <opforge_tensor*>malloc(nbytes)
        if views.heap == NULL:
            raise OutOfMemoryError("cannot allocate the views of a native operator's arrays")
    memcpy(views.tensors, plan.tensors, nbytes)
    return 0


cdef opforge_tensor* set_data(
    opforge_tensor* tensor, list arrays, Py_ssize_t begin, Py_ssize_t end
) noexcept:
    """Set the data pointers of the views of arrays [begin, end); return the view that follows."""
    cdef Py_ssize_t position
    for position in range(begin, end):
        if arrays[position] is not None:
            tensor.data = (<Array>arrays[position]).data
        tensor += 1
    return tensor


cdef bint matches(ForeignPlan plan, Py_ssize_t index, Array item) except -1:
    """Return whether an array has the shape and type at `index` of the plan."""
    shape = plan.shapes[index]
    return (item.shape is shape or item.shape == shape) and item.code == <int>plan.codes[index]


cdef int expect_match(ForeignPlan plan, Py_ssize_t index, Array item, str role, Py_ssize_t position) except -1:
    """Check that an array has the shape and type at `index` of the plan."""
    if matches(plan, index, item):
        return 0
    if item.shape != plan.shapes[index]:
        raise ShapeError(
            f"{plan.instance.operator!r}: {role} {position} has shape {item.shape}, expected "
            f"{plan.shapes[index]}"
        )
    raise DTypeError(
        f"{plan.instance.operator!r}: {role} {position} has dtype {NAMES[item.code]}, expected "
        f"{NAMES[plan.codes[index]]}"
    )


cdef int expect_on(ForeignInstance instance, list arrays) except -1:
    """Check that arrays, or None, are on the device of an instance."""
    cdef opforge_device device = instance.device, found
    cdef Array item
    for item in arrays:
        if item is None:
            continue
        found = device_of(item.buffer)
        if found.type != device.type or found.id != device.id:
            raise ContextError(
                f"{instance.operator!r} runs on device {device.id} of DLPack's type {device.type}, got an "
                f"array on {item.context}"
            )
    return 0


cdef int cache_plan(dict plans, object key, ForeignPlan plan) except -1:
    """Cache a plan, dropping the oldest one if the cache is full."""
    if len(plans) >= MAX_PLANS:
        del plans[next(iter(plans))]
    plans[key] = plan
    return 0


cdef Buffer provide_workspace(ForeignPlan plan, Array workspace, Frame* frame):
    """Set the workspace of a call: `workspace`, or memory of the device, which the caller must keep."""
    cdef Buffer memory = None
    cdef const opforge_memory* elsewhere = memory_of(frame.call.device.type)
    if plan.workspace_bytes == 0:
        return None
    if workspace is not None and workspace.size >= plan.workspace_bytes:
        frame.call.workspace = workspace.data
    else:
        if elsewhere == NULL:
            memory = allocate(plan.workspace_bytes)
        else:
            memory = allocate_on(elsewhere, frame.call.device.id, plan.workspace_bytes)
        frame.call.workspace = memory.data
    frame.call.workspace_bytes = plan.workspace_bytes
    return memory


cdef int finish(ForeignInstance instance, Views* views, Frame* frame, int32_t status) except -1:
    """Free the views of the call and raise the error that it reports, if any."""
    free(views.heap)
    if status:
        raise_status(instance.operator, status, frame)
    return 0


@cython.final
cdef class ForeignForward(Computation):
    """Forward function of a native operator.

    Inputs are the arguments, then the auxiliary states, then the operands of an epilogue.

    Parameters
    ----------
    instance : ForeignInstance
    n_inputs, n_outputs, n_states : int
    infer : callable
        Maps the shapes and type codes of the inputs to those of the outputs, with checks.
    epilogue : Epilogue, optional
    """

    cdef ForeignInstance instance
    cdef readonly bint draws_random    # equal inputs may give different results
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
            raise PluginError(f"{instance.operator!r}: its instance has not been created")
        self.instance = instance
        self.is_elsewhere = instance.device.type != OPFORGE_CPU
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
            raise PluginError(f"{self!r} has {counts.outputs} outputs; an epilogue requires one")
        return ForeignForward(
            self.instance, counts.inputs, counts.outputs, self.infer, counts.states, epilogue
        )

    def workspace_bytes(self, Types types not None):
        """Return how many bytes of workspace a call with these shapes and types needs."""
        return self.cached(types.in_shapes, types.in_codes).workspace_bytes

    cdef ForeignPlan cached(self, list shapes, list codes):
        """Return the plan for the shapes and types of inputs and states."""
        cdef tuple key = (*shapes, *codes, num_threads())
        cdef Py_ssize_t n = self.counts.inputs
        plan = self.plans.get(key)
        if plan is None:
            out_shapes, out_codes = self.infer(shapes, codes)
            plan = new_plan(
                self.instance, self.counts,
                [*shapes[:n], *[tuple(shape) for shape in out_shapes], *shapes[n:]],
                [*codes[:n], *out_codes, *codes[n:]], None, self.epilogue,
            )
            cache_plan(self.plans, key, plan)
        return <ForeignPlan>plan

    cdef bint matches_last(self, list inputs) except -1:
        """Return whether the plan of the last call applies to these inputs."""
        cdef Py_ssize_t position, n = self.counts.inputs
        if self.last is None or self.last.threads != num_threads():
            return False
        for position in range(n + self.counts.states):
            if not matches(
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
        cdef opforge_step[MAX_STEPS] steps
        cdef int32_t status
        cdef Py_ssize_t position, n_in = self.counts.inputs, n_all = n_in + self.counts.states
        cdef ForeignInstance instance = self.instance
        cdef ForeignPlan plan
        cdef opforge_tensor* tensor
        cdef Array item
        if instance is None:
            raise PluginError("ForeignForward was created without an operator")
        expect_count(self, inputs, n_all + self.n_operands(), outputs, self.counts.outputs)
        if self.matches_last(inputs):
            plan = self.last
        else:
            plan = self.cached(
                [item.shape for item in inputs[:n_all]], [item.code for item in inputs[:n_all]]
            )
            self.last = plan
        for position in range(self.counts.outputs):
            expect_match(plan, n_in + position, <Array>outputs[position], "output", position)
        for position in range(n_in, n_all):
            sync_write(<Array>inputs[position])
        if self.is_elsewhere:
            expect_on(instance, inputs)
            expect_on(instance, outputs)
        instance.begin(&frame)
        if self.epilogue is not None:
            self.epilogue.bind(steps, inputs[n_all:], <Array>outputs[0])
            frame.call.epilogue, frame.call.n_epilogue = steps, self.epilogue.n_steps
        _memory = provide_workspace(plan, workspace, &frame)
        open_views(&views, plan)
        tensor = set_data(views.tensors, inputs, 0, n_in)
        tensor = set_data(tensor, outputs, 0, self.counts.outputs)
        set_data(tensor, inputs, n_in, n_all)
        describe_call(plan, &frame.call, views.tensors)
        with nogil:
            status = instance.operator.table.forward(&frame.call)
            close_frame(&frame)
        return finish(instance, &views, &frame, status)


@cython.final
cdef class MissingForward(Computation):
    """Forward function on a device that the operator has no functions for; a call raises the error.

    Graphs can be inferred and compiled with it.

    Parameters
    ----------
    error : callable
        Returns the exception.
    differentiable : bool
        Whether the operator has a backward function on other devices.
    """

    cdef object error

    def __init__(self, error not None, bint differentiable):
        self.error = error
        self.is_elsewhere = True
        if differentiable:
            self.gradient = MissingGradient(error)

    def with_epilogue(self, Epilogue epilogue not None):
        """Return the computation itself."""
        return self

    cdef int run(self, list inputs, list outputs) except -1:
        raise self.error()


@cython.final
cdef class MissingGradient(Gradient):
    """Backward function on a device that the operator has no functions for; see `MissingForward`."""

    cdef object error

    def __init__(self, error not None):
        self.error = error
        self.is_elsewhere = True

    cdef int run(
        self, Types types, list heads, list inputs, list outputs, list states, list grads,
        Array workspace,
    ) except -1:
        raise self.error()


@cython.final
cdef class ForeignGradient(Gradient):
    """Backward function of a native operator.

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
        self.is_elsewhere = instance.device.type != OPFORGE_CPU
        self.counts.inputs, self.counts.outputs, self.counts.states = n_inputs, n_outputs, n_states
        self.partial = (instance.operator.table.flags & OPFORGE_WANTED) != 0
        self.plans = {}

    def __repr__(self):
        return f"backward of {self.instance.operator!r}"

    def workspace_bytes(self, Types types not None, list wanted not None):
        """Return how many bytes of workspace a call for the wanted gradients needs."""
        return self.cached(types, wanted).workspace_bytes

    cdef ForeignPlan cached(self, Types types, list wanted):
        """Return the plan for the operator's shapes and types and the wanted gradients."""
        cdef Py_ssize_t n = self.counts.inputs
        cdef list shapes = [*types.in_shapes[:n], *types.out_shapes, *types.in_shapes[n:]]
        cdef list codes = [*types.in_codes[:n], *types.out_codes, *types.in_codes[n:]]
        cdef tuple key = (*shapes, *codes, *wanted, num_threads())
        plan = self.plans.get(key)
        if plan is None:
            plan = new_plan(self.instance, self.counts, shapes, codes, wanted, None)
            cache_plan(self.plans, key, plan)
        return <ForeignPlan>plan

    cdef bint matches_last(self, Types types, list grads) except -1:
        """Return whether the plan of the last call applies to this call."""
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
        cdef ForeignPlan previous = self.last
        if self.matches_last(types, grads):
            plan = previous
        else:
            plan = self.cached(types, [grad is not None for grad in grads])
            # `previous` stays referenced until both fields are set: its `unplan` may let other threads run.
            previous, _previous_types = self.last, self.last_types
            self.last, self.last_types = plan, types
        self.expect_all(plan, heads, n_in, n_out, "the gradient of output")
        self.expect_all(plan, inputs, 0, n_in, "input")
        self.expect_all(plan, outputs, n_in, n_out, "output")
        self.expect_all(plan, states, n_in + n_out, self.counts.states, "auxiliary state")
        self.expect_all(plan, grads, 0, n_in, "the gradient of input")
        if self.is_elsewhere:
            expect_on(instance, [*heads, *inputs, *outputs, *states, *grads])
        instance.begin(&frame)
        _memory = provide_workspace(plan, workspace, &frame)
        open_views(&views, plan)
        tensor = set_data(views.tensors, inputs, 0, n_in)
        tensor = set_data(tensor, outputs, 0, n_out)
        tensor = set_data(tensor, states, 0, self.counts.states)
        tensor = set_data(tensor, heads, 0, n_out)
        set_data(tensor, grads, 0, n_in)
        describe_call(plan, &frame.call, views.tensors)
        with nogil:
            status = instance.operator.table.backward(&frame.call)
            close_frame(&frame)
        return finish(instance, &views, &frame, status)

    cdef int expect_all(
        self, ForeignPlan plan, list arrays, Py_ssize_t first, Py_ssize_t count, str role
    ) except -1:
        """Check that arrays match those of the plan from index `first`; entries may be None."""
        cdef Py_ssize_t position
        if len(arrays) != count:
            raise PluginError(f"{self!r}: got {len(arrays)} arrays for {role}, expected {count}")
        for position in range(count):
            if arrays[position] is not None:
                expect_match(plan, first + position, <Array>arrays[position], role, position)
        return 0
