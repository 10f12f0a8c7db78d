"""Plans of native operators for one combination of shapes and types, kept while in use.

The plugin's `plan` is called once per combination, and `unplan` when the plan is no longer referenced.
Views of the arrays are made once as well: a call copies them and sets the data pointers.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free
from opforge.abi cimport (
    OPFORGE_BACKWARD, OPFORGE_FORWARD, opforge_call, opforge_tensor,
)

from opforge.native.abi.dtypes cimport dtype_of
from opforge.native.abi.frame cimport Frame, close_frame
from opforge.native.abi.instance cimport ForeignInstance, raise_status
from opforge.native.calls.epilogue cimport Epilogue
from opforge.native.memory.types cimport itemsize_of
from opforge.native.threads.parallel cimport num_threads

from opforge.base.errors import NativeError, OutOfMemoryError

cdef Py_ssize_t MAX_WORKSPACE = <Py_ssize_t>1 << 46


@cython.final
@cython.no_gc_clear                    # `unplan` needs the operator
cdef class ForeignPlan:
    """Plan of a plugin, made by the computations that call its functions."""

    def __dealloc__(self):
        cdef Frame frame
        if self.planned and self.instance.operator.table.unplan != NULL:
            self.instance.begin(&frame)
            frame.call.plan = self.plan
            with nogil:
                self.instance.operator.table.unplan(&frame.call)
                close_frame(&frame)
        free(self.tensors)


cdef ForeignPlan new_plan(
    ForeignInstance instance, Counts counts, list shapes, list codes, list wanted, Epilogue epilogue
):
    cdef ForeignPlan plan = ForeignPlan.__new__(ForeignPlan)
    plan.instance, plan.counts = instance, counts
    plan.shapes, plan.codes, plan.wanted = shapes, codes, wanted
    plan.threads = num_threads()
    describe_arrays(plan)
    if instance.operator.table.plan != NULL:
        call_plan(plan, epilogue)
    return plan


cdef int describe_arrays(ForeignPlan plan) except -1:
    """Make the views; one block of memory holds them, their dimensions and the wanted flags."""
    cdef Counts counts = plan.counts
    cdef list order = list(range(counts.inputs + counts.outputs + counts.states))
    cdef Py_ssize_t words = 0, position, axis, stride, index
    cdef int64_t* dims
    if plan.wanted is not None:
        order += order[counts.inputs : counts.inputs + counts.outputs] + order[:counts.inputs]
    plan.n_tensors = len(order)
    for index in order:
        words += 2 * len(plan.shapes[index])
    plan.tensors = <opforge_tensor*>calloc(
        1, max(plan.n_tensors, 1) * sizeof(opforge_tensor) + (words + counts.inputs) * sizeof(int64_t)
    )
    if plan.tensors == NULL:
        raise OutOfMemoryError("cannot allocate the views of a native operator's arrays")
    dims = <int64_t*>(plan.tensors + plan.n_tensors)
    for position, index in enumerate(order):
        shape = plan.shapes[index]
        plan.tensors[position].ndim = len(shape)
        plan.tensors[position].dtype = dtype_of(plan.codes[index])
        plan.tensors[position].device = plan.instance.device
        plan.tensors[position].shape = dims
        plan.tensors[position].strides = dims + <Py_ssize_t>len(shape)
        stride = itemsize_of(plan.codes[index])
        for axis in range(len(shape) - 1, -1, -1):
            dims[axis] = shape[axis]
            dims[<Py_ssize_t>len(shape) + axis] = stride
            stride *= dims[axis]
        plan.tensors[position].byte_size = stride
        dims += 2 * <Py_ssize_t>len(shape)
    if plan.wanted is not None:
        plan.wants = <int32_t*>dims
        for position in range(counts.inputs):
            plan.wants[position] = <bint>plan.wanted[position]
    return 0


cdef int call_plan(ForeignPlan plan, Epilogue epilogue) except -1:
    """Call the plugin's `plan`."""
    cdef Frame frame
    cdef int32_t status
    plan.instance.begin(&frame)
    describe_call(plan, &frame.call, plan.tensors)
    if epilogue is not None:
        frame.call.epilogue, frame.call.n_epilogue = epilogue.steps, epilogue.n_steps
    with nogil:
        status = plan.instance.operator.table.plan(&frame.call)
        close_frame(&frame)
    if status:
        raise_status(plan.instance.operator, status, &frame)
    plan.plan, plan.planned = frame.call.plan, True
    if not 0 <= frame.call.workspace_bytes <= MAX_WORKSPACE:
        raise NativeError(
            f"plan requested a workspace of {frame.call.workspace_bytes} bytes, expected 0 to "
            f"{MAX_WORKSPACE}"
        )
    plan.workspace_bytes = frame.call.workspace_bytes
    return 0


cdef void describe_call(ForeignPlan plan, opforge_call* call, opforge_tensor* tensors) noexcept:
    cdef Counts counts = plan.counts
    call.plan = plan.plan
    call.n_inputs, call.n_outputs, call.n_states = counts.inputs, counts.outputs, counts.states
    call.inputs = tensors
    call.outputs = tensors + counts.inputs
    if counts.states:
        call.states = call.outputs + counts.outputs
    call.stage = OPFORGE_FORWARD if plan.wanted is None else OPFORGE_BACKWARD
    if plan.wanted is not None:
        call.wanted = plan.wants
        call.out_grads = call.outputs + counts.outputs + counts.states
        call.in_grads = tensors + counts.inputs + 2 * counts.outputs + counts.states
